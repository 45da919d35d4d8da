"""Reads and writes at places that an array of integers names along one dimension, torch's ``gather`` and ``scatter``."""
from __future__ import annotations

from typing import Any

import numpy as np

from ...rules.registry import constant, rule
from ...rules.static import lifted, same
from ...runtime import gather_written
from ..facts import false, shows
from ..layouts import LIKE_FIRST, ROWS
from ..names import keeps, node_name

__all__ = ["gather", "index_reduce", "put", "put_accumulate", "scatter", "scatter_add", "scatter_reduce", "scatter_value", "take"]


def places(self: Any, dim: int, index: Any) -> tuple[Any, ...]:
    """The places in ``self`` that ``index`` names along ``dim``, in every other dimension those of its own elements."""
    size = self.shape[dim] if self.ndim else 1
    if index.size and (np.min(index) < 0 or np.max(index) >= size):
        wrong = index[(index < 0) | (index >= size)][0]
        raise RuntimeError(f"index {wrong} is out of bounds for dimension {dim} with size {size}")
    if self.ndim == 0:
        return ()
    grid: list[Any] = list(np.indices(index.shape, sparse=True))
    grid[dim] = index
    return tuple(grid)


def covered(src: Any, index: Any) -> Any:
    """The corner of ``src`` that ``index`` names a place for."""
    return src[tuple(slice(n) for n in index.shape)] if np.shape(src) != index.shape else src


def gather(self: Any, dim: int, index: Any) -> Any:
    """The elements at ``index`` along ``dim``."""
    found = self[places(self, dim, index)]
    return np.reshape(found, index.shape) if self.ndim == 0 else found


def scatter(self: Any, dim: int, index: Any, src: Any) -> Any:
    """``self`` with the elements of ``src`` at ``index`` along ``dim``."""
    out = np.array(self)
    out[places(self, dim, index)] = covered(src, index)
    return out


def scatter_value(self: Any, dim: int, index: Any, value: Any) -> Any:
    """``self`` with a number at ``index`` along ``dim``."""
    out = np.array(self)
    out[places(self, dim, index)] = value
    return out


def scatter_add(self: Any, dim: int, index: Any, src: Any) -> Any:
    """``self`` with the elements of ``src`` added at ``index`` along ``dim``."""
    out = np.array(self)
    np.add.at(out, places(self, dim, index), np.reshape(covered(src, index), np.shape(out) if self.ndim == 0 else index.shape))
    return out


shows(gather, sparse_grad=false)
node_name(gather, "GatherBackward0")
node_name(scatter, "ScatterBackward0")
node_name(scatter_value, "ScatterBackward1")
node_name(scatter_add, "ScatterAddBackward0")

def last_written(self: Any, dim: int, index: Any) -> Any:
    """Which of the elements that `scatter` writes are not written again: where a place is named twice, the last one stays."""
    at = places(self, dim, index)
    order = np.arange(index.size).reshape(index.shape)
    last = np.full(np.shape(self), -1)
    last[at] = order if self.ndim else order.reshape(-1)[-1:].reshape(())
    return np.reshape(last[at], index.shape) == order


constant(last_written)
gathered: Any = lifted(gather)
stays: Any = lifted(last_written)
added: Any = lifted(scatter_add)
silenced: Any = lifted(scatter_value)


def widened(g: Any, src: Any) -> Any:
    """``g`` in the shape of ``src``, of which it is a corner."""
    widths = [(0, src.shape[k] - g.shape[k]) for k in range(src.ndim)]
    return np.pad(g, widths) if any(after for _, after in widths) else g


@rule(gather, kind="linear")
def _(g, y, self, dim, index):
    return added(np.zeros_like(self, dtype=g.dtype), dim, index, g)


@rule(scatter_add, kind="linear", linear_in=(0, 3))
def _(g, y, self, dim, index, src):
    return g, None, None, widened(gathered(g, dim, index), src)


@rule(scatter, kind="linear", linear_in=(0, 3))
def _(g, y, self, dim, index, src):
    written = np.where(stays(self, dim, index), gathered(g, dim, index), 0.0)
    return silenced(g, dim, index, 0), None, None, widened(written, src)


@rule(scatter_value, kind="general", jvp=lambda t, y, self, dim, index, value: silenced(t, dim, index, 0))
def _(g, y, self, dim, index, value):
    return silenced(g, dim, index, 0)


