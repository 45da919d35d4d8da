"""Reads of parts of arrays, and orders of elements.  Sorting equal elements keeps their order."""
from __future__ import annotations

import builtins
import operator
from typing import Any

import numpy as np

from ..ir.types import Arr, TupleT
from ..runtime import scatter, scatter_along, unbroadcast
from .registry import definition, rule
from .static import ZERO, NoDerivative, arange, as_array, lifted, ndim, part, same

put = lifted(scatter)
put_along = lifted(scatter_along)
fold = lifted(unbroadcast)


@rule(operator.getitem, kind="linear")
def _(g, y, x, index):
    """An element read several times adds up its cotangents."""
    return put(x, index, g)


@rule(scatter, kind="linear", linear_in=(2,))
def _(g, y, x, index, part):
    return ZERO, None, g[index]


@rule(scatter_along, kind="linear", linear_in=(2,))
def _(g, y, x, indices, part, axis):
    return ZERO, None, np.take_along_axis(g, indices, axis)


@rule(np.take, np.ndarray.take, kind="linear")
def _(g, y, a, indices, axis=None, out=None, mode="raise"):
    if mode != "raise":
        n = a.size if axis is None else a.shape[axis]
        indices = np.clip(indices, 0, n - 1) if mode == "clip" else indices % n if ndim(indices) == 0 else np.mod(indices, n)
    if axis is None:
        if isinstance(indices, builtins.tuple) or isinstance(getattr(indices, "type", None), TupleT):
            indices = (indices,)        # a tuple of its own would be one of several axes
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
    return None, np.reshape(put(np.ravel(arr), np.flatnonzero(condition), g), arr.shape)


@rule(np.delete, kind="linear")
def _(g, y, arr, obj, axis=None):
    flat = axis is None
    kept = np.delete(arange(arr.size if flat else arr.shape[axis]), obj)
    if flat:
        return np.reshape(put(np.ravel(arr), kept, g), arr.shape)
    return put(arr, (slice(None),) * (axis % ndim(arr)) + (kept,), g)


def insert_jvp(t, y, arr, obj, values, axis=None):
    return np.insert(t, obj, np.zeros_like(values), axis)


def insert_places(y: Any, arr: Any, obj: Any, axis: Any) -> tuple[Any, Any]:
    """Where in the result ``y`` the inserted values are, and where the elements of ``arr``."""
    n = arr.size if axis is None else arr.shape[axis]
    m = (y.size if axis is None else y.shape[axis]) - n
    order = np.argsort(np.insert(arange(n), obj, -1 - arange(m)))
    return order[:m][::-1], order[m:]


@rule(np.insert, kind="linear", linear_in=(0, 2))
def _(g, y, arr, obj, values, axis=None):
    new, old = insert_places(y, arr, obj, axis)
    kept, inserted = np.take(g, old, axis), np.take(g, new, axis)
    if axis is not None and ndim(obj) == 0:     # the first axis of the values is then the one inserted along
        inserted = np.moveaxis(inserted, axis, 0)
    return kept if axis is not None or ndim(arr) == 1 else np.reshape(kept, arr.shape), None, fold(inserted, values)


def order_of(a: Any, axis: Any) -> Any:
    """The stable order of the elements along ``axis``."""
    return np.argsort(a, axis=axis, kind="stable") if axis != -1 else np.argsort(a, kind="stable")


def sort_jvp(t, y, a, axis=-1, kind=None, order=None, *, stable=None):
    if axis is None:
        return np.ravel(t)[order_of(a, None)]
    return t[order_of(a, axis)] if ndim(a) == 1 else np.take_along_axis(t, order_of(a, axis), axis)


@rule(np.sort, np.ndarray.sort, kind="general", jvp=sort_jvp)
def _(g, y, a, axis=-1, kind=None, order=None, *, stable=None):
    """Equal elements keep their order."""
    if axis is None or ndim(a) == 1:
        placed = g[np.argsort(order_of(a, axis))]
        return placed if ndim(a) == 1 else np.reshape(placed, a.shape)
    return np.take_along_axis(g, np.argsort(order_of(a, axis), axis=axis), axis)


@rule(np.partition, kind="general", jvp=lambda t, y, a, kth, axis=-1, kind="introselect", order=None:
      np.take_along_axis(t, np.argpartition(a, kth, axis=axis), axis))
def _(g, y, a, kth, axis=-1, kind="introselect", order=None):
    """Of equal elements each has the derivative of the place it is put in."""
    return put_along(a, np.argpartition(a, kth, axis=axis), g, axis)


@rule(builtins.sorted, kind="general", jvp=lambda t, y, a, *, key=None, reverse=False: sorted_jvp(t, a, key, reverse))
def _(g, y, a, *, key=None, reverse=False):
    if key is not None:
        raise NoDerivative("no derivative of sorted with a key")
    order = order_of(a, -1)[::-1] if reverse else order_of(a, -1)
    return put(a, order, as_array(g))


