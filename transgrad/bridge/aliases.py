"""Objects and tables of the user's, as a function on the tape sees them: with methods and functions that run there.

An object stays itself, for programs ask who it is; while it is seen its class is a subclass of its own.
"""
from __future__ import annotations

import abc
import sys
import threading
import types
from collections.abc import Callable, Iterator, MutableMapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..pickling import reentrant_lock
from .array import TapedArray
from .classes import COPY_OF
from .held import NAMESPACES, NUMBERS, Sight, is_container, settle_fields
from .outside import recorded

__all__ = ["Table", "array_seen", "array_subclass", "contents", "fill", "is_table", "objects", "of_users", "private_cell", "reading",
           "run_token", "seen", "subclass"]

Lens = Callable[[Any], Any]
_NOT_THEIRS = frozenset(sys.stdlib_module_names) - {"__main__"} | {"numpy", "scipy", "transgrad", "builtins"}


class _Seen(threading.local):
    """The objects that the runs of a thread have seen, the innermost run last."""

    def __init__(self) -> None:
        self.runs: list[Sight] = []


_seen = _Seen()
_lock = reentrant_lock()
#: each object that is seen by anyone, with its own class and by how many runs
_held: dict[int, tuple[Any, type, int]] = {}


def of_users(cls: type) -> bool:
    """Whether a class is one of the user's or of a library's that knows nothing of derivatives."""
    root = (cls.__module__ or "").split(".")[0]
    return root not in _NOT_THEIRS and not root.startswith("_cython_")


@contextmanager
def objects(plain: Callable[[TapedArray], Any]) -> Iterator[None]:
    """Allow objects and containers to be seen in the body; afterwards they are as before, with plain values for those that were stored.

    A run inside another one leaves this to the outer run, which may own the recorded values.
    """
    _seen.runs.append(Sight())
    try:
        yield
    finally:
        sight = _seen.runs.pop()
        if _seen.runs:
            sight.hand_over(_seen.runs[-1])
        else:
            _restore(sight, plain)


def _restore(sight: Sight, plain: Lens) -> None:
    for key, value in sight.objects.items():
        with _lock:
            _, cls, count = _held.pop(key)
            if count > 1:
                _held[key] = value, cls, count - 1
            else:
                object.__setattr__(value, "__class__", cls)
    met: dict[int, Any] = {}
    for value in sight.objects.values():
        settle_fields(value, lambda item: sight.back(item, plain, met))
    sight.restore(plain)


def seen(value: Any, lens: Lens) -> Any:
    """The object itself, whose methods run on the tape from now on, where it has a state of the usual kind."""
    key = id(value)
    if not _seen.runs or any(key in run.objects for run in _seen.runs):
        return value
    with _lock:
        _, cls, count = _held.get(key, (value, type(value), 0))
        if COPY_OF in vars(cls):        # it was made on the tape
            return value
        if not count:
            try:
                object.__setattr__(value, "__class__", lens(cls))
            except (TypeError, AttributeError):     # it is laid out in another way
                return value
        _held[key] = value, cls, count + 1
    _seen.runs[-1].objects[key] = value
    return value


def array_seen(value: Any, lens: Lens) -> Any:
    """The recorded array that stands for an instance of a subclass of ``np.ndarray``, with the same attributes."""
    cls = lens(type(value))
    if not issubclass(cls, TapedArray):
        return value
    seen = recorded(value, cls)
    if getattr(value, "__dict__", None) is not None and seen.__dict__ is not value.__dict__:
        object.__setattr__(seen, "__dict__", contents(value.__dict__, lens))
    return seen


def contents(value: Any, lens: Lens) -> Any:
    """A container whose items are seen through the lens during the run."""
    key = id(value)
    if not _seen.runs or any(key in run.containers for run in _seen.runs):
        return value
    return _seen.runs[-1].contents(value, lens)


def private_cell(cell: types.CellType) -> tuple[types.CellType, bool]:
    """The cell that stands for a closure cell during the run, the same one for all functions that share it; whether it is new."""
    for run in _seen.runs:
        if id(cell) in run.cells:
            return run.cells[id(cell)][1], False
    private = types.CellType()
    if _seen.runs:
        _seen.runs[-1].cells[id(cell)] = cell, private, None
    return private, True


