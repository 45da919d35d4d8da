"""Elements chosen by their size, with the places they were at: extrema, medians, orders.

Where several elements are equal the one that is named by the index gets the whole cotangent; extrema and medians of a whole
array share it evenly.
"""
from __future__ import annotations

from typing import Any

import numpy as np

from ...rules import plain
from ...rules.extrema import hits
from ...rules.registry import rule
from ...rules.static import lifted, options, part, restore
from ...runtime import scatter_along
from ..facts import second_result, shows, sizes
from ..layouts import ROWS, like
from ..names import keeps, node_name
from .sums import chosen, chosen_jvp

__all__ = [
    "amax", "amin", "aminmax", "cummax", "cummin", "kthvalue", "max_at", "median_all", "median_at", "min_at", "mode", "nanmedian_all",
    "nanmedian_at", "sort", "sort_stable", "topk",
]

add_along: Any = lifted(scatter_along)
along: Any = lifted(np.take_along_axis)


def put_along(self: Any, index: Any, g: Any, dim: int) -> Any:
    """Zeros like ``self`` with ``g`` at ``index`` along ``dim``, no two of which are the same place."""
    if type(index) is np.ndarray and type(g) is np.ndarray:
        return plain.put_along(self, index, g, dim)
    return add_along(self, index, g, dim)


def picked(self: Any, dim: int, index: Any, keepdim: bool) -> tuple[Any, Any]:
    """The elements at ``index``, which has one place along ``dim``."""
    values = plain.take_along(self, index, dim)
    return (values, index) if keepdim else (values.squeeze(dim), index.squeeze(dim))


def max_at(self: Any, dim: int, keepdim: bool = False) -> tuple[Any, Any]:
    """The largest elements along ``dim`` (NaN is larger than any number) and their positions."""
    if self.ndim == 1 and not keepdim:
        return _element(self, self.argmax())
    return picked(self, dim, np.argmax(self, axis=dim, keepdims=True), keepdim)


def min_at(self: Any, dim: int, keepdim: bool = False) -> tuple[Any, Any]:
    """The smallest elements along ``dim`` (NaN is smaller than any number) and their positions."""
    if self.ndim == 1 and not keepdim:
        return _element(self, self.argmin())
    return picked(self, dim, np.argmin(self, axis=dim, keepdims=True), keepdim)


def _element(self: Any, index: Any) -> tuple[Any, Any]:
    """The element of a vector and its position, as arrays."""
    return np.array(self[index]), np.array(index)


def ranked(self: Any, rank: Any, dim: int, keepdim: bool) -> tuple[Any, Any]:
    """The element of the given rank along ``dim``, and its position."""
    order = np.argsort(self, axis=dim, kind="stable")
    at = np.take_along_axis(order, np.broadcast_to(rank, tuple(1 if k == dim % self.ndim else n for k, n in enumerate(self.shape))), dim)
    return picked(self, dim, at, keepdim)


def kthvalue(self: Any, k: int, dim: int = -1, keepdim: bool = False) -> tuple[Any, Any]:
    """The ``k``-th smallest elements along ``dim`` and their positions."""
    return ranked(self, k - 1, dim, keepdim)


