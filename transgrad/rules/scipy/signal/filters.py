"""Recursive filters, through signals, coefficients and initial states.

A filter ``B / A`` is linear in the signal and in B, and its derivative by A is filtered once more.
"""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.signal as sg

from ....ir.infer_shapes import SHAPES
from ....ir.types import ANY, Arr
from ...installed import at_least
from ...registry import constant, definition, rule
from ...static import NoDerivative, lifted, ndim

lfilter = lifted(sg.lfilter)


def lags(g: Any, u: Any, count: int, axis: int) -> Any:
    """The sums of ``g[n] u[n - k]`` over all n and lines, for k below ``count``."""
    g, u = np.moveaxis(g, axis, -1), np.moveaxis(u, axis, -1)
    n = g.shape[-1]
    return np.array([np.sum(g[..., k:] * u[..., :max(n - k, 0)]) for k in range(count)])


def _like_both(g: Any, u: Any, count: Any, axis: Any) -> Any:
    types = [x.type for x in (g, u)]
    return Arr(str(np.result_type(*(t.dtype for t in types))), (ANY,)) if all(isinstance(t, Arr) for t in types) else None


lagged = lifted(lags)
SHAPES[lags] = _like_both


@rule(lags, kind="multilinear", linear_in=(0, 1))
def _(g, y, first, second, count, axis):
    back = np.flip(lfilter(g, 1.0, np.flip(first, axis), axis), axis)
    return lfilter(g, 1.0, second, axis), back


def at_rest(b: Any, a: Any, x: Any, axis: Any = -1, zi: Any = None) -> bool:
    """Whether a filter starts without a state."""
    return zi is None


@rule(sg.lfilter, kind="general", when=at_rest, jvp=(
    lambda t, y, b, a, x, axis=-1, zi=None: lfilter(t, a, x, axis), lambda t, y, b, a, x, axis=-1, zi=None: -lfilter(t, a, y, axis),
    lambda t, y, b, a, x, axis=-1, zi=None: lfilter(b, a, t, axis)))
def _(g, y, b, a, x, axis=-1, zi=None):
    back = np.flip(lfilter(1.0, a, np.flip(g, axis), axis), axis)       # through 1 / A, backwards in time
    by_x = np.flip(lfilter(b, 1.0, np.flip(back, axis), axis), axis)
    by_b = np.sum(back * x) if ndim(b) == 0 else lagged(back, x, b.shape[0], axis)
    by_a = -np.sum(back * y) if ndim(a) == 0 else -lagged(back, y, a.shape[0], axis)
    return by_b, by_a, by_x


def levelled(b: Any, a: Any) -> tuple[Any, Any]:
    """As many coefficients on either side, with 1 in front."""
    b, a = np.atleast_1d(b), np.atleast_1d(a)
    first = a[0]
    n = max(b.shape[0], a.shape[0])
    return np.pad(b / first, (0, n - b.shape[0])), np.pad(a / first, (0, n - a.shape[0]))


def tail(b: Any, v: Any) -> Any:
    """The final state of a filter with the coefficients ``b``: ``sum(b[i + 1 + j] v[-1 - j])``."""
    n, count = b.shape[0] - 1, v.shape[-1]
    last = np.flip(np.pad(v, [(0, 0)] * (np.ndim(v) - 1) + [(n, 0)])[..., count:], -1)
    i = np.arange(n)
    at = i[:, None] + i + 1
    return last @ np.where(at <= n, b[np.minimum(at, n)], 0.0)


def with_state(b: Any, a: Any, x: Any, zi: Any) -> tuple[Any, Any]:
    """A filter along the last axis from a state, and the state that it ends in."""
    b, a = levelled(b, a)
    n, count = b.shape[0] - 1, x.shape[-1]
    longer = np.pad(zi, [(0, 0)] * (np.ndim(zi) - 1) + [(0, count)])
    y = sg.lfilter(b, a, x) + sg.lfilter(np.ones(1), a, longer[..., :count])
    return y, tail(b, x) - tail(a, y) + longer[..., count:count + n]


@definition(sg.lfilter)
def lfilter_from_state(b: Any, a: Any, x: Any, axis: Any = -1, zi: Any = None) -> Any:
    """With an initial state: the signal and the final state."""
    y, state = with_state(b, a, np.moveaxis(x, axis, -1), np.moveaxis(zi, axis, -1))
    return np.moveaxis(y, -1, axis), np.moveaxis(state, -1, axis)


@definition(sg.sosfilt)
def sosfilt(sos: Any, x: Any, axis: Any = -1, zi: Any = None) -> Any:
    """One section after the other."""
    v = np.moveaxis(np.asarray(x, np.result_type(x, sos)), axis, -1)
    if zi is None:
        for k in range(sos.shape[0]):
            v = sg.lfilter(sos[k, :3], sos[k, 3:], v)
        return np.moveaxis(v, -1, axis)
    start = np.moveaxis(zi, axis + 1 if axis >= 0 else axis, -1)
    v, states = sections(sos, v, start)
    return np.moveaxis(v, -1, axis), np.moveaxis(states, -1, axis + 1 if axis >= 0 else axis)


