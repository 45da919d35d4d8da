"""Reads and writes of elements that dimensions, tensors of integers or masks name."""
from __future__ import annotations

from typing import Any

import numpy as np

from .. import dtypes
from ..functions import masks, places, shape, slabs, windows
from ..tensor import Tensor, wrap
from ..warned import warn, warn_once
from .arguments import dim_of, refuse
from .subscripts import checked, matching, places_of
from .table import Call, call, op


def whole_numbers(name: str, index: Any) -> Any:
    """An index tensor; its dtype must be one of integers."""
    if index._array.size and index._array.dtype not in (np.int64, np.int32):
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index")
    return index


def vector(name: str, index: Any) -> Any:
    """`whole_numbers` along one dimension."""
    return whole_numbers(name, index) if index.ndim else whole_numbers(name, index).reshape(1)


def same_dtype(name: str, self: Tensor, source: Any) -> None:
    """RuntimeError for a source of another dtype."""
    if isinstance(source, Tensor) and source._array.dtype != self._array.dtype:
        raise RuntimeError(f"{name}(): Expected self.dtype to be equal to src.dtype")


@op()
def select(self: Tensor, dim: int, index: Any) -> Any:
    """One place along a dimension, which is left out."""
    if not self.ndim:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    axis = dim_of(dim, self.ndim)
    k = index.__index__()
    if not -self.shape[axis] <= k < self.shape[axis]:
        raise IndexError(f"select(): index {k} out of range for tensor of size {list(self.shape)} at dimension {axis}")
    return call(shape.select, self, axis, checked(k, self.shape[axis], axis))


@op()
def narrow(self: Tensor, dim: int, start: Any, length: int) -> Any:
    """A range of a dimension."""
    if not self.ndim:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    axis = dim_of(dim, self.ndim)
    n, first = self.shape[axis], int(start)
    if not -n <= first <= n:
        raise IndexError(f"start out of range (expected to be in range of [{-n}, {n}], but got {first})")
    first += n if first < 0 else 0
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    if first + length > n:
        raise RuntimeError(f"start ({first}) + length ({length}) exceeds dimension size ({n}).")
    return call(shape.slice_, self, axis, first, first + length, 1)


@op()
def narrow_copy(self: Tensor, dim: int, start: Any, length: int) -> Any:
    """A copy of a range of a dimension."""
    found = narrow(self, dim, start, length)
    return call(shape.narrow_copy, *found.args)


def same_ndim(index: Tensor, *others: Any) -> None:
    """RuntimeError where an index has not the number of dimensions that the tensors have, 0 counting as 1."""
    for name, x in zip(("input", "src"), others):
        if isinstance(x, Tensor) and index.numel() and max(index.ndim, 1) != max(x.ndim, 1):
            raise RuntimeError(f"Index tensor must have the same number of dimensions as {name} tensor")


@op()
def gather(self: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False) -> Any:
    """The elements at ``index`` along a dimension; with ``sparse_grad`` the gradient is a sparse Tensor."""
    if sparse_grad:
        from ..sparse import gather_sparse
        return gather_sparse(self, dim_of(dim, self.ndim), whole_numbers("gather", index))
    same_ndim(index, self)
    return call(places.gather, self, dim_of(dim, self.ndim), whole_numbers("gather", index))


@op(inplace=True)
def scatter(self: Tensor, dim: int, index: Tensor, src: Any = None, *, value: Any = None, reduce: str | None = None) -> Any:
    """The tensor with elements of ``src``, or a number, at ``index`` along a dimension."""
    src = value if src is None else src
    if reduce is not None and isinstance(src, Tensor):
        warn_once("The reduce argument of torch.scatter with Tensor src is deprecated: use torch.scatter_reduce.")
    at, k = whole_numbers("scatter", index), dim_of(dim, self.ndim)
    same_dtype("scatter", self, src)
    same_ndim(index, self, src)
    if reduce is not None:
        source = src if isinstance(src, Tensor) else wrap(np.full(at.shape, dtypes.held(src, self.dtype), self.dtype))
        return call(places.scatter_reduce, self, k, at, source, {"add": "sum", "multiply": "prod"}[reduce])
    if isinstance(src, Tensor):
        return call(places.scatter, self, k, at, src)
    return call(places.scatter_value, self, k, at, dtypes.held(src, self.dtype))


