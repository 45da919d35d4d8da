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

from ..pickling import reentrant_lock
from .array import TapedArray
from .classes import COPY_OF, plain_class

__all__ = ["Table", "is_table", "objects", "of_users", "reading", "seen", "settle", "subclass"]

Lens = Callable[[Any], Any]
_NUMBERS = {int, float, bool, complex, str}
_NOT_THEIRS = frozenset(sys.stdlib_module_names) - {"__main__"} | {"numpy", "scipy", "transgrad", "builtins"}


class _Seen(threading.local):
    """The objects that the runs of a thread see, the innermost run last."""

    def __init__(self) -> None:
        self.runs: list[dict[int, Any]] = []


_seen = _Seen()
_lock = reentrant_lock()
#: each object that is seen by anyone, with its own class and by how many runs
_held: dict[int, tuple[Any, type, int]] = {}


def of_users(cls: type) -> bool:
    """Whether a class is one of the user's or of a library's that knows nothing of derivatives."""
    return (cls.__module__ or "").split(".")[0] not in _NOT_THEIRS


@contextmanager
def objects(plain: Callable[[TapedArray], Any]) -> Iterator[None]:
    """Allow objects to be seen in the body; afterwards they are as before, with plain values for those that methods have stored."""
    _seen.runs.append({})
    try:
        yield
    finally:
        for key, value in _seen.runs.pop().items():
            with _lock:
                _, cls, count = _held.pop(key)
                if count > 1:
                    _held[key] = value, cls, count - 1
                else:
                    object.__setattr__(value, "__class__", cls)
            if not any(key in run for run in _seen.runs):
                state = vars(value)
                for name in [n for n, v in state.items() if isinstance(v, TapedArray)]:
                    state[name] = plain(state[name])
                for item in state.values():
                    settle(item, plain)


def settle(value: Any, plain: Lens, met: set[int] | None = None) -> None:
    """Give instances that were made on the tape, and stay in an object of the user's, the class that the user knows, and plain fields."""
    met = set() if met is None else met
    if id(value) in met:
        return
    if type(value) in (list, tuple, dict):
        met.add(id(value))
        items = value.values() if isinstance(value, dict) else value
        for item in items if {type(item) for item in items} - _NUMBERS else ():
            settle(item, plain, met)
    elif COPY_OF in vars(type(value)):
        met.add(id(value))
        state = getattr(value, "__dict__", {})
        object.__setattr__(value, "__class__", plain_class(type(value)))
        for name, item in list(state.items()):
            if isinstance(item, TapedArray):
                state[name] = plain(item)
            else:
                settle(item, plain, met)


def seen(value: Any, lens: Lens) -> Any:
    """The object itself, whose methods run on the tape from now on, where it has a state of the usual kind."""
    key = id(value)
    if not _seen.runs or any(key in run for run in _seen.runs) or type(getattr(value, "__dict__", None)) is not dict:
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
    _seen.runs[-1][key] = value
    return value


def reading(cls: type, lens: Lens) -> Callable[[Any, str], Any]:
    """``__getattribute__`` of the subclass: functions and objects that an instance holds are seen through the lens, too."""
    read: Any = cls.__getattribute__

    def reads(self: Any, name: str) -> Any:
        found = read(self, name)
        if isinstance(found, types.FunctionType) or not isinstance(found, type) and of_users(type(found)) and hasattr(found, "__dict__"):
            return lens(found)
        return found
    return reads


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


class _CopiedABC(_Copied, abc.ABCMeta):
    """The class of copies of abstract classes."""


def subclass(cls: type, space: dict[str, Any]) -> type:
    """A subclass of ``cls``; nothing of the user's learns of it (``__init_subclass__``, a metaclass), for it may keep a register."""
    meta = type(cls)
    plain: Any = _CopiedABC if issubclass(meta, abc.ABCMeta) else _Copied
    if meta in (type, abc.ABCMeta) and getattr(cls.__init_subclass__, "__func__", None) is None:
        return types.new_class(cls.__name__, (cls,), {"metaclass": plain}, lambda names: names.update(space))
    made: type = plain.__new__(meta, cls.__name__, (_Base,), space)
    made.__bases__ = (cls,)
    return made
