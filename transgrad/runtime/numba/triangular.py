"""Systems of equations whose matrix is triangular, block by block: what is below a block is a product of matrices."""
from __future__ import annotations

import numpy as np
from numba import njit

__all__ = ["solve_lower", "solve_lower_vector", "solve_upper", "solve_upper_vector"]

_compiled = njit(error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)
_BLOCK = 32


@_compiled
def _check(a, b):
    if a.shape[0] != a.shape[1]:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    if a.shape[1] != b.shape[0]:
        raise ValueError("solve: the matrix and the right-hand side have different numbers of rows")


@_compiled
def _subtract(x, i, factor, k):
    """Take ``factor`` times row ``k`` from row ``i``."""
    for j in range(x.shape[1]):
        x[i, j] -= factor * x[k, j]


@_compiled
def solve_lower(a, b):
    """``x`` of ``a @ x = b``, where nothing is above the diagonal of ``a``."""
    _check(a, b)
    n = len(a)
    x = np.empty(b.shape)
    x[:] = b
    for start in range(0, n, _BLOCK):
        stop = min(start + _BLOCK, n)
        if start:
            x[start:stop] -= np.dot(np.ascontiguousarray(a[start:stop, :start]), x[:start])
        for i in range(start, stop):
            for k in range(start, i):
                _subtract(x, i, a[i, k], k)
            for j in range(x.shape[1]):
                x[i, j] /= a[i, i]
    return x


@_compiled
def solve_upper(a, b):
    """``x`` of ``a @ x = b``, where nothing is below the diagonal of ``a``."""
    _check(a, b)
    n = len(a)
    x = np.empty(b.shape)
    x[:] = b
    for stop in range(n, 0, -_BLOCK):
        start = max(stop - _BLOCK, 0)
        if stop < n:
            x[start:stop] -= np.dot(np.ascontiguousarray(a[start:stop, stop:]), x[stop:])
        for i in range(stop - 1, start - 1, -1):
            for k in range(i + 1, stop):
                _subtract(x, i, a[i, k], k)
            for j in range(x.shape[1]):
                x[i, j] /= a[i, i]
    return x


@_compiled
def solve_lower_vector(a, b):
    """`solve_lower` for a vector."""
    _check(a, b)
    x = b.copy()
    for i in range(len(x)):
        total = x[i]
        for k in range(i):
            total -= a[i, k] * x[k]
        x[i] = total / a[i, i]
    return x


@_compiled
def solve_upper_vector(a, b):
    """`solve_upper` for a vector; by columns, which are rows of the lower matrix that ``a`` is the transpose of."""
    _check(a, b)
    x = b.copy()
    for i in range(len(x) - 1, -1, -1):
        x[i] /= a[i, i]
        for k in range(i):
            x[k] -= a[k, i] * x[i]
    return x
