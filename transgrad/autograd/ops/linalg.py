"""Linear algebra, as `torch.linalg` names it; the older names are methods of tensors."""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import dispatch, dtypes
from ..functions import factors, reflections
from ..halves import is_half
from ..tensor import Tensor, wrap
from ..warned import warn_old_function
from .extrema import pair
from .failing import attempt, checked, converged, dependent, indefinite
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


def linalg(*names: str, **how: Any) -> Callable[[F], F]:
    """Put a definition into ``torch.linalg``, and under ``names`` among functions and methods."""
    def register(lower: F) -> F:
        name = lower.__name__.removesuffix("_")
        LINALG[name] = spelled(lower, "linalg_" + name, how.get("lists", False))
        for other in names:
            op(name=other, **how)(lower)
        return lower
    return register


#: what torch says of itself that numbers of 16 bits are too imprecise for; of the rest it has no such kernel
_TOO_IMPRECISE = frozenset(("linalg.inv", "linalg.inv_ex", "linalg.lstsq", "linalg.matrix_rank", "linalg.pinv", "linalg.slogdet"))


def matrices(name: str, a: Tensor, square: bool = True, halves: bool = False) -> Tensor:
    """The tensor, whose last two dimensions are matrices of floats, of ``halves`` if allowed; RuntimeError otherwise."""
    if a.ndim < 2:
        raise RuntimeError(f"{name}: The input tensor A must have at least 2 dimensions.")
    if square and a.shape[-1] != a.shape[-2]:
        raise RuntimeError(f"{name}: A must be batches of square matrices, but they are {a.shape[-2]} by {a.shape[-1]} matrices")
    if not dtypes.is_differentiable(a.dtype):
        raise RuntimeError(f"{name}: Expected a floating point or complex tensor as input. Got {dtypes.title(a.dtype)}")
    if is_half(a.dtype) and not halves:
        if name in _TOO_IMPRECISE:
            raise RuntimeError(f"{name}: Low precision dtypes not supported. Got {dtypes.title(a.dtype)}")
        raise NotImplementedError(f'"{name}" not implemented for \'{dtypes.title(a.dtype)}\'')
    return a


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
    """The logarithm of the determinant, NaN for a negative determinant."""
    sign, size = slogdet(self)
    return sign.log() + size if self.is_complex() else apply(np.where, sign._array == -1, np.asarray(math.nan, size.dtype), size)


@linalg("inverse")
def inv(self: Tensor) -> Any:
    """The inverse of each matrix."""
    return inverse("linalg.inv", self)


def inverse(name: str, self: Tensor) -> Any:
    """The inverse of each matrix; errors are of a function of some name."""
    why = "The diagonal element {} is zero, the inversion could not be completed because the input matrix is singular."
    return attempt(name, why, dependent, np.linalg.inv, matrices(name, self))


@linalg("pinverse")
def pinv(self: Tensor, rcond: Any = None, hermitian: bool = False, *, atol: Any = None, rtol: Any = None) -> Any:
    """The pseudo-inverse of each matrix: singular values up to ``max(atol, rtol * largest)`` count as 0."""
    a = matrices("linalg.pinv", self, square=False)
    if not a.numel():
        return a.mT * 1
    rtol = rcond if rtol is None else rtol
    lost: Any = rounding(a) if rtol is None else rtol
    if atol is not None or isinstance(rtol, Tensor):
        lost = cutoff(singular_values(a._array, hermitian), a, rtol, atol)
    return call(np.linalg.pinv, a, lost)


def singular_values(a: Any, hermitian: bool) -> Any:
    """Of plain matrices; of Hermitian ones the absolute values of their eigenvalues."""
    return np.sort(np.abs(np.linalg.eigvalsh(a)), -1)[..., ::-1] if hermitian else np.linalg.svd(a, compute_uv=False)


def rounding(a: Tensor) -> float:
    """What rounding leaves of a singular value that is 0, as a part of the largest."""
    return float(max(a.shape[-2:]) * np.finfo(a.dtype).eps)


def cutoff(values: Any, a: Tensor, rtol: Any, atol: Any) -> Any:
    """The part of the largest singular value up to which the others count as 0."""
    absolute = np.asarray(0.0 if atol is None else getattr(atol, "_array", atol))
    if rtol is None:
        rtol = np.where(absolute > 0, 0.0, rounding(a))
    largest = values[..., 0]
    part = np.maximum(np.asarray(getattr(rtol, "_array", rtol)), absolute / np.where(largest > 0, largest, 1))
    return np.broadcast_to(part, largest.shape).astype(values.dtype)


@linalg()
def solve(self: Tensor, B: Tensor, *, left: bool = True) -> Any:
    """``X`` in ``A @ X = B``, or ``X @ A = B`` where not ``left``."""
    a = matrices("linalg.solve", self)
    vector = B.ndim == 1 or B.ndim == a.ndim - 1 and B.shape == a.shape[:-1]
    rows, n = (-1, -2)[left and not vector], a.shape[-1]
    if B.shape[rows] != n:
        other = f"{B.shape[-1]}x1" if vector else f"{B.shape[-2]}x{B.shape[-1]}"
        raise RuntimeError(f"linalg.solve: Incompatible shapes of A and B for the equation {'AX' if left else 'XA'} = B "
                           f"({n}x{n} and {other})")
    why = "The solver failed because the input matrix is singular."
    fn = np.linalg.solve if left and not (vector and B.ndim > 1) else factors.solve_vectors if left else factors.solve_right
    return attempt("torch.linalg.solve", why, dependent, fn, a, B)


