"""Functions as a user writes them: of objects, of results with several parts, of functions handed over, which a call alone does not show.

A file hands its functions in with ``@use(*args)``, the arguments at which they are checked.
"""
from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from typing import Any, TypeVar

__all__ = ["every", "use"]

F = TypeVar("F", bound=Callable[..., Any])
_USES: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {}


def use(*args: Any) -> Callable[[F], F]:
    """Hands in a function with the arguments at which it is checked."""
    def register(f: F) -> F:
        name = f"{f.__module__.rpartition('.')[2]}-{f.__name__}"
        assert name not in _USES
        _USES[name] = f, args
        return f
    return register


def every() -> dict[str, tuple[Callable[..., Any], tuple[Any, ...]]]:
    """The functions and their arguments by the names of file and function."""
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")
    return _USES
