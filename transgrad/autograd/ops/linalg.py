"""Linear algebra, as `torch.linalg` names it; the older names are methods of tensors."""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import dispatch, dtypes
from ..functions import factors, reflections
from ..tensor import Tensor, wrap
from .extrema import pair
from .products import cross as vector_product
from .products import product
from .table import FUNCTIONS, F, call, op, spelled

LINALG: dict[str, Any] = {}
apply = dispatch.apply
Eigh, Eig, Svd, Qr, Slogdet, Lstsq, TriangularSolve, Inverse, Solve, Cholesky = (
    pair(*fields.split()) for fields in (
        "linalg_eigh eigenvalues eigenvectors", "linalg_eig eigenvalues eigenvectors", "linalg_svd U S Vh", "linalg_qr Q R",
        "linalg_slogdet sign logabsdet", "linalg_lstsq solution residuals rank singular_values",
        "triangular_solve solution cloned_coefficient", "linalg_inv_ex inverse info", "linalg_solve_ex result info",
        "linalg_cholesky_ex L info"))
OldSvd, OldQr, OldSlogdet = pair("svd", "U", "S", "V"), pair("qr", "Q", "R"), pair("slogdet", "sign", "logabsdet")


class LinAlgError(RuntimeError):
    """A matrix that has no such inverse or factor."""


def linalg(*names: str, **how: Any) -> Callable[[F], F]:
    """Puts a definition into ``torch.linalg``, and under ``names`` among functions and methods."""
    def register(lower: F) -> F:
        name = lower.__name__.removesuffix("_")
        LINALG[name] = spelled(lower, "linalg_" + name, how.get("lists", False))
        for other in names:
            op(name=other, **how)(lower)
        return lower
    return register


def matrices(name: str, a: Tensor, square: bool = True) -> Tensor:
    """The tensor, whose last two dimensions are matrices of floats; RuntimeError otherwise."""
    if a.ndim < 2:
        raise RuntimeError(f"{name}: The input tensor A must have at least 2 dimensions.")
    if square and a.shape[-1] != a.shape[-2]:
        raise RuntimeError(f"{name}: A must be batches of square matrices, but they are {a.shape[-2]} by {a.shape[-1]} matrices")
    if not dtypes.is_differentiable(a.dtype):
        raise RuntimeError(f"{name}: Expected a floating point or complex tensor as input. Got {dtypes.title(a.dtype)}")
    return a


def attempt(name: str, why: Any, fn: Any, *args: Any, **kwargs: Any) -> Any:
    """Runs a factorization; `LinAlgError`, in torch's words, where there is none."""
    try:
        return apply(fn, *args, **kwargs)
    except np.linalg.LinAlgError:
        raise LinAlgError(f"{name}: {why(args[0]._array) if callable(why) else why}") from None


@linalg("det")
def det(self: Tensor) -> Any:
    """The determinant of each matrix."""
    return call(np.linalg.det, matrices("linalg.det", self))


@linalg()
def slogdet(self: Tensor) -> Any:
    """Sign and logarithm of the absolute value of the determinant."""
    return Slogdet(*apply(factors.slogdet, matrices("linalg.slogdet", self)))


@op(name="logdet")
def log_determinant(self: Tensor) -> Any:
    """The logarithm of the determinant, NaN where that is negative."""
    sign, size = slogdet(self)
    return sign.log() + size if self.is_complex() else apply(np.where, sign._array == -1, np.asarray(math.nan, size.dtype), size)


@linalg("inverse")
def inv(self: Tensor) -> Any:
    """The inverse of each matrix."""
    return attempt("linalg.inv", singular, np.linalg.inv, matrices("linalg.inv", self))


def singular(a: Any) -> str:
    """Why there is no inverse: where elimination stops in the first matrix that has none."""
    for matrix in a.reshape(-1, *a.shape[-2:]):
        for k in range(1, len(matrix) + 1):
            if np.linalg.matrix_rank(matrix[:, :k]) < k:
                return (f"The diagonal element {k} is zero, the inversion could not be completed because the input matrix is singular.")
    return "The inversion could not be completed because the input matrix is singular."


@linalg("pinverse")
def pinv(self: Tensor, rcond: float | None = None, *, hermitian: bool = False) -> Any:
    """The pseudo-inverse of each matrix."""
    return call(np.linalg.pinv, matrices("linalg.pinv", self, square=False))


@linalg()
def solve(self: Tensor, B: Tensor, *, left: bool = True) -> Any:
    """``X`` in ``A @ X = B``, or ``X @ A = B`` where not ``left``."""
    a = matrices("linalg.solve", self)
    vector = B.ndim == 1 or B.ndim == a.ndim - 1 and B.shape == a.shape[:-1]
    why = "The solver failed because the input matrix is singular."
    fn = np.linalg.solve if left and not (vector and B.ndim > 1) else factors.solve_vectors if left else factors.solve_right
    return attempt("torch.linalg.solve", why, fn, a, B)