def scatter_reduce(self: Any, dim: int, index: Any, src: Any, reduce: str, include_self: bool = True) -> Any:
    """``self`` with the elements of ``src`` joined at ``index`` by ``reduce``: sum, prod, mean, amax or amin."""
    at, src = places(self, dim, index), covered(src, index)
    out = np.array(self)
    if not include_self:
        out[at] = {"sum": 0, "mean": 0, "prod": 1, "amax": lowest(self.dtype), "amin": highest(self.dtype)}[reduce]
    ufunc = {"sum": np.add, "mean": np.add, "prod": np.multiply, "amax": np.maximum, "amin": np.minimum}[reduce]
    ufunc.at(out, at, src)
    if reduce == "mean":
        number = counts(self, dim, index, include_self)
        out = out // number if out.dtype.kind in "iu" else (out / number).astype(out.dtype, copy=False)
    return out


def index_reduce(self: Any, dim: int, index: Any, src: Any, reduce: str, include_self: bool = True) -> Any:
    """`scatter_reduce` by whole slices."""
    return scatter_reduce(self, dim, index, src, reduce, include_self)


def lowest(dtype: Any) -> Any:
    """The number below all others."""
    return -np.inf if dtype.kind in "fV" else np.iinfo(dtype).min


def highest(dtype: Any) -> Any:
    """The number above all others."""
    return np.inf if dtype.kind in "fV" else np.iinfo(dtype).max


def counts(self: Any, dim: int, index: Any, include_self: bool) -> Any:
    """How many elements meet at each place, at least one."""
    number = np.full(np.shape(self), 1 if include_self else 0)
    np.add.at(number, places(self, dim, index), 1)
    return np.maximum(number, 1)


joined: Any = lifted(scatter_reduce)
count: Any = lifted(counts)
constant(counts)


def shares(y: Any, self: Any, dim: int, index: Any, src: Any, reduce: str, include_self: bool) -> tuple[Any, Any]:
    """The derivatives of the result by ``self`` and, at ``index``, by ``src``."""
    ones = np.ones_like(self)
    kept = ones if include_self else silenced(ones, dim, index, 0)
    if reduce in ("sum", "mean"):
        share = ones / count(self, dim, index, include_self) if reduce == "mean" else ones
        return kept * share, gathered(share, dim, index)
    if reduce == "prod":
        if np.any(same(self, 0)) or np.any(same(src, 0)):
            raise NotImplementedError("no derivative of scatter_reduce with 'prod' where factors are zero")
        return kept * y / self, gathered(y, dim, index) / src
    hit, hits = same(self, y) * kept, same(src, gathered(y, dim, index)) * np.ones_like(src)
    number = added(hit, dim, index, hits)
    number = number + same(number, 0)
    return hit / number, hits / gathered(number, dim, index)


def reduced_by_self(t, y, self, dim, index, src, reduce, include_self=True):
    return shares(y, self, dim, index, src, reduce, include_self)[0] * t


def reduced_by_src(t, y, self, dim, index, src, reduce, include_self=True):
    return added(np.zeros_like(y), dim, index, shares(y, self, dim, index, src, reduce, include_self)[1] * t)


@rule(scatter_reduce, index_reduce, kind="general", jvp=(reduced_by_self, None, None, reduced_by_src))
def _(g, y, self, dim, index, src, reduce, include_self=True):
    by_self, by_src = shares(y, self, dim, index, src, reduce, include_self)
    return by_self * g, None, None, by_src * gathered(g, dim, index)


def take(self: Any, index: Any) -> Any:
    """The elements at ``index`` of the array read as one row."""
    return np.take(self, index)


def put(self: Any, index: Any, source: Any) -> Any:
    """``self`` with the elements of ``source`` at ``index`` of the array read as one row."""
    out = np.array(self, order="C")     # so that it can be written to as a row
    out.reshape(-1)[index] = source
    return out


def put_accumulate(self: Any, index: Any, source: Any) -> Any:
    """``self`` with the elements of ``source`` added at ``index`` of the array read as one row."""
    out = np.array(self, order="C")
    np.add.at(out.reshape(-1), index, source)
    return out


LIKE_FIRST.add(put)
ROWS.update((gather, scatter, scatter_add, scatter_reduce, scatter_value))
keeps("self", gather, take, scatter_reduce, index_reduce)
keeps("src", scatter_reduce, index_reduce)
keeps("y", scatter_reduce, index_reduce)
keeps("source", put, put_accumulate)
node_name(put_accumulate, "PutBackward0")
taken: Any = lifted(take)
put_at: Any = lifted(put)
put_added: Any = lifted(put_accumulate)
written: Any = lifted(gather_written)


@rule(take, kind="linear")
def _(g, y, self, index):
    return put_added(np.zeros_like(self, dtype=g.dtype), index, g)


@rule(put, kind="linear", linear_in=(0, 2))
def _(g, y, self, index, source):
    return put_at(g, index, np.zeros_like(source)), None, np.reshape(written(np.reshape(g, (-1,)), index), source.shape)


@rule(put_accumulate, kind="linear", linear_in=(0, 2))
def _(g, y, self, index, source):
    return g, None, taken(g, index)
