"""Matrices made of fewer numbers, by indexing and joining; products and solutions with them."""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from ...registry import definition


def grid(n: Any, m: Any, sign: int) -> Any:
    """``i + j`` or ``i - j`` at [i, j]."""
    return np.arange(n)[:, None] + sign * np.arange(m)


@definition(scipy.linalg.toeplitz)
def toeplitz(c: Any, r: Any = None) -> Any:
    """The matrix with constant diagonals."""
    row = np.conj(c) if r is None else r
    values = np.concatenate((np.flip(row[1:]), c))
    return values[grid(c.shape[0], row.shape[0], -1) + (row.shape[0] - 1)]


@definition(scipy.linalg.hankel)
def hankel(c: Any, r: Any = None) -> Any:
    """The matrix with constant anti-diagonals."""
    row = np.zeros_like(c) if r is None else r
    return np.concatenate((c, row[1:]))[grid(c.shape[0], row.shape[0], 1)]


@definition(scipy.linalg.circulant)
def circulant(c: Any) -> Any:
    """Each column is the one before, rolled on."""
    n = c.shape[0]
    return c[grid(n, n, -1) % n]


@definition(scipy.linalg.companion)
def companion(a: Any) -> Any:
    """The matrix whose eigenvalues are the roots of a polynomial."""
    n = a.shape[0] - 1
    return np.concatenate(((-a[1:] / a[0])[None, :], np.eye(n - 1, n)), axis=0)


@definition(scipy.linalg.leslie)
def leslie(f: Any, s: Any) -> Any:
    """The matrix of fertility and survival."""
    n = f.shape[0]
    below = np.concatenate((np.diag(s), np.zeros((n - 1, 1))), axis=1)
    return np.concatenate((f[None, :], below), axis=0)


@definition(scipy.linalg.fiedler)
def fiedler(a: Any) -> Any:
    """The matrix of distances between numbers."""
    return np.abs(a[:, None] - a)


@definition(scipy.linalg.block_diag)
def block_diag(*arrs: Any) -> Any:
    """Matrices along the diagonal."""
    blocks = [np.atleast_2d(a) for a in arrs]
    rows = []
    for k, here in enumerate(blocks):
        row = [here if j == k else np.zeros((here.shape[0], other.shape[1]), here.dtype) for j, other in enumerate(blocks)]
        rows.append(np.concatenate(row, axis=1))
    return np.concatenate(rows, axis=0)


if hasattr(scipy.linalg, "kron"):
    definition(scipy.linalg.kron)(lambda a, b: np.kron(a, b))


@definition(scipy.linalg.khatri_rao)
def khatri_rao(a: Any, b: Any) -> Any:
    """The Kronecker products of the columns."""
    return np.reshape(a[:, None, :] * b[None, :, :], (-1, a.shape[1]))


@definition(scipy.linalg.convolution_matrix)
def convolution_matrix(a: Any, n: Any, mode: Any = "full") -> Any:
    """The matrix of the convolution of ``a`` with a vector of length n."""
    m = a.shape[0]
    at = grid(m + n - 1, n, -1)
    full = np.where((at >= 0) & (at < m), a[np.clip(at, 0, m - 1)], 0.0)
    shorter = np.minimum(m, n)
    if mode == "same":
        rows = np.maximum(m, n)
        first = (m + n - 1 - rows) // 2
        return full[first:first + rows]
    return full if mode == "full" else full[shorter - 1:m + n - shorter]


@definition(scipy.linalg.fiedler_companion)
def fiedler_companion(a: Any) -> Any:
    """The matrix with five diagonals whose eigenvalues are the roots of a polynomial, of degree 2 at least."""
    held = a / a[0]
    n = held.shape[0] - 1
    c = np.zeros((n, n), held.dtype)
    c[np.arange(3, n, 2), np.arange(1, n - 2, 2)] = 1.0
    c[np.arange(2, n, 2), np.arange(1, n - 1, 2)] = -held[3::2]
    c[np.arange(0, n - 2, 2), np.arange(2, n, 2)] = 1.0
    c[np.arange(0, n - 1, 2), np.arange(1, n, 2)] = -held[2::2]
    c[0, 0] = -held[1]
    c[1, 0] = 1.0
    return c


@definition(scipy.linalg.solve_circulant)
def solve_circulant(c: Any, b: Any, singular: Any = "raise", tol: Any = None, caxis: Any = -1, baxis: Any = 0, outaxis: Any = 0) -> Any:
    """The solution of a system with a circulant matrix, by Fourier transforms. Frequencies that are missing from the matrix stay so."""
    spectrum = np.fft.fft(np.moveaxis(np.atleast_1d(c), caxis, -1), axis=-1)
    given = np.fft.fft(np.moveaxis(np.atleast_1d(b), baxis, -1), axis=-1)
    size = np.abs(spectrum)
    bound = np.max(size, axis=-1, keepdims=True) * spectrum.shape[-1] * np.finfo(np.float64).eps if tol is None else tol
    none = size <= bound
    if singular == "raise" and np.any(none):
        raise np.linalg.LinAlgError("near singular circulant matrix.")
    x = np.fft.ifft(np.where(none, 0.0, given / np.where(none, 1.0, spectrum)), axis=-1)
    found = x if np.iscomplexobj(c) or np.iscomplexobj(b) else np.real(x)
    return np.moveaxis(found, -1, outaxis)


@definition(scipy.linalg.solve_toeplitz)
def solve_toeplitz(c_or_cr: Any, b: Any, check_finite: Any = True) -> Any:
    """The solution of a system with a Toeplitz matrix."""
    return np.linalg.solve(toeplitz(c_or_cr[0], c_or_cr[1]) if isinstance(c_or_cr, tuple) else toeplitz(c_or_cr), b)


@definition(scipy.linalg.matmul_toeplitz)
def matmul_toeplitz(c_or_cr: Any, x: Any, check_finite: Any = False, workers: Any = None) -> Any:
    """The product with a Toeplitz matrix."""
    return (toeplitz(c_or_cr[0], c_or_cr[1]) if isinstance(c_or_cr, tuple) else toeplitz(c_or_cr)) @ x


@definition(scipy.linalg.diagsvd)
def diagsvd(s: Any, M: Any, N: Any) -> Any:
    """The matrix of singular values."""
    square = np.diag(s)
    return np.concatenate((square, np.zeros((M - N, N))), axis=0) if M > N else np.concatenate((square, np.zeros((M, N - M))), axis=1)
