"""Medians and quantiles: a linear function of the sorted elements, whose shares are constant between changes of their order.

Where elements are equal, the one that sorting puts there has all of the share.
"""
from __future__ import annotations

from typing import Any

import numpy as np

from ..runtime import median_weights, quantile_weights
from .registry import rule
from .static import lifted, ndim, options, restore

weights_of_median = lifted(median_weights)
weights_of_quantile = lifted(quantile_weights)


@rule(np.median, np.nanmedian, kind="general", jvp=lambda t, y, a, axis=None, out=None, overwrite_input=False, keepdims=False:
      np.sum(weights_of_median(a, axis) * t, **options(axis=axis, keepdims=keepdims)))
def _(g, y, a, axis=None, out=None, overwrite_input=False, keepdims=False):
    """Of equal elements the one that sorting puts in the middle has the derivative."""
    return restore(g, axis, keepdims) * weights_of_median(a, axis)


def leading(x: Any, axis: Any, count: int) -> tuple[int, ...]:
    """The axes that a reduction takes, in an array with ``count`` dimensions more in front."""
    axes = range(ndim(x)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    return tuple(k % ndim(x) + count for k in axes)


def by_elements(t: Any, a: Any, q: Any, axis: Any, method: str, keepdims: Any) -> Any:
    """The tangent of quantiles from that of the elements."""
    return np.sum(weights_of_quantile(a, q, axis, method) * t, axis=leading(a, axis, ndim(q)), **options(keepdims=keepdims))


def by_probability(t: Any, a: Any, q: Any, axis: Any, method: str, keepdims: Any) -> Any:
    """The tangent of quantiles from that of the probabilities."""
    slope = np.sum(weights_of_quantile(a, q, axis, method, True) * a, axis=leading(a, axis, ndim(q)), **options(keepdims=keepdims))
    return slope * (t if ndim(q) == 0 else np.expand_dims(t, tuple(range(ndim(q), ndim(slope)))))


def to_elements(g: Any, a: Any, q: Any, axis: Any, method: str, keepdims: Any) -> Any:
    """The cotangent of the elements from that of their quantiles, which have the dimensions of ``q`` in front."""
    each = (g if keepdims else np.expand_dims(g, leading(a, axis, ndim(q)))) * weights_of_quantile(a, q, axis, method)
    return np.sum(each, axis=tuple(range(ndim(q)))) if ndim(q) else each


def to_probability(g: Any, a: Any, q: Any, axis: Any, method: str, keepdims: Any) -> Any:
    """The cotangent of the probabilities."""
    each = (g if keepdims else np.expand_dims(g, leading(a, axis, ndim(q)))) * weights_of_quantile(a, q, axis, method, True) * a
    return np.sum(each, axis=tuple(range(ndim(q), ndim(q) + ndim(a))))


@rule(np.quantile, np.nanquantile, kind="general", jvp=(
    lambda t, y, a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False:
    by_elements(t, a, q, axis, method, keepdims),
    lambda t, y, a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False:
    by_probability(t, a, q, axis, method, keepdims)))
def _(g, y, a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False):
    """A method that picks elements has derivative 0 in ``q``."""
    return to_elements(g, a, q, axis, method, keepdims), to_probability(g, a, q, axis, method, keepdims)


@rule(np.percentile, np.nanpercentile, kind="general", jvp=(
    lambda t, y, a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False:
    by_elements(t, a, 0.01 * q, axis, method, keepdims),
    lambda t, y, a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False:
    0.01 * by_probability(t, a, 0.01 * q, axis, method, keepdims)))
def _(g, y, a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False):
    """A method that picks elements has derivative 0 in ``q``."""
    return to_elements(g, a, 0.01 * q, axis, method, keepdims), 0.01 * to_probability(g, a, 0.01 * q, axis, method, keepdims)
