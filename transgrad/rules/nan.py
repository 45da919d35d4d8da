"""Reductions that pass over NaN: an element that is NaN has derivative 0."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..runtime import cumprod_pullback, cumprod_pushforward
from .at_zero import divisor
from .cumulative import backwards_sum
from .reductions import others, scaled
from .registry import rule
from .static import is_complex, lifted, options, restore

cumprod_back = lifted(cumprod_pullback)
cumprod_forth = lifted(cumprod_pushforward)


def given(a: Any, where: Any = True) -> Any:
    """The elements that are numbers, and selected."""
    return ~np.isnan(a) if where is True else ~np.isnan(a) & where


@rule(np.nansum, kind="general", jvp=lambda t, y, a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True:
      np.sum(np.where(given(a, where), t, 0.0), **options(axis=axis, keepdims=keepdims)))
def _(g, y, a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    return np.where(given(a, where), restore(g, axis, keepdims), 0.0)


def valid(a: Any, axis: Any, where: Any = True) -> Any:
    """How many elements along ``axis`` are numbers, with the dimension kept."""
    return np.sum(given(a, where), **options(axis=axis, keepdims=axis is not None))


@rule(np.nanmean, kind="general", jvp=lambda t, y, a, axis=None, dtype=None, out=None, keepdims=False, *, where=True:
      np.sum(np.where(given(a, where), t / valid(a, axis, where), 0.0), **options(axis=axis, keepdims=keepdims)))
def _(g, y, a, axis=None, dtype=None, out=None, keepdims=False, *, where=True):
    return np.where(given(a, where), restore(g, axis, keepdims) / valid(a, axis, where), 0.0)


def nan_deviation(a: Any, axis: Any, ddof: Any, where: Any, mean: Any, correction: Any) -> Any:
    """Twice the deviation from the mean (for complex numbers its conjugate) over the degrees of freedom, for the elements that are not NaN.
    """
    centre = mean if mean is not None else np.sum(np.where(given(a, where), a, 0.0), **options(
        axis=axis, keepdims=axis is not None)) / valid(a, axis, where)
    freedom = valid(a, axis, where) - (ddof if correction is None else correction)
    d = a - centre
    return np.where(given(a, where), 2.0 * (np.conj(d) if is_complex(a) else d) / freedom, 0.0)


def nanvar_jvp(t, y, a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None, correction=None):
    return np.sum(nan_deviation(a, axis, ddof, where, mean, correction) * t, **options(axis=axis, keepdims=keepdims))


@rule(np.nanvar, kind="general", jvp=nanvar_jvp)
def _(g, y, a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None, correction=None):
    return restore(g, axis, keepdims) * nan_deviation(a, axis, ddof, where, mean, correction)


def nanstd_jvp(t, y, a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None, correction=None):
    return nanvar_jvp(t, y, a, axis, ddof=ddof, keepdims=keepdims, where=where, mean=mean, correction=correction) * 0.5 / divisor(y)


@rule(np.nanstd, kind="general", jvp=nanstd_jvp)
def _(g, y, a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True, mean=None, correction=None):
    """The derivative is 0 where the deviation is 0."""
    return restore(0.5 * g / divisor(y), axis, keepdims) * nan_deviation(a, axis, ddof, where, mean, correction)


def ones_for_nan(a: Any, where: Any = True) -> Any:
    """The array whose product is the `nanprod`."""
    return np.where(given(a, where), a, 1.0)


@rule(np.nanprod, kind="general", jvp=lambda t, y, a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True:
      np.sum(np.where(given(a, where), scaled(initial, others(ones_for_nan(a, where), axis)) * t, 0.0),
             **options(axis=axis, keepdims=keepdims)))
def _(g, y, a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    return np.where(given(a, where), restore(scaled(initial, g), axis, keepdims) * others(ones_for_nan(a, where), axis), 0.0)


@rule(np.nancumsum, kind="general", jvp=lambda t, y, a, axis=None, dtype=None, out=None: np.cumsum(np.where(np.isnan(a), 0.0, t), axis))
def _(g, y, a, axis=None, dtype=None, out=None):
    return np.where(np.isnan(a), 0.0, backwards_sum(g, axis, a))


@rule(np.nancumprod, kind="general", jvp=lambda t, y, a, axis=None, dtype=None, out=None:
      cumprod_forth(np.where(np.isnan(a), 0.0, t), ones_for_nan(a), axis))
def _(g, y, a, axis=None, dtype=None, out=None):
    return np.where(np.isnan(a), 0.0, cumprod_back(g, ones_for_nan(a), axis))
