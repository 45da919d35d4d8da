"""Products of a matrix of few entries, such as a rotation, and one that may be wide.

To call BLAS takes longer than such a product, and some rearrange both matrices before they multiply.  Here the terms of a row are added
up four at a time, and of two rows at a time, so that what is read of the wide matrix is used eight times.
"""
from __future__ import annotations

from numba import njit

from .apart import apart_inner

__all__ = ["multiply_few"]


@njit(error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)
def multiply_few(a, b, out):
    """Write ``a @ b`` to ``out``, which shares no memory with them."""
    n = len(a)
    for i in range(0, n - 1, 2):
        _two_rows(a, b, i, out)
    if n % 2:
        _one_row(a, b, n - 1, out)


@apart_inner(error_model="numpy", fastmath={"contract"})
def _two_rows(a, b, i, out):
    k, m = b.shape
    for j in range(m):
        out[i, j] = out[i + 1, j] = 0.0
    for q in range(k // 4):
        p = 4 * q
        x, y, z, w = a[i, p], a[i, p + 1], a[i, p + 2], a[i, p + 3]
        s, t, u, v = a[i + 1, p], a[i + 1, p + 1], a[i + 1, p + 2], a[i + 1, p + 3]
        for j in range(m):
            e, f, g, h = b[p, j], b[p + 1, j], b[p + 2, j], b[p + 3, j]
            out[i, j] += x * e + y * f + z * g + w * h
            out[i + 1, j] += s * e + t * f + u * g + v * h
    rest = k % 4
    p = k - rest
    if rest == 3:       # all of a rotation
        x, y, z = a[i, p], a[i, p + 1], a[i, p + 2]
        s, t, u = a[i + 1, p], a[i + 1, p + 1], a[i + 1, p + 2]
        for j in range(m):
            e, f, g = b[p, j], b[p + 1, j], b[p + 2, j]
            out[i, j] += x * e + y * f + z * g
            out[i + 1, j] += s * e + t * f + u * g
    else:
        for p in range(k - rest, k):
            x, s = a[i, p], a[i + 1, p]
            for j in range(m):
                out[i, j] += x * b[p, j]
                out[i + 1, j] += s * b[p, j]


@apart_inner(error_model="numpy", fastmath={"contract"})
def _one_row(a, b, i, out):
    k, m = b.shape
    for j in range(m):
        out[i, j] = 0.0
    for q in range(k // 4):
        p = 4 * q
        x, y, z, w = a[i, p], a[i, p + 1], a[i, p + 2], a[i, p + 3]
        for j in range(m):
            out[i, j] += x * b[p, j] + y * b[p + 1, j] + z * b[p + 2, j] + w * b[p + 3, j]
    rest = k % 4
    p = k - rest
    if rest == 3:
        x, y, z = a[i, p], a[i, p + 1], a[i, p + 2]
        for j in range(m):
            out[i, j] += x * b[p, j] + y * b[p + 1, j] + z * b[p + 2, j]
    else:
        for p in range(k - rest, k):
            x = a[i, p]
            for j in range(m):
                out[i, j] += x * b[p, j]
