"""Linear algebra, as `torch.linalg` names it; the older names are methods of tensors."""
from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import dispatch, dtypes
from ..functions import factors
from ..functions import lu as factor_lu
from ..tensor import Tensor, wrap
from .arguments import dims_of
from .extrema import pair
from .products import cross as vector_product
from .products import product
from .reductions import vector_norm as norm_call
from .table import call, op, spelled

LINALG: dict[str, Any] = {}
apply = dispatch.apply
Eigh, Eig, Svd, Qr, Slogdet, Lstsq, TriangularSolve, Inverse, Solve, Cholesky, Lu = (
    pair(*fields.split()) for fields in (
        "linalg_eigh eigenvalues eigenvectors", "linalg_eig eigenvalues eigenvectors", "linalg_svd U S Vh", "linalg_qr Q R",
        "linalg_slogdet sign logabsdet", "linalg_lstsq solution residuals rank singular_values",
        "triangular_solve solution cloned_coefficient", "linalg_inv_ex inverse info", "linalg_solve_ex result info",
        "linalg_cholesky_ex L info", "linalg_lu P L U"))
OldSvd, OldQr, OldSlogdet = pair("svd", "U", "S", "V"), pair("qr", "Q", "R"), pair("slogdet", "sign", "logabsdet")
LuFactor, OldSolve = pair("linalg_lu_factor", "LU", "pivots"), pair("solve", "solution", "LU")


class LinAlgError(RuntimeError):
    """A matrix that has no such inverse or factor."""


def linalg(*names: str, **how: Any) -> Any:
    """Puts a definition into ``torch.linalg``, and under ``names`` among functions and methods."""
    def register(lower: Any) -> Any:
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


def attempt(name: str, why: str, fn: Any, *args: Any, **kwargs: Any) -> Any:
    """Runs a factorization; `LinAlgError`, in torch's words, where there is none."""
    try:
        return apply(fn, *args, **kwargs)
    except np.linalg.LinAlgError:
        raise LinAlgError(f"{name}: {why}") from None


@linalg("det")
def det(self: Tensor) -> Any:
    """The determinant of each matrix."""
    return call(np.linalg.det, matrices("linalg.det", self))


@linalg()
def slogdet(self: Tensor) -> Any:
    """Sign and logarithm of the absolute value of the determinant."""
    return Slogdet(*apply(np.linalg.slogdet, matrices("linalg.slogdet", self)))


@op(name="logdet")
def log_determinant(self: Tensor) -> Any:
    """The logarithm of the determinant, NaN where that is negative."""
    sign, size = slogdet(self)
    return sign.log() + size if self.is_complex() else apply(np.where, sign._array == -1, np.asarray(math.nan, size.dtype), size)


@linalg("inverse")
def inv(self: Tensor) -> Any:
    """The inverse of each matrix."""
    return attempt("linalg.inv", "The diagonal element of the factor is zero, the inversion could not be completed because the input "
                   "matrix is singular.", np.linalg.inv, matrices("linalg.inv", self))


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


NOT_POSITIVE = "The factorization could not be completed because the input is not positive-definite."


@linalg()
def cholesky(self: Tensor, *, upper: bool = False) -> Any:
    """The triangular factor of each positive definite matrix."""
    return attempt("linalg.cholesky", NOT_POSITIVE, factors.linalg_cholesky, matrices("linalg.cholesky", self), upper)


