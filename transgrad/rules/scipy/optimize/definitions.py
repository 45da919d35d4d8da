"""scipy.optimize: linear problems with constraints, of which those that hold are constant; sums of distances; difference quotients."""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.optimize as so

from ....ir.infer_shapes import SHAPES
from ....ir.types import ANY, Arr
from ....services import forward_jacobian
from ...registry import constant, definition
from ...static import NoDerivative


class Solution:
    """The result of a solver."""

    def __init__(self, x: Any, fun: Any, cost: Any = None):
        self.x, self.fun, self.cost, self.success = x, fun, cost, True


def free_of(x: Any, low: Any, high: Any) -> Any:
    """The places of variables that are not at a bound."""
    size = 1e-9 * np.maximum(1.0, np.abs(x))
    return np.flatnonzero((x > low + size) & (x < high - size))


def bounded_least_squares(a: Any, b: Any, low: Any, high: Any) -> Any:
    return so.lsq_linear(a, b, (low, high), tol=1e-13, lsmr_tol=None).x


def positive_least_squares(a: Any, b: Any) -> Any:
    return so.nnls(a, b)[0]


def active_rows(c: Any, a: Any, b: Any, equal: Any, target: Any, bounds: Any) -> Any:
    """The rows of all constraints, bounds last, that hold with equality at the vertex that is found."""
    n = len(c)
    x = so.linprog(c, a, b, equal, target, bounds, method="highs").x
    if x is None:
        raise ValueError("linprog has found no solution")
    rows, sides = stacked(np.asarray(c, float), a, b, equal, target, bounds)
    slack = np.abs(rows @ x - sides)
    order = np.argsort(slack, kind="stable")
    chosen: list[int] = []
    for k in order:
        if slack[k] > 1e-7 * max(1.0, np.max(np.abs(x))):
            break
        if np.linalg.matrix_rank(rows[[*chosen, k]]) > len(chosen):
            chosen.append(int(k))
    if len(chosen) < n:
        raise ValueError("linprog has a derivative where its solution is a vertex: the constraints that hold do not determine it")
    return np.array(chosen[:n])


def limits(bounds: Any, n: Any) -> Any:
    """The lower and upper bounds; infinite ones are large numbers that never hold."""
    pairs = [(0, None)] * n if bounds is None else [bounds] * n if np.ndim(bounds[0]) == 0 or bounds[0] is None else bounds
    far = 1e30
    return (np.array([-far if low is None or low == -np.inf else low for low, _ in pairs], float),
            np.array([far if high is None or high == np.inf else high for _, high in pairs], float))


def stacked(c: Any, a: Any, b: Any, equal: Any, target: Any, bounds: Any) -> Any:
    n = len(c)
    low, high = limits(bounds, n)
    rows = [m for m in (a, equal) if m is not None] + [np.eye(n), np.eye(n)]
    sides = [v for v in (b, target) if v is not None] + [low, high]
    return np.concatenate(rows), np.concatenate(sides)


def lower_limits(bounds: Any, n: Any) -> Any:
    return limits(bounds, n)[0]


def upper_limits(bounds: Any, n: Any) -> Any:
    return limits(bounds, n)[1]


def blocks_of(y: Any, weights: Any, increasing: Any) -> Any:
    """For each place the number of the block in which isotonic regression averages."""
    found = so.isotonic_regression(y, weights=weights, increasing=increasing)
    return np.repeat(np.arange(len(found.blocks) - 1), np.diff(found.blocks))


constant(free_of, bounded_least_squares, positive_least_squares, active_rows, lower_limits, upper_limits, blocks_of)
SHAPES.update({free_of: lambda *args: Arr("int64", (ANY,)), active_rows: lambda *args: Arr("int64", (ANY,)),
               blocks_of: lambda *args: Arr("int64", (ANY,))})
SHAPES.update(dict.fromkeys((bounded_least_squares, positive_least_squares, lower_limits, upper_limits),
                            lambda *args: Arr("float64", (ANY,))))


def with_fixed(a: Any, b: Any, x: Any, free: Any, held: Any) -> Any:
    """The smallest-squares solution in the free variables, the others ``held`` at bounds."""
    n = a.shape[1]
    fixed = held * np.where(np.isin(np.arange(n), free), 0.0, 1.0)
    part = np.linalg.lstsq(a[:, free], b - a @ fixed)[0]
    spread = np.where(free == np.arange(n)[:, None], 1.0, 0.0)
    return fixed + spread @ part


@definition(so.nnls)
def nnls(A: Any, b: Any, *, maxiter: Any = None, atol: Any = None) -> Any:
    """Which variables are 0 is constant."""
    x = positive_least_squares(A, b)
    x = with_fixed(A, b, x, free_of(x, 0.0, np.inf), np.zeros(A.shape[1]))
    return x, np.linalg.norm(A @ x - b)


