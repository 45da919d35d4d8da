"""The key of a variant: the properties of the arguments that determine the generated code, cheap enough to compute at each call.

It mirrors the specialization of the front end: the kind of a number; the dtype of an array, its number of dimensions and which of them
are 1, of containers their structure, of other values that are known at compile time (strings, None, functions…) the value.
"""
from __future__ import annotations

import collections
import dataclasses
from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

from ..runtime.fields import REGISTERED, fields_of, is_node, is_record
from .libraries import array_key, is_array

__all__ = ["fields_key", "key_of"]

_ndarray = np.ndarray


class _Same:
    """An unhashable value in a key: equal to itself only."""

    __slots__ = ("value",)

    def __init__(self, value: Any):
        self.value = value

    def __hash__(self) -> int:
        return id(self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.value is other.value


def key_of(value: Any) -> Hashable:
    """The key of one argument."""
    cls: Any = type(value)
    if cls is _ndarray:
        shape = value.shape
        return value.dtype, tuple([n == 1 for n in shape]) if 1 in shape else len(shape)
    if cls is float or cls is int or cls is complex:
        return cls
    make = _MAKERS.get(cls)
    return make(value) if make is not None else _other(value)


def fields_key(value: Any) -> Hashable:
    """The key of a differentiated argument that holds instances: their classes, and the types of their fields.

    Strings, flags and functions count by their class, since code that reads one has a guard of its own.
    """
    if is_node(value):
        return type(value), *((name, fields_key(item)) for name, item in fields_of(value).items())
    if isinstance(value, dict):
        return type(value), *((key, fields_key(item)) for key, item in value.items())
    if isinstance(value, tuple) or isinstance(value, list) and not all(isinstance(item, (float, int, complex, _ndarray)) for item in value):
        return type(value), *map(fields_key, value)
    if isinstance(value, (str, bytes, bool, type(None), type)) or callable(value):
        cls: Any = type(value)
        return cls  # type: ignore[no-any-return]
    return key_of(value)


def _literal(value: Any) -> Hashable:
    return type(value), value


def _sequence(value: Any) -> Hashable:
    return type(value), *map(key_of, value)


def _list(value: list[Any]) -> Hashable:
    """Of a list of numbers or arrays of one type the length does not matter."""
    keys = [*map(key_of, value)]
    uniform = keys and keys.count(keys[0]) == len(keys)
    if uniform and issubclass(kind := type(value[0]), (float, int, complex, _ndarray)) and kind is not bool:
        return list, keys[0]
    return list, len(keys), *keys


def _dict(value: dict[Any, Any]) -> Hashable:
    return dict, *((k, key_of(v)) for k, v in value.items())


def _ordered(value: Any) -> Hashable:
    """Of an OrderedDict, whose order is that of its items too."""
    return type(value), *((k, key_of(v)) for k, v in value.items())


def _set(value: Any) -> Hashable:
    return type(value), frozenset(map(key_of, value))


def _other(value: Any) -> Hashable:
    cls: Any = type(value)
    if is_array(value):
        return array_key(value)
    if issubclass(cls, (str, bytes)):       # np.str_, members of a StrEnum
        return cls, value
    if issubclass(cls, np.generic):
        return cls  # type: ignore[no-any-return]
    if isinstance(value, tuple):
        return _sequence(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return cls, *((f.name, key_of(getattr(value, f.name, None))) for f in dataclasses.fields(value))
    if isinstance(value, type) or callable(value) and not _is_instance(value):
        return _Same(value)
    if isinstance(value, np.dtype):
        return cls, value
    return cls  # type: ignore[no-any-return]


def _is_instance(value: Any) -> bool:
    """Return whether a callable object is keyed by its class: one of Python with a ``__call__``, or a curve of SciPy, is a value."""
    cls = type(value)
    return cls.__module__.startswith("scipy.") or cls in REGISTERED or is_record(value)


_MAKERS: dict[type, Callable[[Any], Hashable]] = {
    bool: _literal, str: _literal, bytes: _literal, type(None): _literal, type(Ellipsis): _literal,
    tuple: _sequence, list: _list, dict: _dict, collections.OrderedDict: _ordered, set: _set, frozenset: _set,
}
