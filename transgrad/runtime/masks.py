"""Cotangents of what chooses between two arrays, without a branch for each element: a processor guesses half of those wrong."""
from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["kept_where", "share_of_larger", "share_of_smaller"]


def kept_where(condition: Any, g: Any) -> Any:
    """``np.where(condition, g, 0.0)``, of an array of float64 and a condition of the same shape: bits are kept, or are not."""
    bits = condition.astype(np.int64)
    np.negative(bits, out=bits)
    bits &= g.view(np.int64)
    return bits.view(np.float64)


def share_of_larger(a: Any, b: Any, g: Any) -> Any:
    """What ``a`` gets of the cotangent of ``np.maximum(a, b)``: half of it where both are equal."""
    return _share(a < b, a == b, g)


def share_of_smaller(a: Any, b: Any, g: Any) -> Any:
    """What ``a`` gets of the cotangent of ``np.minimum(a, b)``."""
    return _share(a > b, a == b, g)


def _share(lost: Any, ties: Any, g: Any) -> Any:
    bits = lost.astype(np.int64)
    bits -= 1
    bits &= g.view(np.int64)
    out = bits.view(np.float64)
    if ties.any():
        out[ties] *= 0.5
    return out
