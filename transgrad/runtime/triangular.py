"""The inverse of a triangular matrix, of which NumPy knows nothing but that it is a matrix."""
from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["inverse_of_lower"]

#: matrices of so many rows are inverted by NumPy
_BLOCK = 32


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
