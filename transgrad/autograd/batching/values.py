"""The values inside a function under `vmap`: Tensors that do not show the dimension they are mapped over."""
from __future__ import annotations

import math
import threading
from types import SimpleNamespace
from typing import Any, NoReturn

import numpy as np

from ..state import STATE
from ..tensor import Tensor

__all__ = ["BatchedTensor", "Level", "current_levels", "escaped", "mapped_at", "over", "under"]

_CONTROL_FLOW = ("vmap: It looks like you're attempting to use a Tensor in some data-dependent control flow. That has no meaning for a "
                 "whole batch; use `where` instead.")
_ITEM = ("vmap: It looks like you're calling .item() on a Tensor. A whole batch is not one number; use operations on Tensors instead.")
_POINTER = ("Cannot access data pointer of Tensor that doesn't have storage: inside vmap a Tensor represents a batch and has no array. "
            "Use operations on Tensors.")


class Level:
    """One `vmap` that is running.

    Attributes
    ----------
    number : int
        How many are around it, plus one.
    size : int
        The length of the dimension that is mapped over.
    randomness : str
        ``error``, ``different`` or ``same``.
    open : bool
        Whether it still runs.
    """

    __slots__ = ("number", "open", "randomness", "size")

    def __init__(self, number: int, size: int, randomness: str):
        self.number, self.size, self.randomness = number, size, randomness
        self.open = True


class _Levels(threading.local):
    def __init__(self) -> None:
        self.stack: list[Level] = []


_LEVELS = _Levels()


def current_levels() -> list[Level]:
    """The levels of this thread, the innermost last."""
    return _LEVELS.stack


def escaped() -> RuntimeError:
    """The error of a Tensor that has outlived its `vmap`."""
    return RuntimeError("Your tensor may have escaped from inside a function being vmapped: it represents a batch that no longer exists. "
                        "Return it from the function instead.")


_OF_SHAPE: dict[Any, Any] = {
    np.ndim: lambda a: a.ndim, np.shape: lambda a: a.shape, np.size: lambda a: a.size, np.iscomplexobj: lambda a: a.dtype.kind == "c",
    np.isrealobj: lambda a: a.dtype.kind != "c", np.may_share_memory: lambda *_: False, np.shares_memory: lambda *_: False,
    np.result_type: lambda *args: np.result_type(*(a.dtype if type(a) is NoNumbers else a for a in args)),
}


class NoNumbers:
    """The stand-in for the array of a batched Tensor: the shape, dtype and strides of an example; other accesses are refused.

    It is no ndarray, which NumPy would read without asking; to Python it passes for one.
    """

    __slots__ = ("dtype", "level", "ndim", "shape", "size", "strides")
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    __class__ = property(lambda self: np.ndarray)

    def __init__(self, physical: Tensor, level: Level):
        self.shape, self.dtype, self.level = tuple(physical.shape)[1:], physical._array.dtype, level
        self.ndim, self.size = len(self.shape), math.prod(self.shape)
        self.strides = physical._array.strides[1:]

    @property
    def itemsize(self) -> int:
        return int(self.dtype.itemsize)

    @property
    def nbytes(self) -> int:
        return self.size * self.itemsize

    @property
    def flags(self) -> SimpleNamespace:
        expected = tuple(self.itemsize * math.prod(self.shape[k + 1:]) for k in range(self.ndim))
        return SimpleNamespace(c_contiguous=self.strides == expected, writeable=True)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return _OF_SHAPE[func](*args, **kwargs) if func in _OF_SHAPE else self.refuse()

    def __bool__(self) -> NoReturn:
        raise RuntimeError(_CONTROL_FLOW)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of a 0-d tensor")
        return self.shape[0]

    def item(self, *_: Any) -> NoReturn:
        raise RuntimeError(_ITEM)

    def refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise RuntimeError(_POINTER) if self.level.open else escaped()

    __array__ = __array_ufunc__ = __getitem__ = __setitem__ = __iter__ = refuse
    __eq__ = __ne__ = __invert__ = __neg__ = __abs__ = refuse
    __hash__ = object.__hash__

    def __getattr__(self, name: str) -> NoReturn:
        self.refuse()


