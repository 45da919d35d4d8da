"""Indexing and rearranging of sparse Tensors: operations act on the indices, and history follows the stored values."""
from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ...rules.registry import alias
from ..dispatch import apply
from ..names import node_name
from ..ops.arguments import dim_of, listed
from ..tensor import Tensor, wrap
from . import primitives
from .tensor import MOVES, SparseTensor, make

__all__ = ["METHODS", "cat", "log_softmax", "softmax", "stack"]


def moved(node: str) -> Callable[..., Any]:
    """The identity of stored values, as a node of a name."""
    def same(values: Any) -> Any:
        return values[...]
    alias(primitives.values, same)
    node_name(same, node)
    return same


_T, _TRANSPOSE, _PERMUTE, _UNSQUEEZE = map(moved, ("TBackward0", "TransposeBackward0", "PermuteBackward0", "UnsqueezeBackward0"))


def permuted(self: SparseTensor, order: Sequence[int], fn: Callable[..., Any]) -> SparseTensor:
    """The dimensions in another order; RuntimeError where sparse and dense ones would change places."""
    k = self.sparse_dim()
    if sorted(order[:k]) != list(range(k)):
        raise RuntimeError("transpositions between sparse and dense dimensions are not allowed.")
    dense = [d - k + 1 for d in order[k:]]
    stored = apply(fn, self._stored)
    stored = stored if dense == sorted(dense) else stored.permute(0, *dense)
    unmoved = list(order[:k]) == list(range(k))
    return make(self._where[list(order[:k])], stored, tuple(self._size[d] for d in order), self._coalesced and unmoved)


def permute(self: SparseTensor, *dims: Any) -> SparseTensor:
    """The dimensions in another order, sparse ones before dense ones."""
    order = [dim_of(d, self.ndim) for d in listed(dims)]
    if len(order) != self.ndim:
        raise RuntimeError("permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired "
                           f"ordering of dimensions i.e. input.dim() = {self.ndim} is not equal to len(dims) = {len(order)}")
    if len(set(order)) != len(order):
        raise RuntimeError("permute(sparse_coo): duplicate dims are not allowed.")
    return permuted(self, order, _PERMUTE)


def transpose(self: SparseTensor, dim0: int, dim1: int) -> SparseTensor:
    """With two dimensions exchanged, both sparse or both dense."""
    order = list(range(self.ndim))
    a, b = dim_of(dim0, self.ndim), dim_of(dim1, self.ndim)
    order[a], order[b] = b, a
    return permuted(self, order, _TRANSPOSE)


def t(self: SparseTensor) -> SparseTensor:
    """The transpose of a matrix."""
    if self.ndim > 2 or self.dense_dim():
        raise RuntimeError(f"t() expects a tensor with <= 2 sparse and 0 dense dimensions, but got {self.sparse_dim()} sparse and "
                           f"{self.dense_dim()} dense dimensions")
    return permuted(self, range(self.ndim)[::-1], _T)


def unsqueeze(self: SparseTensor, dim: int) -> SparseTensor:
    """A new dimension of size 1."""
    k, at = self.sparse_dim(), dim_of(dim, self.ndim + 1)
    size = (*self._size[:at], 1, *self._size[at:])
    if at > k:
        return make(self._where, self._stored.unsqueeze(at - k + 1), size, self._coalesced)
    return make(np.insert(self._where, at, 0, axis=0), apply(_UNSQUEEZE, self._stored), size, self._coalesced)


def select(self: SparseTensor, dim: int, index: int) -> Any:
    """One place along a dimension, which is left out: dense where no sparse dimension is left."""
    k, axis = self.sparse_dim(), dim_of(dim, self.ndim)
    n, at = self._size[axis], index.__index__()
    if not -n <= at < n:
        raise IndexError(f"select(): index {at} out of range for tensor of size {list(self.shape)} at dimension {axis}")
    at %= n
    size = (*self._size[:axis], *self._size[axis + 1:])
    if axis >= k:
        return make(self._where, self._stored.select(axis - k + 1, at), size, self._coalesced)
    chosen = np.flatnonzero(self._where[axis] == at)
    stored = self._stored[wrap(chosen)]
    return stored.sum(0) if k == 1 else make(np.delete(self._where, axis, 0)[:, chosen], stored, size, self._coalesced)


