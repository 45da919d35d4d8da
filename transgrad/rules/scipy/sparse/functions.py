"""Functions of sparse matrices with differentiated elements, by way of dense matrices if their result is dense."""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp
import scipy.sparse.linalg as sl

from ....ir.infer_shapes import SHAPES
from ....ir.types import ANY, Arr
from ...registry import constant, definition
from ...static import NoDerivative
from .matrix import as_matrix, merge


@definition(sl.norm)
def norm(x: Any, ord: Any = None, axis: Any = None) -> Any:
    """The norm of Frobenius, that of the largest sum of rows or columns, and the largest singular value."""
    a = merge(as_matrix(x))
    if axis is not None:
        return np.linalg.norm(a.toarray(), ord, axis)
    if ord is None or ord in ("f", "fro"):
        return np.sqrt(np.sum(np.real(a.values * np.conj(a.values))))
    return np.linalg.norm(a.toarray(), ord)


@definition(sl.inv)
def inv(A: Any) -> Any:
    """By the inverse of the dense matrix."""
    return as_matrix(np.linalg.inv(as_matrix(A).toarray()))


@definition(sl.expm)
def expm(A: Any) -> Any:
    """By the exponential of the dense matrix."""
    return as_matrix(scipy.linalg.expm(as_matrix(A).toarray()))


@definition(sl.matrix_power)
def matrix_power(A: Any, power: Any) -> Any:
    """By products."""
    a = as_matrix(A)
    out = a
    if power < 1:
        raise NoDerivative("matrix_power of a sparse matrix has a derivative for positive powers")
    for _ in range(power - 1):
        out = merge(out @ a)
    return out


@definition(sl.expm_multiply)
def expm_multiply(A: Any, B: Any, start: Any = None, stop: Any = None, num: Any = None, endpoint: Any = None, traceA: Any = None) -> Any:
    """By the exponential of the dense matrix; at one time, or at several."""
    a = as_matrix(A).toarray()
    if start is None:
        return scipy.linalg.expm(a) @ B
    count = 50 if num is None else num
    last = stop - (stop - start) / count if endpoint is False else stop
    return np.stack([scipy.linalg.expm(t * a) @ B for t in np.linspace(start, last, count)])


def chosen_vectors(a: Any, k: Any, M: Any, sigma: Any, which: Any, v0: Any) -> Any:
    """ARPACK's result, of which only the signs and the order are used."""
    w, v = sl.eigsh(a, k, M, sigma, which, v0)
    return np.concatenate((w[None, :], v), axis=0)


def chosen_general(a: Any, k: Any, sigma: Any, which: Any, v0: Any) -> Any:
    """ARPACK's result for a matrix that is not symmetric."""
    w, v = sl.eigs(a, k, None, sigma, which, v0)
    return np.concatenate((w[None, :], v), axis=0)


def chosen_singular(a: Any, k: Any, which: Any, v0: Any, solver: Any) -> Any:
    """The left vectors that ARPACK finds, below the values."""
    u, s, _ = sl.svds(a, k, which=which, v0=v0, solver=solver)
    return np.concatenate((s[None, :], u), axis=0)


def nearest(values: Any, found: Any) -> Any:
    """The positions of values among the values found."""
    return np.argmin(np.abs(values[:, None] - found), axis=0)


def signs(v: Any, of: Any) -> Any:
    """The numbers of modulus 1 that turn the columns of ``v`` into those of ``of``."""
    inner = np.sum(np.conj(v) * of, axis=0)
    return inner / np.abs(inner)


constant(chosen_vectors, chosen_general, chosen_singular, nearest, signs)
SHAPES.update({chosen_general: lambda *args: Arr("complex128", (ANY, ANY)),
               chosen_vectors: lambda a, *rest: Arr(a.type.dtype, (ANY, ANY)) if isinstance(a.type, Arr) else None,
               chosen_singular: lambda a, *rest: Arr(a.type.dtype, (ANY, ANY)) if isinstance(a.type, Arr) else None,
               nearest: lambda values, found: Arr("int64", (ANY,)),
               signs: lambda v, of: Arr(v.type.dtype, (ANY,)) if isinstance(v.type, Arr) else None})


def dense(a: Any) -> Any:
    return a if isinstance(a, np.ndarray) else as_matrix(a).toarray()


@definition(sl.eigsh)
def eigsh(A: Any, k: Any = 6, M: Any = None, sigma: Any = None, which: Any = "LM", v0: Any = None, ncv: Any = None, maxiter: Any = None,
          tol: Any = 0, return_eigenvectors: Any = True, Minv: Any = None, OPinv: Any = None, mode: Any = "normal", rng: Any = None) -> Any:
    """By all values of the dense matrix, from which ARPACK selects. The values are assumed to be distinct."""
    a = as_matrix(A).toarray()
    if M is not None:
        raise NoDerivative("eigsh has a derivative for the problem of one matrix")
    w, v = np.linalg.eigh(a)
    found = chosen_vectors(a, k, None, sigma, which, v0)
    at = nearest(w, np.real(found[0]))
    if not return_eigenvectors:
        return w[at]
    return w[at], v[:, at] * signs(v[:, at], found[1:])


@definition(sl.eigs)
def eigs(A: Any, k: Any = 6, M: Any = None, sigma: Any = None, which: Any = "LM", v0: Any = None, ncv: Any = None, maxiter: Any = None,
         tol: Any = 0, return_eigenvectors: Any = True, Minv: Any = None, OPinv: Any = None, OPpart: Any = None, rng: Any = None) -> Any:
    """By all values of the dense matrix, from which ARPACK selects. The values are assumed to be distinct."""
    a = as_matrix(A).toarray()
    if M is not None:
        raise NoDerivative("eigs has a derivative for the problem of one matrix")
    w, v = np.linalg.eig(a.astype(complex))
    found = chosen_general(a, k, sigma, which, v0)
    at = nearest(w, found[0])
    if not return_eigenvectors:
        return w[at]
    return w[at], v[:, at] * signs(v[:, at], found[1:])


@definition(sl.svds)
def svds(A: Any, k: Any = 6, ncv: Any = None, tol: Any = 0, which: Any = "LM", v0: Any = None, maxiter: Any = None,
         return_singular_vectors: Any = True, solver: Any = "arpack", rng: Any = None, options: Any = None) -> Any:
    """By all values of the dense matrix, from which ARPACK selects. The values are assumed to be distinct."""
    a = as_matrix(A).toarray()
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    found = chosen_singular(a, k, which, v0, solver)
    at = nearest(s, np.real(found[0]))
    if return_singular_vectors is False:
        return s[at]
    turn = signs(u[:, at], found[1:])
    return u[:, at] * turn, s[at], np.conj(turn)[:, None] * vh[at]


@definition(sp.find)
def find(A: Any) -> Any:
    """Of a dense matrix; which entries are not zero is constant."""
    if not hasattr(A, "ndim") or np.ndim(A) != 2:
        raise NoDerivative("scipy.sparse.find has a derivative for a dense matrix: make one with toarray()")
    rows, columns = np.nonzero(A)
    return rows, columns, A[rows, columns]
