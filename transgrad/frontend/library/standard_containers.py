"""Containers of the standard library as plain classes over lists and dicts, which the front end makes where a function makes one of them,
and inlines method by method; and what it puts for calls of Python's own functions."""
from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

__all__ = ["ChainMap", "Counter", "DefaultDict", "Deque", "ExitStack", "columns", "first_item", "iterate", "move_to_end"]


def columns(rows: Any) -> Any:
    """What ``zip(*rows)`` hands out, as lists."""
    return [[row[k] for row in rows] for k in range(min([len(row) for row in rows]))]


def iterate(iterator: Any) -> Any:
    """What a loop over an instance with a ``__next__`` does."""
    while True:
        try:
            item = iterator.__next__()
        except StopIteration:
            return
        yield item


def move_to_end(table: Any, key: Any) -> None:
    """``OrderedDict.move_to_end(key)``."""
    value = table.pop(key)
    table[key] = value


def first_item(table: Any) -> Any:
    """``OrderedDict.popitem(last=False)``."""
    key = list(table)[0]
    return key, table.pop(key)


class Deque:
    """collections.deque."""

    def __init__(self, iterable: Iterable[Any] = (), maxlen: int | None = None):
        self.queue = list(iterable) if maxlen is None else list(iterable)[-maxlen:]
        self.maxlen = maxlen

    def append(self, x: Any) -> None:
        if self.maxlen is not None and len(self.queue) >= self.maxlen:
            self.queue.pop(0)
        self.queue.append(x)

    def appendleft(self, x: Any) -> None:
        if self.maxlen is not None and len(self.queue) >= self.maxlen:
            self.queue.pop()
        self.queue.insert(0, x)

    def extend(self, iterable: Iterable[Any]) -> None:
        for x in iterable:
            self.append(x)

    def extendleft(self, iterable: Iterable[Any]) -> None:
        for x in iterable:
            self.appendleft(x)

    def pop(self) -> Any:
        return self.queue.pop()

    def popleft(self) -> Any:
        return self.queue.pop(0)

    def clear(self) -> None:
        self.queue.clear()

    def rotate(self, n: int = 1) -> None:
        self.queue = self.queue[-n:] + self.queue[:-n]

    def __getitem__(self, index: int) -> Any:
        return self.queue[index]

    def __setitem__(self, index: int, value: Any) -> None:
        self.queue[index] = value

    def __len__(self) -> int:
        return len(self.queue)

    def __iter__(self) -> Any:
        return self.queue       # the front end loops over a list as it is

    def __contains__(self, x: Any) -> bool:
        return x in self.queue


class DefaultDict:
    """collections.defaultdict."""

    def __init__(self, default_factory: Callable[[], Any] | None = None, *args: Any, **kwargs: Any):
        self.default_factory = default_factory
        self.table = dict(*args, **kwargs)

    def __getitem__(self, key: Any) -> Any:
        if key not in self.table:
            if self.default_factory is None:
                raise KeyError(key)
            self.table[key] = self.default_factory()
        return self.table[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        self.table[key] = value

    def __delitem__(self, key: Any) -> None:
        del self.table[key]

    def __contains__(self, key: Any) -> bool:
        return key in self.table

    def __len__(self) -> int:
        return len(self.table)

    def __iter__(self) -> Any:
        return self.table       # the front end loops over a dict as it is

    def keys(self) -> Any:
        return self.table.keys()

    def values(self) -> Any:
        return self.table.values()

    def items(self) -> Any:
        return self.table.items()

    def get(self, key: Any, default: Any = None) -> Any:
        return self.table.get(key, default)

    def pop(self, key: Any, *default: Any) -> Any:
        return self.table.pop(key, *default)

    def setdefault(self, key: Any, default: Any = None) -> Any:
        return self.table.setdefault(key, default)

    def update(self, *args: Any, **kwargs: Any) -> None:
        self.table.update(*args, **kwargs)


class ChainMap:
    """collections.ChainMap."""

    def __init__(self, *maps: Any):
        self.maps = maps if maps else ({},)

    def new_child(self, m: Any = None, **kwargs: Any) -> Any:
        if m is None:
            m = kwargs
        elif kwargs:
            m.update(kwargs)
        return ChainMap(m, *self.maps)

    @property
    def parents(self) -> Any:
        return ChainMap(*self.maps[1:])

    def __getitem__(self, key: Any) -> Any:
        for table in self.maps:
            if key in table:
                return table[key]
        raise KeyError(key)

    def __setitem__(self, key: Any, value: Any) -> None:
        self.maps[0][key] = value

    def __delitem__(self, key: Any) -> None:
        del self.maps[0][key]

    def __contains__(self, key: Any) -> bool:
        return any(key in table for table in self.maps)

    def _joined(self) -> Any:
        joined: Any = {}
        for table in reversed(self.maps):
            joined.update(table)
        return joined

    def __len__(self) -> int:
        return len(self._joined())

    def __iter__(self) -> Any:
        return self._joined()       # the front end loops over a dict as it is

    def keys(self) -> Any:
        return self._joined().keys()

    def values(self) -> Any:
        return self._joined().values()

    def items(self) -> Any:
        return self._joined().items()

    def get(self, key: Any, default: Any = None) -> Any:
        return self.get(key, default)

    def pop(self, key: Any, *default: Any) -> Any:
        return self.maps[0].pop(key, *default)


class ExitStack:
    """contextlib.ExitStack of instances with an ``__exit__`` and of functions."""

    def __init__(self) -> None:
        self.callbacks: list[Any] = []

    def __enter__(self) -> Any:
        return self

    def enter_context(self, manager: Any) -> Any:
        value = manager.__enter__()
        self.callbacks.append(manager.__exit__)
        return value

    def push(self, leave: Any) -> Any:
        self.callbacks.append(leave.__exit__)
        return leave

    def callback(self, function: Any, *args: Any, **kwargs: Any) -> Any:
        self.callbacks.append(lambda kind, error, trace: not_swallowed(function(*args, **kwargs)))
        return function

    def close(self) -> None:
        self.__exit__(None, None, None)

    def __exit__(self, kind: Any, error: Any, trace: Any) -> bool:
        swallowed = False
        callbacks, self.callbacks = self.callbacks, []
        for leave in reversed(callbacks):
            if leave(kind, error, trace):
                swallowed = kind is not None
                kind = error = trace = None
        return swallowed


def not_swallowed(result: Any) -> bool:
    """What a callback of an `ExitStack` says of an exception."""
    return False


class Counter:
    """collections.Counter of what can be counted one by one."""

    def __init__(self, iterable: Iterable[Any] = ()):
        self.table: Any = {}
        for x in iterable:
            self[x] += 1

    def __getitem__(self, key: Any) -> Any:
        return self.table.get(key, 0)

    def __setitem__(self, key: Any, value: Any) -> None:
        self.table[key] = value

    def __delitem__(self, key: Any) -> None:
        self.table.pop(key)

    def __contains__(self, key: Any) -> bool:
        return key in self.table

    def __len__(self) -> int:
        return len(self.table)

    def __iter__(self) -> Any:
        return self.table       # the front end loops over a dict as it is

    def keys(self) -> Any:
        return self.table.keys()

    def values(self) -> Any:
        return self.table.values()

    def items(self) -> Any:
        return self.table.items()

    def get(self, key: Any, default: Any = None) -> Any:
        return self.table.get(key, default)

    def total(self) -> Any:
        return sum(self.table.values())
