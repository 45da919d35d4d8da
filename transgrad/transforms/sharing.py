"""Detect arguments that share memory: a write to one changes the others, which generated code does not take into account."""
from __future__ import annotations

import enum
import itertools
import re
import sys
import types
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.lib.array_utils import byte_bounds

__all__ = ["REMEDY", "may_be_written", "share", "share_inside"]

REMEDY = "pass a copy of one of them"
_LIBRARIES = frozenset(("numpy", "scipy", "transgrad", *sys.stdlib_module_names)) - {"builtins", "collections", "__main__"}
_NUMBERS = {int, float, bool, complex, str, np.float64}      # of which lists may hold many
_WITHOUT_PLACES = (str, bytes, int, float, complex, np.generic, type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType,
                   np.ufunc, np.dtype, range, slice, enum.Enum, re.Pattern)


def may_be_written(value: Any) -> bool:
    """Return whether an object is a container, an array, a module or an instance of a class of the user, and no part of a library."""
    if isinstance(value, types.ModuleType):
        return value.__name__.partition(".")[0] not in _LIBRARIES
    if isinstance(value, (*_WITHOUT_PLACES, tuple)) or callable(value):
        return False
    return type(value).__module__.partition(".")[0] not in _LIBRARIES or isinstance(value, np.ndarray)


def share(a: Any, b: Any) -> bool:
    """Return whether two arguments may share memory."""
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return np.may_share_memory(a, b)
    ends = [0, 0]
    for start, end, k in sorted([(*span, 0) for span in _spans(a)] + [(*span, 1) for span in _spans(b)]):
        if start < ends[1 - k]:
            return True
        ends[k] = max(ends[k], end)
    return False


def share_inside(value: Any) -> bool:
    """Return whether two parts of a container may share memory."""
    spans = sorted(_spans(value))
    return any(after[0] < before[1] for before, after in itertools.pairwise(spans))


def _spans(value: Any) -> list[tuple[int, int]]:
    """The memory ranges of the containers, objects and arrays in a value, one for each path to it; the contents of an object that
    was visited before are omitted."""
    return list(_walk(value, set()))


def _walk(value: Any, met: set[int]) -> Iterator[tuple[int, int]]:
    if isinstance(value, types.ModuleType):
        yield id(vars(value)), id(vars(value)) + 1
    if value is None or isinstance(value, _WITHOUT_PLACES):
        return
    if isinstance(value, np.ndarray):
        if value.size:
            yield byte_bounds(value)
        return
    if not isinstance(value, tuple):
        yield id(value), id(value) + 1
        if type(own := getattr(value, "__dict__", None)) is dict:      # the result of vars()
            yield id(own), id(own) + 1
    if id(value) in met:
        return
    met.add(id(value))
    items = _items(value)
    if not {type(item) for item in items} <= _NUMBERS:
        for item in items:
            yield from _walk(item, met)


def _items(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values())
    if isinstance(value, (list, tuple)):
        return list(value)
    slots = [getattr(value, name, None) for cls in type(value).__mro__ for name in getattr(cls, "__slots__", ())]
    return [*getattr(value, "__dict__", {}).values(), *slots]
