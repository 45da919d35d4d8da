"""Objects and tables of the user's, as a function on the tape sees them: the same state, with methods and functions that run there."""
from __future__ import annotations

import abc
import sys
import types
import weakref
from collections.abc import Callable
from typing import Any

from .array import TapedArray

__all__ = ["Table", "alias", "is_table", "of_users", "reading", "restore", "subclass"]

Lens = Callable[[Any], Any]
_NOT_THEIRS = frozenset(sys.stdlib_module_names) - {"__main__"} | {"numpy", "scipy", "transgrad", "builtins"}
_aliases: dict[int, tuple[Any, Any]] = {}


def of_users(cls: type) -> bool:
    """Whether a class is one of the user's or of a library's that knows nothing of derivatives."""
    return (cls.__module__ or "").split(".")[0] not in _NOT_THEIRS


def alias(value: Any, cls: type) -> Any:
    """An instance of ``cls``, a subclass of that of ``value`` whose methods run on the tape, with the state of ``value``."""
    held = _aliases.get(id(value))
    if held is not None and held[0]() is value:
        return held[1]
    state = getattr(value, "__dict__", None)
    if cls is type(value) or type(state) is not dict:
        return value
    try:
        made: Any = object.__new__(cls)
        object.__setattr__(made, "__dict__", state)     # the same: what a method assigns is seen by everybody
        key = id(value)
        _aliases[key] = weakref.ref(value, lambda _: _aliases.pop(key, None)), made
    except (TypeError, AttributeError):     # its state is elsewhere
        return value
    return made


def restore(plain: Callable[[TapedArray], Any]) -> None:
    """Turns what methods have put into their objects into plain arrays and numbers."""
    for _, made in list(_aliases.values()):
        state = made.__dict__
        for name in [n for n, v in state.items() if isinstance(v, TapedArray)]:
            state[name] = plain(state[name])


def reading(cls: type, lens: Lens) -> Callable[[Any, str], Any]:
    """``__getattribute__`` of the subclass: functions and objects that an instance holds are seen through the lens, too."""
    read: Any = cls.__getattribute__

    def seen(self: Any, name: str) -> Any:
        found = read(self, name)
        if isinstance(found, types.FunctionType) or not isinstance(found, type) and of_users(type(found)) and hasattr(found, "__dict__"):
            return lens(found)
        return found
    return seen


def is_table(value: Any) -> bool:
    """Whether a dict is one of functions or classes."""
    return type(value) is dict and bool(value) and all(isinstance(v, (types.FunctionType, type)) for v in value.values())


class Table(dict[Any, Any]):
    """A dict of functions, which run on the tape; what is written into it is written into the dict."""

    def __init__(self, held: dict[Any, Any], lens: Lens):
        super().__init__(held)
        self.held, self.lens = held, lens

    def __getitem__(self, key: Any) -> Any:
        return self.lens(super().__getitem__(key))

    def get(self, key: Any, default: Any = None) -> Any:
        return self.lens(super().get(key, default))

    def values(self) -> Any:
        return [self[key] for key in self]

    def items(self) -> Any:
        return [(key, self[key]) for key in self]

    def __setitem__(self, key: Any, value: Any) -> None:
        self.held[key] = value
        super().__setitem__(key, value)

    def __delitem__(self, key: Any) -> None:
        del self.held[key]
        super().__delitem__(key)


class _Base:
    """In the place of the bases of a class while it is made."""


def subclass(cls: type, space: dict[str, Any]) -> type:
    """A subclass of ``cls``; nothing of the user's learns of it (``__init_subclass__``, a metaclass), for it may keep a register."""
    meta = type(cls)
    if meta in (type, abc.ABCMeta) and getattr(cls.__init_subclass__, "__func__", None) is None:
        return types.new_class(cls.__name__, (cls,), {}, lambda names: names.update(space))
    plain: Any = abc.ABCMeta if issubclass(meta, abc.ABCMeta) else type
    made: type = plain.__new__(meta, cls.__name__, (_Base,), space)
    made.__bases__ = (cls,)
    return made