@op(inplace=True)
def scatter_add(self: Tensor, dim: int, index: Tensor, src: Tensor) -> Any:
    """The tensor with the elements of ``src`` added at ``index`` along a dimension."""
    same_dtype("scatter", self, src)
    same_ndim(index, self, src)
    return call(places.scatter_add, self, dim_of(dim, self.ndim), whole_numbers("scatter_add", index), src)


@op(inplace=True)
def scatter_reduce(self: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True) -> Any:
    """The tensor with the elements of ``src`` joined at ``index``: sum, prod, mean, amax or amin."""
    same_dtype("scatter", self, src)
    same_ndim(index, self, src)
    if reduce not in ("sum", "prod", "mean", "amax", "amin"):
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    return call(places.scatter_reduce, self, dim_of(dim, self.ndim), whole_numbers("scatter_reduce", index), src, reduce, include_self)


@op()
def index_select(self: Tensor, dim: int, index: Tensor) -> Any:
    """The slices at ``index`` along a dimension."""
    if index.ndim > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    return call(slabs.index_select, self, dim_of(dim, self.ndim), vector("index_select", index))


@op(inplace=True)
def index_add(self: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: float = 1) -> Any:
    """The tensor with slices of ``source``, times ``alpha``, added at ``index``."""
    if self.dtype != source.dtype:
        raise RuntimeError(f"index_add_(): self ({dtypes.title(self.dtype)}) and source ({dtypes.title(source.dtype)}) must have the same "
                           "scalar type")
    axis = dim_of(dim, self.ndim)
    if source.ndim and index.numel() != source.shape[axis]:
        raise RuntimeError(f"index_add_(): Number of indices ({index.numel()}) should be equal to source.size(dim): "
                           f"({source.shape[axis]}), for dim: {axis}")
    if source.ndim != self.ndim and self.ndim and source.numel() or any(
            n != m for k, (n, m) in enumerate(zip(self.shape, source.shape)) if k != axis):
        raise RuntimeError("source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape = "
                           f"{list(self.shape)} source.shape = {list(source.shape)}")
    return call(slabs.index_add, self, axis, vector("index_add", index), source, alpha)


@op(inplace=True)
def index_copy(self: Tensor, dim: int, index: Tensor, source: Tensor) -> Any:
    """The tensor with slices of ``source`` at ``index``."""
    same_dtype("index_copy_", self, source)
    return call(slabs.index_copy, self, dim_of(dim, self.ndim), vector("index_copy", index), source)


@op(inplace=True)
def index_fill(self: Tensor, dim: int, index: Tensor, value: Any) -> Any:
    """The tensor with a number in the slices at ``index``."""
    if isinstance(value, complex) and not self.is_complex():
        raise RuntimeError("index_fill_(): Converting complex Scalar to non-complex type is not supported")
    axis, at = dim_of(dim, self.ndim), vector("index_fill", index)
    if isinstance(value, Tensor):
        return call(slabs.index_fill_tensor, self, axis, at, value)
    return call(slabs.index_fill, self, axis, at, dtypes.held(value, self.dtype))