@definition(so.lsq_linear)
def lsq_linear(A: Any, b: Any, bounds: Any = (-np.inf, np.inf), method: Any = "trf", tol: Any = 1e-10, lsq_solver: Any = None,
               lsmr_tol: Any = None, max_iter: Any = None, verbose: Any = 0, *, lsmr_maxiter: Any = None) -> Any:
    """Which variables are at a bound is constant; through the matrix, the right-hand side and the bounds."""
    n = A.shape[1]
    low, high = bounds[0] * np.ones(n), bounds[1] * np.ones(n)
    x = bounded_least_squares(A, b, low, high)
    free = free_of(x, low, high)
    at_low = np.abs(x - np.where(np.isfinite(low), low, -1e30)) < np.abs(x - np.where(np.isfinite(high), high, 1e30))
    held = np.where(at_low, np.where(np.isfinite(low), low, 0.0), np.where(np.isfinite(high), high, 0.0))
    x = with_fixed(A, b, x, free, held)
    rest = A @ x - b
    return Solution(x, rest, 0.5 * np.sum(rest * rest))


@definition(so.linprog)
def linprog(c: Any, A_ub: Any = None, b_ub: Any = None, A_eq: Any = None, b_eq: Any = None, bounds: Any = (0, None),
            method: Any = "highs", callback: Any = None, options: Any = None, x0: Any = None, integrality: Any = None) -> Any:
    """The solution is assumed to be a vertex with a constant active set."""
    if integrality is not None:
        raise NoDerivative("linprog has a derivative without whole numbers")
    n = c.shape[0]
    at = active_rows(c, A_ub, b_ub, A_eq, b_eq, bounds)
    rows, sides = np.eye(n), lower_limits(bounds, n)
    rows, sides = np.concatenate((rows, np.eye(n))), np.concatenate((sides, upper_limits(bounds, n)))
    if A_eq is not None:
        rows, sides = np.concatenate((A_eq, rows)), np.concatenate((b_eq, sides))
    if A_ub is not None:
        rows, sides = np.concatenate((A_ub, rows)), np.concatenate((b_ub, sides))
    x = np.linalg.solve(rows[at], sides[at])
    return Solution(x, c @ x)


@definition(so.isotonic_regression)
def isotonic_regression(y: Any, *, weights: Any = None, increasing: Any = True) -> Any:
    """The blocks over which it averages are constant."""
    w = np.ones(y.shape[0]) if weights is None else weights
    at = blocks_of(y, weights, increasing)
    sums = np.bincount(at, w * y) / np.bincount(at, w)
    return Solution(sums[at], None)


@definition(so.rosen)
def rosen(x: Any) -> Any:
    """Rosenbrock's function."""
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2, axis=0)


@definition(so.rosen_der)
def rosen_der(x: Any) -> Any:
    """Its gradient."""
    rest = x[1:] - x[:-1] ** 2
    zero = np.zeros_like(x[:1])
    return np.concatenate((-400.0 * x[:-1] * rest - 2.0 * (1.0 - x[:-1]), zero)) + np.concatenate((zero, 200.0 * rest))


@definition(so.rosen_hess)
def rosen_hess(x: Any) -> Any:
    """Its second derivatives."""
    beside = -400.0 * x[:-1]
    zero = np.zeros(1)
    diagonal = np.concatenate((1200.0 * x[:-1] ** 2 - 400.0 * x[1:] + 2.0, zero)) + np.concatenate((zero, np.full(x.shape[0] - 1, 200.0)))
    return np.diag(diagonal) + np.diag(beside, 1) + np.diag(beside, -1)


@definition(so.rosen_hess_prod)
def rosen_hess_prod(x: Any, p: Any) -> Any:
    """Its second derivatives along p."""
    return rosen_hess(x) @ p


@definition(so.approx_fprime)
def approx_fprime(xk: Any, f: Any, epsilon: Any = 1.4901161193847656e-08, *args: Any) -> Any:
    """The difference quotients themselves: their derivative has no more digits than they have."""
    xk = np.atleast_1d(xk)
    base = f(xk, *args)
    steps = epsilon * np.eye(xk.shape[0])
    return np.stack([(f(xk + step, *args) - base) / np.sum(step) for step in steps], axis=-1)


@definition(so.curve_fit)
def curve_fit(f: Any, xdata: Any, ydata: Any, p0: Any = None, sigma: Any = None, absolute_sigma: Any = False, check_finite: Any = None,
              bounds: Any = (-np.inf, np.inf), method: Any = None, jac: Any = None, *, full_output: Any = False, nan_policy: Any = None,
              **how: Any) -> Any:
    """The parameters, from a start that is given, and their covariance, ``sigma`` a number for each place; at a bound they move with it."""
    if p0 is None:
        raise NoDerivative("curve_fit has a derivative with p0 given")
    if full_output:
        raise NoDerivative("curve_fit has a derivative without full_output")
    weights = 1.0 if sigma is None else 1.0 / np.asarray(sigma)
    p0 = [p0] if np.ndim(p0) == 0 else p0
    count = len(p0)

    def rest(p: Any) -> Any:
        return (f(xdata, *[p[k] for k in range(count)]) - ydata) * weights
    x = so.least_squares(rest, np.asarray(p0), bounds=bounds, xtol=1e-14, ftol=1e-14, gtol=1e-14).x
    slopes, left = forward_jacobian(rest)(x), rest(x)
    cov = np.linalg.inv(slopes.T @ slopes)
    return x, cov if absolute_sigma else cov * (np.sum(left * left) / (left.shape[0] - count))
