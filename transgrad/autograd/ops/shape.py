"""Views of one tensor in another shape, and rearrangements of its elements."""
from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import dispatch
from ..dtype_objects import TorchDtype
from ..functions import shape, windows
from ..tensor import Tensor
from ..warned import warn_once
from .arguments import dim_of, dims_of, listed, needed, sizes_of
from .table import call, op, prop

_INTEGERS = frozenset((int,))


def viewed(self: Tensor, size: tuple[int, ...]) -> Tensor:
    """A view of another shape, or the same where it cannot be one."""
    try:
        return dispatch.apply(shape.view, self, size)       # type: ignore[no-any-return]
    except ValueError:
        raise RuntimeError("view size is not compatible with input tensor's size and stride (at least one dimension spans across two "
                           "contiguous subspaces). Use .reshape(...) instead.") from None


@op(function=False)
def view(self: Tensor, *size: Any, dtype: Any = None) -> Any:
    """The same memory in another shape, or read as another dtype."""
    if dtype is None and _INTEGERS.issuperset(map(type, size)) and min(size, default=-1) >= 0 and math.prod(size) == self._array.size:
        return viewed(self, size)
    if dtype is not None or len(size) == 1 and isinstance(size[0], (np.dtype, TorchDtype, type)):
        from ..dtypes import numpy_dtype
        wanted = numpy_dtype(size[0] if dtype is None else dtype)
        if self.shape and self.shape[-1] * self.dtype.itemsize % wanted.itemsize:
            raise RuntimeError(f"self.size(-1) must be divisible by {wanted.itemsize // self.dtype.itemsize} to view {self.dtype} as "
                               f"{wanted} (different element sizes), but got {self.shape[-1]}")
        return call(shape.view_dtype, self, wanted)
    return viewed(self, sizes_of(needed("view", "size", size), self.numel()))


@op(function=False)
def view_as(self: Tensor, other: Tensor) -> Tensor:
    """The same memory in the shape of another tensor."""
    return viewed(self, sizes_of((tuple(other.shape),), self.numel()))


@op()
def reshape(self: Tensor, *shape_: Any, shape: Any = None) -> Tensor:
    """The elements in another shape: a view where it can be one, a copy otherwise."""
    return reshaped(self, sizes_of(needed("reshape", "shape", shape_) if shape is None else (shape,), self.numel()))


def reshaped(self: Tensor, size: tuple[int, ...]) -> Tensor:
    """A view, or a copy."""
    try:
        fn = shape.view if self._array.flags.c_contiguous else shape.reshape_alias
        return dispatch.apply(fn, self, size)       # type: ignore[no-any-return]
    except ValueError:
        return dispatch.apply(shape.unsafe_view, self.clone(), size)    # type: ignore[no-any-return]


@op(function=False)
def reshape_as(self: Tensor, other: Tensor) -> Tensor:
    """`reshape` to the shape of another tensor."""
    return reshaped(self, tuple(other.shape))