def index_select(self: SparseTensor, dim: int, index: Tensor) -> SparseTensor:
    """The slices at ``index`` along a dimension."""
    k, axis = self.sparse_dim(), dim_of(dim, self.ndim)
    size = (*self._size[:axis], index.numel(), *self._size[axis + 1:])
    if axis >= k:
        return make(self._where, self._stored.index_select(axis - k + 1, index), size, self._coalesced)
    places = index._array.reshape(-1)
    if places.size and not (-self._size[axis] <= places.min() and places.max() < self._size[axis]):
        raise IndexError(f"index_select(): index contains a number that is out of range for tensor of size {list(self.shape)} at dimension "
                         f"{axis}")
    new, old = np.nonzero((places % max(self._size[axis], 1))[:, None] == self._where[axis])
    where = self._where[:, old].copy()
    where[axis] = new
    return make(where, self._stored[wrap(old)], size, False)


def subscript(self: SparseTensor, key: Any) -> Any:
    """Integers and None, one after another; anything else has no strided memory to look at."""
    found: Any = self
    axis = 0
    for item in key if isinstance(key, tuple) else (key,):
        if item is None:
            found, axis = found.unsqueeze(axis), axis + 1
        elif isinstance(item, slice) and item == slice(None):
            axis += 1
        elif hasattr(item, "__index__") and not isinstance(item, (bool, np.ndarray)) and not (isinstance(item, Tensor) and item.ndim):
            if axis >= found.ndim:
                raise IndexError(f"too many indices for tensor of dimension {self.ndim}")
            n = found.shape[axis]
            if not -n <= item.__index__() < n:
                raise IndexError(f"index {item.__index__()} is out of bounds for dimension {axis} with size {n}")
            found = found.select(axis, item)
        else:
            raise NotImplementedError("a sparse Tensor is subscripted by integers and None; for anything else use Tensor.to_dense() first, "
                                      "or index_select()")
    return found


def rows(self: SparseTensor) -> Iterator[Any]:
    """The places along the first dimension."""
    return (select(self, 0, k) for k in range(self._size[0]))


def unbind(self: SparseTensor, dim: int = 0) -> tuple[Any, ...]:
    """The slices along a dimension."""
    return tuple(select(self, dim, k) for k in range(self._size[dim_of(dim, self.ndim)]))


def cat(tensors: Sequence[SparseTensor], dim: int = 0) -> SparseTensor:
    """Sparse Tensors one after another along a dimension."""
    first = tensors[0]
    k, axis = first.sparse_dim(), dim_of(dim, first.ndim)
    for place, x in enumerate(tensors):
        if not isinstance(x, SparseTensor) or x.sparse_dim() != k or x.ndim != first.ndim:
            raise RuntimeError("cat(): all tensors must be sparse, with the same numbers of sparse and dense dimensions")
        if any(n != m for d, (n, m) in enumerate(zip(x._size, first._size)) if d != axis):
            raise RuntimeError(f"All tensors must have the same shape: {list(first.shape)} (except in the concatenating dimension), but "
                               f"found shape: {list(x.shape)} at position {place}.")
    if axis >= k:
        raise NotImplementedError("cat of sparse Tensors along a dense dimension: use to_dense()")
    starts = np.cumsum([0, *(x._size[axis] for x in tensors)])
    shift = np.arange(k)[:, None] == axis
    where = np.concatenate([x._where + shift * start for x, start in zip(tensors, starts)], axis=1)
    size = (*first._size[:axis], int(starts[-1]), *first._size[axis + 1:])
    return make(where, apply(np.concatenate, [x._stored for x in tensors]), size, False)


def stack(tensors: Sequence[SparseTensor], dim: int = 0) -> SparseTensor:
    """Sparse Tensors along a new dimension."""
    return cat([x.unsqueeze(dim) for x in tensors], dim)