@linalg()
def solve_triangular(self: Tensor, B: Tensor, *, upper: bool, left: bool = True, unitriangular: bool = False) -> Any:
    """``X`` in ``A @ X = B``, of which one triangle of ``A`` is read."""
    return call(factors.solve_triangular, matrices("linalg.solve_triangular", self), B, upper, left, unitriangular)


@op()
def triangular_solve(self: Tensor, A: Tensor, upper: bool = True, transpose: bool = False, unitriangular: bool = False) -> Any:
    """``X`` in ``A @ X = self``, of which one triangle of ``A`` is read."""
    a = A.mT if transpose else A
    return TriangularSolve(apply(factors.triangular_solve, a, self, upper != transpose, True, unitriangular), A.clone())


def not_positive(a: Any) -> str:
    """Why there is no Cholesky factor: the first leading minor that is not positive."""
    for matrix in a.reshape(-1, *a.shape[-2:]):
        for k in range(1, len(matrix) + 1):
            if np.linalg.eigvalsh(matrix[:k, :k])[0] <= 0:
                return ("The factorization could not be completed because the input is not positive-definite (the leading minor of order "
                        f"{k} is not positive-definite).")
    return "The factorization could not be completed because the input is not positive-definite."


@linalg()
def cholesky(self: Tensor, *, upper: bool = False) -> Any:
    """The triangular factor of each positive definite matrix."""
    return attempt("linalg.cholesky", not_positive, factors.linalg_cholesky, matrices("linalg.cholesky", self), upper)


@op(name="cholesky")
def old_cholesky(self: Tensor, upper: bool = False) -> Any:
    """The triangular factor of each positive definite matrix."""
    return attempt("cholesky", not_positive, factors.cholesky, matrices("cholesky", self), upper)


@op()
def cholesky_solve(self: Tensor, input2: Tensor, upper: bool = False) -> Any:
    """``X`` in ``A @ X = self``, of the factor ``input2`` of A."""
    return call(factors.cholesky_solve, self, input2, upper)


@op()
def cholesky_inverse(self: Tensor, upper: bool = False) -> Any:
    """The inverse of the matrix that the tensor is the factor of."""
    return call(factors.cholesky_inverse, self, upper)


@linalg()
def eigh(self: Tensor, UPLO: str = "L") -> Any:
    """Eigenvalues and eigenvectors of Hermitian matrices."""
    return Eigh(*apply(factors.eigh, matrices("linalg.eigh", self), UPLO))


@linalg()
def eigvalsh(self: Tensor, UPLO: str = "L") -> Any:
    """Eigenvalues of Hermitian matrices."""
    return call(factors.eigvalsh, matrices("linalg.eigvalsh", self), UPLO)


@linalg()
def eig(self: Tensor) -> Any:
    """Complex eigenvalues and eigenvectors."""
    return Eig(*apply(factors.eig, matrices("linalg.eig", self)))


@linalg()
def eigvals(self: Tensor) -> Any:
    """Complex eigenvalues."""
    return call(factors.eigvals, matrices("linalg.eigvals", self))


@linalg()
def svd(self: Tensor, full_matrices: bool = True) -> Any:
    """Singular values, and the vectors on both sides."""
    a = matrices("linalg.svd", self, square=False)
    if not full_matrices or a.shape[-1] == a.shape[-2]:
        return Svd(*apply(np.linalg.svd, a, False))
    u, _, vh = np.linalg.svd(a._array)
    left, values, right = apply(np.linalg.svd, a, False)
    k = values.shape[-1]
    if a.shape[-2] > k:
        left = FUNCTIONS["cat"]((left, apply(factors.complement, left, u[..., k:])), -1)
    else:
        right = FUNCTIONS["cat"]((right, apply(factors.complement, right.mH, np.conj(vh[..., k:, :]).mT).mH), -2)
    return Svd(left, values, right)


@linalg()
def svdvals(self: Tensor) -> Any:
    """Singular values."""
    return call(np.linalg.svdvals, matrices("linalg.svdvals", self, square=False))


@linalg()
def qr(self: Tensor, mode: str = "reduced") -> Any:
    """Orthogonal and triangular factor."""
    a = matrices("qr", self, square=False)
    if mode == "r":
        return Qr(wrap(np.zeros(0, self.dtype)), apply(np.linalg.qr, a, "r"))
    rows, columns = a.shape[-2:]
    if rows < columns:      # the first columns decide the orthogonal factor
        q, r = apply(np.linalg.qr, a[..., :rows], "reduced")
        return Qr(q, FUNCTIONS["cat"]((r, q.mH @ a[..., rows:]), -1))
    return Qr(*apply(np.linalg.qr, a, "reduced" if rows == columns else mode))


@op(name="svd")
def old_svd(self: Tensor, some: bool = True, compute_uv: bool = True) -> Any:
    """Singular values, and the vectors on both sides, all as columns."""
    u, s, vh = svd(self, full_matrices=not some)
    return OldSvd(u, s, vh.mH) if compute_uv else OldSvd(u.detach() * 0, s, vh.mH.detach() * 0)


