"""Values that objects, containers and closures from outside hold, while a function runs on the tape.

A container stays itself, because programs ask for its identity and its class. While a run sees it, recorded arrays and copies of
functions replace its items. Afterwards its items are restored, and the values that the function has stored in it are plain.
"""
from __future__ import annotations

import argparse
import collections
import types
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ..runtime.fields import set_fields
from .array import TapedArray
from .classes import COPY_OF, plain_class

__all__ = ["CONTAINERS", "NAMESPACES", "NUMBERS", "Sight", "content_of", "is_container", "settle_fields", "settled"]

Lens = Callable[[Any], Any]
NUMBERS = frozenset((int, float, bool, complex, str, bytes, type(None), np.float64, np.int64, np.bool_))
CONTAINERS = (list, dict, collections.deque, set)
#: Python's own classes of instances with attributes of any name
NAMESPACES = (types.SimpleNamespace, argparse.Namespace)


def is_container(value: Any) -> bool:
    """Return whether a value is a container whose items are looked at."""
    return isinstance(value, (*CONTAINERS, tuple))


class Sight:
    """The objects, containers and cells from outside that a run has come upon."""

    def __init__(self) -> None:
        self.token = object()
        #: the instances that have a copy of their class during the run
        self.objects: dict[int, Any] = {}
        self.containers: dict[int, Any] = {}
        #: what stands for an item of a container, and the item
        self._originals: dict[int, tuple[Any, Any]] = {}
        #: closure cells with those that stand for them, and their contents
        self.cells: dict[int, tuple[types.CellType, types.CellType, Any]] = {}

    def contents(self, value: Any, lens: Lens) -> Any:
        """Return a container whose items are seen through the lens: itself, or for a tuple another one."""
        if isinstance(value, tuple):
            return _tuple(value, [self._item(item, lens) for item in value]) if _kinds(value) else value
        self.containers[id(value)] = value
        if isinstance(value, set):
            for item in value if _kinds(value) else ():
                self._item(item, lens)
        else:
            for key, item in list(_items(value)):
                new = self._item(item, lens)
                if new is not item:
                    _put(value, key, new)
        return value

    def _item(self, item: Any, lens: Lens) -> Any:
        if type(item) in NUMBERS or isinstance(item, (TapedArray, types.ModuleType)):
            return item
        new = lens(item)
        if new is not item:
            self._originals[id(new)] = new, item
        return new

    def back(self, item: Any, plain: Lens, met: dict[int, Any]) -> Any:
        """Return the value that the user finds in place of an item."""
        found = self._originals.get(id(item))
        return settled(item, plain, met) if found is None else found[1]

    def note(self, seen: Any, value: Any) -> None:
        """Note that ``seen`` stands for a value from outside."""
        if seen is not value:
            self._originals[id(seen)] = seen, value

    def restore(self, plain: Lens) -> None:
        """Put the items of all containers and the contents of cells back; values that the function has stored there become plain."""
        met: dict[int, Any] = {}
        for value in self.containers.values():
            if isinstance(value, set):
                _restore_set(value, lambda item: self.back(item, plain, met))
                continue
            for key, item in list(_items(value)):
                new = self.back(item, plain, met)
                if new is not item:
                    _put(value, key, new)
            if isinstance(value, dict) and any(_is_of_tape(key) for key in value):
                _rename(value, lambda key: self.back(key, plain, met))
        for cell, private, was in self.cells.values():
            if (now := content_of(private)) is not was:
                _set_content(cell, self.back(now, plain, met))

    def hand_over(self, outer: Sight) -> None:
        """Leave everything to the run around this one."""
        outer.objects.update(self.objects)
        outer.containers.update(self.containers)
        outer.cells.update(self.cells)
        outer._originals.update(self._originals)


_EMPTY = object()


def content_of(cell: types.CellType) -> Any:
    """The contents of a cell; a marker for an empty cell."""
    try:
        return cell.cell_contents
    except ValueError:
        return _EMPTY


