"""Maxima, minima and ranges along axes: ties share equally."""
from __future__ import annotations

from typing import Any

import numpy as np

from .registry import rule
from .static import options, restore, same


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
    """Ties share equally."""
    hit = hits(y, a, axis, keepdims, where)
    return np.where(hit, restore(g / hit_count(hit, axis, keepdims, initial), axis, keepdims), 0.0)


@rule(np.maximum.reduce, np.minimum.reduce, np.fmax.reduce, np.fmin.reduce, kind="general",
      jvp=lambda t, y, a, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True:
      extremum_jvp(t, y, a, axis, out, keepdims, initial, where))
def _(g, y, a, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True):
    """Ties share equally."""
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
    """Ties share equally."""
    top, bottom = extreme_hits(a, axis)
    return restore(g, axis, keepdims) * (top - bottom)
