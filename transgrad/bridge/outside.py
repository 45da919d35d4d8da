"""External arrays of a function on the tape: globals, and the values of closure variables and objects."""
from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

import numpy as np

from ..autograd.tensor import Tensor, wrap
from .array import TapedArray, unfollowed

__all__ = ["Outside", "outside_arrays", "recorded", "tensors"]


class Outside:
    """The arrays that a function on the tape has come upon, besides its arguments: each is recorded by one Tensor."""

    def __init__(self) -> None:
        self._found: dict[int, tuple[np.ndarray, TapedArray, int]] = {}
        #: those that are views of others of these
        self._views: dict[int, tuple[np.ndarray, TapedArray]] = {}

    def recorded(self, array: np.ndarray, cls: type[TapedArray] = TapedArray) -> TapedArray:
        """Return the recorded array of an array, the same one each time: programs compare objects by identity."""
        key = id(array)
        if key in self._found:
            return self._found[key][1]
        if key in self._views:
            return self._views[key][1]
        view = self._view(array)
        made = unfollowed(wrap(array.view(np.ndarray) if cls is not TapedArray else array) if view is None else view, cls)
        if view is not None:
            self._views[key] = array, made
        else:
            self._found[key] = array, made, made.tensor._version
        return made

    def _view(self, array: np.ndarray) -> Tensor | None:
        """The Tensor that records a view of another array, as a view of that array's Tensor; None for any other array."""
        root = array
        while isinstance(root.base, np.ndarray):
            root = root.base
        size = array.itemsize
        if root is array or type(root) is not np.ndarray or root.dtype != array.dtype or not root.flags.c_contiguous:
            return None
        if not array.size or any(step < 0 or step % size for step in array.strides):
            return None
        offset, rest = divmod(array.__array_interface__["data"][0] - root.__array_interface__["data"][0], size)
        if rest:
            return None
        found: Tensor = self.recorded(root).tensor.as_strided(array.shape, tuple(s // size for s in array.strides), offset)
        return found

    def written(self) -> list[tuple[np.ndarray, bool]]:
        """The arrays, and whether they were written to."""
        return [(array, seen.tensor._version != version) for array, seen, version in self._found.values()]

    def arrays(self) -> list[tuple[np.ndarray, TapedArray]]:
        """The arrays, and the recorded arrays that represent them."""
        return [*((array, seen) for array, seen, _ in self._found.values()), *self._views.values()]

    def tensors(self) -> list[Tensor]:
        """The recording Tensors."""
        return [seen.tensor for _, seen, _ in self._found.values()]


class _Held(threading.local):
    arrays: Outside | None = None


_held = _Held()


@contextlib.contextmanager
def outside_arrays(fresh: bool = False) -> Iterator[Outside]:
    """Record each array by the same Tensor in the body: that of the enclosing run, unless ``fresh``."""
    outer = _held.arrays
    arrays = _held.arrays = Outside() if outer is None or fresh else outer
    try:
        yield arrays
    finally:
        _held.arrays = outer


def recorded(array: np.ndarray, cls: type[TapedArray] = TapedArray) -> TapedArray:
    """Return the recorded array of an external array, which shares its memory."""
    return (Outside() if _held.arrays is None else _held.arrays).recorded(array, cls)


def tensors() -> list[Tensor]:
    """The recording Tensors of the current run."""
    return [] if _held.arrays is None else _held.arrays.tensors()
