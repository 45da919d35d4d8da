"""Grids between numbers or arrays, and arrays filled with one value."""
from __future__ import annotations

from typing import Any

import numpy as np

from .registry import rule
from .static import ZERO, arange, linspace, ndim, part


def shares(num: Any, endpoint: Any, y: Any, axis: int) -> Any:
    """How far along the grid ``y`` each of its points is, along the axis it runs in."""
    s = linspace(0.0, 1.0, num) if endpoint else linspace(0.0, 1.0, num, False)
    return s if ndim(y) == 1 else np.reshape(s, tuple(-1 if k == axis % ndim(y) else 1 for k in range(ndim(y))))


def along(x: Any, y: Any, axis: int) -> Any:
    """An end of a grid, or its tangent, with the dimension that the grid ``y`` runs in."""
    return x if ndim(x) == 0 else np.expand_dims(x, axis)


def linspace_jvp(end: int) -> Any:
    def jvp(t, y, start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, *, device=None):
        grid = y[0] if retstep else y
        s = shares(num, endpoint, grid, axis)
        dot = along(t, grid, axis) * (s if end else 1.0 - s)
        return (dot, (t if end else -t) / (num - 1 if endpoint else num)) if retstep else dot
    return jvp


def arange_start_jvp(t, y, start, stop=None, step=1, dtype=None):
    return t * np.ones_like(y) if stop is not None else np.zeros_like(y)


def arange_step_jvp(t, y, start, stop=None, step=1, dtype=None):
    return t * arange(np.size(y))


@rule(np.arange, kind="general", jvp=(arange_start_jvp, None, arange_step_jvp))
def _(g, y, start, stop=None, step=1, dtype=None):
    """The number of points is constant, except where the end crosses a further point."""
    return np.sum(g) if stop is not None else ZERO, ZERO, np.sum(g * arange(np.size(y)))


@rule(np.linspace, kind="general", jvp=(linspace_jvp(0), linspace_jvp(1)), broadcasts=True)
def _(g, y, start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, *, device=None):
    grid = y[0] if retstep else y
    bar = part(g, y, 0) if retstep else g
    step = part(g, y, 1) / (num - 1 if endpoint else num) if retstep else 0.0
    right = np.sum(bar * shares(num, endpoint, grid, axis), axis=axis) + step
    return np.sum(bar, axis=axis) - right, right


def logspace_jvp(end: int) -> Any:
    def jvp(t, y, start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
        s = shares(num, endpoint, y, axis)
        return along(np.log(base) * t, y, axis) * y * (s if end else 1.0 - s)
    return jvp


def exponents(start: Any, stop: Any, num: Any, endpoint: Any, base: Any, axis: int) -> Any:
    """The grid of the exponents, for each of several bases."""
    widened = start if ndim(base) == 0 else start + np.zeros_like(base)
    return np.linspace(widened, stop, num, endpoint, axis=axis)


@rule(np.logspace, kind="general", broadcasts=True, jvp=(
    logspace_jvp(0), logspace_jvp(1), None, None,
    lambda t, y, start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0:
    along(t / base, y, axis) * y * exponents(start, stop, num, endpoint, base, axis)))
def _(g, y, start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    h = g * y
    scale = np.log(base)
    right = scale * np.sum(h * shares(num, endpoint, y, axis), axis=axis)
    return (scale * np.sum(h, axis=axis) - right, right, None, None,
            np.sum(h * exponents(start, stop, num, endpoint, base, axis), axis=axis) / base)


def geomspace_jvp(end: int) -> Any:
    def jvp(t, y, start, stop, num=50, endpoint=True, dtype=None, axis=0):
        s = shares(num, endpoint, y, axis)
        return along(t / (stop if end else start), y, axis) * y * (s if end else 1.0 - s)
    return jvp


@rule(np.geomspace, kind="general", jvp=(geomspace_jvp(0), geomspace_jvp(1)), broadcasts=True)
def _(g, y, start, stop, num=50, endpoint=True, dtype=None, axis=0):
    h = g * y
    right = np.sum(h * shares(num, endpoint, y, axis), axis=axis)
    return (np.sum(h, axis=axis) - right) / start, right / stop


@rule(np.full, kind="linear", linear_in=(1,), broadcasts=True)
def _(g, y, shape, fill_value, dtype=None, order="C", *, device=None):
    return None, g


@rule(np.full_like, kind="linear", linear_in=(1,), broadcasts=True)
def _(g, y, a, fill_value, dtype=None, order="K", subok=True, shape=None, *, device=None):
    return ZERO, g
