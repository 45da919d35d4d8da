"""Cotangents of what chooses between two arrays, without a branch for each element: a processor guesses half of those wrong."""
from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["kept_where", "share_of_larger", "share_of_smaller"]


def kept_where(condition: Any, g: Any) -> Any:
    """``np.where(condition, g, 0.0)``, of an array of float64 and a condition of the same shape: bits are kept, or are not."""
    bits = np.negative(condition.view(np.int8)).astype(np.int64)     # bytes are turned before they are widened
    bits &= g.view(np.int64)
    return bits.view(np.float64)


def share_of_larger(a: Any, b: Any, g: Any) -> Any:
    """What ``a`` gets of the cotangent of ``np.maximum(a, b)``: half of it where both are equal."""
    return _share(a < b, a, b, g)


def share_of_smaller(a: Any, b: Any, g: Any) -> Any:
    """What ``a`` gets of the cotangent of ``np.minimum(a, b)``."""
    return _share(a > b, a, b, g)


def _share(lost: Any, a: Any, b: Any, g: Any) -> Any:
    kept = lost.view(np.int8)
    kept -= 1
    bits = kept.astype(np.int64)
    bits &= g.view(np.int64)
    out = bits.view(np.float64)
    ties = a == b
    if ties.any():
        out[ties] *= 0.5
    return out