def matmul_sparse(a: SparseTensor, b: SparseTensor) -> SparseTensor:
    """The product of two sparse matrices: a sum over each two stored values of one column of the first and row of the second."""
    if b.sparse_dim() != 2 or b.dense_dim() or a._size[1] != b._size[0]:
        raise RuntimeError(f"mm: mat1 and mat2 shapes cannot be multiplied ({list(a.shape)} and {list(b.shape)})")
    order = np.argsort(b._where[0], kind="stable")
    starts, ends = (np.searchsorted(b._where[0][order], a._where[1], side) for side in ("left", "right"))
    counts = ends - starts
    left = np.repeat(np.arange(len(counts)), counts)
    right = order[np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts) + np.repeat(starts, counts)]
    stored = a._stored[wrap(left)] * b._stored[wrap(right)]
    where = np.stack([a._where[0][left], b._where[1][right]])
    return make(where, stored, (a._size[0], b._size[1]), False).coalesce()


def sparse_mask(self: Any, mask: SparseTensor) -> SparseTensor:
    """What stands at the places of another Tensor."""
    if tuple(self.shape) != tuple(mask.shape):
        raise RuntimeError(f"sparse_mask(): operands have incompatible sizes; self has size {list(self.shape)} but mask has size "
                           f"{list(mask.shape)}")
    dense = self.to_dense()
    return mask._like(dense[tuple(wrap(row) for row in mask._where)])


def normalized(input: SparseTensor, dim: int, dtype: Any, log: bool) -> SparseTensor:
    """Softmax, or its logarithm, of the stored elements along a sparse dimension."""
    x = input.coalesce() if dtype is None else input.to(dtype).coalesce()
    axis = dim_of(dim, x.ndim)
    if axis >= x.sparse_dim() or x.dense_dim():
        raise NotImplementedError("softmax of a sparse Tensor along a dense dimension, or with one: use to_dense()")
    others = np.delete(x._where, axis, 0)
    size = tuple(n for d, n in enumerate(x._size) if d != axis)
    group = np.unique(primitives.rows(others, size), return_inverse=True)[1].reshape(-1)
    count = int(group.max(initial=-1)) + 1
    highest = np.full(count, -np.inf, x.dtype)
    np.maximum.at(highest, group, x._stored._array)
    shifted = x._stored - wrap(highest[group])
    sums = apply(primitives.coalesce, shifted.exp(), group, count)
    return x._like(shifted - sums.log()[wrap(group)] if log else shifted.exp() / sums[wrap(group)])


def softmax(input: SparseTensor, dim: int, *, dtype: Any = None) -> SparseTensor:
    """``sparse.softmax``: exponentials of the stored elements, divided by their sum along a dimension."""
    return normalized(input, dim, dtype, False)


def log_softmax(input: SparseTensor, dim: int, *, dtype: Any = None) -> SparseTensor:
    """``sparse.log_softmax``: the logarithm of `softmax`."""
    return normalized(input, dim, dtype, True)


def reshaped(self: SparseTensor, shape: Sequence[int]) -> SparseTensor:
    """Another shape that has new dimensions of size 1 alone; NotImplementedError for any other."""
    found = self
    for axis, n in enumerate(shape):
        if n == 1 and found.shape[axis:axis + 1] != (1,):
            found = unsqueeze(found, axis)
    if found.shape != tuple(shape):
        raise NotImplementedError("reshape is not implemented for sparse tensors, but for new dimensions of size 1")
    return found


def expanded(self: SparseTensor, axis: int | tuple[int, ...]) -> SparseTensor:
    """New dimensions of size 1."""
    places = (axis,) if isinstance(axis, int) else axis
    for place in sorted(d % (self.ndim + len(places)) for d in places):
        self = unsqueeze(self, place)
    return self


def nothing(self: SparseTensor, **kwargs: Any) -> SparseTensor:
    """Zeros."""
    return make(self._where[:, :0], self._stored[:0], self._size, True)


MOVES.update({
    np.transpose: lambda a, axes=None: permute(a, range(a.ndim)[::-1] if axes is None else axes), np.swapaxes: transpose,
    np.reshape: reshaped, np.expand_dims: expanded, np.zeros_like: nothing,
})
METHODS: dict[str, Any] = {
    "T": property(t), "mT": property(lambda self: transpose(self, -2, -1)), "__getitem__": subscript, "__iter__": rows,
    "index_select": index_select, "permute": permute, "select": select, "t": t, "transpose": transpose, "unbind": unbind,
    "unsqueeze": unsqueeze,
}
for _name, _method in METHODS.items():
    setattr(SparseTensor, _name, _method)
setattr(Tensor, "sparse_mask", sparse_mask)     # noqa: B010
