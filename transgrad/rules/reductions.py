"""Sums, means, products and extrema along axes.

A cotangent is left broadcast: the entry of a full sum is the scalar cotangent itself.  At kinks: tied extrema share evenly;
the standard deviation of equal numbers has derivative 0; products are right where factors are 0.
"""
from __future__ import annotations

import builtins
import math
import operator
from typing import Any

import numpy as np

from ..ir.ops import Value
from ..ir.types import ListT
from ..runtime import median_weights, others_product, quantile_weights
from .registry import rule
from .static import NeedsType, broadcast_to, count, is_complex, lifted, ndim, options, restore, same

products = lifted(others_product)
weights_of_median = lifted(median_weights)
weights_of_quantile = lifted(quantile_weights)
length = lifted(len)


def others(a: Any, axis: Any = None) -> Any:
    """At each element, the product of the others."""
    return products(a) if axis is None else products(a, axis)


def masked(g: Any, where: Any) -> Any:
    """``g`` where the reduction's mask is set."""
    return g if where is True else np.where(where, g, 0.0)


@rule(np.sum, np.ndarray.sum, kind="linear", lazy=True, drops=("initial",))
def _(g, y, a, axis=None, dtype=None, out=None, keepdims=False, initial=0.0, where=True):
    return masked(restore(g, axis, keepdims), where)


@rule(np.add.reduce, kind="linear", lazy=True, drops=("initial",))
def _(g, y, a, axis=0, dtype=None, out=None, keepdims=False, initial=0.0, where=True):
    return masked(restore(g, axis, keepdims), where)


@rule(np.nansum, kind="general", jvp=lambda t, y, a, axis=None, dtype=None, out=None, keepdims=False:
      np.sum(np.where(np.isnan(a), 0.0, t), **options(axis=axis, keepdims=keepdims)))
def _(g, y, a, axis=None, dtype=None, out=None, keepdims=False):
    return np.where(np.isnan(a), 0.0, restore(g, axis, keepdims))


def counted(a: Any, axis: Any, where: Any) -> Any:
    """How many elements a mean is taken over."""
    return count(a, axis) if where is True else np.sum(broadcast_to(where, a.shape), axis=axis)


@rule(np.mean, np.ndarray.mean, kind="linear", lazy=True)
def _(g, y, a, axis=None, dtype=None, out=None, keepdims=False, *, where=True):
    if keepdims and where is not True:
        return masked(g / np.sum(broadcast_to(where, a.shape), axis=axis, keepdims=True), where)
    return masked(restore(g / counted(a, axis, where), axis, keepdims), where)


def valid(a: Any, axis: Any) -> Any:
    """How many elements along ``axis`` are numbers, with the dimension kept."""
    return np.sum(~np.isnan(a), **options(axis=axis, keepdims=axis is not None))


@rule(np.nanmean, kind="general", jvp=lambda t, y, a, axis=None, dtype=None, out=None, keepdims=False:
      np.sum(np.where(np.isnan(a), 0.0, t / valid(a, axis)), **options(axis=axis, keepdims=keepdims)))
def _(g, y, a, axis=None, dtype=None, out=None, keepdims=False):
    return np.where(np.isnan(a), 0.0, restore(g, axis, keepdims) / valid(a, axis))


def distance(a: Any, axis: Any) -> Any:
    """How far each element is from the mean."""
    d = a - np.mean(a, **options(axis=axis, keepdims=axis is not None))
    return np.conj(d) if is_complex(a) else d


def freedom(a: Any, axis: Any, ddof: Any) -> Any:
    """What the sum of squares is divided by."""
    n = count(a, axis)
    return n - ddof if ddof else n


