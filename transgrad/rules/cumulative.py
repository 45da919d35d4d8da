"""Running sums, products and extrema, and differences of adjacent elements.

A running extremum that is reached again passes its cotangent to the latest of the equal elements.
"""
from __future__ import annotations

from typing import Any

import numpy as np

from ..runtime import cumprod_pullback, cumprod_pushforward, running_source, scatter_along
from .registry import definition, rule
from .static import lifted, ndim, turned

cumprod_back = lifted(cumprod_pullback)
cumprod_forth = lifted(cumprod_pushforward)
source = lifted(running_source)
add_along = lifted(scatter_along)


def backwards_sum(g: Any, axis: Any, x: Any) -> Any:
    """The sum of ``g`` from each place to the end."""
    if ndim(x) == 1:
        return np.cumsum(g[::-1])[::-1]
    if axis is None or ndim(x) == 0:        # NumPy lets an axis of numbers pass, and returns a vector
        return np.reshape(np.cumsum(g[::-1])[::-1], x.shape)
    return turned(np.cumsum(turned(g, axis), axis), axis)


@rule(np.cumsum, np.ndarray.cumsum, kind="linear")
def _(g, y, a, axis=None, dtype=None, out=None):
    return backwards_sum(g, axis, a)


@rule(np.add.accumulate, kind="linear")
def _(g, y, a, axis=0, dtype=None, out=None):
    return backwards_sum(g, axis, a)


@rule(np.cumprod, np.ndarray.cumprod, kind="general", jvp=lambda t, y, a, axis=None, dtype=None, out=None: cumprod_forth(t, a, axis))
def _(g, y, a, axis=None, dtype=None, out=None):
    """Exact if factors are 0."""
    return cumprod_back(g, a, axis)


@rule(np.multiply.accumulate, kind="general", jvp=lambda t, y, a, axis=0, dtype=None, out=None: cumprod_forth(t, a, axis))
def _(g, y, a, axis=0, dtype=None, out=None):
    return cumprod_back(g, a, axis)


@rule(np.maximum.accumulate, np.minimum.accumulate, np.fmax.accumulate, np.fmin.accumulate, kind="general",
      jvp=lambda t, y, a, axis=0, dtype=None, out=None: np.take_along_axis(t, source(a, y, axis), axis))
def _(g, y, a, axis=0, dtype=None, out=None):
    """The latest of equal elements has the derivative."""
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


def column(a: Any, like: Any, axis: int) -> Any:
    """The values before or after ``like`` along an axis; a number is broadcast to one element each."""
    return a if np.ndim(a) > 0 else np.zeros_like(np.sum(like, axis=axis, keepdims=True)) + a


@definition(np.diff)
def diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Any:
    """Differences of an array with values prepended or appended."""
    if prepend is not None:
        a = np.concatenate((column(prepend, a, axis), a), axis)
    if append is not None:
        a = np.concatenate((a, column(append, a, axis)), axis)
    return np.diff(a, n, axis)


@definition(np.ediff1d)
def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    """Differences of adjacent elements, with values prepended or appended."""
    d = np.diff(np.ravel(ary))
    if to_begin is not None:
        d = np.concatenate((np.ravel(to_begin), d))
    return d if to_end is None else np.concatenate((d, np.ravel(to_end)))


@definition(getattr(np, "cumulative_sum", None))
def cumulative_sum(x: Any, /, *, axis: Any = None, dtype: Any = None, out: Any = None, include_initial: bool = False) -> Any:
    """Running sums, with the empty one before them."""
    axis = 0 if axis is None else axis
    y = np.cumsum(x, axis)
    return np.concatenate((column(0.0, y, axis), y), axis) if include_initial else y


@definition(getattr(np, "cumulative_prod", None))
def cumulative_prod(x: Any, /, *, axis: Any = None, dtype: Any = None, out: Any = None, include_initial: bool = False) -> Any:
    """Running products, with the empty one before them."""
    axis = 0 if axis is None else axis
    y = np.cumprod(x, axis)
    return np.concatenate((column(1.0, y, axis), y), axis) if include_initial else y


@rule(np.ediff1d, kind="linear")
def _(g, y, a):
    d = ends_of_differences(g, 0)
    return d if ndim(a) == 1 else np.reshape(d, a.shape)
