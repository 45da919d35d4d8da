"""scipy.integrate: integrals of samples."""
from __future__ import annotations

import numpy as np
import scipy.integrate

from ..registry import rule
from ..sampling import cut, ends, heights, steps
from ..static import ndim, restore


@rule(scipy.integrate.trapezoid, kind="general", jvp=(
    lambda t, r, y, x=None, dx=1.0, axis=-1: np.trapezoid(t, x, dx, axis),
    lambda t, r, y, x=None, dx=1.0, axis=-1: np.sum(heights(y, axis) * steps(t, y, axis), axis=axis),
    lambda t, r, y, x=None, dx=1.0, axis=-1: t * np.sum(heights(y, axis), axis=axis)))
def _(g, _y, y, x=None, dx=1.0, axis=-1):
    spread = restore(g, axis)
    if x is None:
        even = np.zeros_like(cut(y, axis, slice(1, None)))
        return ends(0.5 * dx * spread + even, axis, 1.0), None, np.sum(g * np.sum(heights(y, axis), axis=axis))
    along = ends(spread * heights(y, axis), axis, -1.0)
    if ndim(x) < ndim(y):
        along = np.sum(along, axis=tuple(k for k in range(ndim(y)) if k != axis % ndim(y)))
    return ends(0.5 * spread * steps(x, y, axis), axis, 1.0), along


@rule(scipy.integrate.cumulative_trapezoid, kind="linear")
def _(g, _y, y, x=None, dx=1.0, axis=-1, initial=None):
    if initial is not None:
        g = cut(g, axis, slice(1, None))
    later = np.flip(np.cumsum(np.flip(g, axis), axis), axis)
    return ends(0.5 * later * (dx if x is None else steps(x, y, axis)), axis, 1.0)