def var_jvp(t, y, a, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    return 2.0 / freedom(a, axis, ddof) * np.sum(distance(a, axis) * t, **options(axis=axis, keepdims=keepdims))


@rule(np.var, np.ndarray.var, kind="general", jvp=var_jvp)
def _(g, y, a, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    return restore(2.0 * g / freedom(a, axis, ddof), axis, keepdims) * distance(a, axis)


def std_jvp(t, y, a, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    return np.sum(distance(a, axis) * t, **options(axis=axis, keepdims=keepdims)) / (freedom(a, axis, ddof) * (y + same(y, 0)))


@rule(np.std, np.ndarray.std, kind="general", jvp=std_jvp)
def _(g, y, a, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    return restore(g / (freedom(a, axis, ddof) * (y + same(y, 0))), axis, keepdims) * distance(a, axis)


def nan_deviation(a: Any, axis: Any, ddof: Any) -> Any:
    """`deviation` among the elements that are numbers."""
    d = a - np.nanmean(a, **options(axis=axis, keepdims=axis is not None))
    return np.where(np.isnan(a), 0.0, 2.0 * d / (valid(a, axis) - ddof))


@rule(np.nanvar, kind="general", jvp=lambda t, y, a, axis=None, dtype=None, out=None, ddof=0, keepdims=False:
      np.sum(nan_deviation(a, axis, ddof) * t, **options(axis=axis, keepdims=keepdims)))
def _(g, y, a, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    return restore(g, axis, keepdims) * nan_deviation(a, axis, ddof)


@rule(np.nanstd, kind="general", jvp=lambda t, y, a, axis=None, dtype=None, out=None, ddof=0, keepdims=False:
      np.sum(nan_deviation(a, axis, ddof) * t, **options(axis=axis, keepdims=keepdims)) * 0.5 / (y + same(y, 0)))
def _(g, y, a, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
    return restore(0.5 * g / (y + same(y, 0)), axis, keepdims) * nan_deviation(a, axis, ddof)


def scaled(factor: Any, x: Any) -> Any:
    """``factor * x``, but for a factor of one."""
    return x if factor is None else factor * x


@rule(np.prod, np.ndarray.prod, kind="general", jvp=lambda t, y, a, axis=None, dtype=None, out=None, keepdims=False, initial=None:
      np.sum(scaled(initial, others(a, axis)) * t, **options(axis=axis, keepdims=keepdims)))
def _(g, y, a, axis=None, dtype=None, out=None, keepdims=False, initial=None):
    return restore(scaled(initial, g), axis, keepdims) * others(a, axis)


@rule(np.multiply.reduce, kind="general", jvp=lambda t, y, a, axis=0, dtype=None, out=None, keepdims=False, initial=None:
      np.sum(scaled(initial, others(a, axis)) * t, **options(axis=axis, keepdims=keepdims)))
def _(g, y, a, axis=0, dtype=None, out=None, keepdims=False, initial=None):
    return restore(scaled(initial, g), axis, keepdims) * others(a, axis)


def ones_for_nan(a: Any) -> Any:
    """The array whose product is the `nanprod`."""
    return np.where(np.isnan(a), 1.0, a)


@rule(np.nanprod, kind="general", jvp=lambda t, y, a, axis=None, dtype=None, out=None, keepdims=False:
      np.sum(np.where(np.isnan(a), 0.0, others(ones_for_nan(a), axis) * t), **options(axis=axis, keepdims=keepdims)))
def _(g, y, a, axis=None, dtype=None, out=None, keepdims=False):
    return np.where(np.isnan(a), 0.0, restore(g, axis, keepdims) * others(ones_for_nan(a), axis))


def hits(y: Any, a: Any, axis: Any, keepdims: Any, where: Any) -> Any:
    """The elements of ``a`` that are its extremum ``y``."""
    found = same(a, restore(y, axis, keepdims))
    return found if where is True else found & where


def hit_count(hit: Any, axis: Any, keepdims: Any, initial: Any) -> Any:
    """How many they are (at least 1, so that an extremum that is ``initial`` divides nothing)."""
    n = np.count_nonzero(hit, **options(axis=axis, keepdims=keepdims))
    return n if initial is None else np.maximum(n, 1)


def extremum_jvp(t, y, a, axis=None, out=None, keepdims=False, initial=None, where=True):
    hit = hits(y, a, axis, keepdims, where)
    return np.sum(np.where(hit, t, 0.0), **options(axis=axis, keepdims=keepdims)) / hit_count(hit, axis, keepdims, initial)


@rule(np.max, np.amax, np.min, np.amin, np.ndarray.max, np.ndarray.min, np.nanmax, np.nanmin, kind="general", jvp=extremum_jvp)
def _(g, y, a, axis=None, out=None, keepdims=False, initial=None, where=True):
    hit = hits(y, a, axis, keepdims, where)
    return np.where(hit, restore(g / hit_count(hit, axis, keepdims, initial), axis, keepdims), 0.0)


@rule(np.maximum.reduce, np.minimum.reduce, np.fmax.reduce, np.fmin.reduce, kind="general",
      jvp=lambda t, y, a, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True:
      extremum_jvp(t, y, a, axis, out, keepdims, initial, where))
def _(g, y, a, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True):
    hit = hits(y, a, axis, keepdims, where)
    return np.where(hit, restore(g / hit_count(hit, axis, keepdims, initial), axis, keepdims), 0.0)


def extreme_hits(a: Any, axis: Any) -> tuple[Any, Any]:
    """The shares of the elements of ``a`` in its maximum and in its minimum."""
    kept = options(axis=axis, keepdims=axis is not None)
    top, bottom = same(a, np.max(a, **kept)), same(a, np.min(a, **kept))
    return top / np.sum(top, **kept), bottom / np.sum(bottom, **kept)


def ptp_jvp(t, y, a, axis=None, out=None, keepdims=False):
    top, bottom = extreme_hits(a, axis)
    return np.sum((top - bottom) * t, **options(axis=axis, keepdims=keepdims))


@rule(np.ptp, kind="general", jvp=ptp_jvp)
def _(g, y, a, axis=None, out=None, keepdims=False):
    top, bottom = extreme_hits(a, axis)
    return restore(g, axis, keepdims) * (top - bottom)


@rule(np.median, np.nanmedian, kind="general", jvp=lambda t, y, a, axis=None, out=None, overwrite_input=False, keepdims=False:
      np.sum(weights_of_median(a, axis) * t, **options(axis=axis, keepdims=keepdims)))
def _(g, y, a, axis=None, out=None, overwrite_input=False, keepdims=False):
    return restore(g, axis, keepdims) * weights_of_median(a, axis)


def fraction(q: Any, scale: float) -> Any:
    """One probability, not an array of them."""
    if ndim(q) != 0:
        raise NeedsType("several quantiles at once")
    return q * scale


def quantile_jvp(scale):
    return lambda t, y, a, q, axis=None, out=None, overwrite_input=False, *, keepdims=False: (
        np.sum(weights_of_quantile(a, fraction(q, scale), axis) * t, **options(axis=axis, keepdims=keepdims)))


@rule(np.quantile, kind="general", jvp=quantile_jvp(1.0))
def _(g, y, a, q, axis=None, out=None, overwrite_input=False, *, keepdims=False):
    return restore(g, axis, keepdims) * weights_of_quantile(a, fraction(q, 1.0), axis)


@rule(np.percentile, kind="general", jvp=quantile_jvp(0.01))
def _(g, y, a, q, axis=None, out=None, overwrite_input=False, *, keepdims=False):
    return restore(g, axis, keepdims) * weights_of_quantile(a, fraction(q, 0.01), axis)


def shaped(weights: Any, a: Any, axis: Any) -> Any:
    """The weights of an average along the axes they belong to."""
    if ndim(weights) == ndim(a) or ndim(weights) != 1:
        return weights
    return np.reshape(weights, tuple(-1 if k == axis % ndim(a) else 1 for k in range(ndim(a))))


def average_slope(g, a, axis, weights, keepdims):
    w = shaped(weights, a, axis)
    total = np.sum(weights) if ndim(weights) != ndim(a) else np.sum(w, **options(axis=axis, keepdims=keepdims))
    return restore(g / total, axis, keepdims)


@rule(np.average, kind="general", lazy=True, jvp=(
    lambda t, y, a, axis=None, weights=None, *, keepdims=False: np.average(t, axis, weights, **options(keepdims=keepdims)),
    None,
    lambda t, y, a, axis=None, weights=None, *, keepdims=False:
        np.sum(average_slope(np.ones_like(y), a, axis, weights, keepdims) * (a - restore(y, axis, keepdims)) * shaped(t, a, axis),
               **options(axis=axis, keepdims=keepdims))))
def _(g, y, a, axis=None, weights=None, *, keepdims=False):
    if weights is None:
        return restore(g / count(a, axis), axis, keepdims)
    q = average_slope(g, a, axis, weights, keepdims)
    dw = q * (a - restore(y, axis, keepdims))
    if ndim(weights) != ndim(a):
        dw = np.sum(dw, axis=tuple(k for k in range(ndim(a)) if k != axis % ndim(a)))
    return q * shaped(weights, a, axis), None, dw


@rule(builtins.sum, kind="linear", lists=True, lazy=True, linear_in=(0, 1))
def _(g, y, xs, start=0):
    if isinstance(xs, (list, tuple)):
        return [g] * len(xs), g
    if is_list(xs):
        return lifted(operator.mul)([g], length(xs)), g
    return g if ndim(xs) == 1 else np.expand_dims(g, 0), g


def is_list(xs: Any) -> bool:
    """Whether ``xs`` is a list that is made at run time."""
    return isinstance(xs, Value) and isinstance(xs.type, ListT)


@rule(math.fsum, kind="linear", lists=True)
def _(g, y, xs):
    return [g] * len(xs) if isinstance(xs, (list, tuple)) else lifted(operator.mul)([g], length(xs)) if is_list(xs) else g


@rule(math.prod, kind="general", jvp=lambda t, y, a, *, start=1: start * np.sum(others(a) * t))
def _(g, y, a, *, start=1):
    return start * g * others(a)


def chosen(g: Any, y: Any, values: Any) -> Any:
    """The shares of the arguments of ``max`` or ``min`` that are the result ``y``."""
    if len(values) == 1:
        hit = same(values[0], y)
        return (np.where(hit, g / np.count_nonzero(hit), 0.0),)
    ties = same(values[0], y)
    for v in values[1:]:
        ties = ties + same(v, y)
    return tuple(np.where(same(v, y), g / ties, 0.0) for v in values)


def chosen_jvp(k: int) -> Any:
    return lambda t, y, *values: np.sum(chosen(t, y, values)[0]) if len(values) == 1 else chosen(t, y, values)[k]


@rule(builtins.max, kind="general", broadcasts=True, jvp=tuple(chosen_jvp(k) for k in range(16)))
def _(g, y, *values):
    if len(values) == 2:
        a, b = values
        return np.where(a > b, g, np.where(same(a, b), 0.5 * g, 0.0)), np.where(b > a, g, np.where(same(a, b), 0.5 * g, 0.0))
    return chosen(g, y, values)


@rule(builtins.min, kind="general", broadcasts=True, jvp=tuple(chosen_jvp(k) for k in range(16)))
def _(g, y, *values):
    if len(values) == 2:
        a, b = values
        return np.where(a < b, g, np.where(same(a, b), 0.5 * g, 0.0)), np.where(b < a, g, np.where(same(a, b), 0.5 * g, 0.0))
    return chosen(g, y, values)
