"""``np.cross`` of vectors in space, without the dozens of calls by which NumPy's own handles vectors and axes of any kind."""
from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["cross"]


def cross(a: Any, b: Any) -> Any:
    """``np.cross(a, b)`` of arrays of float64.

    Examples
    --------
    >>> cross(np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0]))
    array([0., 0., 1.])
    """
    shape = a.shape
    if shape != b.shape or shape[-1] != 3:
        return np.cross(a, b)
    if len(shape) == 1:
        (a0, a1, a2), (b0, b1, b2) = a.tolist(), b.tolist()
        return np.array([a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0])
    out = np.empty(shape)
    a0, a1, a2 = a[..., 0], a[..., 1], a[..., 2]
    b0, b1, b2 = b[..., 0], b[..., 1], b[..., 2]
    for k, (p, q, r, s) in enumerate(((a1, b2, a2, b1), (a2, b0, a0, b2), (a0, b1, a1, b0))):
        entry = np.multiply(p, q, out=out[..., k])
        entry -= r * s
    return out