def sections(sos: Any, v: Any, start: Any) -> tuple[Any, Any]:
    """The sections along the last axis from their states, and the states that they end in."""
    states = np.zeros_like(start)
    for k in range(sos.shape[0]):
        v, end = with_state(sos[k, :3], sos[k, 3:], v, start[k])
        states[k] = end
    return v, states


@definition(sg.lfilter_zi)
def lfilter_zi(b: Any, a: Any) -> Any:
    """The state of a filter in which a step goes on as it is."""
    b, a = levelled(b, a)
    n = a.shape[0]
    companion = np.concatenate((-a[1:, None], np.eye(n - 1, n - 2)), axis=1)
    return np.linalg.solve(np.eye(n - 1) - companion, b[1:] - a[1:] * b[0])


@definition(sg.sosfilt_zi)
def sosfilt_zi(sos: Any) -> Any:
    """That of each section, behind those before it."""
    states = np.zeros((sos.shape[0], 2))
    scale = 1.0
    for k in range(sos.shape[0]):
        states[k] = scale * lfilter_zi(sos[k, :3], sos[k, 3:])
        scale = scale * np.sum(sos[k, :3]) / np.sum(sos[k, 3:])
    return states


@definition(sg.lfiltic if at_least("scipy", 1, 17) else None)       # older versions compute something else
def lfiltic(b: Any, a: Any, y: Any, x: Any = None) -> Any:
    """The state after given inputs and outputs, the latest first."""
    held, other = levelled(b, a)
    n = held.shape[0] - 1
    state = -tail(other, np.flip(latest(y, n)))
    return state if x is None else state + tail(held, np.flip(latest(x, n)))


def latest(v: Any, n: Any) -> Any:
    """The first n values, padded with 0."""
    return np.pad(v, (0, n))[:n]


def extended(v: Any, edge: Any, padtype: Any) -> Any:
    """A signal with ``edge`` values more at either end."""
    n = v.shape[-1]
    before, after = np.flip(v[..., 1:edge + 1], -1), np.flip(v[..., n - edge - 1:n - 1], -1)
    if padtype == "odd":
        return np.concatenate((2.0 * v[..., :1] - before, v, 2.0 * v[..., -1:] - after), axis=-1)
    if padtype == "even":
        return np.concatenate((before, v, after), axis=-1)
    same = np.ones(edge)
    return np.concatenate((v[..., :1] * same, v, v[..., -1:] * same), axis=-1)


@definition(sg.filtfilt)
def filtfilt(b: Any, a: Any, x: Any, axis: Any = -1, padtype: Any = "odd", padlen: Any = None, method: Any = "pad",
             irlen: Any = None) -> Any:
    """A filter there and back, from states in which the ends go on as they are."""
    if method != "pad":
        raise NoDerivative("filtfilt has a derivative with method='pad'; the states that method='gust' chooses are solved for, not given")
    b, a = levelled(b, a)
    edge = 0 if padtype is None else 3 * a.shape[0] if padlen is None else padlen
    v = np.moveaxis(x, axis, -1)
    n = v.shape[-1]
    wide = v if padtype is None else extended(v, edge, padtype)
    zi = lfilter_zi(b, a)
    there = with_state(b, a, wide, zi * wide[..., :1])[0]
    turned = np.flip(there, -1)
    back = np.flip(with_state(b, a, turned, zi * turned[..., :1])[0], -1)
    return np.moveaxis(back[..., edge:edge + n], -1, axis)


def taps_of(sos: Any) -> int:
    """How many coefficients a filter in sections has, without those that vanish."""
    return int(2 * sos.shape[0] + 1 - min(np.sum(sos[:, 2] == 0.0), np.sum(sos[:, 5] == 0.0)))


constant(taps_of)


@definition(sg.sosfiltfilt)
def sosfiltfilt(sos: Any, x: Any, axis: Any = -1, padtype: Any = "odd", padlen: Any = None) -> Any:
    """Sections there and back, from states in which the ends go on as they are."""
    edge = 0 if padtype is None else 3 * taps_of(sos) if padlen is None else padlen
    v = np.moveaxis(x, axis, -1)
    n = v.shape[-1]
    wide = v if padtype is None else extended(v, edge, padtype)
    zi = np.reshape(sosfilt_zi(sos), (-1,) + (1,) * (np.ndim(v) - 1) + (2,))
    there = sections(sos, wide, zi * wide[..., :1])[0]
    turned = np.flip(there, -1)
    back = np.flip(sections(sos, turned, zi * turned[..., :1])[0], -1)
    return np.moveaxis(back[..., edge:edge + n], -1, axis)
