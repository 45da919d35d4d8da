"""Reads of parts of arrays, and orders of elements.  Sorting equal elements keeps their order."""
from __future__ import annotations

import builtins
import operator
from typing import Any

import numpy as np

from ..runtime import scatter, scatter_along
from .registry import rule
from .static import ZERO, arange, as_array, lifted, ndim, same

put = lifted(scatter)
put_along = lifted(scatter_along)


@rule(operator.getitem, kind="linear")
def _(g, y, x, index):
    return put(x, index, g)


@rule(scatter, kind="linear", linear_in=(2,))
def _(g, y, x, index, part):
    return ZERO, None, g[index]


@rule(scatter_along, kind="linear", linear_in=(2,))
def _(g, y, x, indices, part, axis):
    return ZERO, None, np.take_along_axis(g, indices, axis)


@rule(np.take, np.ndarray.take, kind="linear")
def _(g, y, a, indices, axis=None, out=None, mode="raise"):
    if axis is None:
        return np.reshape(put(np.ravel(a), indices, g), a.shape) if ndim(a) != 1 else put(a, indices, g)
    return put(a, (slice(None),) * (axis % ndim(a)) + (indices,), g)


@rule(np.take_along_axis, kind="linear")
def _(g, y, arr, indices, axis=-1):
    return put_along(arr, indices, g, axis)


@rule(np.compress, kind="linear", linear_in=(1,))
def _(g, y, condition, a, axis=None, out=None):
    kept = np.flatnonzero(condition)
    return None, np.reshape(put(np.ravel(a), kept, g), a.shape) if axis is None else put(a, (slice(None),) * (axis % ndim(a)) + (kept,), g)


@rule(np.ndarray.compress, kind="linear")
def _(g, y, a, condition, axis=None, out=None):
    kept = np.flatnonzero(condition)
    return np.reshape(put(np.ravel(a), kept, g), a.shape) if axis is None else put(a, (slice(None),) * (axis % ndim(a)) + (kept,), g)


@rule(np.extract, kind="linear", linear_in=(1,))
def _(g, y, condition, arr):
    return None, put(arr, condition, g)


@rule(np.delete, kind="linear")
def _(g, y, arr, obj, axis=None):
    flat = axis is None
    kept = np.delete(arange(arr.size if flat else arr.shape[axis]), obj)
    if flat:
        return np.reshape(put(np.ravel(arr), kept, g), arr.shape)
    return put(arr, (slice(None),) * (axis % ndim(arr)) + (kept,), g)


def insert_jvp(t, y, arr, obj, values, axis=None):
    return np.insert(t, obj, np.zeros_like(values), axis)


@rule(np.insert, kind="linear", linear_in=(0, 2))
def _(g, y, arr, obj, values, axis=None):
    if not isinstance(obj, int) or axis is None and ndim(values) > 1 or axis is not None and (ndim(values) > 0):
        raise TypeError("the derivative of np.insert is there for one position and, along an axis, one number")
    dg = np.delete(g, obj, axis) if ndim(values) == 0 else np.delete(g, slice(obj, obj + values.size))
    if axis is None and ndim(arr) != 1:
        dg = np.reshape(dg, arr.shape)
    taken = np.sum(np.take(g, obj, axis)) if ndim(values) == 0 else g[obj:obj + values.size]
    return dg, None, taken


def order_of(a: Any, axis: Any) -> Any:
    """The stable order of the elements along ``axis``."""
    return np.argsort(a, axis=axis, kind="stable") if axis != -1 else np.argsort(a, kind="stable")


def sort_jvp(t, y, a, axis=-1, kind=None, order=None, *, stable=None):
    if axis is None:
        return np.ravel(t)[order_of(a, None)]
    return t[order_of(a, axis)] if ndim(a) == 1 else np.take_along_axis(t, order_of(a, axis), axis)


@rule(np.sort, np.ndarray.sort, kind="general", jvp=sort_jvp)
def _(g, y, a, axis=-1, kind=None, order=None, *, stable=None):
    if axis is None or ndim(a) == 1:
        placed = g[np.argsort(order_of(a, axis))]
        return placed if ndim(a) == 1 else np.reshape(placed, a.shape)
    return np.take_along_axis(g, np.argsort(order_of(a, axis), axis=axis), axis)


@rule(np.partition, kind="general", jvp=lambda t, y, a, kth, axis=-1, kind="introselect", order=None:
      np.take_along_axis(t, np.argpartition(a, kth, axis=axis), axis))
def _(g, y, a, kth, axis=-1, kind="introselect", order=None):
    return put_along(a, np.argpartition(a, kth, axis=axis), g, axis)


@rule(builtins.sorted, kind="general", jvp=lambda t, y, a, *, key=None, reverse=False: sorted_jvp(t, a, key, reverse))
def _(g, y, a, *, key=None, reverse=False):
    if key is not None:
        raise TypeError("no derivative of sorted with a key")
    order = order_of(a, -1)[::-1] if reverse else order_of(a, -1)
    return put(a, order, as_array(g))


def sorted_jvp(t: Any, a: Any, key: Any, reverse: Any) -> Any:
    if key is not None:
        raise TypeError("no derivative of sorted with a key")
    order = order_of(a, -1)
    return t[order[::-1] if reverse else order]


@rule(np.unique, kind="general", jvp=lambda t, y, ar: t[first_places(ar)])
def _(g, y, ar):
    return put(ar, first_places(ar), g)


def first_places(ar: Any) -> Any:
    """Where each of the unique elements first is."""
    return lifted(np.unique)(ar, return_index=True)[1]


@rule(np.select, kind="general", jvp=(None, lambda t, y, condlist, choicelist, default=0: np.select(condlist, t, 0.0),
                                      lambda t, y, condlist, choicelist, default=0: select_rest(t, condlist)), lists=True, broadcasts=True)
def _(g, y, condlist, choicelist, default=0):
    entries, rest = [], g
    for c in condlist:
        entries.append(np.where(c, rest, 0.0))
        rest = np.where(c, 0.0, rest)
    return None, entries, rest


def select_rest(t: Any, condlist: Any) -> Any:
    """``t`` where none of the conditions holds."""
    for c in condlist:
        t = np.where(c, 0.0, t)
    return t


@rule(np.choose, kind="general", jvp=(None, lambda t, y, a, choices, out=None, mode="raise": np.choose(a, t)), lists=True, broadcasts=True)
def _(g, y, a, choices, out=None, mode="raise"):
    if isinstance(choices, (list, tuple)):
        return None, [np.where(same(a, k), g, 0.0) for k in range(len(choices))]
    raise TypeError("the derivative of np.choose is there for a list of choices")
