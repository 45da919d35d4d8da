"""Factorizations as LAPACK keeps them: reflections of a QR decomposition, and symmetric indefinite matrices."""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..batching.examples import each
from ..functions.reflections import adjoint, direction, factor_of, reflected
from ..tensor import Tensor, wrap
from ..underived import underived
from .extrema import pair
from .failing import LinAlgError
from .linalg import linalg, matrices
from .table import op

Geqrf, Ldl, LdlEx = (pair(*fields.split()) for fields in (
    "geqrf a tau", "linalg_ldl_factor LD pivots", "linalg_ldl_factor_ex LD pivots info"))


def lapack(name: str, array: Any) -> Callable[..., Any]:
    """A routine for the dtype of an array."""
    try:
        from scipy.linalg.lapack import get_lapack_funcs
    except ImportError:
        raise ImportError(f"LAPACK's {name} is SciPy's here: pip install scipy") from None
    return get_lapack_funcs(name, (array,))     # type: ignore[no-any-return]


def columns(array: Any) -> Any:
    """The same elements, with matrices in column-major order."""
    return np.swapaxes(np.ascontiguousarray(np.swapaxes(array, -1, -2)), -1, -2)


def along(fn: Callable[..., tuple[Any, ...]], *stacks: Any) -> tuple[Any, ...]:
    """Apply a function of matrices to each matrix of a stack."""
    batch = stacks[0].shape[:-2]
    flat = [s.reshape(math.prod(batch), *s.shape[len(batch):]) for s in stacks]
    found = [fn(*parts) for parts in zip(*flat)]
    return tuple(np.array(parts).reshape((*batch, *np.shape(parts[0]))) for parts in zip(*found))


@op()
def geqrf(self: Tensor) -> Any:
    """A QR decomposition as it is computed: R, under it the reflections that Q is a product of, and their factors."""
    if self.ndim < 2:
        raise RuntimeError("torch.geqrf: input must have at least 2 dimensions.")

    def factored(x: Tensor) -> tuple[Tensor, Tensor]:
        a, tau = np.linalg.qr(x._array, mode="raw")
        return wrap(columns(np.swapaxes(a, -1, -2))), wrap(tau)
    found = Geqrf(*each(factored, self))
    underived("geqrf", found, self, node="GeqrfBackward0")
    return found


@op()
def ormqr(self: Tensor, tau: Tensor, other: Tensor, left: bool = True, transpose: bool = False) -> Any:
    """The product of a matrix with the whole of Q, or its conjugate transpose, of a QR decomposition as `geqrf` keeps it."""
    m, side = self.shape[-2], -2 if left else -1
    if other.shape[side] != m:
        raise RuntimeError(f"torch.ormqr: other.shape[{side}] must be equal to input.shape[-2]")
    if tau.shape[-1] != min(m, self.shape[-1]):
        raise RuntimeError(f"torch.ormqr: tau.shape[-1] must be equal to min(other.shape[{side}], input.shape[-1])")
    if tau.shape[:-1] != self.shape[:-2] or other.shape[:-2] != self.shape[:-2]:
        raise RuntimeError("torch.ormqr: batch dimensions of tau and other to be equal to input.shape[:-2]")
    if not left:
        return adjoint(ormqr(self, tau, adjoint(other), True, not transpose))
    places = range(tau.shape[-1]) if transpose else reversed(range(tau.shape[-1]))
    for k in places:
        factor = factor_of(tau, k)
        other = reflected(other, direction(self, k), factor.conj() if transpose else factor)
    return other


@linalg()
def ldl_factor_ex(self: Tensor, *, hermitian: bool = False, check_errors: bool = False) -> Any:
    """`ldl_factor`, and the first diagonal block of each matrix that is 0."""
    a = matrices("torch.linalg.ldl_factor_ex", self)

    def one(matrix: Any) -> tuple[Any, ...]:
        routine = lapack("hetrf" if hermitian and matrix.dtype.kind == "c" else "sytrf", matrix)
        compact, pivots, info = routine(matrix, lower=1)
        return np.tril(compact), pivots, np.int32(info)

    def factored(x: Tensor) -> tuple[Tensor, ...]:
        compact, pivots, info = along(one, x._array)
        return wrap(columns(compact)), wrap(pivots.astype(np.int32)), wrap(info)
    found = LdlEx(*each(factored, a))
    if check_errors and found.info._array.any():
        raise LinAlgError(f"torch.linalg.ldl_factor_ex: the diagonal block {int(found.info._array.max())} is zero: the matrix is singular")
    underived("linalg_ldl_factor_ex", found, self)
    return found


@linalg()
def ldl_factor(self: Tensor, *, hermitian: bool = False) -> Any:
    """The factors ``L`` and ``D`` of a symmetric (Hermitian) matrix in one, and the rows that were swapped; only its lower part is read."""
    return Ldl(*ldl_factor_ex(self, hermitian=hermitian, check_errors=True)[:2])


@linalg()
def ldl_solve(self: Tensor, pivots: Tensor, B: Tensor, *, hermitian: bool = False) -> Any:
    """``X`` in ``A @ X = B``, of the factors that `ldl_factor` made of ``A``."""
    a = matrices("torch.linalg.ldl_solve", self)
    if B.ndim < 2 or B.shape[-2] != a.shape[-1]:
        raise RuntimeError("torch.linalg.ldl_solve: Expected B to have as many rows as LD, and at least 2 dimensions")

    def one(compact: Any, swaps: Any, right: Any) -> tuple[Any]:
        routine = lapack("hetrs" if hermitian and compact.dtype.kind == "c" else "sytrs", compact)
        return routine(compact, swaps[:, 0], right, lower=1)[:1]        # type: ignore[no-any-return]

    def solved(x: Tensor, swaps: Tensor, right: Tensor) -> Tensor:
        batch = np.broadcast_shapes(x.shape[:-2], right.shape[:-2])
        stacks = (np.broadcast_to(s, (*batch, *s.shape[-2:])) for s in (x._array, swaps._array[..., None], right._array))
        return wrap(columns(along(one, *stacks)[0]))
    found = each(solved, a, pivots, B)
    underived("linalg_ldl_solve", (found,), self, B)
    return found
