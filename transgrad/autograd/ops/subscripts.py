"""Subscripts.

A subscript is taken apart as torch does it: numbers, slices, ``None`` and ``...`` make views one after another, from left to
right; the rest, index tensors and masks, is one read.
"""
from __future__ import annotations

from typing import Any

import numpy as np

from .. import dispatch, dtypes
from ..batching import BatchedTensor
from ..functions import indexing, shape
from ..tensor import Tensor, unwrap, wrap
from ..warned import warn

_NUMBERS = (int, np.integer)
_SEQUENCES = (list, tuple, range)


def subscript(self: Tensor, index: Any) -> Tensor:
    """``self[index]``."""
    view, advanced = resolved(self, index)
    if advanced is not None:
        check_places(view, advanced)
        return dispatch.apply(indexing.index, view, advanced)       # type: ignore[no-any-return]
    return dispatch.apply(shape.alias_of, self) if view is self else view


def _sliced(self: Tensor, dim: int, item: slice) -> Tensor:
    """A range of a dimension, as a view."""
    first, last, by = item.indices(self._array.shape[dim])
    end = max(first, last) if by > 0 else last if last >= 0 else None
    return dispatch.apply(shape.slice_, self, dim, first, end, by)      # type: ignore[no-any-return]


def checked(k: int, n: int, dim: int) -> int:
    """A number along a dimension of length ``n``, not negative."""
    if not -n <= k < n:
        raise IndexError(f"index {k} is out of bounds for dimension {dim} with size {n}")
    return int(k + n if k < 0 else k)


def resolved(self: Tensor, index: Any, full: bool = True) -> tuple[Tensor, tuple[Any, ...] | None]:
    """The view that a subscript starts with, and the tensors it goes on with (None: there are none), as NumPy takes them.

    ``full`` says that a slice of all of the tensor is a view as well. The values of the tensors are not checked (`check_places`).
    """
    ndim = self._array.ndim
    if ndim and type(index) is slice:
        whole = not full and index.indices(self._array.shape[0]) == (0, self._array.shape[0], 1)
        return self if whole else _sliced(self, 0, index), None
    if ndim and type(index) is int:
        return dispatch.apply(shape.select, self, 0, checked(index, self._array.shape[0], 0)), None
    several = _is_several(index)
    items = list(index) if several or isinstance(index, tuple) else [index]
    if several:
        warn("Using a non-tuple sequence for multidimensional indexing is deprecated; use x[tuple(seq)] instead of x[seq], or "
             "x[torch.tensor(seq)] for a table of places.")
    used = sum(_takes(i) for i in items)
    if used > self._array.ndim:
        raise _too_many(self._array.ndim, items)
    advanced: list[Any] = []
    view, dim, gone, some = self, 0, 0, False      # how many dimensions there are so far, and were selected away
    for item in items:
        if item is Ellipsis:
            skipped = self._array.ndim - used
            advanced += [slice(None)] * skipped
            dim += skipped
        elif item is None:
            view = dispatch.apply(shape.unsqueeze, view, dim)
            advanced.append(slice(None))
            dim += 1
        elif _is_flag(item):
            view = dispatch.apply(shape.unsqueeze, view, dim)
            advanced.append(wrap(np.full(1, bool(unwrap(item)))))
            dim += 1
            some = True
        elif _is_place(item):
            place = item.__index__()
            view = dispatch.apply(shape.select, view, dim, checked(place, view._array.shape[dim], dim + gone))
            gone += 1
        elif isinstance(item, slice):
            if full and len(items) == 1 or item.indices(view._array.shape[dim]) != (0, view._array.shape[dim], 1):
                view = _sliced(view, dim, item)
            advanced.append(slice(None))
            dim += 1
        else:
            array = _table(item)
            advanced.append(array)
            dim += array.ndim if array.dtype == bool else 1
            some = True
    return view, tuple(advanced) if some else None


