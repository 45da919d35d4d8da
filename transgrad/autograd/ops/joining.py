"""Tensors joined, and a tensor taken apart."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import dispatch
from ..functions import shape, windows
from ..tensor import Tensor, wrap
from ..warned import warn_once
from .arguments import dim_of
from .table import Call, call, op

Tensors = Sequence[Tensor]


def sparse(name: str, tensors: Sequence[Any], dim: int) -> Any:
    """What sparse Tensors are joined to."""
    from ..sparse import shapes
    return getattr(shapes, name)(tensors, dim)


def vector(x: Tensor) -> None:
    """RuntimeError for more or less than one dimension."""
    if x.ndim != 1:
        raise RuntimeError(f"Expect a 1D vector, but got shape {list(x.shape)}")


def listed(tensors: Tensors, name: str) -> list[Tensor]:
    """The tensors as a list; TypeError for anything else than tensors."""
    if not isinstance(tensors, (tuple, list)):
        raise TypeError(f"{name}(): argument 'tensors' (position 1) must be tuple of Tensors, not {type(tensors).__name__}")
    for k, x in enumerate(tensors):
        if not isinstance(x, Tensor):
            raise TypeError(f"expected Tensor as element {k} in argument 0, but got {type(x).__name__}")
    if not tensors:
        if name == "stack":
            raise RuntimeError("stack expects a non-empty TensorList")
        raise ValueError(f"{name}(): expected a non-empty list of Tensors")
    return list(tensors)


def joined(fn: Any, parts: list[Tensor], axis: int) -> Call:
    """The call that joins tensors in the dtype that they meet in, each of which gets its gradient in its own."""
    return Call(fn, (parts, axis), {}, None if len({x._array.dtype for x in parts}) == 1 else False)


@op("concat", "concatenate", method=False, lists=True)
def cat(tensors: Tensors, dim: int = 0) -> Any:
    """Tensors one after another along a dimension."""
    parts = listed(tensors, "torch.cat")
    if parts[0].is_sparse:
        return sparse("cat", parts, dim)
    shapes = {x._array.shape for x in parts}
    if len(shapes) == 1 and () not in shapes:
        return joined(np.concatenate, parts, dim_of(dim, parts[0]._array.ndim))
    if () in shapes:
        raise RuntimeError(f"zero-dimensional tensor (at position {[x.ndim for x in parts].index(0)}) cannot be concatenated")
    ndim = max(x.ndim for x in parts)
    kept = [x for x in parts if x.ndim == ndim or x.numel()] if ndim > 1 else parts    # torch lets an empty vector join anything
    axis = dim_of(dim, ndim)
    for k, x in enumerate(kept):
        if x.ndim != kept[0].ndim:
            raise RuntimeError(f"Tensors must have same number of dimensions: got {kept[0].ndim} and {x.ndim}")
        for d, (n, m) in enumerate(zip(x.shape, kept[0].shape)):
            if n != m and d != axis:
                raise RuntimeError(f"Sizes of tensors must match except in dimension {axis}. Expected size {m} but got size {n} for tensor "
                                   f"number {k} in the list.")
    return joined(np.concatenate, kept, axis)


@op(method=False, lists=True)
def stack(tensors: Tensors, dim: int = 0) -> Any:
    """Tensors of one shape along a new dimension."""
    parts = listed(tensors, "stack")
    if parts[0].is_sparse:
        return sparse("stack", parts, dim)
    shape = parts[0]._array.shape
    for k, x in enumerate(parts):
        if x._array.shape != shape:
            raise RuntimeError(f"stack expects each tensor to be equal size, but got {list(parts[0].shape)} at entry 0 and "
                               f"{list(x.shape)} at entry {k}")
    return joined(np.stack, parts, dim_of(dim, len(shape) + 1))


def some(name: str, tensors: Tensors) -> Tensors:
    """The tensors; raises RuntimeError if there are none."""
    if not len(tensors):
        raise RuntimeError(f"{name} expects a non-empty TensorList")
    return tensors


@op(method=False, lists=True)
def hstack(tensors: Tensors) -> Any:
    """Tensors side by side."""
    from .table import FUNCTIONS
    parts = [FUNCTIONS["atleast_1d"](x) for x in some("hstack", tensors)]
    return cat(parts, 0 if parts[0].ndim == 1 else 1)


@op("row_stack", method=False, lists=True)
def vstack(tensors: Tensors) -> Any:
    """Tensors as rows."""
    from .table import FUNCTIONS
    return cat([FUNCTIONS["atleast_2d"](x) for x in some("vstack", tensors)], 0)


@op(method=False, lists=True)
def dstack(tensors: Tensors) -> Any:
    """Tensors along a third dimension."""
    from .table import FUNCTIONS
    return cat([FUNCTIONS["atleast_3d"](x) for x in some("dstack", tensors)], 2)


@op(method=False, lists=True)
def column_stack(tensors: Tensors) -> Any:
    """Vectors as columns."""
    return cat([x.reshape(-1, 1) if x.ndim <= 1 else x for x in tensors], 1)


@op(method=False, lists=True)
def block_diag(*tensors: Tensor) -> Any:
    """A matrix with matrices along its diagonal."""
    for k, x in enumerate(listed(list(tensors), "block_diag")):
        if x.ndim > 2:
            raise RuntimeError(f"torch.block_diag: Input tensors must have 2 or fewer dimensions. Input {k} has {x.ndim} dimensions")
    return Call(windows.block_diag, (listed(list(tensors), "block_diag"),), {}, False)


def pieces(self: Tensor, ends: Sequence[int], dim: int) -> tuple[Tensor, ...]:
    """The parts of a dimension up to each of the ends."""
    starts = [0, *ends[:-1]]
    return tuple(dispatch.apply(shape.slice_, self, dim, min(a, b), b, 1) for a, b in zip(starts, ends))


def not_a_number(who: str, self: Tensor) -> None:
    """RuntimeError for a tensor without dimensions."""
    if not self.ndim:
        raise RuntimeError(f"{who} at least a 1-dimensional tensor, but got a tensor with 0 dims")


@op()
def split(self: Tensor, split_size_or_sections: Any = None, dim: int = 0, *, split_size: Any = None) -> Any:
    """Parts of a size, or of given sizes, along a dimension."""
    size = split_size if split_size_or_sections is None else split_size_or_sections
    not_a_number("split expects", self)
    axis = dim_of(dim, self.ndim)
    if isinstance(size, int):
        if size <= 0:
            raise RuntimeError(f"split expects split_size be non-negative, but got split_size={size}")
        return call(shape.split, self, size, axis)
    return split_with_sizes(self, size, dim)


@op()
def split_with_sizes(self: Tensor, split_sizes: Sequence[int], dim: int = 0) -> Any:
    """Parts of given sizes along a dimension."""
    not_a_number("split expects", self)
    axis, sizes = dim_of(dim, self.ndim), [int(n) for n in split_sizes]
    if sum(sizes) != self.shape[axis]:
        raise RuntimeError(f"split_with_sizes expects split_sizes to sum exactly to {self.shape[axis]} (input tensor's size at dimension "
                           f"{axis}), but got split_sizes={sizes}")
    return call(shape.split_with_sizes, self, tuple(sizes), axis)


@op()
def chunk(self: Tensor, chunks: int, dim: int = 0) -> Any:
    """At most so many parts of one size along a dimension."""
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    not_a_number("chunk expects", self)
    axis = dim_of(dim, self.ndim)
    if not self.shape[axis]:
        return call(shape.split_with_sizes, self, (0,) * chunks, axis)
    return call(shape.split, self, -(-self.shape[axis] // chunks), axis)


@op()
def tensor_split(self: Tensor, indices_or_sections: Any, dim: int = 0) -> Any:
    """So many parts of about one size, or parts up to given places, along a dimension."""
    not_a_number("tensor_split expected", self)
    axis = dim_of(dim, self.ndim)
    n = self.shape[axis]
    if isinstance(indices_or_sections, Tensor):
        indices_or_sections = indices_or_sections.tolist()
    if isinstance(indices_or_sections, int):
        each, longer = divmod(n, indices_or_sections)
        lengths = [each + (k < longer) for k in range(indices_or_sections)]
        ends = [int(e) for e in np.cumsum(lengths)]
    else:
        ends = [slice(None, k).indices(n)[1] for k in indices_or_sections] + [n]
    return pieces(self, ends, axis)


def even(name: str, self: Tensor, parts: Any, dim: int, ndim: int) -> Any:
    """`tensor_split`, where a number of parts has to divide the length."""
    if self.ndim < ndim:
        raise RuntimeError(f"torch.{name} requires a tensor with at least {ndim} dimension, but got a tensor with {self.ndim} dimensions!")
    if isinstance(parts, int) and (parts <= 0 or self.shape[dim] % parts):
        raise RuntimeError(f"torch.{name} attempted to split along dimension {dim}, but the size of the dimension {self.shape[dim]} is not "
                           f"divisible by the split_size {parts}!")
    return tensor_split(self, parts, dim)


@op()
def hsplit(self: Tensor, indices_or_sections: Any) -> Any:
    """Parts along the second dimension (the first of a vector)."""
    return even("hsplit", self, indices_or_sections, 1 if self.ndim > 1 else 0, 1)


@op()
def vsplit(self: Tensor, indices_or_sections: Any) -> Any:
    """Parts along the first dimension."""
    return even("vsplit", self, indices_or_sections, 0, 2)


@op()
def dsplit(self: Tensor, indices_or_sections: Any) -> Any:
    """Parts along the third dimension."""
    return even("dsplit", self, indices_or_sections, 2, 3)


@op()
def unbind(self: Tensor, dim: int = 0) -> Any:
    """The slices along a dimension."""
    if not self.ndim:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    axis = dim_of(dim, self.ndim)
    return call(shape.unbind, self, axis) if self.shape[axis] else ()


@op(method=False, lists=True)
def broadcast_tensors(*tensors: Any) -> tuple[Tensor, ...]:
    """Tensors in the shape that they broadcast to."""
    given = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)) else tensors
    size = np.broadcast_shapes(*(x._array.shape for x in given))
    return tuple(x if x.shape == size else x.expand(size) for x in given)


@op(method=False, lists=True)
def meshgrid(*tensors: Any, indexing: str | None = None) -> tuple[Tensor, ...]:
    """Grids of the coordinates in vectors, along dimensions in their order (``indexing="ij"``) or with the first two swapped (``"xy"``)."""
    if indexing is None:
        warn_once("torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument ('ij' is what there was).")
        indexing = "ij"
    given = list(tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)) else tensors)
    if indexing not in ("ij", "xy"):
        raise RuntimeError(f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}')
    for x in given:
        if x.ndim > 1:
            raise RuntimeError(f"torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: {x}")
    swapped = indexing == "xy" and len(given) > 1
    if swapped:
        given[:2] = given[1::-1]
    size = tuple(x.numel() for x in given)
    grids = [x.reshape(tuple(-1 if k == n else 1 for k in range(len(given)))).expand(size) for n, x in enumerate(given)]
    if swapped:
        grids[:2] = grids[1::-1]
    return tuple(grids)


@op(method=False, lists=True)
def cartesian_prod(*tensors: Any) -> Any:
    """All combinations of an element of each vector, as rows."""
    given = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)) else tensors
    for x in given:
        vector(x)
    return given[0] if len(given) == 1 else stack([g.flatten() for g in meshgrid(*given, indexing="ij")], 1)


@op(method=False)
def combinations(self: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    """All combinations of ``r`` elements of a vector, as rows."""
    import itertools
    vector(self)
    make = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    places = list(make(range(self.numel()), r))
    return self[wrap(np.array(places, dtype=np.int64).reshape(-1, r))]      # type: ignore[no-any-return]
