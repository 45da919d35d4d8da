"""Describe the objects that source refers to, so that another process finds them: as literals, or by module and name."""
from __future__ import annotations

import importlib
import pickle
import sys
import types
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ...ir.opaque import OpaqueCall
from ...ir.types import Arr, DictT, ListT, Num, Obj, OptT, RecordT, SetT, TupleT
from ...pickling import Rebuilt, place_of

__all__ = ["Describe", "NotStorable", "describe_key", "resolve"]

_PLAIN = (type(None), bool, int, float, complex, str, bytes, type(...))
_TYPES = (Arr, DictT, ListT, Num, Obj, OptT, RecordT, SetT, TupleT)
#: modules to search for objects without a module name
_HOMES = ("numpy", "numpy.random", "numpy.linalg", "math", "operator", "builtins")

Description = tuple[Any, ...]


class NotStorable(Exception):
    """Something has no description: an object that only this process has.

    Attributes
    ----------
    reason : str
        Why, for `Derivative.explain`.
    """

    def __init__(self, x: Any, reason: str | None = None):
        super().__init__(x)
        self.reason = reason or f"{_shown(x)} has no name by which another process finds it"


def _shown(x: Any) -> str:
    name = getattr(x, "__name__", None)
    return name if isinstance(name, str) else f"an object of class {type(x).__name__}"


class Describe:
    """Describe the objects that source or its guards refer to.

    Parameters
    ----------
    cells : sequence of cell
        The closure of the function that is differentiated.
    functions : iterable of function
        Functions among whose globals an object may be found that does not know its own name.
    """

    def __init__(self, cells: Sequence[Any] = (), functions: Iterable[types.FunctionType] = ()):
        self.cells = cells
        self.modules = {f.__module__: f.__globals__ for f in functions if vars(sys.modules.get(f.__module__, types)) is f.__globals__}

    def __call__(self, x: Any) -> Description:
        """The description from which `resolve` finds ``x``; raises `NotStorable` if there is none."""
        kind = type(x)
        if kind in _PLAIN:
            return "plain", x
        if kind is tuple:
            return "tuple", [self(item) for item in x]
        if isinstance(x, types.ModuleType) and sys.modules.get(x.__name__) is x:
            return "module", x.__name__
        if kind is types.CellType:
            places = [k for k, cell in enumerate(self.cells) if cell is x]
            if places:
                return "cell", places[0]
        if kind is dict:
            name = x.get("__name__")
            if isinstance(name, str) and vars(sys.modules.get(name, types)) is x:
                return "globals", name
        if isinstance(x, _TYPES):
            try:
                return "type", pickle.dumps(x)
            except Exception as error:
                raise NotStorable(x) from error
        if isinstance(x, np.dtype):
            return "dtype", x.str
        if isinstance(x, OpaqueCall):
            return self._opaque(x)
        return self._by_name(x)

    def _opaque(self, x: OpaqueCall) -> Description:
        """A call of a function that is not read."""
        try:
            make, of, statics, description = x.recipe()
        except (pickle.PicklingError, TypeError, AttributeError) as error:
            raise NotStorable(x) from error
        return "call", self(make), self(of), [self(item) for item in statics], description

    def _by_name(self, x: Any) -> Description:
        owner = getattr(x, "__objclass__", None)
        name = getattr(x, "__name__", None)
        if owner is not None and name:
            return "attribute", owner.__module__, f"{owner.__qualname__}.{name}"
        for module in dict.fromkeys((getattr(x, "__module__", None), *_HOMES)):
            for path in dict.fromkeys((getattr(x, "__qualname__", None), name)):
                if isinstance(module, str) and isinstance(path, str) and module in sys.modules and "<" not in path:
                    try:
                        if _attribute(module, path) is x:
                            return "attribute", module, path
                    except AttributeError:
                        continue
        place = place_of(x) if isinstance(x, Rebuilt) else None
        if place is not None:
            return "attribute", place[0], ".".join((place[1], *place[2]))
        for module, globals_ in self.modules.items():
            for path, held in globals_.items():
                if held is x:
                    return "attribute", module, path
        raise NotStorable(x)


def _attribute(module: str, path: str) -> Any:
    found: Any = sys.modules.get(module) or importlib.import_module(module)
    for part in path.split("."):
        found = getattr(found, part)
    return found


def resolve(description: Description, cells: Sequence[Any] = ()) -> Any:
    """Find the described object; raises an exception if it no longer exists."""
    match description:
        case ("plain", x):
            return x
        case ("tuple", items):
            return tuple(resolve(item, cells) for item in items)
        case ("module", name):
            return sys.modules.get(name) or importlib.import_module(name)
        case ("globals", name):
            return vars(sys.modules[name])
        case ("cell", place):
            return cells[place]
        case ("type", data):
            return pickle.loads(data)
        case ("dtype", text):
            return np.dtype(text)
        case ("call", make, of, statics, data):
            return resolve(make, cells)(resolve(of, cells), [resolve(item, cells) for item in statics], data)
        case ("attribute", module, path):
            return _attribute(module, path)
    raise NotStorable(description)


def describe_key(key: Any) -> Any:
    """A key of argument types (see `transgrad.ir.keys`) in plain values."""
    if type(key) in _PLAIN:
        return key
    if isinstance(key, tuple):
        return tuple(map(describe_key, key))
    if isinstance(key, frozenset):
        return "set", *sorted(repr(describe_key(item)) for item in key)
    if isinstance(key, type):
        return "class", key.__module__, key.__qualname__
    if isinstance(key, np.dtype):
        return "dtype", key.str
    value = getattr(key, "value", key)      # of an object that is equal to itself only
    raise NotStorable(value, f"the generated code depends on {_shown(value)}, which another process cannot compare")
