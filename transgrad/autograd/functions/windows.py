"""Windows on memory: sliding ones, diagonals, strided ones, and writes through them."""
from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...rules.registry import rule
from ...rules.static import lifted
from ...runtime import place_diagonal
from ..facts import shows, sizes
from ..fit import is_dense
from ..geometry import with_strides_of
from ..layouts import CHANNELS, LIKE_FIRST
from ..names import node_name
from .shape import renamed

__all__ = [
    "as_strided", "as_strided_", "as_strided_scatter", "block_diag", "constant_pad_nd", "diag_copy", "diag_embed", "diagonal",
    "diagonal_scatter", "geometry", "select_scatter", "slice_scatter", "trace", "unfold",
]


def unfold(self: Any, dim: int, size: int, step: int) -> Any:
    """Windows of ``size`` elements, ``step`` apart, along a dimension; each is along a last one."""
    windows = np.lib.stride_tricks.sliding_window_view(self, size, dim, writeable=self.flags.writeable)
    return windows[(slice(None),) * dim + (slice(None, None, step),)]


def unfold_backward(g: Any, shape: tuple[int, ...], dim: int, size: int, step: int) -> Any:
    """The sum of what windows hold of each element."""
    out = np.zeros(shape, dtype=g.dtype)
    for k in range(size):
        out[(slice(None),) * dim + (slice(k, k + step * (g.shape[dim] - 1) + 1, step),)] += g[..., k]
    return out


folded: Any = lifted(unfold_backward)
unfolded: Any = lifted(unfold)


@rule(unfold, kind="linear")
def _(g, y, self, dim, size, step):
    return folded(g, self.shape, dim, size, step)


@rule(unfold_backward, kind="linear")
def _(g, y, windows, shape, dim, size, step):
    return unfolded(g, dim, size, step)