class BatchedTensor(Tensor):
    """A Tensor that stands for ``level.size`` of them, which lie along the first dimension of ``physical``.

    ``given`` is the user's mapped operand, and its dimension. ``uniform`` says that the examples are equal: only their tangents
    differ.
    """

    __slots__ = ("given", "level", "physical", "uniform")
    uniform: bool
    given: tuple[Tensor, int]
    level: Level
    physical: Tensor

    def __init__(self, physical: Tensor, level: Level, given: tuple[Tensor, int] | None = None):
        self.physical, self.level, self.given = physical, level, given or (physical, 0)
        self.uniform = False
        self._array = NoNumbers(physical, level)        # type: ignore[assignment]
        self._edge = self._counter = self._view = self._grad = self._more = None

    def __repr__(self) -> str:
        value = "\n".join(f"    {line}" for line in repr(self.given[0]).splitlines())
        return f"BatchedTensor(lvl={self.level.number}, bdim={self.given[1]}, value=\n{value}\n)"

    __str__ = __repr__

    @property
    def _memory(self) -> np.ndarray[Any, Any]:
        return self.physical._memory

    def __bool__(self) -> NoReturn:
        raise RuntimeError(_CONTROL_FLOW)

    def item(self) -> NoReturn:
        raise RuntimeError(_ITEM)

    def numpy(self, *, force: bool = False) -> NoReturn:
        raise RuntimeError(_POINTER)

    def _refused(self, *_: Any, **__: Any) -> NoReturn:
        raise RuntimeError(_POINTER)

    __array__ = __reduce_ex__ = data_ptr = tolist = _refused

    def become(self, other: "BatchedTensor") -> "BatchedTensor":
        """Stands for the same as another from now on."""
        self.physical, self.given, self._array, self.uniform = other.physical, other.given, other._array, other.uniform
        return self

    def detach(self) -> "BatchedTensor":
        """The same batch, without history."""
        made = BatchedTensor(self.physical.detach(), self.level)
        made.uniform = self.uniform
        return made

    @property       # type: ignore[misc]
    def data(self) -> NoReturn:     # type: ignore[override]
        raise RuntimeError("accessing `data` under vmap transform is not allowed")

    def requires_grad_(self, requires_grad: bool = True) -> NoReturn:
        raise RuntimeError("You are attempting to call Tensor.requires_grad_() (or perhaps using autograd.functional.* APIs) inside of a "
                           "function under vmap. This is unsupported: call requires_grad_() outside of it.")

    def backward(self, *_: Any, **__: Any) -> NoReturn:
        raise RuntimeError("backward() called inside a function under vmap. This is not supported: call backward() outside of it.")


def over(x: Tensor, level: Level) -> BatchedTensor:
    """The examples of ``level`` that lie along the first dimension of ``x``; `under` undoes it.

    A Tensor that several levels map over has the inner ones outside.
    """
    if isinstance(x, BatchedTensor) and x.level.number > level.number:
        return BatchedTensor(over(x.physical.transpose(0, 1), level), x.level)
    return BatchedTensor(x, level)


def under(x: Tensor, level: Level) -> Tensor:
    """``x`` with the examples of ``level`` along its first dimension; expanded if it is unbatched."""
    if isinstance(x, BatchedTensor):
        return x.physical if x.level is level else BatchedTensor(under(x.physical, level).transpose(0, 1), x.level)
    if STATE.level:
        from .duals import batch_of
        x = batch_of(x, level, STATE.level)
    return x.physical if isinstance(x, BatchedTensor) else x.expand(level.size, *x.shape)


def mapped_at(x: Any, level: Level) -> bool:
    """Return whether ``x`` has the dimension that ``level`` maps over."""
    return isinstance(x, BatchedTensor) and x.level is level
