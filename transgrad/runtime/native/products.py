"""Products that Numba has for two dimensions only."""
from __future__ import annotations

import numpy as np
from numba import njit

__all__ = ["stacked_matmul"]


@njit(no_cpython_wrapper=True, no_cfunc_wrapper=True)
def stacked_matmul(a, b):
    """``a @ b`` of two stacks of matrices."""
    n, m = a.shape[0], b.shape[0]
    if n != m and n != 1 and m != 1:
        raise ValueError("operands could not be broadcast together")
    count = m if n == 1 else n
    out = np.empty((count, a.shape[1], b.shape[2]), a.dtype)
    for k in range(count):
        left, right = np.ascontiguousarray(a[0 if n == 1 else k]), np.ascontiguousarray(b[0 if m == 1 else k])
        out[k] = np.dot(left, right)
    return out
