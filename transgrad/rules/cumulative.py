"""Running sums, products and extrema, and differences of neighbours.

A running extremum that is reached again passes its cotangent to the latest of the equal elements.
"""
from __future__ import annotations

from typing import Any

import numpy as np

from ..runtime import cumprod_pullback, cumprod_pushforward, running_source, scatter_along
from .registry import rule
from .static import lifted, ndim

cumprod_back = lifted(cumprod_pullback)
cumprod_forth = lifted(cumprod_pushforward)
source = lifted(running_source)
add_along = lifted(scatter_along)


def backwards_sum(g: Any, axis: Any, x: Any) -> Any:
    """The sum of ``g`` from each place to the end."""
    if ndim(x) == 1:
        return np.cumsum(g[::-1])[::-1]
    if axis is None:
        return np.reshape(np.cumsum(g[::-1])[::-1], x.shape)
    return np.flip(np.cumsum(np.flip(g, axis), axis), axis)


@rule(np.cumsum, np.ndarray.cumsum, kind="linear")
def _(g, y, a, axis=None, dtype=None, out=None):
    return backwards_sum(g, axis, a)


@rule(np.add.accumulate, kind="linear")
def _(g, y, a, axis=0, dtype=None, out=None):
    return backwards_sum(g, axis, a)


@rule(np.cumprod, np.ndarray.cumprod, kind="general", jvp=lambda t, y, a, axis=None, dtype=None, out=None: cumprod_forth(t, a, axis))
def _(g, y, a, axis=None, dtype=None, out=None):
    return cumprod_back(g, a, axis)


@rule(np.multiply.accumulate, kind="general", jvp=lambda t, y, a, axis=0, dtype=None, out=None: cumprod_forth(t, a, axis))
def _(g, y, a, axis=0, dtype=None, out=None):
    return cumprod_back(g, a, axis)


@rule(np.maximum.accumulate, np.minimum.accumulate, kind="general",
      jvp=lambda t, y, a, axis=0, dtype=None, out=None: np.take_along_axis(t, source(a, y, axis), axis))
def _(g, y, a, axis=0, dtype=None, out=None):
    return add_along(a, source(a, y, axis), g, axis)


def ends_of_differences(g: Any, axis: int) -> Any:
    """The reverse of one difference: each cotangent with either sign at its two ends."""
    edge = [(0, 0)] * ndim(g)
    before, after = list(edge), list(edge)
    before[axis], after[axis] = (1, 0), (0, 1)
    return np.pad(g, before) - np.pad(g, after)


@rule(np.diff, kind="linear")
def _(g, y, a, n=1, axis=-1):
    for _step in range(n):
        g = ends_of_differences(g, axis)
    return g


@rule(np.ediff1d, kind="linear")
def _(g, y, a):
    d = ends_of_differences(g, 0)
    return d if ndim(a) == 1 else np.reshape(d, a.shape)