def fill(cell: types.CellType, private: types.CellType, lens: Lens) -> None:
    """Copy the contents of a closure cell, seen through the lens, into its private replacement."""
    private.cell_contents = found = lens(cell.cell_contents)
    if _seen.runs:
        _seen.runs[-1].cells[id(cell)] = cell, private, found


def run_token() -> object:
    """What tells the outermost run under way from others; None outside of a run."""
    return _seen.runs[0].token if _seen.runs else None


#: the classes of attributes that need no lens
_AS_THEY_ARE = NUMBERS | {TapedArray, types.MethodType, types.BuiltinFunctionType, types.BuiltinMethodType, types.ModuleType}


def reading(cls: type, lens: Lens) -> Callable[[Any, str], Any]:
    """``__getattribute__`` of the subclass: what an instance holds is seen through the lens, too."""
    read: Any = cls.__getattribute__

    def reads(self: Any, name: str) -> Any:
        found = read(self, name)
        kind = type(found)
        if kind in _AS_THEY_ARE or kind is np.ndarray and name not in getattr(self, "__dict__", ()) and not isinstance(type(self), _Copied):
            return found        # an array of a class, which another metaclass returns unchanged
        return _attribute(found, lens)
    return reads


def _attribute(found: Any, lens: Lens) -> Any:
    kind = type(found)
    if kind is types.FunctionType or is_container(found) or kind in NAMESPACES:
        return lens(found)
    if issubclass(kind, np.ndarray):
        new = lens(found)
        if _seen.runs:
            _seen.runs[-1].note(new, found)
        return new
    return lens(found) if not isinstance(found, type) and of_users(kind) else found


def is_table(value: Any) -> bool:
    """Whether a dict is one of functions or classes."""
    return type(value) is dict and bool(value) and all(isinstance(v, (types.FunctionType, type)) for v in value.values())


#: typed by nothing: dict and MutableMapping declare the same methods in other words
_Dict: Any = dict


class Table(MutableMapping[Any, Any], _Dict):      # type: ignore[misc]
    """A dict of functions, which run on the tape. Every change, by any method, is applied to the original dict too."""

    __len__, __iter__, __reversed__ = _Dict.__len__, _Dict.__iter__, _Dict.__reversed__

    def __init__(self, held: dict[Any, Any], lens: Lens):
        _Dict.__init__(self, held)
        self.held, self.lens = held, lens

    def __getitem__(self, key: Any) -> Any:
        return self.lens(_Dict.__getitem__(self, key))

    def __setitem__(self, key: Any, value: Any) -> None:
        self.held[key] = value
        _Dict.__setitem__(self, key, value)

    def __delitem__(self, key: Any) -> None:
        del self.held[key]
        _Dict.__delitem__(self, key)


class _Base:
    """Placeholder for the bases of a class during its construction."""


class _Copied(type):
    """The class of copies of classes: a copy is found where the class itself is looked for, among the keys of a table say."""

    def __eq__(cls, other: object) -> bool:
        return other is vars(cls).get(COPY_OF, cls) or other is cls

    def __hash__(cls) -> int:
        return hash(vars(cls)[COPY_OF]) if COPY_OF in vars(cls) else type.__hash__(cls)

    def __getattribute__(cls, name: str) -> Any:
        found = super().__getattribute__(name)
        if not (type(found) is np.ndarray or is_container(found)) or name.startswith("__") and name.endswith("__"):
            return found
        from .lift import lifted  # which makes the copies, and imports this module
        return _attribute(found, lifted)


class _CopiedABC(_Copied, abc.ABCMeta):
    """The class of copies of abstract classes."""


def array_subclass(name: str, bases: tuple[type, ...], space: dict[str, Any]) -> type:
    """The copy of a subclass of ``np.ndarray``."""
    return _Copied(name, bases, space)


def subclass(cls: type, space: dict[str, Any]) -> type:
    """A subclass of ``cls``; nothing of the user's learns of it (``__init_subclass__``, a metaclass), for it may keep a register."""
    meta = type(cls)
    plain: Any = _CopiedABC if issubclass(meta, abc.ABCMeta) else _Copied
    hook = next(base for base in cls.__mro__ if "__init_subclass__" in vars(base))
    if meta in (type, abc.ABCMeta) and not of_users(hook):      # that of typing.Generic keeps no register
        return types.new_class(cls.__name__, (cls,), {"metaclass": plain}, lambda names: names.update(space))
    made: type = plain.__new__(meta, cls.__name__, (_Base,), space)
    made.__bases__ = (cls,)
    return made