@linalg()
def solve_triangular(self: Tensor, B: Tensor, *, upper: bool, left: bool = True, unitriangular: bool = False) -> Any:
    """``X`` in ``A @ X = B``, of which one triangle of ``A`` is read."""
    if B.ndim < 2:
        raise RuntimeError("linalg.solve_triangular: The input tensor B must have at least 2 dimensions.")
    return call(factors.solve_triangular, matrices("linalg.solve_triangular", self), B, upper, left, unitriangular)


@op()
def triangular_solve(self: Tensor, A: Tensor, upper: bool = True, transpose: bool = False, unitriangular: bool = False) -> Any:
    """``X`` in ``A @ X = self``, of which one triangle of ``A`` is read."""
    warn_old_function("triangular_solve", "torch.linalg.solve_triangular")
    a = A.mT if transpose else A
    return TriangularSolve(apply(factors.triangular_solve, a, self, upper != transpose, True, unitriangular), A.clone())


def triangle(name: str, fn: Any, self: Tensor, upper: bool) -> Any:
    """The Cholesky factor of each matrix; errors are of a function of some name."""
    why = ("The factorization could not be completed because the input is not positive-definite (the leading minor of order {} is not "
           "positive-definite).")
    return attempt(name, why, indefinite, fn, matrices(name, self), upper)


@linalg()
def cholesky(self: Tensor, *, upper: bool = False) -> Any:
    """The triangular factor of each positive definite matrix."""
    return triangle("linalg.cholesky", factors.linalg_cholesky, self, upper)


@op(name="cholesky")
def old_cholesky(self: Tensor, upper: bool = False) -> Any:
    """The triangular factor of each positive definite matrix."""
    warn_old_function("cholesky", "torch.linalg.cholesky")
    return triangle("cholesky", factors.cholesky, self, upper)


@op()
def cholesky_solve(self: Tensor, input2: Tensor, upper: bool = False) -> Any:
    """``X`` in ``A @ X = self``, of the factor ``input2`` of A."""
    return call(factors.cholesky_solve, self, input2, upper)


@op()
def cholesky_inverse(self: Tensor, upper: bool = False) -> Any:
    """The inverse of the matrix that the tensor is the factor of."""
    return call(factors.cholesky_inverse, self, upper)


def triangle_read(uplo: str) -> str:
    """The triangle of Hermitian matrices that is read; raises RuntimeError for other values."""
    if uplo.upper() not in ("L", "U"):
        raise RuntimeError(f"Expected UPLO argument to be 'L' or 'U', but got {uplo}")
    return uplo.upper()


@linalg()
def eigh(self: Tensor, UPLO: str = "L") -> Any:
    """Eigenvalues and eigenvectors of Hermitian matrices."""
    return Eigh(*converged("linalg.eigh", factors.eigh, matrices("linalg.eigh", self), triangle_read(UPLO)))


@linalg()
def eigvalsh(self: Tensor, UPLO: str = "L") -> Any:
    """Eigenvalues of Hermitian matrices."""
    return converged("linalg.eigvalsh", factors.eigvalsh, matrices("linalg.eigvalsh", self), triangle_read(UPLO))


@linalg()
def eig(self: Tensor) -> Any:
    """Complex eigenvalues and eigenvectors."""
    return Eig(*apply(factors.eig, matrices("linalg.eig", self)))


@linalg()
def eigvals(self: Tensor) -> Any:
    """Complex eigenvalues."""
    return call(factors.eigvals, matrices("linalg.eigvals", self))


@linalg()
def svd(self: Tensor, full_matrices: bool = True, *, driver: str | None = None) -> Any:
    """Singular values, and the vectors on both sides."""
    a = matrices("linalg.svd", self, square=False)
    if not full_matrices or a.shape[-1] == a.shape[-2]:
        return Svd(*converged("linalg.svd", np.linalg.svd, a, False, True))
    u, _, vh = np.linalg.svd(a._array)
    left, values, right = apply(np.linalg.svd, a, False, True)
    k = values.shape[-1]
    if a.shape[-2] > k:
        left = FUNCTIONS["cat"]((left, apply(factors.complement, left, u[..., k:])), -1)
    else:
        right = FUNCTIONS["cat"]((right, apply(factors.complement, right.mH, np.conj(vh[..., k:, :]).mT).mH), -2)
    return Svd(left, values, right)


@linalg()
def svdvals(self: Tensor, *, driver: str | None = None) -> Any:
    """Singular values."""
    return converged("linalg.svd", np.linalg.svdvals, matrices("linalg.svdvals", self, square=False))


