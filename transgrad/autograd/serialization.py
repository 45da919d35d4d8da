"""Tensors saved to files and loaded again, by pickle."""
from __future__ import annotations

import contextlib
import copy
import os
import pickle
from collections.abc import Iterator
from typing import IO, Any

import numpy as np

from .size import Size
from .tensor import Tensor, wrap

__all__ = ["load", "save"]

_MAGIC = b"transgrad\x01"


@contextlib.contextmanager
def _opened(f: Any, mode: str) -> Iterator[IO[bytes]]:
    if isinstance(f, (str, os.PathLike)):
        with open(f, mode) as file:
            yield file
    else:
        yield f


def save(obj: Any, f: Any, **options: Any) -> None:
    """Write tensors, or anything made of them that can be pickled, to a file.

    Parameters
    ----------
    obj : object
        The object to save.
    f : str, path or binary file
        Where to.
    """
    with _opened(f, "wb") as file:
        file.write(_MAGIC)
        pickle.dump(obj, file, protocol=4)


def load(f: Any, map_location: Any = None, *, weights_only: bool = True, **options: Any) -> Any:
    """Read what `save` wrote.

    Parameters
    ----------
    f : str, path or binary file
        Where from.
    weights_only : bool
        Whether nothing but tensors, numbers, strings and containers of them may be in the file: a pickle of anything else can run
        code when it is read.

    Raises
    ------
    RuntimeError
        If the file was not written by `save`.
    pickle.UnpicklingError
        If there is something else in it than ``weights_only`` allows.
    """
    with _opened(f, "rb") as file:
        if file.read(len(_MAGIC)) != _MAGIC:
            raise RuntimeError("not a file that transgrad's save wrote; files of PyTorch are read by PyTorch: np.save what you need there")
        return _Restricted(file).load() if weights_only else pickle.load(file)


class _Restricted(pickle.Unpickler):
    """Reads containers of tensors and numbers, and no other classes."""

    _ALLOWED = {
        ("collections", "OrderedDict"), ("collections", "defaultdict"), ("builtins", "set"), ("builtins", "complex"), ("builtins", "slice"),
        ("numpy", "dtype"), ("numpy", "ndarray"), ("numpy._core.multiarray", "_reconstruct"), ("numpy._core.multiarray", "scalar"),
        ("numpy.core.multiarray", "_reconstruct"), ("numpy.core.multiarray", "scalar"), ("numpy._core.numeric", "_frombuffer"),
        ("ml_dtypes", "bfloat16"), (__name__, "restored"), (Size.__module__, Size.__name__),
    }

    def find_class(self, module: str, name: str) -> Any:
        """The class of that name, if it is allowed."""
        if (module, name) not in self._ALLOWED:
            raise pickle.UnpicklingError(f"Weights only load failed: {module}.{name} is not among what may be loaded. If you trust the "
                                         "file, pass weights_only=False.")
        return super().find_class(module, name)


def restored(array: Any, requires_grad: bool) -> Tensor:
    """A tensor that was pickled."""
    return wrap(array).requires_grad_(requires_grad)


def reduced(self: Tensor, protocol: Any) -> Any:
    """What pickle writes of a tensor: its elements, whether it requires grad, and the user's attributes; its history is left behind."""
    return restored, (self._array, self.requires_grad), self.__dict__ or None


def deep_copied(self: Tensor, memo: dict[Any, Any]) -> Tensor:
    """``copy.deepcopy``: a leaf of new memory, with a copy of its ``.grad``."""
    if id(self) in memo:
        return memo[id(self)]       # type: ignore[no-any-return]
    if not self.is_leaf:
        raise RuntimeError("Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment: "
                           "copy a detached one")
    made = memo[id(self)] = wrap(_memory_copied(self._array, memo)).requires_grad_(self.requires_grad)
    if self._grad is not None:
        made.grad = deep_copied(self._grad, memo)
    made.__dict__.update(copy.deepcopy(self.__dict__, memo))
    return made


def _memory_copied(array: Any, memo: dict[Any, Any]) -> Any:
    """An array on new memory, which is shared with the copies of what shared the old."""
    from .functions.windows import memory
    try:
        row = memory(array)
    except RuntimeError:        # memory with gaps, which nothing else can have been told of
        return array.copy(order="K")
    if not array.size or min(array.strides, default=0) < 0:
        return array.copy(order="K")
    start = row.__array_interface__["data"][0]
    key = ("memory", start, row.dtype.str)
    if key not in memo and array.base is None:
        made = array.copy(order="K")
        memo[key] = memory(made)
        return made
    copied = memo.setdefault(key, row.copy())
    offset = (array.__array_interface__["data"][0] - start) // array.itemsize
    return np.lib.stride_tricks.as_strided(copied[offset:], array.shape, array.strides)
