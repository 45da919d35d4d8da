"""Functions of sampled curves: integrals, derivatives, interpolation."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..runtime import fit, gradient_pullback, scatter
from .registry import definition, rule
from .static import ZERO, lifted, ndim, options, part, restore, same

put, shaped_as = lifted(scatter), lifted(fit)
gradient_back = lifted(gradient_pullback)


def ends(g: Any, axis: int, sign: float) -> Any:
    """Each element of ``g`` (one for each step along ``axis``) at the end of its step, plus ``sign`` times at its start."""
    pads: list[Any] = [(0, 0)] * ndim(g)
    after, before = list(pads), list(pads)
    after[axis], before[axis] = (1, 0), (0, 1)
    return np.pad(g, after) + np.pad(g, before) if sign > 0 else np.pad(g, after) - np.pad(g, before)


def cut(y: Any, axis: int, where: slice) -> Any:
    """A slice along one axis."""
    at = axis % ndim(y)
    return y[(slice(None),) * at + (where,)] if at else y[where]


def steps(x: Any, y: Any, axis: int) -> Any:
    """The widths of the steps, so that they broadcast against ``y``."""
    d = np.diff(x, axis=axis if ndim(x) > 1 else -1)
    if ndim(x) > 1 or ndim(y) == 1:
        return d
    return np.reshape(d, tuple(-1 if k == axis % ndim(y) else 1 for k in range(ndim(y))))


def heights(y: Any, axis: int) -> Any:
    """The mean of ``y`` over each step."""
    return 0.5 * (cut(y, axis, slice(1, None)) + cut(y, axis, slice(None, -1)))


def trapezoid_by_x(t, r, y, x=None, dx=1.0, axis=-1):
    return np.sum(heights(y, axis) * steps(t, y, axis), axis=axis)


@rule(getattr(np, "trapezoid", None), getattr(np, "trapz", None), kind="general", jvp=(
    lambda t, r, y, x=None, dx=1.0, axis=-1: np.trapezoid(t, x, dx, axis), trapezoid_by_x,
    lambda t, r, y, x=None, dx=1.0, axis=-1: None if x is not None else np.sum(t * heights(y, axis), axis=axis)))
def _(g, _y, y, x=None, dx=1.0, axis=-1):
    spread = restore(g, axis)
    if x is None:
        even = np.zeros_like(cut(y, axis, slice(1, None)))
        return ends(0.5 * dx * spread + even, axis, 1.0), None, (
            shaped_as(spread * heights(y, axis), dx) if ndim(dx) else np.sum(g * np.sum(heights(y, axis), axis=axis)))
    dy, dx_ = ends(0.5 * spread * steps(x, y, axis), axis, 1.0), ends(spread * heights(y, axis), axis, -1.0)
    if ndim(x) > 1:
        return shaped_as(dy, y), shaped_as(dx_, x), ZERO
    return dy, np.sum(dx_, axis=tuple(k for k in range(ndim(y)) if k != axis % ndim(y))) if ndim(y) > 1 else dx_, ZERO


def gradient_jvp(t, y, f, *varargs, axis=None, edge_order=1):
    got = np.gradient(t, *varargs, **options(axis=axis), edge_order=edge_order)
    return tuple(got) if isinstance(got, list) else got


def spaced_by_constants(f: Any, *varargs: Any, axis: Any = None, edge_order: Any = 1) -> bool:
    """Whether the spacing is not differentiated."""
    return not any(getattr(h, "varied", False) or hasattr(type(h), "_array") for h in varargs)


@definition(np.gradient)
def gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: Any = 1) -> Any:
    """Differences along one axis after the other, with a spacing that is differentiated."""
    axes = tuple(range(np.ndim(f))) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    spacing = varargs if len(varargs) == len(axes) else varargs * len(axes)
    found = [gradient_along(np.moveaxis(f, a, 0), h, a, edge_order) for a, h in zip(axes, spacing)]
    return found[0] if len(found) == 1 else tuple(found)


def gradient_along(rows: Any, spacing: Any, axis: Any, edge_order: Any) -> Any:
    """Differences of adjacent rows; ``axis`` is the new position of the first axis of the result."""
    widths = np.diff(spacing) if np.ndim(spacing) == 1 else np.ones(len(rows) - 1) * spacing
    widths = np.reshape(widths, (-1,) + (1,) * (np.ndim(rows) - 1))
    steps = np.diff(rows, axis=0) / widths
    before, after = widths[:-1], widths[1:]
    inner = (before * steps[1:] + after * steps[:-1]) / (before + after)
    first, last = steps[:1], steps[-1:]
    if edge_order == 2:
        first = first - (steps[1:2] - steps[:1]) * widths[:1] / (widths[:1] + widths[1:2])
        last = last + (steps[-1:] - steps[-2:-1]) * widths[-1:] / (widths[-1:] + widths[-2:-1])
    return np.moveaxis(np.concatenate((first, inner, last)), 0, axis)


@rule(np.gradient, kind="general", jvp=gradient_jvp, when=spaced_by_constants)
def _(g, y, f, *varargs, axis=None, edge_order=1):
    axes = tuple(range(ndim(f))) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    spacing = varargs if len(varargs) == len(axes) else (varargs or (1.0,)) * len(axes)
    several = isinstance(g, (tuple, list))
    out = None
    for k, (a, h) in enumerate(zip(axes, spacing)):
        term = gradient_back(part(g, y, k) if several else g, h, a, edge_order)
        out = term if out is None else out + term
    return out


def segment(x: Any, xp: Any) -> tuple[Any, Any, Any]:
    """Where ``x`` lies in the table: the index of the segment, the share of its right end, and whether it lies inside."""
    k = np.clip(np.searchsorted(xp, x, side="right") - 1, 0, xp.size - 2)
    width = xp[k + 1] - xp[k]       # 0 in a table of one point, and where it ends in a jump
    share = np.clip((x - xp[k]) / (width + same(width, 0)), 0.0, 1.0)
    return k, share, (x >= xp[0]) & (x <= xp[-1])


def slope(k: Any, xp: Any, fp: Any, inside: Any) -> Any:
    """The derivative of the table at ``x``, 0 outside it."""
    width = xp[k + 1] - xp[k]
    flat = same(width, 0)
    return np.where(inside, (fp[k + 1] - fp[k]) * (1.0 - flat) / (width + flat), 0.0)


def interp_by_x(t, y, x, xp, fp, left=None, right=None, period=None):
    k, _share, inside = segment(x, xp)
    return slope(k, xp, fp, inside) * t


def interp_by_xp(t, y, x, xp, fp, left=None, right=None, period=None):
    k, share, inside = segment(x, xp)
    return -slope(k, xp, fp, inside) * ((1.0 - share) * t[k] + share * t[k + 1])


def interp_by_fp(t, y, x, xp, fp, left=None, right=None, period=None):
    return np.interp(x, xp, t, *(None if e is None else 0.0 for e in (left, right)))


@rule(np.interp, kind="general", jvp=(
    interp_by_x, interp_by_xp, interp_by_fp,
    lambda t, y, x, xp, fp, left=None, right=None, period=None: np.where(x < xp[0], t, 0.0),
    lambda t, y, x, xp, fp, left=None, right=None, period=None: np.where(x > xp[-1], t, 0.0)),
    when=lambda x, xp, fp, left=None, right=None, period=None: period is None)
def _(g, y, x, xp, fp, left=None, right=None, period=None):
    """At a node the derivative is that of the segment to its right; outside of the table it is 0."""
    k, share, inside = segment(x, xp)
    s = g * slope(k, xp, fp, inside)
    low = g if left is None else np.where(x < xp[0], 0.0, g)
    both = low if right is None else np.where(x > xp[-1], 0.0, low)
    return (s, put(xp, k, -s * (1.0 - share)) + put(xp, k + 1, -s * share),
            put(fp, k, both * (1.0 - share)) + put(fp, k + 1, both * share),
            np.sum(np.where(x < xp[0], g, 0.0)), np.sum(np.where(x > xp[-1], g, 0.0)))


@definition(np.interp)
def interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> Any:
    """A periodic table, sorted within one period and extended by one point at either end."""
    period = np.abs(period)
    xp = np.array(xp) if isinstance(xp, (list, tuple)) else xp
    fp = np.array(fp) if isinstance(fp, (list, tuple)) else fp
    order = np.argsort(xp % period)
    xp, fp = (xp % period)[order], fp[order]
    xp = np.concatenate((xp[-1:] - period, xp, xp[:1] + period))
    return np.interp(x % period, xp, np.concatenate((fp[-1:], fp, fp[:1])))


@rule(np.bincount, kind="linear", linear_in=(1,))
def _(g, y, x, weights=None, minlength=0):
    return None, g[x]
