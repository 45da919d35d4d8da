"""Factorizations of Hermitian and triangular matrices as torch differentiates them.

The gradient of a Hermitian matrix is Hermitian, whichever triangle of it is read.
"""
from __future__ import annotations

from typing import Any

import numpy as np

from ...rules.decompositions import adjoint, cholesky_jvp, conj, eig_jvp, eigh_jvp, eigvals_jvp, hermitian
from ...rules.linalg import slogdet_jvp, turned
from ...rules.registry import alias, lookup, rule
from ...rules.static import is_complex, lifted
from ..layouts import COLUMNS, ROWS
from ..names import keeps, node_name

__all__ = [
    "cholesky", "cholesky_inverse", "cholesky_solve", "complement", "eig", "eigh", "eigvals", "eigvalsh", "linalg_cholesky", "matrix_exp",
    "slogdet", "solve_right", "solve_triangular", "solve_vectors", "triangular_solve",
]

cholesky_entry: Any = lookup(np.linalg.cholesky).vjp        # type: ignore[union-attr]
eigh_entry: Any = lookup(np.linalg.eigh).vjp                # type: ignore[union-attr]
slogdet_entry: Any = lookup(np.linalg.slogdet).vjp          # type: ignore[union-attr]
eig_entry: Any = lookup(np.linalg.eig).vjp                  # type: ignore[union-attr]
eigvals_entry: Any = lookup(np.linalg.eigvals).vjp          # type: ignore[union-attr]


def cholesky(self: Any, upper: bool = False) -> Any:
    """The lower (upper) triangular factor of a positive definite matrix."""
    return np.linalg.cholesky(self, upper=upper)


@rule(cholesky, kind="general", jvp=lambda t, y, self, upper=False: cholesky_jvp(hermitian(t), y, self, upper=upper))
def _(g, y, self, upper=False):
    return hermitian(cholesky_entry(g, y, self, upper=upper))


def linalg_cholesky(self: Any, upper: bool = False) -> Any:
    """`cholesky` under its newer name."""
    return cholesky(self, upper)


alias(cholesky, linalg_cholesky)
node_name(linalg_cholesky, "LinalgCholeskyExBackward0")


def eigh(self: Any, UPLO: Any = "L") -> Any:
    """Eigenvalues in ascending order and eigenvectors of a Hermitian matrix."""
    return np.linalg.eigh(self, UPLO)


vectors: Any = lifted(eigh)


def eigvalsh(self: Any, UPLO: Any = "L") -> Any:
    """Eigenvalues of a Hermitian matrix in ascending order."""
    return np.linalg.eigvalsh(self, UPLO)


@rule(eigh, kind="general", jvp=lambda t, y, self, UPLO="L": eigh_jvp(hermitian(t), y, self, UPLO))
def _(g, y, self, UPLO="L"):
    if g[1] is None:        # of the values alone, which are real
        return conj(hermitian((y[1] * np.expand_dims(g[0], -2)) @ adjoint(y[1])))
    return hermitian(eigh_entry(g, y, self, UPLO))


def eigvalsh_jvp(t, y, self, UPLO="L"):
    v = vectors(self, UPLO)[1]
    d = np.diagonal(adjoint(v) @ hermitian(t) @ v, 0, -2, -1)
    return np.real(d) if is_complex(d) else d


@rule(eigvalsh, kind="general", jvp=eigvalsh_jvp)
def _(g, y, self, UPLO="L"):
    v = vectors(self, UPLO)[1]
    return conj(hermitian((v * np.expand_dims(g, -2)) @ adjoint(v)))


node_name(eigh, "LinalgEighBackward0", self="", UPLO="")
node_name(eigvalsh, "LinalgEighBackward0", self="", UPLO="", y="eigenvalues")


def eig(self: Any) -> Any:
    """Complex eigenvalues and eigenvectors, also of a real matrix."""
    w, v = np.linalg.eig(self)
    return w.astype(np.result_type(w, np.complex64), copy=False), v.astype(np.result_type(v, np.complex64), copy=False)


