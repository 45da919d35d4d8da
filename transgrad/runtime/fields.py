"""The fields of instances: which there are, and how they are read and set without running code of their class.

A *record* is an instance of a class written in Python whose fields can be listed: those in its ``__dict__``, and its slots. A dataclass is
one, as is a class of ``attrs``.
"""
from __future__ import annotations

import contextlib
import dataclasses
import enum
import functools
import sys
import types
from typing import Any

import numpy as np

__all__ = ["REGISTERED", "UnreadableFields", "fields_of", "holds_record", "holds_registered", "instance", "is_node", "is_record",
           "is_tree_of_records", "is_unreadable", "read_field", "set_fields"]

_LEAVES = (np.ndarray, np.generic, float, complex, int, str, bytes, type(None), type, enum.Enum, types.ModuleType, BaseException)
_CONTAINERS = (list, tuple, dict)
#: Packages whose instances are arrays, or hide numbers from the fields.
_OTHERS = frozenset(("numpy", "scipy", "pandas", "xarray", "torch", "jax", "jaxlib", "dask", "sparse", "awkward", "pint", "astropy", "unyt",
                     "polars", "pyarrow", "cupy", "tensorflow", "mlx", "ndonnx", "array_api_strict", "numba", "transgrad"))
_HEAP_TYPE = 1 << 9


#: The classes that have been registered: the functions that take their instances apart and make them of the parts, and the names of the
#: fields that are other data and parts, if the class was registered by these.
REGISTERED: dict[type, tuple[Any, Any, tuple[tuple[str, ...], tuple[str, ...]] | None]] = {}


class UnreadableFields(TypeError):
    """A differentiated value holds an instance whose fields cannot be read, or that contains itself."""


@functools.cache
def _slots(cls: type) -> tuple[tuple[str, Any], ...] | None:
    """The slots of a class with their descriptors; None if it is no class of Python with fields that can be listed."""
    found: dict[str, Any] = {}
    if not cls.__flags__ & _HEAP_TYPE or issubclass(cls, (_LEAVES, _CONTAINERS)) or cls.__module__.partition(".")[0] in _OTHERS:
        return None
    if cls.__getattribute__ is not object.__getattribute__:
        return None
    for base in cls.__mro__[:-1]:
        members = vars(base)
        new = members.get("__new__")
        if isinstance(new, types.BuiltinFunctionType) or not base.__flags__ & _HEAP_TYPE and base.__module__ not in ("typing", "_typing"):
            return None         # written in C
        for name, member in members.items():
            if isinstance(member, types.MemberDescriptorType):
                found.setdefault(name, member)
    if not found and cls.__dictoffset__ == 0:
        return None
    return tuple(found.items())


def is_record(value: Any) -> bool:
    """Return whether a value is an instance with fields that can be listed."""
    cls = type(value)
    if cls is np.ndarray or cls is float or cls in REGISTERED:
        return False
    if dataclasses.is_dataclass(value):
        return not isinstance(value, type)
    slots = _slots(cls)
    return slots is not None and not (callable(value) and hasattr(value, "__wrapped__"))


def is_unreadable(value: Any) -> bool:
    """Return whether a value may hold numbers that cannot be listed: an instance of a class of an extension module."""
    cls = type(value)
    root = cls.__module__.partition(".")[0]
    if isinstance(value, (_LEAVES, _CONTAINERS)) or cls in REGISTERED or root in ("numpy", "transgrad") or root in sys.stdlib_module_names:
        return False
    return not is_record(value) and not (callable(value) and hasattr(value, "__wrapped__"))


def is_node(value: Any) -> bool:
    """Return whether a value in a differentiated argument consists of its fields: a dataclass, or a record that holds floats."""
    return is_record(value) and (dataclasses.is_dataclass(value) or _holds_numbers(value, set()))


def holds_registered(value: Any, around: tuple[int, ...] = ()) -> bool:
    """Return whether a value is, or holds, an instance of a registered class."""
    cls = type(value)
    if not REGISTERED or cls is float or cls is np.ndarray or id(value) in around:
        return False
    items: Any = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else \
        fields_of(value).values() if is_record(value) else ()
    return cls in REGISTERED or any(holds_registered(item, (*around, id(value))) for item in items)


def is_tree_of_records(value: Any) -> bool:
    """Return whether a value is an instance that consists of its fields, and no instance in it contains itself."""
    def is_tree(inner: Any, around: tuple[int, ...]) -> bool:
        items: Any = inner.values() if isinstance(inner, dict) else inner if isinstance(inner, (list, tuple)) else \
            fields_of(inner).values() if is_node(inner) else ()
        return not items or id(inner) not in around and all(is_tree(item, (*around, id(inner))) for item in items)
    return is_node(value) and is_tree(value, ())


def holds_record(value: Any) -> bool:
    """Return whether a value is, or contains, an instance that consists of its fields."""
    items: Any = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    return is_node(value) or any(map(holds_record, items))


def _holds_numbers(value: Any, met: set[int]) -> bool:
    """Return whether a float, a complex number, or an array of these can be reached from a value."""
    if isinstance(value, (float, complex)) or is_unreadable(value) or type(value) in REGISTERED:
        return True
    dtype = getattr(value, "dtype", None)       # of arrays of any library, and of values on the tape
    if dtype is not None:
        return getattr(dtype, "kind", "f") in "fc"
    items: Any = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else \
        fields_of(value).values() if is_record(value) else ()
    if not items or id(value) in met:
        return False
    met.add(id(value))
    return any(_holds_numbers(item, met) for item in items)


def fields_of(value: Any) -> dict[str, Any]:
    """The fields of a record, by name: those of a dataclass in their order, slots, and what is in its ``__dict__``."""
    if dataclasses.is_dataclass(value):
        return {f.name: read_field(value, f.name) for f in dataclasses.fields(value)}
    found: dict[str, Any] = {}
    for name, member in _slots(type(value)) or ():
        with contextlib.suppress(AttributeError):       # not set
            found[name] = member.__get__(value)
    found.update(getattr(value, "__dict__", {}))
    return found


def read_field(value: Any, name: str) -> Any:
    """A field of a record; None if it is not set."""
    table = getattr(value, "__dict__", None)
    if table is not None and name in table:
        return table[name]
    return getattr(value, name, None)


def instance(cls: type, attributes: dict[str, Any]) -> Any:
    """An instance with these fields, made without its initializer."""
    made: Any
    try:
        made = object.__new__(cls)
    except TypeError:       # a class of the interpreter's
        made = cls.__new__(cls)     # type: ignore[call-overload]
    set_fields(made, attributes)
    return made


def set_fields(value: Any, fields: dict[str, Any]) -> None:
    """Set fields of an instance, past the ``__setattr__`` and the descriptors of its class."""
    table = getattr(value, "__dict__", None)
    for name, item in fields.items():
        member = getattr(type(value), name, None)
        if isinstance(member, types.MemberDescriptorType):
            member.__set__(value, item)
        elif table is not None:
            table[name] = item
        else:
            object.__setattr__(value, name, item)
