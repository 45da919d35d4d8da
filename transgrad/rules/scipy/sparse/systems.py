"""scipy.sparse: systems with a constant sparse matrix, through the right-hand side."""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as sl

from ....ir.infer_shapes import SHAPES
from ....ir.types import ANY, Arr, Type
from ...registry import rule
from ...static import ZERO, lifted


def solve_plain(matrix: Any, b: Any) -> Any:
    """The solution of a system with a constant matrix, sparse or dense."""
    return sl.spsolve(sp.csc_array(matrix), b)


def solve_transposed(matrix: Any, b: Any) -> Any:
    """The solution of the transposed system."""
    return sl.spsolve(sp.csc_array(matrix.T), b)


solve, back = lifted(solve_plain), lifted(solve_transposed)


@rule(solve_plain, kind="general", jvp=(None, lambda t, y, matrix, b: solve(matrix, t)))
def _(g, y, matrix, b):
    return None, back(matrix, g)


@rule(solve_transposed, kind="general", jvp=(None, lambda t, y, matrix, b: back(matrix, t)))
def _(g, y, matrix, b):
    return None, solve(matrix, g)


def before(matrix: Any, x: Any) -> Any:
    """The product of a constant sparse matrix and a vector, or several."""
    return matrix @ x


def after(x: Any, matrix: Any) -> Any:
    """The product of a vector, or several, and a constant sparse matrix."""
    return x @ matrix


def before_transposed(matrix: Any, x: Any) -> Any:
    """The product with the transposed matrix."""
    return matrix.T @ x


def after_transposed(x: Any, matrix: Any) -> Any:
    """The product with the transposed matrix."""
    return x @ matrix.T


times, times_transposed = lifted(before), lifted(before_transposed)
beside, beside_transposed = lifted(after), lifted(after_transposed)


@rule(before, kind="linear", linear_in=(1,))
def _(g, y, matrix, x):
    return ZERO, times_transposed(matrix, g)


@rule(before_transposed, kind="linear", linear_in=(1,))
def _(g, y, matrix, x):
    return ZERO, times(matrix, g)


@rule(after, kind="linear", linear_in=(0,))
def _(g, y, x, matrix):
    return beside_transposed(g, matrix), ZERO


@rule(after_transposed, kind="linear", linear_in=(0,))
def _(g, y, x, matrix):
    return beside(g, matrix), ZERO


def _product(x: Any) -> Any:
    return Arr(str(np.result_type(x.type.dtype, float)), (ANY, *x.type.dims[1:])) if isinstance(x.type, Arr) else None


SHAPES.update(dict.fromkeys((before, before_transposed), lambda matrix, x: _product(x)))
SHAPES.update(dict.fromkeys((after, after_transposed), lambda x, matrix: Arr(
    str(np.result_type(x.type.dtype, float)), (*x.type.dims[:-1], ANY)) if isinstance(x.type, Arr) else None))


def _like_side(matrix: Any, b: Any, *args: Any, **kwargs: Any) -> Type | None:
    return b.type if isinstance(b.type, Arr) else None


SHAPES.update({solve_plain: _like_side, solve_transposed: _like_side})