def _set_content(cell: types.CellType, value: Any) -> None:
    if value is _EMPTY:
        del cell.cell_contents
    else:
        cell.cell_contents = value


def _kinds(items: Iterable[Any]) -> set[type]:
    """The classes of items that are no numbers."""
    return {type(item) for item in items} - NUMBERS


def _items(value: Any) -> Iterable[tuple[Any, Any]]:
    """The items of a list, deque or dict that may be looked at, with their keys, past the methods of a subclass."""
    if isinstance(value, dict):
        return dict.items(value) if _kinds(dict.values(value)) else ()
    kind: Any = list if isinstance(value, list) else collections.deque
    return enumerate(kind.__iter__(value)) if _kinds(kind.__iter__(value)) else ()


def _put(value: Any, key: Any, item: Any) -> None:
    kind: Any = dict if isinstance(value, dict) else list if isinstance(value, list) else collections.deque
    kind.__setitem__(value, key, item)


def _tuple(value: Any, items: list[Any]) -> Any:
    if all(new is old for new, old in zip(items, value)):
        return value
    if type(value) is tuple:
        return tuple(items)
    return type(value)._make(items) if hasattr(value, "_make") else value


def _is_of_tape(key: Any) -> bool:
    if type(key) is tuple:
        return any(map(_is_of_tape, key))
    return isinstance(key, TapedArray) or isinstance(key, type) and COPY_OF in vars(key)


def _rename(value: dict[Any, Any], back: Lens) -> None:
    items = [(plain_class(back(key)), item) for key, item in dict.items(value)]
    dict.clear(value)
    dict.update(value, items)


def _restore_set(value: set[Any], back: Lens) -> None:
    for item in [item for item in value if _is_of_tape(item)]:
        value.discard(item)
        value.add(plain_class(back(item)))
    for item in value:
        back(item)


def _fields(value: Any) -> dict[str, Any]:
    """The fields of an instance: its ``__dict__``, and its slots that are set."""
    found: dict[str, Any] = {}
    for base in type(value).__mro__[:-1]:
        for name, member in vars(base).items():
            if isinstance(member, types.MemberDescriptorType) and not name.startswith("__"):
                try:
                    found[name] = member.__get__(value)
                except AttributeError:      # not set
                    continue
    state = getattr(value, "__dict__", None)
    return {**found, **state} if type(state) is dict else found


def settled(value: Any, plain: Lens, met: dict[int, Any]) -> Any:
    """Return the value that the user finds in place of one that a run has left somewhere.

    Recorded numbers and arrays are plain, also in containers; instances that were made on the tape get the class that the user knows.
    """
    if isinstance(value, TapedArray):
        return plain(value)
    cls = type(value)
    if cls in NUMBERS or id(value) in met:
        return met.get(id(value), value)
    met[id(value)] = value
    if cls is tuple or isinstance(value, tuple) and hasattr(value, "_make"):
        met[id(value)] = found = _tuple(value, [settled(item, plain, met) for item in value]) if _kinds(value) else value
        return found
    if cls in (list, dict, collections.deque, collections.OrderedDict, collections.defaultdict):
        for key, item in list(_items(value)):
            new = settled(item, plain, met)
            if new is not item:
                _put(value, key, new)
    elif cls is set:
        _restore_set(value, lambda item: settled(item, plain, met))
    elif COPY_OF in vars(cls):
        if not isinstance(value, type):
            object.__setattr__(value, "__class__", plain_class(cls))
        settle_fields(value, lambda item: settled(item, plain, met))
    return value


def settle_fields(value: Any, back: Lens) -> None:
    """Replace the fields of an instance by what ``back`` returns for them."""
    changed = {name: new for name, item in _fields(value).items() if (new := back(item)) is not item}
    if changed:
        set_fields(value, changed)