def sorted_jvp(t: Any, a: Any, key: Any, reverse: Any) -> Any:
    if key is not None:
        raise NoDerivative("no derivative of sorted with a key")
    order = order_of(a, -1)
    return t[order[::-1] if reverse else order]


def unique_jvp(t, y, ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *, equal_nan=True, sorted=True):
    several = return_index or return_inverse or return_counts
    places = first_places(y[0] if several else y, ar, axis)
    dot = np.ravel(t)[places] if axis is None else np.take(t, places, axis)
    return (dot, *(None for _other in y[1:])) if several else dot


@rule(np.unique, kind="general", jvp=unique_jvp)
def _(g, y, ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *, equal_nan=True, sorted=True):
    """The first of equal elements has the derivative."""
    several = return_index or return_inverse or return_counts
    places = first_places(y[0] if several else y, ar, axis)
    bar = part(g, y, 0) if several else g
    if axis is not None:
        return put(ar, (slice(None),) * (axis % ndim(ar)) + (places,), bar)
    return put(ar, places, bar) if ndim(ar) == 1 else np.reshape(put(np.ravel(ar), places, bar), ar.shape)


def first_places(y: Any, ar: Any, axis: Any = None) -> Any:
    """Where in ``ar`` each of its different elements, or along an axis its different slices, first is."""
    if axis is not None:
        return lifted(np.unique)(ar, return_index=True, axis=axis)[1]
    flat = ar if ndim(ar) == 1 else np.ravel(ar)
    order = np.argsort(flat, kind="stable")
    return order[np.searchsorted(flat[order], y)]


def first_of_several(t, y, x):
    return (np.ravel(t)[first_places(y[0], x)], *(None for _other in y[1:]))


@rule(np.unique_values, kind="general", jvp=lambda t, y, x: np.ravel(t)[first_places(y, x)])
def _(g, y, x):
    """The first of equal elements has the derivative."""
    return np.reshape(put(np.ravel(x), first_places(y, x), g), x.shape)


@rule(np.unique_all, np.unique_counts, np.unique_inverse, kind="general", jvp=first_of_several)
def _(g, y, x):
    """The first of equal elements has the derivative."""
    return np.reshape(put(np.ravel(x), first_places(y[0], x), part(g, y, 0)), x.shape)


@rule(np.select, kind="general", jvp=(None, lambda t, y, condlist, choicelist, default=0: np.select(condlist, t, 0.0),
                                      lambda t, y, condlist, choicelist, default=0: select_rest(t, condlist)), lists=True, broadcasts=True)
def _(g, y, condlist, choicelist, default=0):
    """The first condition that holds selects; entries that are not selected have derivative 0."""
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


def is_array(x: Any) -> bool:
    """Whether ``x`` is one array, not a list of them."""
    return hasattr(x, "dtype") or isinstance(getattr(x, "type", None), Arr)


@rule(np.choose, kind="general", jvp=(None, lambda t, y, a, choices, out=None, mode="raise": np.choose(a, t, mode=mode)), lists=True,
      broadcasts=True, when=lambda a, choices, out=None, mode="raise": not is_array(choices))
def _(g, y, a, choices, out=None, mode="raise"):
    if isinstance(a, (list, tuple)):        # spelled out in generated code, like the masks
        return None, [np.where(mask_of(a, k, len(choices), mode), g, 0.0) for k in range(len(choices))]
    a = a % len(choices) if mode == "wrap" else np.clip(a, 0, len(choices) - 1) if mode == "clip" else a
    return None, [np.where(same(a, k), g, 0.0) for k in range(len(choices))]


def mask_of(places: Any, k: int, n: int, mode: str) -> Any:
    """Where the choice ``k`` of ``n`` is taken, by lists of places."""
    if isinstance(places, (list, tuple)):
        return [mask_of(i, k, n, mode) for i in places]
    return (places % n if mode == "wrap" else min(max(places, 0), n - 1) if mode == "clip" else places) == k


@definition(np.choose, np.ndarray.choose)
def choose(a: Any, choices: Any, out: Any = None, mode: str = "raise") -> Any:
    """The choices in one array, the first of whose dimensions is chosen from."""
    n = choices.shape[0]
    if mode == "wrap":
        a = a % n
    if mode == "clip":
        a = np.clip(a, 0, n - 1)
    if np.ndim(choices) == 1:
        return choices[a]
    shape = np.broadcast_shapes(np.shape(a), choices.shape[1:])
    return np.take_along_axis(np.broadcast_to(choices, (n, *shape)), np.broadcast_to(a, shape)[None], 0)[0]
