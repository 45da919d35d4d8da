"""Cotangents of what chooses between two arrays, without a branch for each element: a processor guesses half of those wrong."""
from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["kept_where", "share_of_larger", "share_of_smaller"]


def kept_where(condition: Any, g: Any, out: Any = None) -> Any:
    """``np.where(condition, g, 0.0)``, of an array of float64 and a condition of the same shape: bits are kept, or are not."""
    return _kept(np.negative(condition.view(np.int8)), g, out)     # bytes are turned before they are widened


def share_of_larger(a: Any, b: Any, g: Any, out: Any = None) -> Any:
    """What ``a`` gets of the cotangent of ``np.maximum(a, b)``: half of it where both are equal.  ``out`` may be ``g`` itself."""
    return _share(a < b, a, b, g, out)


def share_of_smaller(a: Any, b: Any, g: Any, out: Any = None) -> Any:
    """What ``a`` gets of the cotangent of ``np.minimum(a, b)``."""
    return _share(a > b, a, b, g, out)


def _kept(bytes_: Any, g: Any, out: Any) -> Any:
    """``g`` at bytes of -1, and zero at bytes of 0."""
    if out is not None:
        np.bitwise_and(bytes_, g.view(np.int64), out=out.view(np.int64))
        return out
    bits = bytes_.astype(np.int64)
    bits &= g.view(np.int64)
    return bits.view(np.float64)


def _share(lost: Any, a: Any, b: Any, g: Any, out: Any) -> Any:
    kept = lost.view(np.int8)
    kept -= 1
    out = _kept(kept, g, out)
    ties = a == b
    if np.count_nonzero(ties):
        out[ties] *= 0.5
    return out