@op(inplace=True)
def index_put(self: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Any:
    """The tensor with ``values`` at ``indices``, added to the old values with ``accumulate``."""
    at = tuple(slice(None) if i is None else places_of(i) for i in indices)
    matching(self, values)
    return call(slabs.index_put_accumulate if accumulate else slabs.index_put, self, at, values)


@op(inplace=True)
def masked_fill(self: Tensor, mask: Tensor, value: Any) -> Any:
    """The tensor with a number where a mask is set."""
    if mask.dtype != np.bool_:
        raise RuntimeError(f"masked_fill_ only supports boolean masks, but got mask with dtype {dtypes.c_name(mask.dtype)}")
    if isinstance(value, Tensor) and value.ndim:
        raise RuntimeError(f"masked_fill_ only supports a 0-dimensional value tensor, but got tensor with {value.ndim} dimension(s).")
    if isinstance(value, Tensor):
        if dtypes.category(value.dtype) > max(dtypes.category(self.dtype), dtypes.FLOATING):
            raise dtypes.overflow(self.dtype)
        return call(masks.masked_fill_tensor, self, mask, value)
    if not isinstance(value, (int, float, complex, np.generic)):
        raise TypeError(f"masked_fill() received an invalid combination of arguments - got (Tensor, {type(value).__name__})")
    return call(masks.masked_fill, self, mask, dtypes.held(value, self.dtype))


@op()
def masked_select(self: Tensor, mask: Tensor) -> Any:
    """The elements where a mask is set, in a row."""
    if mask.dtype != np.bool_:
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    return call(masks.masked_select, self, mask)


@op(inplace=True)
def masked_scatter(self: Tensor, mask: Tensor, source: Tensor) -> Any:
    """The tensor with the first elements of ``source`` where a mask is set."""
    if self.dtype != source.dtype:
        raise RuntimeError("masked_scatter_: expected self and source to have same dtypes but got "
                           f"{dtypes.title(self.dtype)} and {dtypes.title(source.dtype)}")
    if mask.dtype == np.uint8:
        warn("masked_scatter_ received a mask with dtype torch.uint8, this behavior is now deprecated, use a mask with dtype torch.bool")
    if mask.dtype != np.bool_:
        raise RuntimeError(f"masked_scatter_ only supports boolean masks, but got mask with dtype {dtypes.title(mask.dtype)}")
    return call(masks.masked_scatter, self, mask, source)


@op()
def take(self: Tensor, index: Tensor) -> Any:
    """The elements at ``index`` of the tensor read as one row."""
    at = whole_numbers("take", index)
    if at.numel() and (at.max() >= self.numel() or at.min() < -self.numel()):
        raise IndexError("out of range: tried to access index "
                         f"{at[(at >= self.numel()) | (at < -self.numel())][0]} on a tensor of {self.numel()} elements.")
    return call(places.take, self, at)


@op(inplace=True)
def put(self: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Any:
    """The tensor with elements of ``source`` at ``index`` of it read as one row."""
    if source.dtype != self.dtype:
        raise RuntimeError(f"put_(): self and source expected to have the same dtype, but got self.dtype = {dtypes.title(self.dtype)} and "
                           f"source.dtype = {dtypes.title(source.dtype)}")
    return call(places.put_accumulate if accumulate else places.put, self, whole_numbers("put", index), source.reshape(index.shape))


@op()
def take_along_dim(self: Tensor, indices: Tensor, dim: int | None = None) -> Any:
    """The elements at ``indices`` along a dimension; both broadcast in the others."""
    if dim is None:
        return self.flatten().gather(0, indices.flatten())
    axis = dim_of(dim, self.ndim)
    if self.ndim != indices.ndim:
        raise RuntimeError(f"torch.take_along_dim(): input and indices should have the same number of dimensions, but got {self.ndim} "
                           f"dimensions for input, and {indices.ndim} dimensions for indices")
    indices = wrap(np.where(indices._array < 0, indices._array + self.shape[axis], indices._array))
    size = np.broadcast_shapes(*(tuple(1 if k == axis else n for k, n in enumerate(x.shape)) for x in (self, indices)))
    mine, theirs = ((*size[:axis], x.shape[axis], *size[axis + 1:]) for x in (self, indices))
    return self.expand(mine).gather(axis, indices.expand(theirs))


@op(method=False, lists=True)
def where(condition: Any, self: Any = None, other: Any = None) -> Any:
    """Elements of one tensor where a condition holds and of another elsewhere; of a condition alone, where it holds."""
    if self is None and other is None:
        return nonzero(condition, as_tuple=True)
    if self is None or other is None:
        raise TypeError("where() received an invalid combination of arguments: it takes a condition alone, or with two tensors or numbers")
    if condition._array.dtype != np.bool_:
        if condition._array.dtype != np.uint8:
            raise RuntimeError("where expected condition to be a boolean tensor, but got a tensor with dtype "
                               f"{dtypes.title(condition.dtype)}")
        warn_once("where received a uint8 condition tensor. This behavior is deprecated: use a boolean condition.")
        condition = condition.to(np.bool_)
    dtype = dtypes.result_type(self, other)
    if isinstance(self, Tensor) and isinstance(other, Tensor) and self.dtype != other.dtype:
        return Call(np.where, (condition, self, other), {}, False)      # each arm gets its gradient in its own dtype
    arms = [x if isinstance(x, Tensor) and x.dtype == dtype else x.to(dtype) if isinstance(x, Tensor)
            else np.asarray(dtypes.held(x, dtype), dtype) for x in (self, other)]
    return call(np.where, condition, *arms)


@op(name="where", function=False)
def where_of(self: Tensor, condition: Tensor, other: Any) -> Any:
    """The elements where a condition holds, and those of another tensor elsewhere."""
    return where(condition, self, other)


@op()
def nonzero(self: Tensor, *, as_tuple: bool = False) -> Any:
    """Where the elements are not zero: a row an element, or a tensor a dimension."""
    found = np.nonzero(np.atleast_1d(self._array))
    if as_tuple:
        return wrap(np.stack(found)).unbind()
    return wrap(np.stack(found).T if self.ndim else np.zeros((found[0].size, 0), np.int64))


@op()
def argwhere(self: Tensor) -> Any:
    """Where the elements are not zero, a row an element."""
    return nonzero(self)


@op()
def diagonal(self: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    """A diagonal, as a view."""
    first, second = dim_of(dim1, self.ndim), dim_of(dim2, self.ndim)
    if first == second:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    return call(windows.diagonal, self, offset, first, second)


@op()
def diag(self: Tensor, diagonal: int = 0) -> Any:
    """The diagonal of a matrix, or a matrix with a vector on its diagonal."""
    if self.ndim not in (1, 2):
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {self.ndim}D")
    return call(windows.diag_embed, self, diagonal, 0, 1) if self.ndim == 1 else call(windows.diag_copy, self, diagonal)


@op()
def diag_embed(self: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    """Matrices with the vectors along the last dimension on a diagonal."""
    return call(windows.diag_embed, self, offset, dim1, dim2)


@op()
def diagflat(self: Tensor, offset: int = 0) -> Any:
    """A matrix with all elements on its diagonal."""
    return call(windows.diag_embed, self.reshape(-1), offset, 0, 1)


@op()
def select_scatter(self: Tensor, src: Tensor, dim: int, index: int) -> Any:
    """A copy with ``src`` at one place along a dimension."""
    axis = dim_of(dim, self.ndim)
    return call(windows.select_scatter, self, src, axis, checked(index, self.shape[axis], axis))


@op()
def slice_scatter(self: Tensor, src: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1) -> Any:
    """A copy with ``src`` in a range along a dimension."""
    axis = dim_of(dim, self.ndim)
    return call(windows.slice_scatter, self, src, axis, *slice(start, end, step).indices(self.shape[axis]))


@op()
def diagonal_scatter(self: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    """A copy with ``src`` on a diagonal."""
    return call(windows.diagonal_scatter, self, src, offset, dim1, dim2)


@op()
def as_strided_scatter(self: Tensor, src: Tensor, size: Any, stride: Any, storage_offset: int | None = None) -> Any:
    """A copy with ``src`` in a window on its memory."""
    return call(windows.as_strided_scatter, self, src, tuple(size), tuple(stride), storage_offset or 0)


@op()
def trace(self: Tensor) -> Any:
    """The sum of the diagonal of a matrix."""
    if self.ndim != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {self.ndim}")
    refuse("trace", self, "b")
    return call(windows.trace, self.to(np.int64) if self.dtype.kind in "iu" else self)


@op(name="fill_diagonal_", function=False)
def fill_diagonal(self: Tensor, fill_value: float, wrap: bool = False) -> Tensor:
    """Put a number on the diagonal (``wrap``: that of a tall matrix starts again below)."""
    if self.ndim < 2:
        raise RuntimeError("dimensions must larger than 1")
    if self.ndim > 2 and len(set(self.shape)) > 1:
        raise RuntimeError("all dimensions of input must be of equal length")
    columns = self.shape[-1]
    if self.ndim == 2:
        self.diagonal().fill_(fill_value)
    else:
        self.as_strided((columns,), (sum(self.stride()),), self.storage_offset()).fill_(fill_value)
    if wrap and self.ndim == 2:
        for first in range(columns + 1, self.shape[0], columns + 1):
            fill_diagonal(self[first:], fill_value)
    return self


@op(inplace=True)
def index_reduce(self: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, *, include_self: bool = True) -> Any:
    """The tensor with slices of ``source`` joined at ``index``: prod, mean, amax or amin."""
    warn_once("index_reduce() is in beta and the API may change at any time.")
    axis = dim_of(dim, self.ndim)
    at = whole_numbers("index_reduce", index).reshape(tuple(-1 if k == axis else 1 for k in range(self.ndim)))
    return call(places.index_reduce, self, axis, np.broadcast_to(at, source.shape), source, reduce, include_self)


@op(method=False)
def constant_pad_nd(self: Tensor, pad: Any, value: float = 0) -> Any:
    """The tensor with numbers around it (or cut, where ``pad`` is negative): two of ``pad`` a dimension, the last one first."""
    widths = [(0, 0)] * (self.ndim - len(pad) // 2) + [(pad[k], pad[k + 1]) for k in range(0, len(pad), 2)][::-1]
    return call(windows.constant_pad_nd, self, tuple(widths), value)