def eigvals(self: Any) -> Any:
    """Complex eigenvalues, also of a real matrix."""
    w = np.linalg.eigvals(self)
    return w.astype(np.result_type(w, np.complex64), copy=False)


rule(eig, kind="general", jvp=lambda t, y, self: eig_jvp(t.astype(y[1].dtype), y, self))(eig_entry)
rule(eigvals, kind="general", jvp=lambda t, y, self: eigvals_jvp(t.astype(y.dtype), self))(eigvals_entry)
node_name(eig, "LinalgEigBackward0", a="")
node_name(eigvals, "LinalgEigBackward0", a="", y="eigenvalues")
keeps("y", eigvalsh, eigvals, np.linalg.svdvals)


def complement(self: Any, others: Any) -> Any:
    """The orthonormal columns ``others``, which span what those of ``self`` do not."""
    return others


@rule(complement, kind="general", jvp=lambda t, y, self, others: -self @ (adjoint(t) @ y))
def _(g, y, self, others):
    """They turn no more than is needed to stay orthogonal: what depends on their choice has no derivative."""
    return conj(-y @ (adjoint(conj(g)) @ self))


def solve_vectors(self: Any, B: Any) -> Any:
    """``X`` in ``self @ X = B`` for a stack of vectors."""
    return np.linalg.solve(self, B[..., None])[..., 0]


def solve_right(self: Any, B: Any) -> Any:
    """``X`` in ``X @ self = B``."""
    return np.asarray(np.linalg.solve(self.mT, B.mT).mT, order="C")


vector_of: Any = lifted(solve_vectors)
right_of: Any = lifted(solve_right)
node_name(solve_vectors, "LinalgSolveExBackward0")
node_name(solve_right, "LinalgSolveExBackward0")


@rule(solve_vectors, kind="general", broadcasts=True, jvp=(
    lambda t, y, self, B: -vector_of(self, np.sum(t * np.expand_dims(y, -2), axis=-1)), lambda t, y, self, B: vector_of(self, t)))
def _(g, y, self, B):
    s = vector_of(turned(self), g)
    return -np.expand_dims(s, -1) * np.expand_dims(y, -2), s


@rule(solve_right, kind="general", broadcasts=True, jvp=(
    lambda t, y, self, B: -right_of(self, y @ t), lambda t, y, self, B: right_of(self, t)))
def _(g, y, self, B):
    s = right_of(turned(self), g)
    return -turned(y) @ s, s


def slogdet(self: Any) -> Any:
    """Sign and logarithm of the absolute value of the determinant."""
    return np.linalg.slogdet(self)


def slogdet_tangents(t, y, self):
    sign, size = slogdet_jvp(t, y, self)
    return np.zeros_like(y[0]) if sign is None else sign, size


rule(slogdet, kind="general", jvp=slogdet_tangents)(slogdet_entry)
node_name(slogdet, "LinalgSlogdetBackward0")


def triangle(a: Any, upper: bool, unit: bool) -> Any:
    """The triangle of ``a`` that is read."""
    half = np.triu(a, 1 if unit else 0) if upper else np.tril(a, -1 if unit else 0)
    return half + np.eye(a.shape[-1], dtype=a.dtype) if unit else half


def solve_triangular(self: Any, B: Any, upper: bool, left: bool = True, unitriangular: bool = False) -> Any:
    """``X`` in ``self @ X = B`` (``X @ self = B`` where not ``left``), of which one triangle of ``self`` is read."""
    half = triangle(self, upper, unitriangular)
    return np.linalg.solve(half, B) if left else np.linalg.solve(half.mT, B.mT).mT


def triangular_solve(self: Any, B: Any, upper: bool, left: bool = True, unitriangular: bool = False) -> Any:
    """`solve_triangular` under its older name."""
    return solve_triangular(self, B, upper, left, unitriangular)


solved: Any = lifted(solve_triangular)
node_name(solve_triangular, "LinalgSolveTriangularBackward0")


