"""Triangular matrices, of which NumPy knows nothing but that they are matrices."""
from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["inverse_of_lower", "lower_half", "product_of_triangles"]

#: matrices of so many rows are inverted, or multiplied, by NumPy
_BLOCK, _LITTLE = 32, 64


def inverse_of_lower(a: Any) -> Any:
    """The inverse of a matrix with nothing above its diagonal, half by half: a third of the operations, all in products of matrices."""
    n = len(a)
    if n <= _BLOCK:
        return np.linalg.inv(a)
    half = n // 2
    out = np.zeros_like(a)
    first = out[:half, :half] = inverse_of_lower(a[:half, :half])
    last = out[half:, half:] = inverse_of_lower(a[half:, half:])
    out[half:, :half] = -last @ (a[half:, :half] @ first)
    return out


def lower_half(a: Any) -> Any:
    """The lower triangle of a square matrix, with half of its diagonal."""
    out = np.tril(a)
    np.einsum("ii->i", out)[...] *= 0.5
    return out


def product_of_triangles(a: Any, b: Any, left: str, right: str) -> Any:
    """``a @ b``, where ``left`` and ``right`` tell which triangle of a matrix is all there is in it: ``"lower"``, ``"upper"`` or neither.

    Such a matrix is square.  Products of the four blocks with a block of zeros are omitted.
    """
    n = len(b)
    if n < _LITTLE:
        return a @ b
    half = n // 2
    out = np.empty((len(a), b.shape[1]))
    for top, bottom in ((0, half), (half, n)) if left else ((0, len(a)),):
        for first, last in ((0, half), (half, n)) if right else ((0, b.shape[1]),):
            start = max(top if left == "upper" else 0, first if right == "lower" else 0)
            stop = min(bottom if left == "lower" else n, last if right == "upper" else n)
            if start < stop:
                np.matmul(a[top:bottom, start:stop], b[start:stop, first:last], out=out[top:bottom, first:last])
            else:
                out[top:bottom, first:last] = 0.0
    return out
