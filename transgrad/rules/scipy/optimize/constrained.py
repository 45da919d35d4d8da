"""Minima within bounds and under constraints, by the equations of Karush, Kuhn and Tucker of what holds at the solution.

What holds there (which bounds, which inequalities) is constant; a variable at a bound moves with the bound.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.optimize as so

from ....ir.infer_shapes import SHAPES
from ....ir.types import ANY, Arr, Num, Obj, TupleT, Type
from ....services import forward_jacobian, gradient
from ...registry import constant, definition, rule
from ...static import ZERO, NoDerivative
from ...stop import stop_gradient
from .solutions import root_pullback, root_pushforward

#: how close to a bound, or to 0, what holds there is, relative to the size of the variable
NEAR = 1e-6


class Box:
    """Lower and upper bounds."""

    def __init__(self, lb: Any, ub: Any):
        self.lb, self.ub = lb, ub


@definition(so.Bounds)
def bounds_of(lb: Any = -np.inf, ub: Any = np.inf, keep_feasible: Any = False) -> Any:
    """With respect to both."""
    return Box(lb, ub)


def edges(bounds: Any, n: Any, pairs: Any) -> Any:
    """The lower and upper bounds of n variables, given in ``pairs`` or one after the other (the front end asks for `known_edges`
    where none of them is differentiated)."""
    if isinstance(bounds, Box):
        return np.ones(n) * bounds.lb, np.ones(n) * bounds.ub
    if not pairs:
        return np.ones(n) * bounds[0], np.ones(n) * bounds[1]
    return (np.stack([-np.inf if low is None else low for low, _ in bounds]),
            np.stack([np.inf if high is None else high for _, high in bounds]))


def known_edges(bounds: Any, n: int, pairs: bool) -> tuple[Any, Any]:
    """The bounds that are constant, however they are written."""
    low: Any = -np.inf
    high: Any = np.inf
    if bounds is None:
        pass
    elif hasattr(bounds, "lb"):
        low, high = bounds.lb, bounds.ub
    elif pairs:
        low = [-np.inf if low is None else low for low, _ in bounds]
        high = [np.inf if high is None else high for _, high in bounds]
    else:
        low, high = bounds
    return np.ones(n) * np.asarray(low, dtype=float), np.ones(n) * np.asarray(high, dtype=float)


def held_below(x: Any, low: Any, slope: Any) -> Any:
    """Which variables are at their lower bound: nearer to it than the slope that pushes them there."""
    return (x - low <= NEAR * np.maximum(1.0, np.abs(x))) | (x - low < np.minimum(slope, 1e-3 * np.maximum(1.0, np.abs(x))))


def binding(c: Any) -> Any:
    """The places of inequalities ``c >= 0`` that hold with equality."""
    return np.flatnonzero(np.asarray(c) <= NEAR)


constant(known_edges, held_below, binding)
SHAPES.update({
    known_edges: lambda *args: TupleT((Arr("float64", (ANY,)),) * 2), binding: lambda *args: Arr("int64", (ANY,)),
    held_below: lambda x, *args: Arr("bool", x.type.dims) if isinstance(x.type, Arr) and x.type.dims else Num("bool"),
})


def settled(f: Callable[..., Any], x0: Any, args: Any = ()) -> Any:
    """A root of f that has been found."""
    return x0


@rule(settled, kind="general", lists=True, jvp=(None, None, lambda t, y, f, x0, args=(): root_pushforward(t, y, f, args)))
def _(g, y, f, x0, args=()):
    """The root is taken to be regular."""
    return ZERO, ZERO, root_pullback(g, y, f, args)


def _like_start(f: Any, x0: Any, *args: Any, **kwargs: Any) -> Type | None:
    return Arr("float64", x0.type.dims) if isinstance(x0.type, Arr) and x0.type.dims else Num("float")


SHAPES[settled] = _like_start


def searched(parts: Callable[..., Any], x0: Any, count: Any, exact: Any, low: Any, high: Any, method: Any, tol: Any, options: Any,
             args: Any = ()) -> tuple[Any, Any]:
    """The place of the minimum and what else SciPy says; ``parts`` returns the value, if ``exact`` its slope, then ``count`` equations
    and the inequalities."""
    n = np.size(x0)
    first = 1 + (n if exact else 0)

    def rows(start: int, stop: int | None) -> Callable[[Any], Any]:
        return lambda x: parts(x, *args)[start:stop]
    given = [{"type": kind, "fun": rows(start, stop)} for kind, start, stop in (("eq", first, first + count), ("ineq", first + count, None))
             if parts(x0, *args)[start:stop].size]
    bounded = np.any(np.isfinite(low)) or np.any(np.isfinite(high))
    found = so.minimize(lambda x: parts(x, *args)[0], x0, method=method, jac=rows(1, first) if exact else None, tol=tol,
                        bounds=so.Bounds(low, high) if bounded else None, constraints=given, options=options)
    return np.asarray(found.x, dtype=float), found


def searched_between(f: Callable[..., Any], low: Any, high: Any, tol: Any, options: Any, args: Any = ()) -> tuple[Any, Any]:
    """The place of the least value between two numbers, and what else SciPy says."""
    found = so.minimize_scalar(f, args=args, bounds=(low, high), method="bounded", tol=tol, options=options)
    return found.x, found


def searched_residuals(f: Callable[..., Any], x0: Any, low: Any, high: Any, method: Any, ftol: Any, xtol: Any, gtol: Any, x_scale: Any,
                       loss: Any, f_scale: Any, args: Any = ()) -> tuple[Any, Any]:
    """The place of the least squares, and what else SciPy says."""
    scale = {} if x_scale is None else {"x_scale": x_scale}        # None: the default of the installed release, which may be a number
    found = so.least_squares(f, x0, bounds=(low, high), method=method, ftol=ftol, xtol=xtol, gtol=gtol, loss=loss, f_scale=f_scale,
                             args=args, **scale)
    return found.x, found


SHAPES.update({
    searched: lambda *args, **kwargs: TupleT((Arr("float64", (ANY,)), Obj(so.OptimizeResult))),
    searched_residuals: lambda *args, **kwargs: TupleT((Arr("float64", (ANY,)), Obj(so.OptimizeResult))),
    searched_between: lambda *args, **kwargs: TupleT((Num("float"), Obj(so.OptimizeResult))),
})
constant(searched, searched_between, searched_residuals)


class Minimum:
    """What a solver returns, as far as it is followed."""

    def __init__(self, x: Any, fun: Any, found: Any, cost: Any = None):
        self.x, self.fun, self.cost = x, fun, cost
        self.success, self.message, self.status, self.nfev = found.success, found.message, found.status, found.nfev


def within(value: Any, x: Any, low: Any, high: Any) -> Any:
    """The minimum x of a function, as it moves with that and with the bounds."""
    def slope(v: Any) -> Any:
        return gradient(value)(v)
    pushed = slope(x)
    below, above = held_below(x, low, pushed), held_below(-x, -high, -pushed)
    edge = np.where(below, low, np.where(above, high, 0.0))

    def equations(v: Any) -> Any:
        return np.where(below | above, v - edge, slope(v))
    return settled(equations, x)


@definition(so.minimize)
def minimize(fun: Any, x0: Any, args: Any = (), method: Any = None, jac: Any = None, hess: Any = None, hessp: Any = None,
             bounds: Any = None, constraints: Any = (), tol: Any = None, callback: Any = None, options: Any = None) -> Any:
    """Which bounds and inequalities hold is constant; a variable at a bound moves with the bound."""
    if hess is not None or hessp is not None or callback is not None:
        raise NoDerivative("minimize with bounds, constraints or jac has a derivative without hess, hessp and callback")
    objects = isinstance(constraints, (so.LinearConstraint, so.NonlinearConstraint))
    given = () if objects else (constraints,) if isinstance(constraints, dict) else tuple(constraints)
    if objects or not all(isinstance(c, dict) for c in given):
        raise NoDerivative("minimize has a derivative with constraints as dictionaries: {'type': 'ineq', 'fun': lambda x: b - A @ x}")
    for c in given:
        if "args" in c:
            raise NoDerivative("a constraint has a derivative without args: let its function close over them")
    start = np.atleast_1d(x0) + 0.0
    n = start.shape[0]
    low, high = edges(bounds, n, True)
    value = (lambda v: fun(v, *args)[0]) if jac is True else (lambda v: fun(v, *args))
    slope = gradient(value)
    exact = jac is not None and not isinstance(jac, str) and jac is not False
    equal, least = tuple([c for c in given if c["type"] == "eq"]), tuple([c for c in given if c["type"] == "ineq"])

    def rows(v: Any, of: Any) -> Any:
        return np.concatenate([np.zeros(0), *[np.ravel(c["fun"](v)) for c in of]])

    def parts(v: Any) -> Any:
        head = np.concatenate((np.reshape(value(v), (1,)), slope(v))) if exact else np.reshape(value(v), (1,))
        return np.concatenate((head, rows(v, equal), rows(v, least))) if given else head
    x, found = searched(parts, start, rows(start, equal).shape[0] if equal else 0, exact, low, high, method, tol, options)
    if not given:
        x = within(value, x, low, high)
        return Minimum(x, value(x), found)
    binds = binding(stop_gradient(rows(x, least))) if least else np.zeros(0, dtype=int)

    def held(v: Any) -> Any:
        return np.concatenate((rows(v, equal), rows(v, least)[binds])) if least else rows(v, equal)
    below, above = held_below(x, low, np.zeros(n)), held_below(-x, -high, np.zeros(n))
    free = ~(below | above)
    across = np.where(free, forward_jacobian(held)(x), 0.0)
    weights = np.linalg.lstsq(across.T, np.where(free, slope(x), 0.0))[0]
    edge = np.where(below, low, np.where(above, high, 0.0))

    def equations(z: Any) -> Any:
        v, w = z[:n], z[n:]
        push = gradient(lambda u: value(u) - np.sum(w * held(u)))(v)
        return np.concatenate((np.where(free, push, v - edge), held(v)))
    x = settled(equations, np.concatenate((x, weights)))[:n]
    return Minimum(x, value(x), found)


@definition(so.minimize_scalar)
def minimize_scalar(fun: Any, bracket: Any = None, bounds: Any = None, args: Any = (), method: Any = None, tol: Any = None,
                    options: Any = None) -> Any:
    """A place at a bound moves with the bound."""
    low, high = bounds

    def value(v: Any) -> Any:
        return fun(v, *args)
    x, found = searched_between(value, low, high, tol, options)
    x = within(value, x, low, high)
    return Minimum(x, value(x), found)


@definition(so.fminbound)
def fminbound(func: Any, x1: Any, x2: Any, args: Any = (), xtol: Any = 1e-05, maxfun: Any = 500, full_output: Any = 0,
              disp: Any = 1) -> Any:
    """A place at a bound moves with the bound."""
    if full_output:
        raise NoDerivative("fminbound has a derivative without full_output")
    return minimize_scalar(func, None, (x1, x2), args, "bounded", None, {"xatol": xtol, "maxiter": maxfun}).x


def weighed(z: Any, loss: str) -> Any:
    """What a loss makes of squares."""
    if loss == "linear":
        return z
    if loss == "soft_l1":
        return 2.0 * (np.sqrt(1.0 + z) - 1.0)
    if loss == "huber":
        return np.where(z <= 1.0, z, 2.0 * np.sqrt(np.where(z <= 1.0, 1.0, z)) - 1.0)
    return np.log1p(z) if loss == "cauchy" else np.arctan(z)


@definition(so.least_squares)
def least_squares(fun: Any, x0: Any, jac: Any = "2-point", bounds: Any = (-np.inf, np.inf), method: Any = "trf", ftol: Any = 1e-8,
                  xtol: Any = 1e-8, gtol: Any = 1e-8, x_scale: Any = None, loss: Any = "linear", f_scale: Any = 1.0, diff_step: Any = None,
                  tr_solver: Any = None, tr_options: Any = None, jac_sparsity: Any = None, max_nfev: Any = None, verbose: Any = 0,
                  args: Any = (), kwargs: Any = None, callback: Any = None, workers: Any = None) -> Any:
    """A variable at a bound moves with the bound. The active set is constant, and ``jac`` is ignored."""
    if callable(loss):
        raise NoDerivative("least_squares has a derivative with a loss given by name")
    if kwargs is not None:
        raise NoDerivative("least_squares has a derivative without kwargs: pass args, or a function that closes over them")
    start = np.atleast_1d(x0) + 0.0
    low, high = edges(bounds, start.shape[0], False)

    def rest(v: Any) -> Any:
        return fun(v, *args)

    def cost(v: Any) -> Any:
        r = rest(v) / f_scale
        return 0.5 * f_scale ** 2 * np.sum(weighed(r * r, loss))
    x, found = searched_residuals(rest, start, low, high, method, ftol, xtol, gtol, x_scale, loss, f_scale)
    x = within(cost, x, low, high)
    return Minimum(x, rest(x), found, cost(x))
