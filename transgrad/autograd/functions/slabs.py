"""Reads and writes of whole slices along one dimension, torch's ``index_select`` and its kin, and of places, ``index_put``."""
from __future__ import annotations

from typing import Any

import numpy as np

from ...rules.registry import rule
from ...rules.static import lifted, ndim
from ...runtime import gather_written
from ..facts import shows, sizes
from ..layouts import LIKE_FIRST, ROWS
from ..names import keeps, node_name

__all__ = ["index_add", "index_copy", "index_fill", "index_fill_tensor", "index_put", "index_put_accumulate", "index_select"]


def slab(self: Any, dim: int, index: Any) -> Any:
    """The index of the slices that ``index`` names along ``dim``."""
    if self.ndim == 0:
        return ()
    size = self.shape[dim]
    if index.size and (np.min(index) < 0 or np.max(index) >= size):
        raise IndexError(f"index out of range in self: an index is not in [0, {size}), the range of dimension {dim}")
    return (slice(None),) * (dim % self.ndim) + (index,)


def index_select(self: Any, dim: int, index: Any) -> Any:
    """The slices at ``index`` along ``dim``."""
    return np.array(self) if self.ndim == 0 else np.asarray(self[slab(self, dim, index)], order="C")


def index_add(self: Any, dim: int, index: Any, source: Any, alpha: Any = 1) -> Any:
    """``self`` with the slices of ``source``, times ``alpha``, added at ``index``."""
    out = np.array(self)
    scaled = source if isinstance(alpha, int) and alpha == 1 else alpha * source
    np.add.at(out, slab(self, dim, index), np.reshape(scaled, np.shape(out)) if out.ndim == 0 else scaled)
    return out


def index_copy(self: Any, dim: int, index: Any, source: Any) -> Any:
    """``self`` with the slices of ``source`` at ``index``."""
    out = np.array(self)
    out[slab(self, dim, index)] = np.reshape(source, np.shape(out)) if out.ndim == 0 else source
    return out


def index_fill(self: Any, dim: int, index: Any, value: Any) -> Any:
    """``self`` with a number in the slices at ``index``."""
    out = np.array(self)
    out[slab(self, dim, index)] = value
    return out


def index_fill_tensor(self: Any, dim: int, index: Any, value: Any) -> Any:
    """`index_fill` with a tensor without dimensions."""
    return index_fill(self, dim, index, value)


def index_put(self: Any, indices: Any, values: Any) -> Any:
    """``self`` with ``values`` at ``indices``."""
    out = np.array(self)
    try:
        out[indices] = values
    except ValueError:
        raise RuntimeError(f"shape mismatch: value tensor of shape {list(np.shape(values))} cannot be broadcast to indexing result of "
                           f"shape {list(out[indices].shape)}") from None
    return out


def index_put_accumulate(self: Any, indices: Any, values: Any) -> Any:
    """``self`` with ``values`` added at ``indices``, once for each time a place is named."""
    out = np.array(self)
    np.add.at(out, indices, values)
    return out


ROWS.update((index_add, index_copy))
LIKE_FIRST.update((index_fill, index_fill_tensor))
keeps("source", index_add, index_copy)
node_name(index_fill_tensor, "IndexFillBackward1")
node_name(index_put_accumulate, "IndexPutBackward0")
selected: Any = lifted(index_select)
added: Any = lifted(index_add)
filled: Any = lifted(index_fill)
placed: Any = lifted(index_put)
shows(index_select, self_sym_sizes=sizes)
written: Any = lifted(gather_written)
summed: Any = lifted(index_put_accumulate)


@rule(index_select, kind="linear")
def _(g, y, self, dim, index):
    return added(np.zeros_like(self, dtype=g.dtype), dim, index, g)


@rule(index_add, kind="linear", linear_in=(0, 3))
def _(g, y, self, dim, index, source, alpha=1):
    return g, None, None, np.reshape(alpha * selected(g, dim, index), source.shape)


@rule(index_copy, kind="linear", linear_in=(0, 3))
def _(g, y, self, dim, index, source):
    taken = written(g, (slice(None),) * (dim % ndim(g)) + (index,)) if ndim(g) else g
    return filled(g, dim, index, 0), None, None, np.reshape(taken, source.shape)


@rule(index_fill, kind="general", jvp=lambda t, y, self, dim, index, value: filled(t, dim, index, 0))
def _(g, y, self, dim, index, value):
    return filled(g, dim, index, 0)


@rule(index_fill_tensor, kind="linear", linear_in=(0, 3))
def _(g, y, self, dim, index, value):
    return filled(g, dim, index, 0), None, None, np.sum(g - filled(g, dim, index, 0))


@rule(index_put, kind="linear", linear_in=(0, 2), broadcasts=True)
def _(g, y, self, indices, values):
    """Where a place is named twice, the last value stays."""
    return placed(g, indices, 0), None, written(g, indices)


@rule(index_put_accumulate, kind="linear", linear_in=(0, 2), broadcasts=True)
def _(g, y, self, indices, values):
    return g, None, g[indices]
