"""The fast path of element-wise operations: for each, a text of its own for the ordinary case, and `record.promoted` for any other."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .record import promoted

__all__ = ["binary", "unary"]


def unary(fn: Any, floating: bool = True) -> Callable[[Any], Any]:
    """``op(x)`` for an element-wise function of one argument; with ``floating`` integers become the default dtype."""
    def op(x: Any) -> Any:
        return promoted(fn, x, floating=floating)
    op.__name__ = op.__qualname__ = fn.__name__
    return op


def binary(fn: Any, floating: bool = False) -> Callable[[Any, Any], Any]:
    """``op(a, b)`` for an element-wise function of two arguments."""
    def op(a: Any, b: Any) -> Any:
        return promoted(fn, a, b, floating=floating)
    op.__name__ = op.__qualname__ = fn.__name__
    return op
