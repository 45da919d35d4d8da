"""LU factors of matrices, and solutions with them."""
from __future__ import annotations

from typing import Any

import numpy as np

from .. import dispatch
from ..functions import lu as factor_lu
from ..tensor import Tensor, wrap
from ..warned import warn_old_function
from .extrema import pair
from .failing import LinAlgError
from .linalg import apply, linalg, matrices, solve
from .table import op

Lu, LuFactor, LuFactorEx, OldSolve = (pair(*fields.split()) for fields in (
    "linalg_lu P L U", "linalg_lu_factor LU pivots", "linalg_lu_factor_ex LU pivots info", "solve solution LU"))


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


@linalg()
def lu_factor_ex(self: Tensor, *, pivot: bool = True, check_errors: bool = False) -> Any:
    """`lu_factor`, and the first pivot of each matrix that is 0."""
    compact, pivots = lu_factor(self, pivot=pivot)
    none = np.diagonal(compact._array, axis1=-2, axis2=-1) == 0
    info = np.where(none.any(-1), none.argmax(-1) + 1, 0) if none.shape[-1] else np.zeros(none.shape[:-1])
    if check_errors and info.any():
        raise LinAlgError(f"linalg.lu_factor_ex: U[{int(info.max())},{int(info.max())}] is zero and using it on lu_solve would result in a "
                          "division by zero. If you still want to perform the factorization, consider calling linalg.lu(A, pivot) or "
                          "linalg.lu_factor_ex(A, pivot)")
    return LuFactorEx(compact, pivots, wrap(np.asarray(info, np.int32)))


@op(name="lu")
def old_lu(self: Tensor, pivot: bool = True, get_infos: bool = False) -> Any:
    """`lu_factor` under its older name; with ``get_infos`` the first pivot of each matrix that is 0, too."""
    warn_old_function("lu", "torch.linalg.lu_factor and torch.linalg.lu_factor_ex")
    found = lu_factor_ex(self, pivot=pivot)
    return tuple(found) if get_infos else tuple(found[:2])


@op()
def lu_unpack(self: Tensor, pivots: Tensor, unpack_data: bool = True, unpack_pivots: bool = True) -> Any:
    """The permutation and the factors from the result of `lu_factor`; those not requested are empty."""
    empty = wrap(np.empty(0, self.dtype))
    order = dispatch.apply(factor_lu.swapped, pivots, self.detach()) if unpack_pivots else empty
    if not unpack_data:
        return Lu(order, empty, empty)
    n, m = self.shape[-2:]
    k = min(n, m)
    return Lu(order, self[..., :k].tril(-1) + wrap(np.eye(n, k, dtype=self.dtype)), self[..., :k, :].triu())


@linalg()
def lu_solve(self: Tensor, pivots: Tensor, B: Tensor, *, left: bool = True, adjoint: bool = False) -> Any:
    """``X`` in ``A @ X = B``, of the factors of A."""
    p, low, up = lu_unpack(self, pivots)
    a = p @ low @ up
    return solve(a.mH if adjoint else a, B, left=left)


@op(name="lu_solve")
def old_lu_solve(self: Tensor, LU_data: Tensor, LU_pivots: Tensor) -> Any:
    """``X`` in ``A @ X = self``, of the factors of A."""
    warn_old_function("lu_solve", "torch.linalg.lu_solve")
    return lu_solve(LU_data, LU_pivots, self)


@op(name="solve")
def old_solve(self: Tensor, A: Tensor) -> Any:
    """``X`` in ``A @ X = self``, and the factors of A: torch's spelling before `linalg.solve`."""
    return OldSolve(solve(A, self), lu_factor(A)[0])
