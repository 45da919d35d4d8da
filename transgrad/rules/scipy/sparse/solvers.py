"""Sparse linear systems: direct and iterative solvers, differentiated by the right-hand side and the elements of the matrix.

The derivative is that of the exact solution, independent of the solver: the adjoint is one more system, with the transposed matrix.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as sl

from ....ir.infer_shapes import SHAPES
from ....ir.types import Arr
from ...registry import definition, rule
from ...static import ZERO, NoDerivative, lifted, ndim
from .matrix import SPARSE, Matrix, as_matrix
from .systems import solve_plain


def solve_elements(values: Any, row: Any, col: Any, n: Any, b: Any) -> Any:
    """The solution of the system with these elements."""
    return sl.spsolve(sp.csc_array((values, (row, col)), shape=(n, n)), b)


def weighed(values: Any, row: Any, col: Any, n: Any, x: Any) -> Any:
    """The product of the matrix with these elements, and x."""
    return sp.csr_array((values, (row, col)), shape=(n, n)) @ x


solve, product = lifted(solve_elements), lifted(weighed)


def outer_elements(s: Any, x: Any, row: Any, col: Any) -> Any:
    """The elements of an outer product, summed over the columns if there are several."""
    return s[row] * x[col] if ndim(x) == 1 else np.sum(s[row] * x[col], axis=1)


@rule(solve_elements, kind="general", jvp=(
    lambda t, y, values, row, col, n, b: -solve(values, row, col, n, product(t, row, col, n, y)), None, None, None,
    lambda t, y, values, row, col, n, b: solve(values, row, col, n, t)))
def _(g, y, values, row, col, n, b):
    s = solve(values, col, row, n, g)
    return -outer_elements(s, y, row, col), ZERO, ZERO, ZERO, s


@rule(weighed, kind="multilinear", linear_in=(0, 4))
def _(g, y, values, row, col, n, x):
    return outer_elements(g, x, row, col), ZERO, ZERO, ZERO, product(values, col, row, n, g)


def _like_side(values: Any, row: Any, col: Any, n: Any, b: Any) -> Any:
    types = [v.type for v in (values, b)]
    return Arr(str(np.result_type(*(t.dtype for t in types))), types[1].dims) if all(isinstance(t, Arr) for t in types) else None


SHAPES.update({solve_elements: _like_side, weighed: _like_side})


def solved(A: Any, b: Any) -> Any:
    """The solution of a system with a sparse or a dense matrix."""
    if not isinstance(A, Matrix):
        return solve_plain(A, b)
    a = A
    return solve_elements(a.values, a.row, a.col, a.shape[0], b)


def plain_right(b: Any) -> None:
    if isinstance(b, SPARSE):
        raise NoDerivative("a system has a derivative for a dense right-hand side")


@definition(sl.spsolve)
def spsolve(A: Any, b: Any, permc_spec: Any = None, use_umfpack: Any = True) -> Any:
    """With respect to the elements of the matrix and the right-hand side."""
    plain_right(b)
    return solved(A, b)


@definition(sl.spsolve_triangular)
def spsolve_triangular(A: Any, b: Any, lower: Any = True, overwrite_A: Any = False, overwrite_b: Any = False,
                       unit_diagonal: Any = False) -> Any:
    """Of a triangular matrix, with its diagonal."""
    if unit_diagonal:
        raise NoDerivative("spsolve_triangular has a derivative with unit_diagonal=False: put ones on the diagonal")
    return solved(A, b)


def register(fn: Callable[..., Any]) -> None:
    """An iterative solver, which says whether it has converged."""
    @definition(fn)
    def iterative(A: Any, b: Any, x0: Any = None, **how: Any) -> Any:
        """The solution of the system, found by a direct solver; where the search starts does not matter."""
        return solved(A, b), 0


for _name in ("bicg", "bicgstab", "cg", "cgs", "gcrotmk", "gmres", "lgmres", "minres", "qmr", "tfqmr"):
    register(getattr(sl, _name))


class Factors:
    """The result of `splu` and `factorized`."""

    def __init__(self, matrix: Any):
        self.matrix = matrix

    def solve(self, b: Any, trans: Any = "N") -> Any:
        a = self.matrix if trans == "N" else self.matrix.T if trans == "T" else self.matrix.H
        return solve_elements(a.values, a.row, a.col, a.shape[0], b)

    def __call__(self, b: Any) -> Any:
        return self.solve(b)


@definition(sl.splu)
def splu(A: Any, *args: Any, **how: Any) -> Any:
    """An object that solves; the factors themselves have no derivative."""
    return Factors(as_matrix(A))


@definition(sl.factorized)
def factorized(A: Any) -> Any:
    """A function that solves."""
    return Factors(as_matrix(A))


@definition(sl.lsqr)
def lsqr(A: Any, b: Any, damp: Any = 0.0, **how: Any) -> Any:
    """Only the solution has a derivative; compute norms from it."""
    a = as_matrix(A).toarray()
    n = a.shape[1]
    if damp != 0.0:
        a, b = np.concatenate((a, damp * np.eye(n)), axis=0), np.concatenate((b, np.zeros(n)))
    x = np.linalg.lstsq(a, b)[0]
    return x, None, None, None, None, None, None, None, None, None


@definition(sl.lsmr)
def lsmr(A: Any, b: Any, damp: Any = 0.0, **how: Any) -> Any:
    """Only the solution has a derivative; compute norms from it."""
    return lsqr(A, b, damp)[:8]
