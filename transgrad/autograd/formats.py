"""torch's memory formats: the orders in which the dimensions of an array may lie in memory."""
from __future__ import annotations

from typing import Any

import numpy as np

from .layouts import channels_last, in_order
from .tensor import Tensor

__all__ = ["FORMATS", "ROWS", "arranged", "in_format", "is_taken_for", "lies_in", "memory_format"]

class memory_format(str):
    """An order of dimensions in memory, as `torch.channels_last` is one."""

    __slots__ = ()
    __repr__ = str.__str__


FORMATS = {name: memory_format(f"torch.{name}") for name in ("contiguous_format", "preserve_format", "channels_last", "channels_last_3d")}
ROWS = "torch.contiguous_format"
KEPT = "torch.preserve_format"
#: the dimensions from the one that varies slowest, where channels vary fastest
_LAST = {"torch.channels_last": (0, 2, 3, 1), "torch.channels_last_3d": (0, 2, 3, 4, 1)}
Array = np.ndarray[Any, Any]


def lies_in(array: Array, memory_format: Any) -> bool:
    """Return whether an array fills its memory in a format."""
    order = _LAST.get(memory_format)
    if order is None:
        return bool(array.flags.c_contiguous)
    return array.ndim == len(order) and bool(array.transpose(order).flags.c_contiguous)


def is_taken_for(array: Array, memory_format: Any) -> bool:
    """Return whether the strides of an array are those that torch takes for a format, gaps or not."""
    return memory_format is None or memory_format == KEPT or channels_last(array) == (_LAST.get(memory_format) is not None)


def arranged(array: Array, memory_format: Any) -> Array:
    """The array in a format: itself where it lies so, or where none is asked for.

    Raises
    ------
    RuntimeError
        If the format is one of arrays of another number of dimensions.
    """
    order = _LAST.get(memory_format)
    if order is None:
        return np.ascontiguousarray(array).reshape(array.shape) if memory_format == ROWS else array
    if array.ndim != len(order):
        raise RuntimeError(f"required rank {len(order)} tensor to use {memory_format.rpartition('.')[2]} format")
    return in_order(array, order[::-1])


def in_format(copy: Tensor, memory_format: Any) -> Tensor:
    """A copy that has just been made, in a format."""
    if memory_format is not None and type(copy) is Tensor:
        copy._array = arranged(copy._array, memory_format)
    return copy
