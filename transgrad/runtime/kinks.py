"""Points where a function has a first derivative by convention only."""
from __future__ import annotations

from typing import Any

__all__ = ["at_zero"]


def at_zero(x: Any) -> Any:
    """Whether ``x`` is zero, with derivative NaN there.

    ``g / (y + at_zero(y))`` is the derivative of a norm along ``g``, 0 where the norm is 0; its own derivative there is NaN.
    Generated code has ``y == 0`` in its place.
    """
    return x == 0