def diagonal(self: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    """A diagonal, which can be written through."""
    found = np.diagonal(self, offset, dim1, dim2)
    found.flags.writeable = self.flags.writeable
    return found


def diag_embed(self: Any, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    """Matrices with the vectors along the last dimension on a diagonal."""
    n, dims = self.shape[-1] + abs(offset), self.ndim + 1
    shape, last = list(self.shape[:-1]), sorted((dim1 % dims, dim2 % dims))
    for k in last:
        shape.insert(k, n)
    return place_diagonal(np.empty(shape, dtype=self.dtype), self, offset, dim1, dim2)


def diag_copy(self: Any, offset: int = 0) -> Any:
    """The diagonal of a matrix, not as a view."""
    return np.array(np.diagonal(self, offset))


def trace(self: Any) -> Any:
    """The sum of the diagonal of a matrix."""
    return np.trace(self)


on_diagonal: Any = lifted(place_diagonal)
embedded: Any = lifted(diag_embed)


@rule(diagonal, kind="linear")
def _(g, y, self, offset=0, dim1=0, dim2=1):
    return on_diagonal(self, g, offset, dim1, dim2)


@rule(diag_copy, kind="linear")
def _(g, y, self, offset=0):
    return on_diagonal(self, g, offset, 0, 1)


@rule(trace, kind="linear")
def _(g, y, self):
    return on_diagonal(self, np.broadcast_to(g, (min(self.shape),)), 0, 0, 1)


node_name(diag_copy, "DiagonalBackward0_copy")
shows(unfold, diagonal, trace, self_sym_sizes=sizes)


@rule(diag_embed, kind="linear")
def _(g, y, self, offset=0, dim1=-2, dim2=-1):
    return np.diagonal(g, offset, dim1, dim2)


def embed(self: Any, src: Any, place: Any) -> Any:
    """``self`` with ``src`` at ``place``, in memory as ``self`` is, gaps included."""
    out = with_strides_of(self, self.dtype)
    out[...] = self
    out[place] = src
    return out


embedding: Any = lifted(embed)


@rule(embed, kind="linear", linear_in=(0, 1))
def _(g, y, self, src, place):
    return embedding(g, np.zeros_like(src), place), g[place]


def select_scatter(self: Any, src: Any, dim: int, index: int) -> Any:
    """``self`` with ``src`` at one place along a dimension."""
    return embed(self, src, (slice(None),) * dim + (index,))


@rule(select_scatter, kind="linear", linear_in=(0, 1))
def _(g, y, self, src, dim, index):
    place = (slice(None),) * dim + (index,)
    return embedding(g, np.zeros_like(src), place), g[place]


def slice_scatter(self: Any, src: Any, dim: int, start: int, end: int, step: int) -> Any:
    """``self`` with ``src`` in a range along a dimension."""
    return embed(self, src, (slice(None),) * dim + (slice(start, end, step),))


@rule(slice_scatter, kind="linear", linear_in=(0, 1))
def _(g, y, self, src, dim, start, end, step):
    place = (slice(None),) * dim + (slice(start, end, step),)
    return embedding(g, np.zeros_like(src), place), g[place]


def diagonal_scatter(self: Any, src: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    """``self`` with ``src`` on a diagonal, in memory as ``self`` is, gaps included."""
    out = with_strides_of(self, self.dtype)
    out[...] = self
    diagonal(out, offset, dim1, dim2)[...] = src
    return out


scattered: Any = lifted(diagonal_scatter)


@rule(diagonal_scatter, kind="linear", linear_in=(0, 1))
def _(g, y, self, src, offset=0, dim1=0, dim2=1):
    return scattered(g, np.zeros_like(src), offset, dim1, dim2), np.diagonal(g, offset, dim1, dim2)


def block_diag(tensors: Any) -> Any:
    """A matrix with matrices along its diagonal."""
    blocks = [np.atleast_2d(a) for a in tensors]
    out = np.zeros(np.sum([b.shape for b in blocks], axis=0), dtype=np.result_type(*blocks))
    row = column = 0
    for b in blocks:
        out[row:row + b.shape[0], column:column + b.shape[1]] = b
        row, column = row + b.shape[0], column + b.shape[1]
    return out


def blocks_of(g: Any, tensors: Any) -> list[Any]:
    """The blocks of ``g`` where `block_diag` put each matrix."""
    out, row, column = [], 0, 0
    for a in tensors:
        rows, columns = (1,) * (2 - len(a.shape)) + tuple(a.shape)
        out.append(np.reshape(g[row:row + rows, column:column + columns], a.shape))
        row, column = row + rows, column + columns
    return out


@rule(block_diag, kind="linear", lists=True)
def _(g, y, tensors):
    return blocks_of(g, tensors)


def constant_pad_nd(self: Any, pad: tuple[tuple[int, int], ...], value: float = 0) -> Any:
    """``self`` with numbers around it, or cut where a width is negative."""
    cut = self[tuple(slice(max(-a, 0), n - max(-b, 0)) for (a, b), n in zip(pad, self.shape))]
    return np.pad(cut, [(max(a, 0), max(b, 0)) for a, b in pad], constant_values=value)


padded: Any = lifted(constant_pad_nd)


@rule(constant_pad_nd, kind="linear", drops=("value",))
def _(g, y, self, pad, value=0):
    return padded(g, tuple((-a, -b) for a, b in pad))


# A window is told by sizes, strides in elements and an offset into the memory that the array was made with.

Geometry = tuple[tuple[int, ...], tuple[int, ...], int]


def memory(a: Any) -> Any:
    """All of the memory that ``a`` is a view of, as one row."""
    owner, base = a, a.base
    while base is not None:
        if isinstance(base, np.ndarray):
            if base.dtype != a.dtype:
                break
            owner = base
        base = getattr(base, "base", None)      # between windows and their array NumPy has an object of its own
    if any(s < 0 or s % owner.itemsize for s in owner.strides):
        raise RuntimeError("as_strided reads memory in which elements lie backwards, or not side by side; clone() the tensor first")
    length = owner.size if is_dense(owner) else 1 + sum((n - 1) * s // owner.itemsize for n, s in zip(owner.shape, owner.strides))
    return np.lib.stride_tricks.as_strided(owner, (length if owner.size else 0,), (owner.itemsize,))


def following(a: Any) -> Any:
    """The memory from the first element of ``a`` on; none where it has no elements."""
    return memory(a)[geometry(a)[2]:] if a.size else memory(a)[:0]


def resized(a: Any, shape: tuple[int, ...]) -> Any:
    """Reinterpret the memory with another shape: a view, or a zero-padded copy if there are more elements."""
    n, own = math.prod(shape), following(a)
    return (own if own.size >= n else np.concatenate((own, np.zeros(n - own.size, a.dtype))))[:n].reshape(shape)


def geometry(a: Any) -> Geometry:
    """The sizes, strides and offset of ``a``."""
    row = memory(a)
    offset = (a.__array_interface__["data"][0] - row.__array_interface__["data"][0]) // a.itemsize
    return a.shape, tuple(s // a.itemsize for s in a.strides), offset


def window(row: Any, size: tuple[int, ...], stride: tuple[int, ...], offset: int) -> Any:
    """A window on a row of memory; raise RuntimeError if it exceeds the memory."""
    if any(step < 0 for step in stride):
        raise RuntimeError(f"as_strided: Negative strides are not supported at the moment, got strides: {list(stride)}")
    if offset < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {offset}")
    last = offset + sum((n - 1) * s for n, s in zip(size, stride))
    if 0 not in size and last >= row.size:
        raise RuntimeError(f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset {offset}, and itemsize {row.itemsize} "
                           f"requiring a storage size of {(last + 1) * row.itemsize} are out of bounds for storage of size {row.nbytes}")
    step = row.itemsize
    return np.lib.stride_tricks.as_strided(row[offset:], size, tuple(s * step for s in stride), writeable=row.flags.writeable)


def as_strided(self: Any, size: tuple[int, ...], stride: tuple[int, ...], offset: int, own: Geometry) -> Any:
    """A window on the memory of ``self``; of an array that does not lie in memory as ``own`` says, a copy of what would be there."""
    if geometry(self) == own:
        return window(memory(self), size, stride, offset)
    return reread(self, own, (size, stride, offset))


def extent(*windows: Geometry) -> int:
    """The length of a row of memory that holds the windows."""
    return max(offset + sum((n - 1) * s for n, s in zip(size, stride)) for size, stride, offset in windows) + 1


def reread(a: Any, own: Geometry, other: Geometry) -> Any:
    """``a``, laid into memory as ``own`` says, added where places coincide, and read as ``other`` says."""
    size = extent(own, other)
    places = np.arange(size)
    row = np.zeros(size, dtype=a.dtype)
    if 0 not in own[0]:
        np.add.at(row, window(places, *own), a)
    return np.array(window(row, *other)) if 0 not in other[0] else np.zeros(other[0], dtype=a.dtype)


def often(own: Geometry) -> Any:
    """How many elements stand at each element's place."""
    return reread(np.ones(own[0]), own, own)


read: Any = lifted(reread)


@rule(reread, kind="linear")
def _(g, y, a, own, other):
    return read(g, other, own)


def window_jvp(t, y, self, size, stride, offset, own):
    """A window on the tangent where that lies in memory as the tensor does, so that a write to one is a write to the other."""
    array = getattr(t, "_array", t)
    if isinstance(array, np.ndarray) and geometry(array) == own:
        return windowed(t, size, stride, offset, own)
    return read(t / often(own), own, (size, stride, offset))


windowed: Any = lifted(as_strided)


@rule(as_strided, kind="general", jvp=window_jvp)
def _(g, y, self, size, stride, offset, own):
    return read(g, (size, stride, offset), own) / often(own)


#: as the method that changes the tensor itself has it
as_strided_ = renamed(as_strided, "AsStridedBackward1")


def as_strided_scatter(self: Any, src: Any, size: tuple[int, ...], stride: tuple[int, ...], offset: int) -> Any:
    """``self`` with ``src`` in a window on its memory, which is row-major."""
    row = np.array(self).reshape(-1)
    window(row, size, stride, offset)[...] = src
    return row.reshape(self.shape)


rewritten: Any = lifted(as_strided_scatter)


@rule(as_strided_scatter, kind="linear", linear_in=(0, 1))
def _(g, y, self, src, size, stride, offset):
    own = (self.shape, tuple(int(n) for n in np.cumprod((1, *self.shape[:0:-1]))[::-1]), 0)
    return rewritten(g, np.zeros_like(src), size, stride, offset), read(g, own, (size, stride, offset))


CHANNELS.add(constant_pad_nd)
LIKE_FIRST.update((diagonal_scatter, select_scatter, slice_scatter))
