"""Iterators of Python as plain classes, which the front end compiles where a program takes items out of them one by one.

``resume`` goes to the next item, which is then ``_item``; it returns False at the end. A generator has the same interface (see
`transgrad.frontend.objects.generator_records`), and ``_result`` is what its ``return`` statement gave.
"""
from __future__ import annotations

from typing import Any

__all__ = ["ChainCursor", "CountCursor", "Cursor", "Delegating", "EnumerateCursor", "FilterCursor", "Generator", "Iterator", "MapCursor",
           "NextCursor", "RangeCursor", "Tee", "TeeCursor", "ZipCursor", "following", "groups", "remaining", "start"]


class Iterator:
    """Base of all iterators."""

    _result: Any = None
    _item: Any
    _point: int

    def resume(self, sent: Any) -> bool:
        raise NotImplementedError

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        if not self.resume(None):
            raise StopIteration(self._result)
        return self._item

    def __contains__(self, x: Any) -> bool:
        while self.resume(None):
            if self._item == x:
                return True
        return False


class Generator(Iterator):
    """Base of the records of generators."""

    def send(self, value: Any) -> Any:
        if self._point == 0 and value is not None:
            raise TypeError("can't send non-None value to a just-started generator")
        if not self.resume(value):
            raise StopIteration(self._result)
        return self._item

    def close(self) -> None:
        self._point = -1

    def throw(self, error: Any) -> Any:
        self._point = -1
        raise error


class Delegating(Generator):
    """Base of the records of generators that yield from other iterables."""

    def send(self, value: Any) -> Any:      # of None; the front end refuses other values
        return self.__next__()


def start(iterable: Any) -> Any:
    """Stands for an iterator over something, in the state machines of generators."""
    raise NotImplementedError


def following(iterator: Any, default: Any) -> Any:
    """``next(iterator, default)``."""
    if iterator.resume(None):
        return iterator._item
    return default


def remaining(iterator: Any) -> Any:
    """A loop over an iterator."""
    while iterator.resume(None):
        yield iterator._item


class Cursor(Iterator):
    """An iterator over a list, a tuple or an array."""

    def __init__(self, items: Any):
        self.items = items
        self.at = 0

    def resume(self, sent: Any) -> bool:
        if self.at >= len(self.items):
            return False
        self._item = self.items[self.at]
        self.at += 1
        return True


class RangeCursor(Iterator):
    """An iterator over ``range(start, stop, step)``."""

    def __init__(self, start: int, stop: int, step: int):
        self.value, self.stop, self.step = start, stop, step

    def resume(self, sent: Any) -> bool:
        if self.value >= self.stop if self.step > 0 else self.value <= self.stop:
            return False
        self._item = self.value
        self.value += self.step
        return True


class CountCursor(Iterator):
    """``itertools.count(start)``."""

    def __init__(self, start: Any):
        self.value = start

    def resume(self, sent: Any) -> bool:
        self._item = self.value
        self.value += 1
        return True


class NextCursor(Iterator):
    """An iterator over an instance with a ``__next__`` of its own."""

    def __init__(self, iterator: Any):
        self.iterator = iterator

    def resume(self, sent: Any) -> bool:
        try:
            item = self.iterator.__next__()
        except StopIteration:
            return False
        self._item = item
        return True


class EnumerateCursor(Iterator):
    """``enumerate(iterator, start)``."""

    def __init__(self, iterator: Any, start: int):
        self.iterator, self.number = iterator, start

    def resume(self, sent: Any) -> bool:
        if not self.iterator.resume(None):
            return False
        self._item = self.number, self.iterator._item
        self.number += 1
        return True


class ZipCursor(Iterator):
    """``zip`` of two iterators; of more, the second is one of the rest."""

    def __init__(self, first: Any, second: Any, several: bool):
        self.first, self.second, self.several = first, second, several

    def resume(self, sent: Any) -> bool:
        if not self.first.resume(None):
            return False
        item = self.first._item     # before the second, which may be the same iterator
        if not self.second.resume(None):
            return False
        self._item = (item, *self.second._item) if self.several else (item, self.second._item)
        return True


class MapCursor(Iterator):
    """``map(function, iterator)``."""

    def __init__(self, function: Any, iterator: Any):
        self.function, self.iterator = function, iterator

    def resume(self, sent: Any) -> bool:
        if not self.iterator.resume(None):
            return False
        self._item = self.function(self.iterator._item)
        return True


class FilterCursor(Iterator):
    """``filter(function, iterator)``."""

    def __init__(self, function: Any, iterator: Any):
        self.function, self.iterator = function, iterator

    def resume(self, sent: Any) -> bool:
        while self.iterator.resume(None):
            item = self.iterator._item
            if item if self.function is None else self.function(item):
                self._item = item
                return True
        return False


class ChainCursor(Iterator):
    """``itertools.chain`` of two iterators."""

    def __init__(self, first: Any, second: Any):
        self.first, self.second = first, second

    def resume(self, sent: Any) -> bool:
        if self.first.resume(None):
            self._item = self.first._item
            return True
        if self.second.resume(None):
            self._item = self.second._item
            return True
        return False


class Tee:
    """The items that the iterators of ``itertools.tee`` have in common."""

    def __init__(self, source: Any):
        self.source = source
        self.items: list[Any] = []


class TeeCursor(Iterator):
    """One of the iterators of ``itertools.tee``."""

    def __init__(self, shared: Tee):
        self.shared = shared
        self.at = 0

    def resume(self, sent: Any) -> bool:
        if self.at >= len(self.shared.items):
            if not self.shared.source.resume(None):
                return False
            self.shared.items.append(self.shared.source._item)
        self._item = self.shared.items[self.at]
        self.at += 1
        return True


def groups(items: Any, keys: Any) -> Any:
    """``itertools.groupby`` of a list, with the keys of its items."""
    start = 0
    while start < len(items):
        stop = start + 1
        while stop < len(items) and keys[stop] == keys[start]:
            stop += 1
        yield keys[start], items[start:stop]
        start = stop
