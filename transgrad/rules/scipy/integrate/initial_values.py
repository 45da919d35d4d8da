"""Initial-value problems: reverse by the adjoint equation, integrated backwards from one output time to the one before; forward
beside the equation itself.  Output times that the solver chooses are taken to be constant, but for the last one.
"""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy.integrate as si

from ....ir.infer_shapes import SHAPES
from ....ir.types import ANY, Arr, Obj, TupleT, Type
from ....runtime import zeros_of
from ....tree import flatten, unflatten
from ...registry import rule
from ...static import ZERO, NoDerivative, concatenate, lifted
from ..callables import apply, derived, differentiable, lowered, pullback_of, tangent_of

#: the accuracy of derivatives, independent of that of the solution
ACCURACY = {"rtol": 1e-9, "atol": 1e-11}


def states(f: Callable[..., Any], t_span: Any, y0: Any, args: Any = (), **options: Any) -> tuple[Any, Any, Any]:
    """The solution of an initial-value problem at its output times, these, and the solver's other results."""
    found = si.solve_ivp(f, t_span, y0, args=args or None, **options)
    return found.y, found.t, found


def adjoint_states(f: Any, back: Any, t0: Any, y0: Any, t: Any, y: Any, g: Any, places: Sequence[int], method: Any,
                   *args: Any) -> tuple[Any, ...]:
    """The cotangents of the state at the start, without and with that of an output there, and of the ``args`` at ``places``, which may
    hold numbers and other things."""
    n = y.shape[0]
    if not len(t) or t[0] != t0:        # the first output is later than the start
        t, y, g = np.insert(t, 0, t0), np.insert(y, 0, y0, axis=1), np.insert(g, 0, 0.0, axis=1)
    held, form = flatten([args[k] for k in places])
    leaves = [zeros_of(leaf) for leaf in held]
    sizes = [0 if v is None else int(np.size(v)) for v in leaves]

    def rhs(s: float, z: Any) -> Any:
        state, adjoint = z[:n], z[n:2 * n]
        found = back(s, state, *args, adjoint)
        first, *rest = found if isinstance(found, tuple) else (found,)
        parts = [first, *(p for p, size in zip(flatten(rest)[0], sizes) if size)]
        return np.concatenate([np.asarray(f(s, state, *args), float), *(-np.ravel(np.asarray(p, float)) for p in parts)])

    adjoint, totals = np.zeros(n), np.zeros(sum(sizes))
    for k in range(len(t) - 1, 0, -1):
        start = np.concatenate([y[:, k], adjoint + g[:, k], totals])
        end = si.solve_ivp(rhs, (t[k], t[k - 1]), start, method, **ACCURACY).y[:, -1]
        adjoint, totals = end[n:2 * n], end[2 * n:]
    pieces = np.split(totals, np.cumsum(sizes)[:-1]) if sizes else []
    return adjoint, adjoint + g[:, 0], *unflatten(form, [None if v is None else p.reshape(np.shape(v)) if np.ndim(v) else float(p[0])
                                      for p, v in zip(pieces, leaves)])


def tangent_states(f: Any, along: Any, t0: Any, y0: Any, t: Any, y: Any, y0_dot: Any, method: Any, *rest: Any) -> Any:
    """The tangent of the solution at its output times; ``rest`` are the arguments of ``f`` and the tangents of some of them."""
    n = y.shape[0]
    count = rest[0]
    args, dots = rest[1:1 + count], rest[1 + count:]

    def rhs(s: float, z: Any) -> Any:
        return np.concatenate([f(s, z[:n], *args), along(s, z[:n], *args, z[n:], *dots)])

    if not len(t) or t[-1] == t0:
        return np.repeat(y0_dot[:, None], len(t), axis=1)
    return si.solve_ivp(rhs, (t0, t[-1]), np.concatenate([y0, y0_dot]), method, t_eval=t, **ACCURACY).y[n:]


def slopes_at(f: Any, t: Any, y: Any, *args: Any) -> Any:
    """The time derivative of the solution at each output time, in the shape of ``y``."""
    return np.stack([np.asarray(f(s, state, *args), float) for s, state in zip(t, y.T)], axis=1)


adjoint, tangents, slopes = lifted(adjoint_states), lifted(tangent_states), lifted(slopes_at)


def states_jvp_y0(dot, y, f, t_span, y0, args=(), method="RK45", **options):
    return tangents(f, tangent_of(lowered(f), [1]), t_span[0], y0, y[1], y[0], dot, method, len(args), *args), None, None


def states_jvp_args(dot, y, f, t_span, y0, args=(), method="RK45", **options):
    places = differentiable(lowered(f), 2)
    along = tangent_of(f, [1, *places])
    moved = tangents(f, along, t_span[0], y0, y[1], y[0], np.zeros_like(y0), method, len(args), *args, *(dot[k - 2] for k in places))
    return moved, None, None


