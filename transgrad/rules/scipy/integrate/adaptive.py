"""Integrals over boxes, sums of series and boundary-value problems, on the cells, terms and meshes that SciPy finds.

These are constant; the derivative is that of the formula evaluated on them.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.integrate as si
import scipy.optimize as so

from ....ir.infer_shapes import SHAPES
from ....ir.types import ANY, Arr
from ...installed import installed
from ...registry import constant, definition
from ...static import NoDerivative
from ..interpolate.curves import hermite

#: how many terms of an infinite series are added one by one, before its tail is integrated
TERMS = 10_000


def nodes_in_box(f: Callable[..., Any], a: Any, b: Any, rule: str, rtol: float, atol: float, most: Any, args: Any = ()) -> Any:
    """The places where SciPy evaluates the integrand last, as shares of the box, and in the last column their weights."""
    from scipy.integrate._rules import GaussKronrodQuadrature, GenzMalikCubature, ProductNestedFixed
    found = si.cubature(f, a, b, rule=rule, rtol=rtol, atol=atol, max_subdivisions=most, args=args)
    n = len(a)
    one = GenzMalikCubature(n) if rule == "genz-malik" else ProductNestedFixed([GaussKronrodQuadrature(15 if rule == "gk15" else 21)] * n)
    nodes, weights = one.nodes_and_weights
    low, size = np.minimum(a, b), np.abs(b - a)
    parts = []
    for region in found.regions:
        start, length = (region.a - low) / size, (region.b - region.a) / size
        places = start + 0.5 * (nodes + 1.0) * length
        places = np.where(b < a, 1.0 - places, places)
        parts.append(np.column_stack([places, weights * np.prod(0.5 * length)]))
    return np.concatenate(parts)


class Estimate:
    """The result of cubature."""

    def __init__(self, estimate: Any):
        self.estimate, self.status = estimate, "converged"


@definition(installed("scipy.integrate.cubature"))
def cubature(f: Any, a: Any, b: Any, *, rule: Any = "gk21", rtol: Any = 1e-8, atol: Any = 0, max_subdivisions: Any = 10000, args: Any = (),
             workers: Any = 1, points: Any = None) -> Any:
    """With respect to finite limits, ``args`` and the values that the integrand reads from enclosing scopes."""
    if points is not None:
        raise NoDerivative("cubature has a derivative without points: add the integrals over the parts of the box")
    low, high = np.asarray(a) + 0.0, np.asarray(b) + 0.0
    if not np.all(np.isfinite(low)) or not np.all(np.isfinite(high)):
        raise NoDerivative("cubature has a derivative for finite limits: change the variables, or use nquad")
    found = nodes_in_box(f, low, high, rule, rtol, atol, max_subdivisions, args=args)
    values = f(low + (high - low) * found[:, :-1], *args)
    return Estimate(np.prod(high - low) * np.tensordot(found[:, -1], values, 1))


class Series:
    """The result of nsum."""

    def __init__(self, total: Any):
        self.sum, self.success, self.status = total, True, 0


@definition(installed("scipy.integrate.nsum"))
def nsum(f: Any, a: Any, b: Any, *, step: Any = 1, args: Any = (), log: Any = False, maxterms: Any = 1048576,
         tolerances: Any = None) -> Any:
    """Of one series of numbers that starts at a finite place: many terms, and of an infinite one the integral of its tail."""
    if log or np.ndim(a) or np.ndim(b):
        raise NoDerivative("nsum has a derivative for one series with log=False")
    if not np.isfinite(a):
        raise NoDerivative("nsum has a derivative for a series with a finite start: reverse it")
    if np.isfinite(b):
        return Series(np.sum(f(a + step * np.arange(int(np.floor((b - a) / step + 1e-12)) + 1), *args)))
    # the error of the tail is that of the midpoint rule: step² / 24 times the derivative at its start
    head = np.sum(f(a + step * np.arange(TERMS), *args))
    tail = si.quad(lambda x: f(x, *args), a + step * (TERMS - 0.5), np.inf, epsabs=1e-13, epsrel=1e-10)[0]
    return Series(head + tail / step)


def solution_on_mesh(f: Callable[..., Any], x: Any, y: Any, p: Any, tol: float, most: int, bc_tol: Any, args: Any = ()) -> Any:
    """The mesh that SciPy has found, and below it the solution."""
    found = solved(f, x, y, p, tol, most, bc_tol, args)
    return np.concatenate([found.x[None], found.y])


def unknown_numbers(f: Callable[..., Any], x: Any, y: Any, p: Any, tol: float, most: int, bc_tol: Any, args: Any = ()) -> Any:
    """The parameters that SciPy has found."""
    found = solved(f, x, y, p, tol, most, bc_tol, args).p
    return np.zeros(0) if found is None else found


def solved(f: Callable[..., Any], x: Any, y: Any, p: Any, tol: float, most: int, bc_tol: Any, args: Any) -> Any:
    """The solution for a function that returns the derivatives and then the residuals at the ends of its operands."""
    n = y.shape[0]

    def slopes(t: Any, z: Any, q: Any = p) -> Any:
        return f(t, z, q, *args)[:z.size].reshape(z.shape)

    def residuals(first: Any, last: Any, q: Any = p) -> Any:
        return f(x[[0, -1]], np.stack([first, last], axis=1), q, *args)[2 * n:]
    found = si.solve_bvp(slopes, residuals, x, y, p if p.size else None, tol=tol, max_nodes=most, bc_tol=bc_tol)
    if not found.success:
        raise ValueError(f"solve_bvp: {found.message}")
    return found


constant(nodes_in_box, solution_on_mesh, unknown_numbers)
SHAPES.update(dict.fromkeys((nodes_in_box, solution_on_mesh), lambda *args, **kwargs: Arr("float64", (ANY, ANY))))
SHAPES[unknown_numbers] = lambda *args, **kwargs: Arr("float64", (ANY,))


class Trajectory:
    """A cubic curve through the solution, with a row a component."""

    def __init__(self, curve: Any):
        self.curve = curve

    def __call__(self, t: Any, nu: Any = 0) -> Any:
        return np.moveaxis(self.curve(t, nu), -1, 0)


class Boundary:
    """The result of solve_bvp."""

    def __init__(self, x: Any, y: Any, yp: Any, p: Any):
        self.x, self.y, self.yp, self.p, self.success, self.status = x, y, yp, p, True, 0
        self.sol = Trajectory(hermite(x, y.T, yp.T))


@definition(si.solve_bvp)
def solve_bvp(fun: Any, bc: Any, x: Any, y: Any, p: Any = None, S: Any = None, fun_jac: Any = None, bc_jac: Any = None, tol: Any = 1e-3,
              max_nodes: Any = 1000, verbose: Any = 0, bc_tol: Any = None) -> Any:
    """With respect to the values that both functions read from enclosing scopes, by the collocation equations on the last mesh.

    The mesh is constant. ValueError is raised if no solution is found.
    """
    if S is not None:
        raise NoDerivative("solve_bvp has a derivative without a singular term S")
    start = np.zeros(0) if p is None else np.asarray(p) + 0.0

    def slopes(t: Any, z: Any, q: Any) -> Any:
        return np.asarray(fun(t, z) if p is None else fun(t, z, q))

    def residuals(z: Any, q: Any) -> Any:
        return np.asarray(bc(z[:, 0], z[:, -1]) if p is None else bc(z[:, 0], z[:, -1], q))

    def both(t: Any, z: Any, q: Any) -> Any:
        return np.concatenate((np.ravel(slopes(t, z, q)), residuals(z, q)))
    found = solution_on_mesh(both, x, y, start, tol, max_nodes, bc_tol)
    numbers = unknown_numbers(both, x, y, start, tol, max_nodes, bc_tol)
    mesh = found[0]
    n, m = y.shape[0], mesh.shape[0]
    h = np.diff(mesh)
    places = np.reshape(np.arange(n * m), (n, m))

    def equations(v: Any) -> Any:
        z, q = v[places], v[n * m:]
        f = slopes(mesh, z, q)
        middle = 0.5 * (z[:, 1:] + z[:, :-1]) - 0.125 * h * (f[:, 1:] - f[:, :-1])
        between = slopes(mesh[:-1] + 0.5 * h, middle, q)
        gaps = z[:, 1:] - z[:, :-1] - h / 6.0 * (f[:, :-1] + f[:, 1:] + 4.0 * between)
        return np.concatenate((np.ravel(gaps), residuals(z, q)))
    v = so.fsolve(equations, np.concatenate((np.ravel(found[1:]), numbers)), xtol=1e-12)
    z, q = v[places], v[n * m:]
    return Boundary(mesh, z, slopes(mesh, z, q), None if p is None else q)