def median_at(self: Any, dim: int, keepdim: bool = False) -> tuple[Any, Any]:
    """The medians along ``dim``, the lower of two, NaN if an element is NaN, and their positions."""
    nan = np.isnan(self)
    values, index = ranked(self, (self.shape[dim] - 1) // 2, dim, True)
    index = np.where(np.any(nan, axis=dim, keepdims=True), np.argmax(nan, axis=dim, keepdims=True), index)
    return picked(self, dim, index, keepdim)


def nanmedian_at(self: Any, dim: int, keepdim: bool = False) -> tuple[Any, Any]:
    """The medians along ``dim``, without NaN, and their positions."""
    number = np.sum(~np.isnan(self), axis=dim, keepdims=True)
    return ranked(self, np.maximum(number - 1, 0) // 2, dim, keepdim)


def mode(self: Any, dim: int = -1, keepdim: bool = False) -> tuple[Any, Any]:
    """The most frequent elements along ``dim``, the smallest of several, and a position of each."""
    moved = np.moveaxis(self, dim, -1)
    often = np.sum(moved[..., :, None] == moved[..., None, :], axis=-1)
    best = often == np.max(often, axis=-1, keepdims=True)
    value = np.min(np.where(best, moved, np.fmax.reduce(moved, axis=-1, keepdims=True)), axis=-1, keepdims=True)
    last = self.shape[dim] - 1 - np.argmax((moved == value)[..., ::-1], axis=-1, keepdims=True)
    return picked(self, dim, np.moveaxis(last, -1, dim), keepdim)


node_name(max_at, "MaxBackward0")
node_name(min_at, "MinBackward0")
node_name(median_at, "MedianBackward1")
node_name(nanmedian_at, "NanmedianBackward1")


shows(max_at, min_at, median_at, nanmedian_at, mode, kthvalue, indices=second_result, self_sym_sizes=sizes)


def kept(g: Any, dim: int, keepdim: bool) -> Any:
    """``g`` with the dimension that was chosen from."""
    return g if keepdim else plain.expand_dims(g, dim)


def picked_jvp(t, y, self, dim=-1, keepdim=False):
    found = along(t, kept(y[1], dim, keepdim), dim)
    return found if keepdim else np.squeeze(found, dim), None


@rule(max_at, min_at, median_at, nanmedian_at, mode, kind="general", jvp=picked_jvp)
def _(g, y, self, dim=-1, keepdim=False):
    return put_along(self, kept(y[1], dim, keepdim), kept(part(g, y, 0), dim, keepdim), dim)


@rule(kthvalue, kind="general", jvp=lambda t, y, self, k, dim=-1, keepdim=False: picked_jvp(t, y, self, dim, keepdim))
def _(g, y, self, k, dim=-1, keepdim=False):
    return put_along(self, kept(y[1], dim, keepdim), kept(part(g, y, 0), dim, keepdim), dim)


def sort(self: Any, dim: int = -1, descending: bool = False, stable: bool = True) -> tuple[Any, Any]:
    """The elements in order along ``dim``, NaN last (first where ``descending``), and where each was."""
    if descending:      # equal elements stay in their order
        order = self.shape[dim] - 1 - np.flip(np.argsort(np.flip(self, dim), axis=dim, kind="stable"), dim)
    else:
        order = np.argsort(self, axis=dim, kind="stable")
    return like(plain.take_along(self, order, dim), self), like(order, self)


def sort_stable(self: Any, dim: int = -1, descending: bool = False, stable: bool = True) -> tuple[Any, Any]:
    """`sort`, under the name it has where stability was asked for."""
    return sort(self, dim, descending)


node_name(sort, "SortBackward0", descending="", stable="")
node_name(sort_stable, "SortBackward1", descending="", stable="")
shows(sort, sort_stable, indices=second_result, self_sym_sizes=sizes)


def topk(self: Any, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> tuple[Any, Any]:
    """The ``k`` largest or smallest elements along ``dim``, in order, and their positions."""
    order = sort(self, dim, largest)[1]
    order = np.asarray(order[(slice(None),) * (dim % self.ndim) + (slice(k),)], order="C")
    return np.asarray(plain.take_along(self, order, dim), order="C"), order


def ordered_jvp(t, y, self, dim):
    return along(t, y[1], dim), None


@rule(sort, sort_stable, kind="general", jvp=lambda t, y, self, dim=-1, descending=False, stable=True: ordered_jvp(t, y, self, dim))
def _(g, y, self, dim=-1, descending=False, stable=True):
    return put_along(self, y[1], part(g, y, 0), dim)


@rule(topk, kind="general", jvp=lambda t, y, self, k, dim=-1, largest=True, sorted=True: ordered_jvp(t, y, self, dim))
def _(g, y, self, k, dim=-1, largest=True, sorted=True):
    return put_along(self, y[1], part(g, y, 0), dim)


def running(self: Any, dim: int, extremum: Any) -> tuple[Any, Any]:
    """The running extremum along ``dim``, and its latest position."""
    self = np.array(self, order="C", copy=None)
    values = extremum.accumulate(self, axis=dim)
    place = np.reshape(np.arange(self.shape[dim]), tuple(-1 if k == dim % self.ndim else 1 for k in range(self.ndim)))
    found = (self == values) | np.isnan(self)
    return values, np.maximum.accumulate(np.where(found, place, 0), axis=dim)


def cummax(self: Any, dim: int) -> tuple[Any, Any]:
    """The largest element so far along ``dim``, and the last place it was at."""
    return running(self, dim, np.maximum)


def cummin(self: Any, dim: int) -> tuple[Any, Any]:
    """The smallest element so far along ``dim``, and the last place it was at."""
    return running(self, dim, np.minimum)


keeps("self", cummax, cummin)


@rule(cummax, cummin, kind="general", jvp=ordered_jvp)
def _(g, y, self, dim):
    return add_along(self, y[1], part(g, y, 0), dim)


def median_all(self: Any) -> Any:
    """The median, the lower of two; NaN if an element is NaN."""
    return median_at(np.reshape(self, -1), 0)[0] if self.size else np.asarray(np.nan, dtype=self.dtype)


def nanmedian_all(self: Any) -> Any:
    """The median of the elements that are numbers, the lower of two."""
    return nanmedian_at(np.reshape(self, -1), 0)[0] if self.size else np.asarray(np.nan, dtype=self.dtype)


node_name(median_all, "MedianBackward0")
node_name(nanmedian_all, "NanmedianBackward0")


@rule(median_all, nanmedian_all, kind="general", jvp=chosen_jvp)
def _(g, y, self):
    hit = chosen(y, self)
    return np.where(hit, g / np.sum(hit), 0.0)


def aminmax(self: Any, axis: Any = None, keepdims: bool = False) -> tuple[Any, Any]:
    """The smallest and the largest elements."""
    found = np.min(self, axis=axis, keepdims=keepdims), np.max(self, axis=axis, keepdims=keepdims)
    return np.asarray(found[0], order="C")[()], np.asarray(found[1], order="C")[()]


def extremes(y: Any, self: Any, axis: Any, keepdims: bool) -> Any:
    """The shares of the elements in the extremum ``y``."""
    hit = hits(y, self, axis, keepdims, True)
    return hit * np.ones_like(self) / np.sum(hit, **options(axis=axis, keepdims=axis is not None))


def aminmax_jvp(t, y, self, axis=None, keepdims=False):
    how = options(axis=axis, keepdims=keepdims)
    return tuple(np.sum(extremes(found, self, axis, keepdims) * t, **how) for found in y)


@rule(aminmax, kind="general", jvp=aminmax_jvp)
def _(g, y, self, axis=None, keepdims=False):
    low, high = extremes(y[0], self, axis, keepdims), extremes(y[1], self, axis, keepdims)
    return restore(part(g, y, 0), axis, keepdims) * low + restore(part(g, y, 1), axis, keepdims) * high


def amax(self: Any, axis: Any, keepdims: bool = False) -> Any:
    """The largest elements along dimensions."""
    return np.max(self, axis=axis, keepdims=keepdims)


def amin(self: Any, axis: Any, keepdims: bool = False) -> Any:
    """The smallest elements along dimensions."""
    return np.min(self, axis=axis, keepdims=keepdims)


@rule(amax, amin, kind="general", jvp=lambda t, y, self, axis, keepdims=False:
      np.sum(extremes(y, self, axis, keepdims) * t, **options(axis=axis, keepdims=keepdims)))
def _(g, y, self, axis, keepdims=False):
    """Equal elements share evenly; of an extremum that is NaN all have the derivative NaN."""
    return restore(g, axis, keepdims) * extremes(y, self, axis, keepdims)


ROWS.update((amax, amin))
node_name(amax, "AmaxBackward0")
node_name(amin, "AminBackward0")
