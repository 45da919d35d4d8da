"""The values inside a function under `vmap`: Tensors that do not show the dimension they are mapped over."""
from __future__ import annotations

import threading
from typing import Any, NoReturn

import numpy as np

from ..state import STATE
from ..tensor import Tensor

__all__ = ["BatchedTensor", "Level", "current_levels", "escaped", "mapped_at", "over", "under"]

_CONTROL_FLOW = ("vmap: It looks like you're attempting to use a Tensor in some data-dependent control flow. That has no meaning for a "
                 "whole batch; use `where` instead.")
_ITEM = ("vmap: It looks like you're calling .item() on a Tensor. A whole batch is not one number; use operations on Tensors instead.")
_POINTER = ("Cannot access data pointer of Tensor that doesn't have storage: inside vmap a Tensor stands for a batch of them and is no "
            "array. Use operations on Tensors.")


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
    return RuntimeError("Your tensor may have escaped from inside a function being vmapped: it stands for a batch that is no more. Return "
                        "it from the function instead.")


def _refuse(x: Any, *_: Any, **__: Any) -> NoReturn:
    level = getattr(x, "level", None)
    raise RuntimeError(_POINTER) if level is None or level.open else escaped()


_OF_SHAPE = frozenset((np.ndim, np.shape, np.size, np.iscomplexobj, np.isrealobj, np.result_type, np.may_share_memory))


class _NoNumbers(np.ndarray[Any, Any]):
    """What a batched Tensor has for an array: a shape and a dtype; its elements are nobody's (NaN where there is such)."""

    level: Level | None = None
    __array_ufunc__ = __getitem__ = __setitem__ = __iter__ = tolist = copy = astype = tobytes = _refuse

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return super().__array_function__(func, types, args, kwargs) if func in _OF_SHAPE else _refuse(self)

    def __bool__(self) -> NoReturn:
        raise RuntimeError(_CONTROL_FLOW)

    def item(self, *_: Any) -> NoReturn:
        raise RuntimeError(_ITEM)

    def refuse(self) -> NoReturn:
        """Asked by who would make a Tensor of it."""
        _refuse(self)


def _no_numbers(shape: tuple[int, ...], dtype: np.dtype[Any], level: Level) -> np.ndarray[Any, Any]:
    nothing = np.full((), np.nan if dtype.kind in "fcV" else np.iinfo(dtype).min if dtype.kind in "iu" else 0, dtype)
    made = np.broadcast_to(nothing, shape).view(_NoNumbers)
    made.level = level
    return made


class BatchedTensor(Tensor):
    """A Tensor that stands for ``level.size`` of them, which lie along the first dimension of ``physical``.

    ``given`` is what the user gave to be mapped over, and the dimension.
    """

    __slots__ = ("given", "level", "physical")
    given: tuple[Tensor, int]
    level: Level
    physical: Tensor

    def __init__(self, physical: Tensor, level: Level, given: tuple[Tensor, int] | None = None):
        self.physical, self.level, self.given = physical, level, given or (physical, 0)
        self._array = _no_numbers(tuple(physical.shape)[1:], physical.dtype, level)
        self._edge = self._counter = self._view = self._grad = self._more = None

    def __repr__(self) -> str:
        value = "\n".join(f"    {line}" for line in repr(self.given[0]).splitlines())
        return f"BatchedTensor(lvl={self.level.number}, bdim={self.given[1]}, value=\n{value}\n)"

    @property
    def _memory(self) -> np.ndarray[Any, Any]:
        return self.physical._memory

    def __bool__(self) -> NoReturn:
        raise RuntimeError(_CONTROL_FLOW)

    def item(self) -> NoReturn:
        raise RuntimeError(_ITEM)

    def numpy(self, *, force: bool = False) -> NoReturn:
        raise RuntimeError(_POINTER)

    __array__ = tolist = _refuse

    def become(self, other: "BatchedTensor") -> "BatchedTensor":
        """Stands for the same as another from now on."""
        self.physical, self.given, self._array = other.physical, other.given, other._array
        return self

    def detach(self) -> "BatchedTensor":
        """The same batch, without history."""
        return BatchedTensor(self.physical.detach(), self.level)

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
    """``x`` with the examples of ``level`` along its first dimension, the same ones where it is the same for all."""
    if isinstance(x, BatchedTensor):
        return x.physical if x.level is level else BatchedTensor(under(x.physical, level).transpose(0, 1), x.level)
    if STATE.level:
        from .duals import batch_of
        x = batch_of(x, level, STATE.level)
    return x.physical if isinstance(x, BatchedTensor) else x.expand(level.size, *x.shape)


def mapped_at(x: Any, level: Level) -> bool:
    """Whether ``x`` has the dimension that ``level`` maps over."""
    return isinstance(x, BatchedTensor) and x.level is level
