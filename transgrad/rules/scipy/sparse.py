"""scipy.sparse: systems with a constant sparse matrix, through the right-hand side."""
from __future__ import annotations

from typing import Any

import scipy.sparse.linalg as sl

from ...ir.infer_shapes import SHAPES
from ...ir.types import Arr, Type
from ..registry import rule
from ..static import lifted


def solve_transposed(matrix: Any, b: Any) -> Any:
    """The solution of the transposed system."""
    return sl.spsolve(matrix.T.tocsc(), b)


solve, back = lifted(sl.spsolve), lifted(solve_transposed)


@rule(sl.spsolve, kind="general", jvp=(None, lambda t, y, A, b, permc_spec=None, use_umfpack=True: solve(A, t)))
def _(g, y, A, b, permc_spec=None, use_umfpack=True):
    return None, back(A, g)


@rule(solve_transposed, kind="general", jvp=(None, lambda t, y, matrix, b: back(matrix, t)))
def _(g, y, matrix, b):
    return None, solve(matrix, g)


def _like_side(matrix: Any, b: Any, *args: Any, **kwargs: Any) -> Type | None:
    return b.type if isinstance(b.type, Arr) else None


SHAPES.update({sl.spsolve: _like_side, solve_transposed: _like_side})
