"""Extrema, medians, quantiles and orders, with their positions."""
from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import dispatch
from ..functions import extrema, sums
from ..tensor import Tensor, wrap
from .arguments import dim_of, dims_of, every, refuse
from .table import call, op


def pair(name: str, *fields: str) -> Any:
    """The type of a result with named parts."""
    made: Any = namedtuple(name, fields or ("values", "indices"))  # type: ignore[misc]

    def text(self: Any) -> str:
        return f"torch.return_types.{name}(\n" + ",\n".join(f"{f}={v!r}" for f, v in zip(self._fields, self)) + ")"
    made.__module__, made.__qualname__ = "torch.return_types", name
    setattr(made, "__repr__", text)     # noqa: B010
    return made


MaxAlong, MinAlong, Median, NanMedian, Mode, Kth, Sorted, Top, CumMax, CumMin = (
    pair(name) for name in ("max", "min", "median", "nanmedian", "mode", "kthvalue", "sort", "topk", "cummax", "cummin"))
Range = pair("aminmax", "min", "max")


def chosen(kind: Any, fn: Callable[..., Any], self: Tensor, *args: Any, dim: int, keepdim: bool) -> Any:
    """Values and places along a dimension."""
    if self.is_complex() and kind in (MaxAlong, MinAlong):
        raise RuntimeError(f"{fn.__name__.removesuffix('_at')}(): does not support complex input")
    refuse(f"{fn.__name__}_cpu", self, "c")
    axis = dim_of(dim, self.ndim)
    if not self.ndim:
        found = dispatch.apply(fn, self.reshape(1), *args, 0, False)
    elif not self.shape[axis]:
        raise IndexError(f"{kind.__name__}(): Expected reduction dim {axis} to have non-zero size.")
    else:
        found = dispatch.apply(fn, self, *args, axis, keepdim)
    return kind(*found)


def not_empty(name: str, self: Tensor) -> None:
    """RuntimeError for complex numbers, which have no order, and for a tensor without elements."""
    refuse(name, self, "c")
    if not self.numel():
        kind = IndexError if name.startswith("arg") else RuntimeError
        raise kind(f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the 'dim' "
                   "argument.")


@op()
def max_(self: Tensor, dim: Any = None, keepdim: bool = False, *, other: Any = None) -> Any:
    """The largest element; along a dimension, values and indices; or the larger of each two elements of two tensors."""
    if isinstance(dim, Tensor) or other is not None:
        return self.maximum(dim if other is None else other)
    if dim is not None:
        return chosen(MaxAlong, extrema.max_at, self, dim=dim, keepdim=keepdim)
    not_empty("max", self)
    return call(sums.max_all, self)


@op()
def min_(self: Tensor, dim: Any = None, keepdim: bool = False, *, other: Any = None) -> Any:
    """The smallest element; along a dimension, values and indices; or the smaller of each two elements of two tensors."""
    if isinstance(dim, Tensor) or other is not None:
        return self.minimum(dim if other is None else other)
    if dim is not None:
        return chosen(MinAlong, extrema.min_at, self, dim=dim, keepdim=keepdim)
    not_empty("min", self)
    return call(sums.min_all, self)


def long(name: str, self: Tensor, dim: Any) -> None:
    """IndexError where a dimension that is named is empty."""
    for k in () if every(dim) else dims_of(dim, self.ndim):
        if not self.shape[k]:
            raise IndexError(f"{name}: Expected reduction dim {k} to have non-zero size.")


@op()
def amax(self: Tensor, dim: Any = (), keepdim: bool = False) -> Any:
    """The largest elements along dimensions; equal ones share the gradient."""
    if every(dim):
        not_empty("amax", self)
    long("amax()", self, dim)
    return call(extrema.amax, self, dims_of(dim, self.ndim), keepdim)


@op()
def amin(self: Tensor, dim: Any = (), keepdim: bool = False) -> Any:
    """The smallest elements along dimensions; equal ones share the gradient."""
    if every(dim):
        not_empty("amin", self)
    long("amin()", self, dim)
    return call(extrema.amin, self, dims_of(dim, self.ndim), keepdim)