@op(name="cholesky")
def old_cholesky(self: Tensor, upper: bool = False) -> Any:
    """The triangular factor of each positive definite matrix."""
    return attempt("cholesky", NOT_POSITIVE, factors.cholesky, matrices("cholesky", self), upper)


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
    return Svd(*apply(np.linalg.svd, matrices("linalg.svd", self, square=False), full_matrices))


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
    return Qr(*apply(np.linalg.qr, a, mode))


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
def vector_norm(self: Tensor, ord: float = 2, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """The norm of all elements, or of vectors along dimensions."""
    self = self if dtype is None else self.to(dtype)
    if not dtypes.is_differentiable(self.dtype):
        raise RuntimeError(f"linalg.vector_norm: Expected a floating point or complex tensor as input. Got {dtypes.title(self.dtype)}")
    return norm_call(self, ord, dim, keepdim)


@linalg()
def matrix_norm(self: Tensor, ord: Any = "fro", dim: Any = (-2, -1), keepdim: bool = False, *, dtype: Any = None) -> Any:
    """The norm of matrices along two dimensions."""
    self = self if dtype is None else self.to(dtype)
    rows, columns = dims_of(dim, self.ndim)
    if ord == "fro":
        return vector_norm(self, 2, (rows, columns), keepdim)
    if ord == "nuc" or abs(ord) == 2:
        values = svdvals(self.movedim((rows, columns), (-2, -1))).run()
        found = values.sum(-1) if ord == "nuc" else values.amax(-1) if ord > 0 else values.amin(-1)
        return found if not keepdim else found.reshape([1 if k in (rows, columns) else n for k, n in enumerate(self.shape)])
    if abs(ord) not in (1, math.inf):
        raise RuntimeError(f"linalg.matrix_norm: Order {ord} not supported.")
    along, across = (rows, columns) if abs(ord) == 1 else (columns, rows)
    sums = vector_norm(self, 1, along, True).run()
    found = sums.amax((along, across), keepdim) if ord > 0 else sums.amin((along, across), keepdim)
    return found


@linalg()
def norm(self: Tensor, ord: Any = None, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """The norm of a vector or matrix, by the number of dimensions."""
    if ord is not None and (isinstance(ord, str) or (isinstance(dim, (tuple, list)) and len(dim) == 2) or dim is None and self.ndim == 2):
        return matrix_norm(self, ord, (-2, -1) if dim is None else dim, keepdim, dtype=dtype)
    return vector_norm(self, 2 if ord is None else ord, dim, keepdim, dtype=dtype)


@linalg()
def cond(self: Tensor, p: Any = None) -> Any:
    """The condition number in a norm."""
    if p is None or p in (2, -2):
        values = svdvals(self).run()
        ratio = values[..., 0] / values[..., -1]
        return ratio if p != -2 else 1 / ratio
    return LINALG["matrix_norm"](self, p) * LINALG["matrix_norm"](inv(self), p)


@linalg()
def matrix_rank(self: Tensor, tol: Any = None, hermitian: bool = False) -> Tensor:
    """The number of singular values that are not about zero."""
    return wrap(np.asarray(np.linalg.matrix_rank(self._array, tol, hermitian)))


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



@linalg()
def lu(self: Tensor, *, pivot: bool = True) -> Any:
    """A permutation, a lower and an upper triangular factor."""
    pivoted(pivot)
    return Lu(*apply(factor_lu.lu, matrices("linalg.lu", self, square=False)))


def pivoted(pivot: bool) -> None:
    """RuntimeError for a factorization without pivots."""
    if not pivot:
        raise RuntimeError("linalg.lu_factor: LU without pivoting is not implemented on the CPU")


@linalg()
def lu_factor(self: Tensor, *, pivot: bool = True) -> Any:
    """Both triangular factors in one matrix, and the rows that were swapped."""
    pivoted(pivot)
    return LuFactor(*apply(factor_lu.lu_factor, matrices("linalg.lu_factor", self, square=False)))


op(name="lu", function=False)(lu_factor)


@op()
def lu_unpack(self: Tensor, pivots: Tensor, unpack_data: bool = True, unpack_pivots: bool = True) -> Any:
    """The permutation and the factors of what `lu_factor` returned."""
    order = factor_lu.order_of((self._array, pivots._array)).astype(self.dtype)
    return Lu(wrap(order), self.tril(-1) + wrap(np.eye(self.shape[-1], dtype=self.dtype)), self.triu())


@linalg()
def lu_solve(self: Tensor, pivots: Tensor, B: Tensor, *, left: bool = True, adjoint: bool = False) -> Any:
    """``X`` in ``A @ X = B``, of the factors of A."""
    p, low, up = lu_unpack(self, pivots)
    a = p @ low @ up
    return solve(a.mH if adjoint else a, B, left=left)


@op(name="lu_solve")
def old_lu_solve(self: Tensor, LU_data: Tensor, LU_pivots: Tensor) -> Any:
    """``X`` in ``A @ X = self``, of the factors of A."""
    return lu_solve(LU_data, LU_pivots, self)


@op(name="solve")
def old_solve(self: Tensor, A: Tensor) -> Any:
    """``X`` in ``A @ X = self``, and the factors of A: torch's spelling before `linalg.solve`."""
    return OldSolve(solve(A, self), lu_factor(A)[0])


@op(method=False)
def frobenius_norm(self: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
    """The square root of the sum of squares."""
    return norm_call(self, 2, dim, keepdim)


@op(method=False)
def nuclear_norm(self: Tensor, dim: Any = (-2, -1), keepdim: bool = False) -> Any:
    """The sum of the singular values."""
    return matrix_norm(self, "nuc", dim, keepdim)
