"""External arrays of a function on the tape: globals, and the values of closure variables and objects."""
from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

import numpy as np

from ..autograd.tensor import Tensor, wrap

__all__ = ["Outside", "outside_arrays", "tensor_of", "tensors"]


class Outside:
    """The arrays that a function on the tape has come upon, besides its arguments: each is recorded by one Tensor."""

    def __init__(self) -> None:
        self._found: dict[int, tuple[np.ndarray, Tensor, int]] = {}

    def tensor(self, array: np.ndarray) -> Tensor:
        """The Tensor that records an array."""
        found = self._found.get(id(array))
        if found is None:
            made = wrap(array)
            found = self._found[id(array)] = array, made, made._version
        return found[1]

    def written(self) -> list[tuple[np.ndarray, bool]]:
        """The arrays, and whether they were written to."""
        return [(array, tensor._version != version) for array, tensor, version in self._found.values()]

    def tensors(self) -> list[Tensor]:
        """The recording Tensors."""
        return [tensor for _, tensor, _ in self._found.values()]


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


def tensor_of(array: np.ndarray) -> Tensor:
    """The Tensor that records an external array."""
    return wrap(array) if _held.arrays is None else _held.arrays.tensor(array)


def tensors() -> list[Tensor]:
    """The recording Tensors of the current run."""
    return [] if _held.arrays is None else _held.arrays.tensors()
