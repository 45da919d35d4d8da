"""Points where a function has a first derivative by convention only."""
from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["at_zero"]


def at_zero(x: Any) -> Any:
    """1 where ``x`` is zero, else 0, with derivative NaN where it is zero.

    ``g / (y + at_zero(y))`` is the derivative of a norm along ``g``, 0 where the norm is 0; its own derivative there is NaN.
    Generated code has ``y == 0`` in its place.
    """
    found = x == 0
    if isinstance(x, (np.ndarray, np.generic)):
        return found.astype(x.dtype)
    return float(found) if isinstance(found, bool) else found