def _too_many(ndim: int, items: list[Any]) -> IndexError:
    """The error for more subscripts than dimensions."""
    if ndim == 0 and len(items) == 1 and isinstance(items[0], slice):
        return IndexError("slice() cannot be applied to a 0-dim tensor.")
    if ndim == 0 and len(items) == 1 and isinstance(items[0], _NUMBERS):
        if items[0]:
            return IndexError(f"index {items[0]} is out of bounds for dimension 0 with size 0")
        return IndexError("invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a 0-dim "
                          "tensor to a number")
    return IndexError(f"too many indices for tensor of dimension {ndim}")


def _is_several(index: Any) -> bool:
    """Whether a list is one of subscripts rather than of places: a short one that holds something else than numbers, as torch has it."""
    return isinstance(index, list) and len(index) < 32 and any(
        i is None or i is Ellipsis or isinstance(i, (Tensor, np.ndarray, slice, *_SEQUENCES)) for i in index)


def _is_flag(item: Any) -> bool:
    """Return whether it is one boolean, which makes a dimension of size 1 or 0."""
    return isinstance(item, (bool, np.bool_)) or isinstance(item, (Tensor, np.ndarray)) and item.ndim == 0 and unwrap(item).dtype == bool


def _is_place(item: Any) -> bool:
    """Return whether it is one integer."""
    if isinstance(item, BatchedTensor):     # another one for each example
        return False
    return isinstance(item, _NUMBERS) or isinstance(item, (Tensor, np.ndarray)) and item.ndim == 0 and unwrap(item).dtype.kind in "iu"


def _takes(item: Any) -> int:
    """How many dimensions an item of a subscript stands for."""
    if item is None or item is Ellipsis or _is_flag(item):
        return 0
    array = unwrap(item)
    return int(array.ndim) if isinstance(array, np.ndarray) and array.dtype == bool and array.ndim else 1


def places_of(item: Any) -> Any:
    """A tensor or list of places, or a mask, as a tensor."""
    array = _table(item)
    _check_kind(array)
    return array


def check_places(view: Tensor, advanced: tuple[Any, ...]) -> None:
    """IndexError for tensors that are no places of the view, and for masks that do not have its sizes."""
    dim = 0
    for array in advanced:
        mask = not isinstance(array, slice) and array.dtype == bool
        if mask:
            _check_mask(array, view._array.shape, dim)
        elif not isinstance(array, slice):
            _check_kind(array)
        dim += array.ndim if mask else 1


def _check_kind(array: Any) -> None:
    if array.dtype.kind not in "iub":
        raise IndexError("tensors used as indices must be long, int, byte or bool tensors")


def _table(item: Any) -> Any:
    """A tensor or list as a tensor: of bytes a mask."""
    if isinstance(item, Tensor):
        array: Any = item
    elif isinstance(item, np.ndarray):
        array = wrap(item)
    elif isinstance(item, _SEQUENCES):
        listed = np.array([unwrap(i) for i in item])
        array = wrap(listed.astype(np.int64) if not listed.size else listed)
    else:
        kind = TypeError if isinstance(item, str) else IndexError
        raise kind("only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got "
                   f"{type(item).__name__})")
    if array.dtype != np.uint8:
        return array
    warn("indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead.")
    return array.to(np.dtype(bool))


def _check_mask(mask: Any, size: tuple[int, ...], dim: int) -> None:
    """Check that a mask has the sizes of the masked dimensions."""
    for k, n in enumerate(mask.shape):
        if n != size[dim + k]:
            raise IndexError(f"The shape of the mask {list(mask.shape)} at index {k} does not match the shape of the indexed tensor "
                             f"{list(size)} at index {dim + k}")


def matching(self: Tensor, values: Any) -> None:
    """RuntimeError for values of another dtype than the tensor they are put into."""
    if isinstance(values, Tensor) and values.dtype != self.dtype:
        raise RuntimeError(f"Index put requires the source and destination dtypes match, got {dtypes.title(self.dtype)} for the "
                           f"destination and {dtypes.title(values.dtype)} for the source.")