@op(name="qr")
def old_qr(self: Tensor, some: bool = True) -> Any:
    """Orthogonal and triangular factor."""
    return OldQr(*qr(self, "reduced" if some else "complete"))


@op(name="slogdet")
def old_slogdet(self: Tensor) -> Any:
    """Sign and logarithm of the absolute value of the determinant."""
    return OldSlogdet(*slogdet(self))


@linalg()
def householder_product(self: Tensor, tau: Tensor) -> Any:
    """The first columns of a product of reflections, each told by a column below the diagonal and a factor."""
    return call(reflections.householder_product, self, tau)


@op(name="orgqr")
def old_householder_product(self: Tensor, input2: Tensor) -> Any:
    """`linalg.householder_product` under its older name."""
    return householder_product(self, input2)


@linalg()
def lstsq(self: Tensor, B: Tensor, rcond: float | None = None, *, driver: str | None = None) -> Any:
    """The least-squares solution, the residuals, the rank and the singular values."""
    x, residuals, rank, values = apply(np.linalg.lstsq, self, B, rcond)
    return Lstsq(x, residuals, rank, values.detach())


@linalg("matrix_exp")
def matrix_exp(self: Tensor) -> Any:
    """The exponential of each square matrix."""
    return call(factors.matrix_exp, matrices("linalg.matrix_exp", self))


@linalg("matrix_power")
def matrix_power(self: Tensor, n: int) -> Any:
    """The ``n``-th power of each square matrix."""
    matrices("linalg.matrix_power", self)
    if n == 0:
        return wrap(np.broadcast_to(np.eye(self.shape[-1], dtype=self.dtype), self.shape).copy())
    base = self if n > 0 else inv(self)
    total, square, k = None, base, abs(n)
    while k:
        if k & 1:
            total = square if total is None else total @ square
        k >>= 1
        square = square @ square if k else square
    return total if total is not self else self.clone()


@linalg()
def cross(self: Tensor, other: Tensor, *, dim: int = -1) -> Any:
    """The vector product along a dimension of size 3."""
    return vector_product(self, other, dim)


@linalg()
def matmul(self: Tensor, other: Tensor) -> Any:
    """The product of matrices."""
    return product(self, other)


@linalg()
def vecdot(self: Tensor, other: Tensor, *, dim: int = -1) -> Tensor:
    """The products of vectors along a dimension, the first conjugated."""
    return ((self.conj() if self.is_complex() else self) * other).sum(dim)      # type: ignore[no-any-return]


@linalg(lists=True)
def multi_dot(tensors: Any) -> Any:
    """The product of matrices, in the cheapest order."""
    return call(np.linalg.multi_dot, list(tensors)) if len(tensors) > 2 else product(*tensors)


@linalg()
def diagonal(self: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """The diagonal of each matrix."""
    return self.diagonal(offset, dim1, dim2)        # type: ignore[no-any-return]


@linalg()
def tensorinv(self: Tensor, ind: int = 2) -> Tensor:
    """The inverse of a tensor as a matrix of its first ``ind`` dimensions by the others."""
    first, rest = self.shape[:ind], self.shape[ind:]
    return inv(self.reshape(math.prod(first), -1)).reshape(*rest, *first)       # type: ignore[no-any-return]


@linalg()
def tensorsolve(self: Tensor, B: Tensor, dims: Any = None) -> Tensor:
    """``X`` in ``tensordot(A, X, X.ndim) = B``."""
    a = self if dims is None else self.movedim(tuple(dims), tuple(range(self.ndim - len(dims), self.ndim)))
    rest = a.shape[B.ndim:]
    return solve(a.reshape(B.numel(), -1), B.flatten()).reshape(rest)       # type: ignore[no-any-return]


@linalg()
def vander(self: Tensor, N: int | None = None) -> Tensor:
    """The powers of the elements along a new last dimension."""
    n = self.shape[-1] if N is None else N
    return self.unsqueeze(-1) ** wrap(np.arange(n))     # type: ignore[no-any-return]


@op(name="vander", method=False)
def old_vander(self: Tensor, N: int | None = None, increasing: bool = False) -> Tensor:
    """The powers of the elements of a vector as columns, the highest first unless ``increasing``."""
    found = vander(self, N)
    return found if increasing else found.flip(-1)


@linalg()
def inv_ex(self: Tensor, *, check_errors: bool = False) -> Any:
    """The inverse, and whether there was none."""
    return Inverse(inv(self), wrap(np.zeros(self.shape[:-2], np.int32)))


@linalg()
def cholesky_ex(self: Tensor, *, upper: bool = False, check_errors: bool = False) -> Any:
    """The Cholesky factor, and whether there was none."""
    return Cholesky(cholesky(self, upper=upper), wrap(np.zeros(self.shape[:-2], np.int32)))


@linalg()
def solve_ex(self: Tensor, B: Tensor, *, left: bool = True, check_errors: bool = False) -> Any:
    """The solution, and whether there was none."""
    return Solve(solve(self, B, left=left), wrap(np.zeros(self.shape[:-2], np.int32)))
