"""Operations of Python that have no function of their own in the standard library, as functions the IR can call."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["inplace_at", "not_in", "unpack"]


def inplace_at(a: Any, index: Any, value: Any, op: Callable[[Any, Any], Any]) -> None:
    """``a[index] op= value``, where ``op`` is ``operator.iadd`` and the like."""
    a[index] = op(a[index], value)


def not_in(item: Any, container: Any) -> bool:
    """``item not in container``."""
    return item not in container


def unpack(value: Any, count: int) -> tuple[Any, ...]:
    """The ``count`` elements of an iterable: ``a, b = value``."""
    items = tuple(value)
    if len(items) != count:
        many = "too many values to unpack" if len(items) > count else "not enough values to unpack"
        raise ValueError(f"{many} (expected {count}, got {len(items)})")
    return items
