"""The form of the result of a function on the tape, and its numbers and arrays if it has the expected form."""
from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..autograd.tensor import Tensor
from ..ir.types import Arr, Num, Obj
from .array import TapedArray, is_differentiated

__all__ = ["NoForm", "check_apart", "check_outside", "conform", "find_written", "form_of", "items_of", "join_forms", "snapshot"]


class NoForm(Exception):
    """A function does something that generated code cannot reproduce; the message describes it."""


def form_of(value: Any) -> str:
    """The form of a result (see `transgrad.ir.forms`).

    Raises
    ------
    NoForm
        For mutable objects that others may refer to, and for objects that are neither numbers nor arrays.
    """
    if value is None:
        return "None"
    if isinstance(value, TapedArray):
        if value.dtype.kind == "c":
            raise NoForm("it returns complex numbers")
        if value.number is float:
            return "float"
        return f"np.{value.dtype.name}" if value.number else _array(value.dtype, value.ndim)
    if type(value) in (bool, int, float, str):
        return type(value).__name__
    if isinstance(value, np.generic) and value.dtype.kind in "biuf":
        return f"np.{value.dtype.name}"
    if isinstance(value, np.ndarray) and value.dtype.kind in "biu":
        return _array(value.dtype, value.ndim)
    if type(value) is tuple:
        return f"({', '.join(map(form_of, value))}{',' * (len(value) == 1)})"
    if type(value) is dict and all(type(key) is str for key in value):
        return "{" + ", ".join(f"{key!r}: {form_of(item)}" for key, item in value.items()) + "}"
    raise NoForm(f"it returns a {type(value).__name__}")


def _array(dtype: np.dtype[Any], ndim: int) -> str:
    return f"{dtype.name}[{', '.join(':' * ndim) or '()'}]"


def join_forms(a: str, b: str) -> str:
    """The form that holds results of both forms."""
    if a == b:
        return a
    numbers = ["bool", "int", "float", "np.float64"]
    if {a, b} <= set(numbers[1:]):
        return max(a, b, key=numbers.index)
    raise NoForm(f"it returns {a} at one time and {b} at another")


def conform(value: Any, form: Any) -> list[Any]:
    """The leaves of a result of a form, of which each is as the form says.

    Raises
    ------
    NoForm
        Where the result has another form.
    """
    if form is None:
        if value is not None:
            raise NoForm(f"it returns {_named(value)} instead of None")
        return []
    if isinstance(form, tuple):
        if type(value) is not tuple or len(value) != len(form):
            raise NoForm(f"it returns {_named(value)} instead of a tuple of {len(form)}")
        return [leaf for item, part in zip(value, form) for leaf in conform(item, part)]
    if isinstance(form, dict):
        if type(value) is not dict or list(value) != list(form):
            raise NoForm(f"it returns {_named(value)} instead of a dict with {list(form)}")
        return [leaf for key, part in form.items() for leaf in conform(value[key], part)]
    return [_leaf(value, form)]


def _leaf(value: Any, form: Any) -> Any:
    found = form_of(value)
    if found == _text(form):
        return value
    if isinstance(form, Num) and form.kind == "float" and found in ("int", "bool", "np.float64"):
        return TapedArray(value.tensor, float) if isinstance(value, TapedArray) else float(value)
    if isinstance(form, Arr) and form.scalar and form.dtype == "float64" and found in ("float", "int", "bool"):
        return TapedArray(value.tensor, True) if isinstance(value, TapedArray) else np.float64(value)
    raise NoForm(f"it returns {found} instead of {_text(form)}")


def _text(form: Any) -> str:
    match form:
        case Num(kind):
            return kind
        case Arr(dtype, dims, scalar):
            return f"np.{dtype}" if scalar else f"{dtype}[{', '.join(':' * len(dims)) or '()'}]"
        case Obj():
            return "str"
    raise TypeError(form)


def _named(value: Any) -> str:
    try:
        return form_of(value)
    except NoForm:
        return f"a {type(value).__name__}"


def snapshot(value: Any) -> list[int]:
    """The items of a container, by identity."""
    return list(map(id, items_of(value)))


def items_of(value: Any) -> list[Any]:
    """The items of nested lists, tuples and dicts."""
    if isinstance(value, (list, tuple)):
        return [leaf for item in value for leaf in items_of(item)]
    if isinstance(value, dict):
        return [leaf for item in value.values() for leaf in items_of(item)]
    return [value]


def find_written(arrays: Sequence[tuple[Any, TapedArray, int]]) -> list[Any]:
    """Which of the arguments were written into."""
    return [key for key, seen, version in arrays if seen.tensor._version != version]


def check_apart(tensors: Sequence[Tensor]) -> None:
    """Refuse arrays that share memory, which generated code assumes to be distinct."""
    for a, b in itertools.combinations([x._array for x in tensors], 2):
        if a.size and b.size and np.may_share_memory(a, b):
            raise NoForm("it returns or writes into a view of another array")


def check_outside(tensors: Sequence[Tensor]) -> None:
    """Refuse external arrays that received differentiated values: generated code would read plain numbers there."""
    if any(map(is_differentiated, tensors)):
        raise NoForm("it writes into an array that it is not given")
