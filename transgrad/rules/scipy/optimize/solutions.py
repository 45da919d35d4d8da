"""scipy.optimize: solutions of equations and minima, by the implicit function theorem.

The solution depends on the variables that the function captures, not on the start of the search. A lowered call has the
function first and its captured variables in ``args``.
"""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.optimize as so

from ....ir.infer_shapes import SHAPES
from ....ir.types import Arr, DictT, ListT, Num, Obj, RecordT, TupleT, Type
from ...registry import rule
from ...static import ZERO, NoDerivative, lifted, ndim
from ..callables import apply, derived, differentiable, gradient_of, lowered, pullback, pullback_of, pushforward, tangent_of


def root_pullback(g: Any, x: Any, f: Any, args: Any) -> tuple[Any, ...]:
    """The cotangents of ``args`` for a root x of f."""
    f = lowered(f)
    if ndim(x) == 0:
        slope = apply(pullback_of(f, [0]), [x, *args, 1.0])
        return tuple(pullback(f, [x, *args], -g / slope, 1))
    return tuple(pullback(f, [x, *args], -np.linalg.solve(jacobian(f, x, args).T, g), 1))


def root_pushforward(t: Any, x: Any, f: Any, args: Any) -> Any:
    """The tangent of a root, for those of ``args``."""
    f = lowered(f)
    change = pushforward(f, [x, *args], [None, *t])
    if ndim(x) == 0:
        return -change / apply(pullback_of(f, [0]), [x, *args, 1.0])
    return -np.linalg.solve(jacobian(f, x, args), change)


def jacobian(f: Any, x: Any, args: Any) -> Any:
    """The matrix of derivatives of f by x, a column a direction."""
    return columns(tangent_of(f, [0]), len(args), x, *args)


def columns_of(f: Any, at: int, x: Any, *args: Any) -> Any:
    """The result of ``f(x, *args)`` with a direction along x among ``args`` at position ``at``, for each direction, as columns."""
    return np.stack([f(x, *args[:at], e, *args[at:]) for e in np.eye(x.shape[0])], axis=-1)


def column_sums(f: Any, at: int, g: Any, x: Any, *args: Any) -> Any:
    """The sums of the pullback of such a function over each direction and column of ``g``."""
    found = [f(x, *args[:at], e, *args[at:], g[..., k]) for k, e in enumerate(np.eye(x.shape[0]))]
    return tuple(map(sum, zip(*found))) if isinstance(found[0], tuple) else sum(found)


columns, sums = lifted(columns_of), lifted(column_sums)


def columns_pullback(g: Any, y: Any, f: Any, at: int, *args: Any) -> Any:
    """The cotangents of ``x, *args``."""
    places = [k for k in differentiable(f, 0) if k != at + 1]
    if any(isinstance(f.params[k].type, (TupleT, RecordT, ListT, DictT)) for k in places):
        raise NoDerivative("the equation reads a container from an enclosing scope, through which second derivatives are not supported")
    got = sums(pullback_of(f, places), at, g, *args)
    entries = dict(zip(places, got if isinstance(got, tuple) else (got,)))
    return (ZERO, ZERO, *(entries.get(k if k <= at else k + 1) for k in range(len(args))))


def columns_pushforward(k: int) -> Any:
    def jvp(t: Any, y: Any, f: Any, at: int, *args: Any) -> Any:
        return columns(tangent_of(f, [k if k <= at else k + 1]), at, *args, t)
    return jvp


rule(columns_of, kind="general", jvp=(None, None, *map(columns_pushforward, range(12))))(columns_pullback)


#: solvers called with a scalar bracket or start, and those called with vectors
SCALAR = (so.brentq, so.brenth, so.bisect, so.ridder, so.newton, so.toms748)


@rule(so.brentq, so.brenth, so.bisect, so.ridder, so.toms748, kind="general", lists=True, jvp=(
    None, None, None, lambda t, y, f, a, b, args=(), **how: root_pushforward(t, y, f, args)))
def _(g, y, f, a, b, args=(), **how):
    return ZERO, ZERO, ZERO, root_pullback(g, y, f, args)


@rule(so.newton, kind="general", lists=True, jvp=(
    None, None, None, lambda t, y, func, x0, fprime=None, args=(), **how: root_pushforward(t, y, func, args)))
def _(g, y, func, x0, fprime=None, args=(), **how):
    return ZERO, ZERO, ZERO, root_pullback(g, y, func, args)


@rule(so.fsolve, kind="general", lists=True, jvp=(None, None, lambda t, y, func, x0, args=(), **how: root_pushforward(t, y, func, args)))
def _(g, y, func, x0, args=(), **how):
    return ZERO, ZERO, root_pullback(g, y, func, args)


def residual_of(f: Any) -> Any:
    """The residual, which is 0 at a fixed point."""
    return derived(lowered(f), "residual", lambda params, y: y - params[0])


@rule(so.fixed_point, kind="general", lists=True, jvp=(
    None, None, lambda t, y, func, x0, args=(), **how: root_pushforward(t, y, residual_of(func), args)))
def _(g, y, func, x0, args=(), **how):
    return ZERO, ZERO, root_pullback(g, y, residual_of(func), args)


def solved(solve: Any, f: Any, x0: Any = None, args: Any = (), **options: Any) -> tuple[Any, Any]:
    """A solution and the solver's other results."""
    start = {} if x0 is None else {"x0": x0}
    found = solve(f, **start, args=args, **options)
    return (found.root if hasattr(found, "root") else found.x), found


def equation(solve: Any, f: Any) -> Any:
    """The function that is 0 at a solution: for a minimum the gradient, for least squares that of half the sum of squares."""
    f = lowered(f)
    if solve in (so.root, so.root_scalar):
        return f
    if solve is so.least_squares:
        return gradient_of(derived(f, "half_square", lambda params, y: 0.5 * np.sum(y * y)))
    return gradient_of(f)


@rule(solved, kind="general", lists=True, jvp=(None, None, None, lambda t, y, solve, f, x0=None, args=(), **how: (
    root_pushforward(t, y[0], equation(solve, f), args), None)))
def _(g, y, solve, f, x0=None, args=(), **how):
    """The solution is taken to be regular, and a minimum to lie inside."""
    return ZERO, ZERO, ZERO, root_pullback(g[0], y[0], equation(solve, f), args)


def _solved(solve: Any, f: Any, x0: Any = None, *args: Any, **kwargs: Any) -> Type | None:
    x = Num("float") if solve.value in (so.root_scalar, so.minimize_scalar) else _like_start(f, x0)
    return None if x is None else TupleT((x, Obj(so.OptimizeResult)))


def _number(*args: Any, **kwargs: Any) -> Type:
    return Num("float")


def _like_start(f: Any, x0: Any, *args: Any, **kwargs: Any) -> Type | None:
    t = x0.type
    return Arr("float64", t.dims) if isinstance(t, Arr) else Num("float") if isinstance(t, Num) else None


def _sums(f: Any, at: Any, g: Any, *args: Any) -> Type:
    types = tuple(y.type for y in f.value.body.yields)
    return types[0] if len(types) == 1 else TupleT(types)


def _matrix(f: Any, at: Any, x: Any, *args: Any) -> Type | None:
    return Arr("float64", x.type.dims * 2) if isinstance(x.type, Arr) else None


SHAPES.update({
    **dict.fromkeys(SCALAR, _number), so.newton: _like_start, so.fsolve: _like_start, so.fixed_point: _like_start, solved: _solved,
    columns_of: _matrix, column_sums: _sums,
})