@op()
def flatten(self: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """A range of dimensions made one."""
    if not self.ndim:
        return reshaped(self, (1,))
    first, last = dim_of(start_dim, self.ndim), dim_of(end_dim, self.ndim)
    if first > last:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if first == last:
        return self
    size = self._array.shape
    n = 1
    for k in size[first:last + 1]:
        n *= k
    return reshaped(self, (*size[:first], n, *size[last + 1:]))


@op()
def ravel(self: Tensor) -> Tensor:
    """All elements in a row."""
    return viewed(self.contiguous(), (self.numel(),))


@op()
def unflatten(self: Tensor, dim: int, sizes: Any) -> Tensor:
    """A dimension made several."""
    axis = dim_of(dim, self.ndim)
    inner = sizes_of((sizes,), self.shape[axis])
    return viewed(self, (*self.shape[:axis], *inner, *self.shape[axis + 1:]))


@op("swapaxes", "swapdims")
def transpose(self: Tensor, dim0: Any = None, dim1: Any = None, axis0: Any = None, axis1: Any = None) -> Any:
    """Two dimensions swapped."""
    first, second = (dim0 if dim0 is not None else axis0), (dim1 if dim1 is not None else axis1)
    if first is None or second is None:
        raise TypeError('transpose() missing 1 required positional arguments: "dim1"')
    if self.ndim == 0:
        return call(shape.alias_of, self)
    return call(shape.transpose, self, dim_of(first, self.ndim), dim_of(second, self.ndim))


@op()
def t(self: Tensor) -> Any:
    """The transpose of a matrix."""
    if self.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {self.ndim}D")
    return call(shape.t, self)


@op()
def permute(self: Tensor, *dims: Any) -> Any:
    """The dimensions in another order."""
    order = listed(needed("permute", "dims", dims))
    if len(order) != self.ndim:
        raise RuntimeError("permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired "
                           f"ordering of dimensions i.e. input.dim() = {self.ndim} is not equal to len(dims) = {len(order)}")
    found = tuple(dim_of(d, self.ndim) for d in order)
    if len(set(found)) != len(found):
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    return call(shape.permute, self, found)


@op("moveaxis")
def movedim(self: Tensor, source: Any, destination: Any) -> Any:
    """Dimensions moved to other places."""
    sources = dims_of(source if isinstance(source, (tuple, list)) else (source,), self.ndim)
    places = dims_of(destination if isinstance(destination, (tuple, list)) else (destination,), self.ndim)
    if len(sources) != len(places):
        raise RuntimeError(f"movedim: Invalid source or destination dims: source ({list(sources)} dims) should contain the same number of "
                           f"dims as destination ({list(places)} dims)")
    order = [k for k in range(self.ndim) if k not in sources]
    for to, k in sorted(zip(places, sources)):
        order.insert(to, k)
    return call(shape.permute, self, tuple(order))


@prop
def T(self: Tensor) -> Any:
    """The dimensions in reverse order."""
    if self.ndim == 0:
        warn_once("Tensor.T is deprecated on 0-D tensors. This function is the identity in these cases.")
    elif self.ndim != 2:
        warn_once("The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated: take `x.mT` for the "
                  "transpose of each matrix, or `x.permute(*torch.arange(x.ndim - 1, -1, -1))`.")
    return call(shape.permute, self, tuple(range(self.ndim))[::-1])


@prop
def mT(self: Tensor) -> Any:
    """The transpose of each matrix in the last two dimensions."""
    if self.ndim < 2:
        raise RuntimeError(f"tensor.mT is only supported on matrices or batches of matrices. Got {self.ndim}-D tensor.")
    return call(shape.transpose, self, self.ndim - 2, self.ndim - 1)


@prop
def H(self: Tensor) -> Any:
    """The conjugate transpose of a matrix."""
    if self.ndim not in (0, 2):
        raise RuntimeError(f"tensor.H is only supported on matrices (2-D tensors). Got {self.ndim}-D tensor.")
    return adjoint(self) if self.ndim else self.conj()


@prop
def mH(self: Tensor) -> Any:
    """The conjugate transpose of each matrix in the last two dimensions."""
    return adjoint(self)


@op()
def adjoint(self: Tensor) -> Any:
    """The conjugate transpose of each matrix in the last two dimensions."""
    if self.ndim < 2:
        raise RuntimeError(f"tensor.adjoint() is only supported on matrices or batches of matrices. Got {self.ndim}-D tensor.")
    turned = dispatch.apply(shape.transpose, self, self.ndim - 2, self.ndim - 1)
    return turned.conj() if self.is_complex() else turned


@op()
def unsqueeze(self: Tensor, dim: int) -> Any:
    """A new dimension of size 1."""
    return call(shape.unsqueeze, self, dim_of(dim, self.ndim + 1))


@op()
def squeeze(self: Tensor, dim: Any = None) -> Any:
    """Dimensions of size 1 left out."""
    if dim is None:
        return call(shape.squeeze, self)
    if isinstance(dim, (tuple, list)):
        return call(shape.squeeze_dims, self, dims_of(dim, self.ndim) if dim else ())
    return call(shape.squeeze_dim, self, dim_of(dim, self.ndim))


@op(function=False)
def expand(self: Tensor, *size: Any, implicit: bool = False) -> Any:
    """The tensor broadcast to a shape, without a copy; -1 keeps a size."""
    size = listed(needed("expand", "size", size))
    extra = len(size) - self.ndim
    if extra < 0:
        raise RuntimeError(f"expand({self.type()}{list(self.shape)}, size={list(size)}): the number of sizes provided ({len(size)}) must "
                           f"be greater or equal to the number of dimensions in the tensor ({self.ndim})")
    full = tuple(self.shape[k - extra] if n == -1 and k >= extra else n for k, n in enumerate(size))
    for k, n in reversed([*enumerate(full)]):
        have = self.shape[k - extra] if k >= extra else 1
        if n < 0 or have not in (1, n):
            raise RuntimeError(f"The expanded size of the tensor ({n}) must match the existing size ({have}) at non-singleton dimension "
                               f"{k}.  Target sizes: {list(size)}.  Tensor sizes: {list(self.shape)}")
    return call(shape.expand, self, full)


@op(function=False)
def expand_as(self: Tensor, other: Tensor) -> Any:
    """The tensor broadcast to the shape of another."""
    return expand(self, tuple(other.shape))


@op()
def broadcast_to(self: Tensor, *size: Any) -> Any:
    """The tensor broadcast to a shape."""
    return expand(self, listed(size))


@op(function=False)
def repeat(self: Tensor, *repeats: Any) -> Any:
    """Copy of the tensor side by side along each dimension."""
    counts = sizes_of(needed("repeat", "repeats", repeats))
    if len(counts) < self.ndim:
        raise RuntimeError("Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor")
    return call(shape.repeat, self, counts)


@op()
def tile(self: Tensor, *dims: Any) -> Any:
    """Copy side by side; dimensions that are not named are not repeated."""
    counts = sizes_of(dims)
    return call(shape.repeat, self, (1,) * (self.ndim - len(counts)) + counts)


@op()
def repeat_interleave(self: Tensor, repeats: Any, dim: int | None = None, *, output_size: int | None = None) -> Tensor:
    """Each element repeated, next to itself."""
    if dim is None:
        return repeat_interleave(self.flatten(), repeats, 0)
    axis = dim_of(dim, self.ndim)
    if isinstance(repeats, Tensor) and repeats.numel() > 1:
        from ..tensor import wrap
        return self.index_select(axis, wrap(np.repeat(np.arange(self.shape[axis]), repeats._array)))  # type: ignore[no-any-return]
    n = int(repeats)
    size = self.shape
    wide = dispatch.apply(shape.contiguous, self.unsqueeze(axis + 1).expand(*size[:axis + 1], n, *size[axis + 1:]))
    return viewed(wide, (*size[:axis], size[axis] * n, *size[axis + 1:]))


@op()
def flip(self: Tensor, *dims: Any) -> Any:
    """The elements in reverse order along dimensions."""
    along = listed(needed("flip", "dims", dims))
    return call(shape.flip, self, dims_of(along, self.ndim) if self.ndim and along else ())


@op()
def fliplr(self: Tensor) -> Any:
    """The columns in reverse order."""
    if self.ndim < 2:
        raise RuntimeError("Input must be >= 2-d.")
    return flip(self, 1)


@op()
def flipud(self: Tensor) -> Any:
    """The rows in reverse order."""
    if self.ndim < 1:
        raise RuntimeError("Input must be >= 1-d.")
    return flip(self, 0)


@op()
def roll(self: Tensor, shifts: Any, dims: Any = None) -> Any:
    """The elements moved along dimensions, around the end."""
    steps, along = (x if isinstance(x, (tuple, list)) else (x,) for x in (shifts, () if dims is None else dims))
    if not steps:
        raise RuntimeError("`shifts` required")
    if len(steps) != (len(along) or 1):
        raise RuntimeError(f"shifts and dimensions must align. shifts: {len(steps)}, dims:{len(along)}")
    for k in along:
        dim_of(k, self.ndim)
    return call(shape.roll, self, tuple(shifts) if isinstance(shifts, (tuple, list)) and dims is not None else shifts, dims)


@op()
def rot90(self: Tensor, k: int = 1, dims: Any = (0, 1)) -> Any:
    """Quarter turns in a plane."""
    if len(dims) != 2:
        raise RuntimeError(f"expected total rotation dims == 2, but got dims = {len(dims)}")
    if self.ndim < 2:
        raise RuntimeError(f"expected total dims >= 2, but got total dims = {self.ndim}")
    if dim_of(dims[0], self.ndim) == dim_of(dims[1], self.ndim):
        raise RuntimeError(f"expected rotation dims to be different, but got dim0 = {dims[0]} and dim1 = {dims[1]}")
    return call(shape.rot90, self, k, tuple(dims))


@op(inplace=True)
def tril(self: Tensor, diagonal: int = 0) -> Any:
    """The lower triangle of each matrix."""
    if self.ndim < 2:
        raise RuntimeError("tril: input tensor must have at least 2 dimensions")
    return call(shape.tril, self, diagonal)


@op(inplace=True)
def triu(self: Tensor, diagonal: int = 0) -> Any:
    """The upper triangle of each matrix."""
    if self.ndim < 2:
        raise RuntimeError("triu: input tensor must have at least 2 dimensions")
    return call(shape.triu, self, diagonal)


def at_least(n: int) -> Any:
    """The function that adds dimensions until there are ``n``."""
    def lower(self: Any, *more: Any) -> Any:
        if isinstance(self, (tuple, list)) or more:
            return tuple(raised(x) for x in (self if isinstance(self, (tuple, list)) else (self, *more)))
        return raised(self)

    def raised(x: Tensor) -> Tensor:
        if x.ndim == 0:
            x = reshaped(x, (1,) * n)
        elif x.ndim == 1 and n > 1:
            x = x.unsqueeze(0)
        return x.unsqueeze(-1) if n == 3 and x.ndim == 2 else x
    lower.__name__, lower.__doc__ = f"atleast_{n}d", f"Each tensor with {n} dimensions or more."
    return lower


for _n in (1, 2, 3):
    op(method=False, lists=True)(at_least(_n))


@op(function=False)
def unfold(self: Tensor, dimension: int, size: int, step: int) -> Any:
    """Windows of ``size`` elements, ``step`` apart, along a dimension; each is along a last one."""
    axis = dim_of(dimension, self.ndim)
    length = self.shape[axis] if self.ndim else 1
    if size > length:
        raise RuntimeError(f"maximum size for tensor at dimension {axis} is {length} but size is {size}")
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    return call(windows.unfold, self, axis, size, step) if self.ndim else self.reshape(1)[:size]


@op()
def as_strided(self: Tensor, size: Any, stride: Any, storage_offset: int | None = None) -> Any:
    """A window on the memory of the tensor, told by sizes, strides and an offset in elements."""
    if len(size) != len(stride):
        raise RuntimeError("mismatch in length of strides and shape")
    own = windows.geometry(self._array)
    offset = own[2] if storage_offset is None else storage_offset
    return call(windows.as_strided, self, tuple(size), tuple(stride), offset, own)