def states_jvp_span(dot, y, f, t_span, y0, args=(), method="RK45", **options):
    """Later starts move the whole solution back, a later end its last state on."""
    f = lowered(f)
    back = -dot[0] * apply(f, [t_span[0], y0, *args])
    moved = tangents(f, tangent_of(f, [1]), t_span[0], y0, y[1], y[0], back, method, len(args), *args)
    if options.get("t_eval") is not None:
        return moved, None, None
    rest = moved[:, 1:-1]
    last = moved[:, -1] + dot[1] * apply(f, [t_span[1], y[0][:, -1], *args])
    return concatenate([np.expand_dims(np.zeros_like(y0), 1), rest, np.expand_dims(last, 1)], 1), None, None


@rule(states, kind="general", lists=True, jvp=(None, states_jvp_span, states_jvp_y0, states_jvp_args))
def _(g, y, f, t_span, y0, args=(), method="RK45", **options):
    f = lowered(f)
    if g[1] is not None:
        raise NoDerivative("the output times of solve_ivp have no derivative; they are those that you gave, or the solver's own")
    places = differentiable(f, 2)
    fixed = options.get("t_eval") is not None
    first, total, *rest = adjoint(f, pullback_of(f, [1, *places]), t_span[0], y0, y[1], y[0], g[0], [k - 2 for k in places], method, *args)
    found = dict(zip(places, rest))
    start = -np.sum((total if fixed else first) * apply(f, [t_span[0], y0, *args]))
    last = (y[0][:, -1], g[0][:, -1])
    end = ZERO if fixed else np.sum(last[1] * apply(f, [t_span[1], last[0], *args]))
    return ZERO, (start, 0.0 if end is ZERO else end), total, tuple(found.get(k) for k in range(2, 2 + len(args)))


def rows(f: Callable[..., Any], y0: Any, t: Any, args: Any = (), **options: Any) -> Any:
    """The solution of an initial-value problem with a row an output time."""
    return si.odeint(f, y0, t, args, tfirst=True, **options)


def rows_jvp_times(dot, y, f, y0, t, args=(), **options):
    """A later output time moves its row on, a later start the whole solution back."""
    f = lowered(f)
    steep = slopes(f, t, y.T, *args)
    moved = tangents(f, tangent_of(f, [1]), t[0], y0, t, y.T, -dot[0] * steep[:, 0], "LSODA", len(args), *args)
    return (moved + dot * steep).T


@rule(rows, kind="general", lists=True, jvp=(
    None, lambda dot, y, f, y0, t, args=(), **options: states_jvp_y0(dot, (y.T, t), f, t, y0, args, "LSODA")[0].T, rows_jvp_times,
    lambda dot, y, f, y0, t, args=(), **options: states_jvp_args(dot, (y.T, t), f, t, y0, args, "LSODA")[0].T))
def _(g, y, f, y0, t, args=(), **options):
    f = lowered(f)
    places = differentiable(f, 2)
    first, total, *rest = adjoint(f, pullback_of(f, [1, *places]), t[0], y0, t, y.T, g.T, [k - 2 for k in places], "LSODA", *args)
    found = dict(zip(places, rest))
    moved = np.sum(g * slopes(f, t, y.T, *args).T, axis=1)
    start = -np.sum(first * apply(f, [t[0], y0, *args]))
    return ZERO, total, concatenate([np.reshape(start, 1), moved[1:]]), tuple(found.get(k) for k in range(2, 2 + len(args)))


def of_state(f: Any, place: int) -> Any:
    """The equation with one derivative per component of the state, and the parameter at ``place``: SciPy broadcasts a number."""
    t = f.body.yields[0].type
    return f if isinstance(t, Arr) and t.dims else derived(f, "of_state", lambda params, y: np.zeros_like(params[place]) + y)


def swapped(f: Any) -> Any:
    """The same equation with the time first."""
    return derived(f, "of_time", lambda params, y: y, [1, 0])


def _states(f: Any, t_span: Any, y0: Any, *args: Any, **options: Any) -> Type | None:
    t = y0.type
    if not isinstance(t, Arr):
        return None
    times = options["t_eval"].type.dims[0] if isinstance(getattr(options.get("t_eval"), "type", None), Arr) else ANY
    return TupleT((Arr("float64", (t.dims[0], times)), Arr("float64", (times,)), Obj(object)))


def _rows(f: Any, y0: Any, t: Any, *args: Any, **options: Any) -> Type | None:
    return Arr("float64", (*t.type.dims, *y0.type.dims)) if isinstance(t.type, Arr) and isinstance(y0.type, Arr) else None


def _adjoint(f: Any, back: Any, t0: Any, y0: Any, t: Any, y: Any, g: Any, places: Any, method: Any, *args: Any) -> Type | None:
    found = [args[k].type for k in places.value]
    state = Arr("float64", y.type.dims[:1])
    return TupleT((state, state, *found))


SHAPES.update({states: _states, rows: _rows, adjoint_states: _adjoint, slopes_at: lambda f, t, y, *args: y.type,
               tangent_states: lambda f, along, t0, y0, t, y, *rest: y.type if isinstance(y.type, Arr) else None})