@op()
def aminmax(self: Tensor, *, dim: int | None = None, keepdim: bool = False) -> Any:
    """The smallest and the largest elements."""
    refuse("aminmax_cpu", self, "c")
    axis = None if dim is None else dims_of(dim, self.ndim)
    long("aminmax", self, dim)
    if dim is None and not self.numel():
        raise RuntimeError("aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity.")
    return Range(*dispatch.apply(extrema.aminmax, self, axis, keepdim))


def place(fn: Callable[..., Any], name: str, self: Tensor, dim: int | None, keepdim: bool) -> Tensor:
    """Where an extremum is."""
    if self.is_complex():
        raise RuntimeError(f"{name}(): does not support complex input")
    refuse(name, self, "b")
    if dim is None:
        not_empty(name, self)
        found = np.asarray(fn(self._array))
        return wrap(found.reshape((1,) * self.ndim) if keepdim else found)
    axis = dim_of(dim, self.ndim)
    if self.ndim and not self.shape[axis]:
        raise IndexError(f"{name}(): Expected reduction dim {axis} to have non-zero size.")
    return wrap(np.asarray(fn(self._array, axis=axis, keepdims=keepdim))) if self.ndim else wrap(np.zeros((), np.int64))


@op()
def argmax(self: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """Where the largest element is."""
    return place(np.argmax, "argmax", self, dim, keepdim)


@op()
def argmin(self: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """Where the smallest element is."""
    return place(np.argmin, "argmin", self, dim, keepdim)


@op()
def median(self: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """The median, the lower of two; along a dimension, values and indices."""
    refuse("median", self, "bc")
    return call(extrema.median_all, self) if dim is None else chosen(Median, extrema.median_at, self, dim=dim, keepdim=keepdim)


@op()
def nanmedian(self: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """The median of the elements that are numbers."""
    return call(extrema.nanmedian_all, self) if dim is None else chosen(NanMedian, extrema.nanmedian_at, self, dim=dim, keepdim=keepdim)


@op()
def mode(self: Tensor, dim: int = -1, keepdim: bool = False) -> Any:
    """The most frequent elements along a dimension, and a position of each."""
    return chosen(Mode, extrema.mode, self, dim=dim, keepdim=keepdim)


@op()
def kthvalue(self: Tensor, k: int, dim: int = -1, keepdim: bool = False) -> Any:
    """The ``k``-th smallest elements along a dimension, and their positions."""
    size = self.shape[dim_of(dim, self.ndim)] if self.ndim else 1
    if not 1 <= k <= size:
        raise RuntimeError("kthvalue(): selected number k out of range for dimension " + str(dim_of(dim, self.ndim)))
    return chosen(Kth, extrema.kthvalue, self, k, dim=dim, keepdim=keepdim)


def along(kind: Any, fn: Callable[..., Any], self: Tensor, dim: int, *options: Any, before: tuple[Any, ...] = ()) -> Any:
    """Values and places of as many elements along a dimension, or fewer."""
    if self.is_complex():
        if kind in (Sorted, Top):
            raise RuntimeError(f"{'Sort' if kind is Sorted else 'topk'} does not support complex dtypes on CPU")
        refuse(f"{fn.__name__}_cpu", self, "c")
    axis = dim_of(dim, self.ndim)
    if self.ndim:
        return kind(*dispatch.apply(fn, self, *before, axis, *options))
    values, indices = dispatch.apply(fn, self.reshape(1), *before, 0, *options)
    return kind(values.reshape(()), indices.reshape(()))


@op()
def sort(self: Tensor, dim: int = -1, descending: bool = False, stable: bool | None = None) -> Any:
    """The elements in order along a dimension, and where each was; equal ones stay in their order."""
    return along(Sorted, extrema.sort if stable is None else extrema.sort_stable, self, dim, bool(descending), True)


@op()
def argsort(self: Tensor, dim: int = -1, descending: bool = False, stable: bool = False) -> Tensor:
    """Where each element in order is."""
    return self.sort(dim, descending).indices      # type: ignore[no-any-return]


@op()
def msort(self: Tensor) -> Tensor:
    """The elements in order along the first dimension."""
    return self.sort(0).values      # type: ignore[no-any-return]


@op()
def topk(self: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    """The ``k`` largest or smallest elements along a dimension, and their positions."""
    if not 0 <= k <= (self.shape[dim_of(dim, self.ndim)] if self.ndim else 1):
        raise RuntimeError("selected index k out of range")
    return along(Top, extrema.topk, self, dim, bool(largest), bool(sorted), before=(k,))


@op()
def cummax(self: Tensor, dim: int) -> Any:
    """The largest element so far, and its position."""
    return along(CumMax, extrema.cummax, self, dim)


@op()
def cummin(self: Tensor, dim: int) -> Any:
    """The smallest element so far, and its position."""
    return along(CumMin, extrema.cummin, self, dim)


def quantiles(self: Tensor, q: Any, dim: int | None, keepdim: bool, interpolation: str, skip_nan: bool) -> Tensor:
    """Quantiles by the order of the elements, between two of them where need be."""
    if not self.is_floating_point():
        raise RuntimeError("quantile() input tensor must be either float or double dtype")
    shares = wrap(np.asarray(q, dtype=self.dtype)) if not isinstance(q, Tensor) else q
    if np.any((shares._array < 0) | (shares._array > 1)):
        raise RuntimeError("quantile() q values must be in the range [0, 1]" if isinstance(q, Tensor) else
                           f"quantile() q must be in the range [0, 1] but got {q}")
    rows = self.flatten() if dim is None or not self.ndim else self.movedim(dim, -1)
    ordered = rows.sort(-1).values
    nan = np.isnan(ordered._array)
    valid = np.sum(~nan, axis=-1, keepdims=True) if skip_nan else np.asarray(ordered.shape[-1]).reshape((1,) * ordered.ndim)
    ranks = shares.reshape(-1) * wrap(np.maximum(valid - 1, 0).astype(self.dtype))
    rank = ranks._array
    if not skip_nan:
        rank = np.where(np.any(nan, axis=-1, keepdims=True), ordered.shape[-1] - 1.0, rank)
    low, weight = nearest(rank, interpolation)
    if interpolation == "linear" and isinstance(q, Tensor):
        weight = ranks - wrap(low)
    shape = (*ordered.shape[:-1], rank.shape[-1])
    low = np.broadcast_to(low, shape).astype(np.int64)
    found = ordered.gather(-1, wrap(low))
    if interpolation in ("linear", "midpoint"):
        above = ordered.gather(-1, wrap(np.minimum(low + 1, ordered.shape[-1] - 1)))
        share = weight if isinstance(weight, Tensor) else wrap(np.broadcast_to(weight, shape).astype(self.dtype))
        found = found.lerp(above, share)
    found = found.movedim(-1, 0)
    found = found if shares.ndim else found.squeeze_(0)
    if not keepdim or not self.ndim:
        return found        # type: ignore[no-any-return]
    at = shares.ndim
    if dim is None:
        return found.reshape((*found.shape[:at], *(1,) * self.ndim))      # type: ignore[no-any-return]
    return found.unsqueeze_(at + dim_of(dim, self.ndim))        # type: ignore[no-any-return]


def nearest(rank: Any, interpolation: str) -> tuple[Any, Any]:
    """The place below a rank (or the one that is taken), and how far above it the rank is."""
    low = np.floor(rank)
    if interpolation == "linear":
        return low, rank - low
    if interpolation == "midpoint":
        return low, np.where(rank > low, 0.5, 0.0)
    if interpolation in ("lower", "higher", "nearest"):
        return {"lower": low, "higher": np.ceil(rank), "nearest": np.rint(rank)}[interpolation], 0.0
    raise RuntimeError("quantile() interpolation must be one of linear, lower, higher, midpoint or nearest, but got " + interpolation)


@op()
def quantile(self: Tensor, q: Any, dim: int | None = None, keepdim: bool = False, *, interpolation: str = "linear") -> Tensor:
    """Quantiles of all elements, or along a dimension; several ``q`` make a first dimension."""
    return quantiles(self, q, dim, keepdim, interpolation, False)


@op()
def nanquantile(self: Tensor, q: Any, dim: int | None = None, keepdim: bool = False, *, interpolation: str = "linear") -> Tensor:
    """Quantiles of the elements that are numbers."""
    return quantiles(self, q, dim, keepdim, interpolation, True)
