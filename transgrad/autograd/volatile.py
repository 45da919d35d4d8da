"""Volatile tensors: operations on them are not recorded; superseded by no_grad."""
from __future__ import annotations

import weakref
from collections.abc import Sequence

from .deprecated import warn_old_name
from .state import STATE, everywhere
from .tensor import Tensor

__all__ = ["forget", "is_volatile", "make_volatile", "spreads", "volatile"]

#: the marked tensors that there are
_MARKED: dict[int, weakref.ref[Tensor]] = {}
_TODAY = "Use `with torch.no_grad():` instead."


def make_volatile(tensor: Tensor) -> None:
    """Mark a tensor; while there is one, operations of all threads look for the mark."""
    if tensor.requires_grad:
        raise RuntimeError("a tensor that requires grad cannot be volatile")
    _mark(tensor)
    if not STATE.volatile:
        everywhere("volatile", True)


def _mark(tensor: Tensor) -> None:
    key = id(tensor)
    if key not in _MARKED:
        _MARKED[key] = weakref.ref(tensor, lambda _: _unmark(key))
    tensor.__dict__["_volatile"] = True


def _unmark(key: int) -> None:
    """With the last of them operations go their usual way again."""
    _MARKED.pop(key, None)
    if not _MARKED:
        everywhere("volatile", False)


def is_volatile(tensor: Tensor) -> bool:
    """Return whether a tensor is marked."""
    return "_volatile" in tensor.__dict__


def spreads(inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> bool:
    """Mark the outputs if one input is marked, and says so."""
    if not any(map(is_volatile, inputs)):
        return False
    for output in outputs:
        _mark(output)
    return True


def forget(tensor: Tensor) -> None:
    """Take the history from a tensor that a volatile one is written into."""
    if tensor.requires_grad and tensor._view is not None:
        raise RuntimeError("a volatile tensor cannot be written into a view that requires grad. Use `with torch.no_grad():` instead.")
    tensor._edge = None


def _get(self: Tensor) -> bool:
    """Return whether operations on the tensor are not recorded (deprecated: use ``no_grad``)."""
    warn_old_name("volatile", _TODAY)
    return is_volatile(self)


def _set(self: Tensor, value: bool) -> None:
    warn_old_name("volatile", _TODAY)
    if not self.is_leaf:
        raise RuntimeError("volatile can only be set on leaf variables")
    if value:
        make_volatile(self)
    else:
        self.__dict__.pop("_volatile", None)
        _unmark(id(self))


volatile = property(_get, _set)
