"""One derivative for each question: repeated requests share the compiled variants."""
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from .derivative import Derivative
from .options import Options
from .transformations import Kind

__all__ = ["derive"]


@functools.lru_cache(maxsize=256)
def _remembered(kind: Kind, f: Callable[..., Any], argnums: Any, argnames: Any, options: Options) -> Derivative:
    return Derivative(kind, f, argnums, argnames, options)


def derive(kind: Kind, f: Callable[..., Any], argnums: Any, argnames: Any, options: Options) -> Derivative:
    """Return the derivative of ``f``; repeated requests share it, so that a transformation inside a loop compiles once."""
    argnums = tuple(argnums) if isinstance(argnums, (list, range)) else argnums
    argnames = tuple(argnames) if isinstance(argnames, (list, set)) else argnames
    try:
        return _remembered(kind, f, argnums, argnames, options)
    except TypeError:
        return Derivative(kind, f, argnums, argnames, options)