@linalg()
def qr(self: Tensor, mode: str = "reduced") -> Any:
    """Orthogonal and triangular factor."""
    a = matrices("qr", self, square=False)
    if mode not in ("reduced", "r", "complete"):
        raise RuntimeError(f"qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), 'r', or 'complete'")
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
    warn_old_function("qr", "torch.linalg.qr")
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


#: LAPACK's algorithms for least squares, which do not tell the same; NumPy has one
_DRIVERS = ("gels", "gelsy", "gelsd", "gelss")


@linalg()
def lstsq(self: Tensor, B: Tensor, rcond: float | None = None, *, driver: str | None = None) -> Any:
    """The least-squares solution, the residuals, the rank and the singular values."""
    driver = "gelsy" if driver is None else driver
    if driver not in _DRIVERS:
        raise RuntimeError(f"torch.linalg.lstsq: parameter `driver` should be one of ({', '.join(_DRIVERS)})")
    x, residuals, rank, values = apply(np.linalg.lstsq, matrices("linalg.lstsq", self, square=False), B, rcond)
    nothing = wrap(np.zeros(0, values.dtype))
    return Lstsq(x, nothing if driver == "gelsy" else residuals, rank.long() if driver != "gels" else nothing.long(),
                 values.detach() if driver in ("gelsd", "gelss") else nothing)


@linalg("matrix_exp")
def matrix_exp(self: Tensor) -> Any:
    """The exponential of each square matrix."""
    return call(factors.matrix_exp, matrices("linalg.matrix_exp", self, halves=True))


@linalg("matrix_power")
def matrix_power(self: Tensor, n: int) -> Any:
    """The ``n``-th power of each square matrix."""
    matrices("linalg.matrix_power", self, halves=True)
    if not isinstance(n, int):
        raise TypeError(f"linalg_matrix_power(): argument 'n' (position 2) must be int, not {type(n).__name__}")
    if n == 0:
        return self.clone().copy_(wrap(np.eye(self.shape[-1], dtype=self.dtype)))
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
def vecdot(self: Tensor, y: Tensor, *, dim: int = -1) -> Tensor:
    """The products of vectors along a dimension, the first conjugated."""
    return ((self.conj() if self.is_complex() else self) * y).sum(dim)      # type: ignore[no-any-return]


@linalg(lists=True)
def multi_dot(tensors: Any) -> Any:
    """The product of matrices, in the cheapest order."""
    if len(tensors) < 2:
        raise RuntimeError(f"multi_dot(): expected at least 2 tensors but got {len(tensors)}")
    return call(np.linalg.multi_dot, list(tensors)) if len(tensors) > 2 else product(*tensors)


@linalg()
def diagonal(self: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """The diagonal of each matrix."""
    return self.diagonal(offset, dim1, dim2)        # type: ignore[no-any-return]


@linalg()
def tensorinv(self: Tensor, ind: int = 2) -> Tensor:
    """The inverse of a tensor as a matrix of its first ``ind`` dimensions by the others."""
    first, rest = self.shape[:ind], self.shape[ind:]
    return inv(self.reshape(math.prod(first), -1)).reshape((*rest, *first))       # type: ignore[no-any-return]


@linalg()
def tensorsolve(self: Tensor, B: Tensor, dims: Any = None) -> Tensor:
    """``X`` in ``tensordot(A, X, X.ndim) = B``."""
    a = self if dims is None else self.movedim(tuple(dims), tuple(range(self.ndim - len(dims), self.ndim)))
    rest = a.shape[B.ndim:]
    return solve(a.reshape(B.numel(), -1), B.flatten()).reshape(rest)       # type: ignore[no-any-return]


@linalg()
def vander(self: Tensor, N: int | None = None) -> Tensor:
    """The powers of the elements along a new last dimension."""
    n = (self.shape[-1] if self.ndim else 1) if N is None else N
    return (self if self.ndim else self.unsqueeze(0)).unsqueeze(-1) ** wrap(np.arange(n))     # type: ignore[no-any-return]


@op(name="vander", method=False)
def old_vander(self: Tensor, N: int | None = None, increasing: bool = False) -> Tensor:
    """The powers of the elements of a vector as columns, the highest first unless ``increasing``."""
    found = vander(self, N)
    return found if increasing else found.flip(-1)


@linalg()
def inv_ex(self: Tensor, *, check_errors: bool = False) -> Any:
    """The inverse, and whether there was none."""
    return Inverse(*checked(lambda a: inverse("linalg.inv_ex", a), self, dependent, check_errors))


@linalg()
def cholesky_ex(self: Tensor, *, upper: bool = False, check_errors: bool = False) -> Any:
    """The Cholesky factor, and whether there was none."""
    return Cholesky(*checked(lambda a: triangle("linalg.cholesky_ex", factors.linalg_cholesky, a, upper), self, indefinite, check_errors))


@linalg()
def solve_ex(self: Tensor, B: Tensor, *, left: bool = True, check_errors: bool = False) -> Any:
    """The solution, and whether there was none."""
    return Solve(*checked(lambda a: solve(a, B, left=left), self, dependent, check_errors))
