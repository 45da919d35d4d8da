"""Products of matrices, and of stacks of them, which Numba has for two dimensions only."""
from __future__ import annotations

import numpy as np
from numba import njit

from .few_rows import multiply_few

__all__ = ["matrix_by_stack", "product", "stack_by_matrix", "stack_by_vector", "stacked_matmul"]

#: how many entries of the first matrix are few: of more, BLAS has the product sooner where it has kernels for small matrices
_FEW = 16


@njit(no_cpython_wrapper=True, no_cfunc_wrapper=True)
def product(a, b):
    """``a @ b`` of two matrices."""
    if a.shape[1] != b.shape[0]:
        raise ValueError("matmul: the matrices do not fit")
    if a.size > _FEW:
        return np.dot(a, b)
    out = np.empty((a.shape[0], b.shape[1]), a.dtype)
    multiply_few(a, b, out)
    return out


@njit(no_cpython_wrapper=True, no_cfunc_wrapper=True)
def stacked_matmul(a, b):
    """``a @ b`` of two stacks of matrices."""
    n, m = a.shape[0], b.shape[0]
    if a.shape[2] != b.shape[1]:
        raise ValueError("matmul: the matrices do not fit")
    if n != m and n != 1 and m != 1:
        raise ValueError("operands could not be broadcast together")
    count = m if n == 1 else n
    out = np.empty((count, a.shape[1], b.shape[2]), a.dtype)
    for k in range(count):
        _into(a[0 if n == 1 else k], b[0 if m == 1 else k], out[k])
    return out


@njit(no_cpython_wrapper=True, no_cfunc_wrapper=True)
def stack_by_matrix(a, b):
    """``a @ b`` of a stack of matrices and one matrix: one product, of the rows of all."""
    n, m, k = a.shape
    return product(np.ascontiguousarray(a).reshape(n * m, k), b).reshape(n, m, b.shape[1])


@njit(no_cpython_wrapper=True, no_cfunc_wrapper=True)
def stack_by_vector(a, b):
    """``a @ b`` of a stack of matrices and a vector."""
    n, m, k = a.shape
    if k != b.shape[0]:
        raise ValueError("matmul: the matrices do not fit")
    return np.dot(np.ascontiguousarray(a).reshape(n * m, k), np.ascontiguousarray(b)).reshape(n, m)


@njit(no_cpython_wrapper=True, no_cfunc_wrapper=True)
def matrix_by_stack(a, b):
    """``a @ b`` of one matrix and a stack of matrices."""
    n = b.shape[0]
    if a.shape[1] != b.shape[1]:
        raise ValueError("matmul: the matrices do not fit")
    out = np.empty((n, a.shape[0], b.shape[2]), a.dtype)
    for k in range(n):
        _into(a, b[k], out[k])
    return out


@njit(no_cpython_wrapper=True, no_cfunc_wrapper=True)
def _into(a, b, out):
    if a.size > _FEW:
        np.dot(np.ascontiguousarray(a), np.ascontiguousarray(b), out)
    else:
        multiply_few(a, b, out)
