"""Points where a function has a first derivative by convention only."""
from __future__ import annotations

from typing import Any

__all__ = ["divisor"]


def divisor(y: Any) -> Any:
    """``y``, or 1 at its zeros, with derivative NaN there.

    ``g / divisor(y)`` is the derivative of a norm along ``g``, 0 where the norm is 0; its own derivative there is NaN.
    Generated code has ``y + (y == 0)`` in its place.
    """
    return y + (y == 0)