def half_of(a: Any, upper: bool, unit: bool) -> Any:
    """The triangle of a derivative that matters."""
    return np.triu(a, 1 if unit else 0) if upper else np.tril(a, -1 if unit else 0)


def by_triangle(t, y, self, B, upper, left=True, unitriangular=False):
    half = half_of(t, upper, unitriangular)
    return -solved(self, half @ y if left else y @ half, upper, left, unitriangular)


@rule(solve_triangular, triangular_solve, kind="general", broadcasts=True, jvp=(
    by_triangle, lambda t, y, self, B, upper, left=True, unitriangular=False: solved(self, t, upper, left, unitriangular)))
def _(g, y, self, B, upper, left=True, unitriangular=False):
    h = solved(turned(self), g, not upper, left, unitriangular)
    return -half_of(h @ turned(y) if left else turned(y) @ h, upper, unitriangular), h


def cholesky_solve(self: Any, input2: Any, upper: bool = False) -> Any:
    """``X`` in ``A @ X = self``, of the Cholesky factor ``input2`` of A."""
    low = np.conj(input2.mT) if upper else input2
    half = np.linalg.solve(np.tril(low), self)
    return np.linalg.solve(np.conj(np.tril(low).mT), half)


def gram(factor: Any, upper: bool) -> Any:
    """The matrix that a Cholesky factor is of."""
    return adjoint(factor) @ factor if upper else factor @ adjoint(factor)


def gram_tangent(t: Any, factor: Any, upper: bool) -> Any:
    """The tangent of `gram`."""
    t, factor = half_of(t, upper, False), half_of(factor, upper, False)
    product = adjoint(factor) @ t if upper else t @ adjoint(factor)
    return product + adjoint(product)


def factor_entry(s: Any, factor: Any, upper: bool) -> Any:
    """The cotangent of a Cholesky factor, from that of its matrix."""
    s, factor = s + adjoint(s), half_of(factor, upper, False)
    return half_of((turned(adjoint(factor)) @ s) if upper else s @ turned(adjoint(factor)), upper, False)


solved_by_factor: Any = lifted(cholesky_solve)


@rule(cholesky_solve, kind="general", broadcasts=True, jvp=(
    lambda t, y, self, input2, upper=False: solved_by_factor(t, input2, upper),
    lambda t, y, self, input2, upper=False: -solved_by_factor(gram_tangent(t, input2, upper) @ y, input2, upper)))
def _(g, y, self, input2, upper=False):
    h = turned(adjoint(solved_by_factor(adjoint(turned(g)), input2, upper)))
    return h, factor_entry(-h @ turned(y), input2, upper)


def cholesky_inverse(self: Any, upper: bool = False) -> Any:
    """The inverse of the matrix that ``self`` is the Cholesky factor of."""
    return np.linalg.inv(gram(half_of(self, upper, False), upper))


@rule(cholesky_inverse, kind="general", jvp=lambda t, y, self, upper=False: -y @ gram_tangent(t, self, upper) @ y)
def _(g, y, self, upper=False):
    return factor_entry(-turned(y) @ g @ turned(y), self, upper)


def matrix_exp(self: Any) -> Any:
    """The exponential of each of a stack of square matrices."""
    import scipy.linalg
    return scipy.linalg.expm(self)


exponential: Any = lifted(matrix_exp)
node_name(matrix_exp, "LinalgMatrixExpBackward0")


def slope(a: Any, t: Any) -> Any:
    """The derivative of the exponential of ``a`` along ``t``: the corner of the exponential of a block matrix."""
    n = a.shape[-1]
    upper = np.concatenate((a, t), axis=-1)
    lower = np.concatenate((np.zeros_like(a), a), axis=-1)
    return exponential(np.concatenate((upper, lower), axis=-2))[..., :n, n:]


@rule(matrix_exp, kind="general", jvp=lambda t, y, self: slope(self, t))
def _(g, y, self):
    return slope(turned(self), g)


COLUMNS.update((cholesky, linalg_cholesky, eigh, eig, solve_triangular, triangular_solve, cholesky_solve, cholesky_inverse))
ROWS.add(solve_right)
