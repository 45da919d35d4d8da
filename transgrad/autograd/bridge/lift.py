"""Copies of Python functions that run on the tape: NumPy's constructors make taped arrays, and numbers stay recorded.

A copy has the code of the function and sees its globals through a lens: NumPy's and math's functions take taped arrays,
functions of any module that are called are copies themselves.  The function and its module are left as they are.
"""
from __future__ import annotations

import builtins
import functools
import sys
import types
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from ...custom.implicit import custom_fixed_point, custom_root
from ...rules import definition_of, lookup
from ...transforms.stop import stop_gradient
from .. import dispatch
from ..tensor import wrap
from .array import TapedArray, inner, outer, taped
from .observe import watched
from .outside import tensor_of

__all__ = ["give_back", "is_inside", "lifted"]

_copies: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()
#: NumPy's functions that make arrays of what they are given, or of a shape
_MAKERS = (np.zeros, np.ones, np.empty, np.full, np.eye, np.identity, np.arange, np.linspace, np.logspace, np.geomspace, np.zeros_like,
           np.ones_like, np.empty_like, np.full_like, np.tri, np.indices, np.meshgrid, np.loadtxt, np.genfromtxt)
_FROM_DATA = (np.array, np.asarray, np.asanyarray, np.ascontiguousarray, np.asfortranarray)


def lifted(value: Any) -> Any:
    """What stands for a value that a function on the tape refers to by name."""
    if isinstance(value, types.FunctionType):
        return _WRAPPED.get(value) or _of_scipy(value) or watched(value, _copy(value))
    if isinstance(value, types.ModuleType):
        return _Module(value)
    if isinstance(value, functools.partial):
        return functools.partial(lifted(value.func), *value.args, **value.keywords)
    if isinstance(value, types.MethodType):
        return types.MethodType(lifted(value.__func__), value.__self__) if isinstance(value.__func__, types.FunctionType) else value
    if isinstance(value, np.ndarray) and value.dtype.kind in "fc":
        # of the same memory: what is made of it may be given values that are differentiated
        return TapedArray(tensor_of(value))
    if isinstance(value, type):
        return _BUILTINS.get(value) or _TYPES.get(value) or _class(value)
    if not callable(value):
        return value
    return _callable(value)


def _of_scipy(value: types.FunctionType) -> Any:
    """A function of SciPy's, or of its definitions, by its rule or its definition; None for anything else, and where it has neither."""
    if not (value.__module__ or "").startswith(("scipy.", "transgrad.rules.")):
        return None
    if lookup(value) is not None:
        return functools.wraps(value)(functools.partial(_by_rule, value))
    text = definition_of(value)
    return None if text is None else lifted(text)


def _class(cls: type) -> type:
    """A subclass of a class of the user's, whose methods run on the tape."""
    if (cls.__module__ or "").split(".")[0] in sys.stdlib_module_names | {"numpy", "scipy", "transgrad", "builtins"}:
        return cls
    space: dict[str, Any] = {}
    for base in reversed(cls.__mro__[:-1]):
        for name, value in vars(base).items():
            if isinstance(value, types.FunctionType):
                space[name] = lifted(value)
            elif isinstance(value, (staticmethod, classmethod)):
                space[name] = type(value)(lifted(value.__func__))
            elif isinstance(value, property):
                space[name] = property(*(None if f is None else lifted(f) for f in (value.fget, value.fset, value.fdel)))
    if not space:
        return cls
    try:
        made = _TYPES[cls] = types.new_class(cls.__name__, (cls,), {}, lambda names: names.update(space, __module__=cls.__module__))
    except TypeError:       # it wants no subclasses
        made = _TYPES[cls] = cls
    return made


def _callable(value: Any) -> Any:
    try:
        if value in _BUILTINS:
            return _BUILTINS[value]
        if value in _WRAPPED:
            return _WRAPPED[value]
    except TypeError:       # unhashable
        return value
    module = getattr(value, "__module__", None) or ""
    if isinstance(value, np.ufunc) or module.split(".")[0] == "numpy" or lookup(value) is None:
        return value        # NumPy's functions hand over to the arrays they are given
    return functools.wraps(value)(functools.partial(_by_rule, value)) if hasattr(value, "__name__") else functools.partial(_by_rule, value)


def _holds(x: Any) -> bool:
    return isinstance(x, TapedArray) or isinstance(x, (list, tuple)) and any(map(_holds, x))


def _by_rule(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """A function that knows nothing of arrays on the tape, by its rule."""
    if not any(map(_holds, (*args, *kwargs.values()))):
        return fn(*args, **kwargs)
    found = dispatch.apply(fn, *map(inner, args), **{k: inner(v) for k, v in kwargs.items()})
    return taped(found, number=float) if getattr(fn, "__module__", "") in ("math", "cmath", "builtins") else outer(fn, found)


class _Module:
    """A module whose functions run on the tape."""

    def __init__(self, module: types.ModuleType):
        object.__setattr__(self, "_module", module)

    def __getattr__(self, name: str) -> Any:
        assigned = _globals.get(id(vars(self._module)))
        if assigned is not None and dict.__contains__(assigned, name):
            return dict.__getitem__(assigned, name)
        return lifted(getattr(self._module, name))

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._module, name, value)

    def __repr__(self) -> str:
        return repr(self._module)


class _Globals(dict[str, Any]):
    """The globals of a function, seen through the lens; what the function assigns goes to the module."""

    def __init__(self, module: dict[str, Any]):
        super().__init__(__builtins__=_builtins(module.get("__builtins__", builtins)))
        self.module = module

    def __getitem__(self, name: str) -> Any:
        if dict.__contains__(self, name):       # it was assigned
            return dict.__getitem__(self, name)
        if name in self.module:
            return lifted(self.module[name])
        raise KeyError(name)

    def give_back(self) -> None:
        """Hands what was assigned to the module."""
        for name in [n for n in self if n != "__builtins__"]:
            self.module[name] = dict.pop(self, name)


_globals: dict[int, _Globals] = {}


def is_inside(f: Any) -> bool:
    """Whether a function was defined in one that runs on the tape, and may hold what is recorded there."""
    return isinstance(getattr(f, "__globals__", None), _Globals) and not hasattr(f, "__transgrad_primal__")


def give_back() -> None:
    """Hands what functions have assigned to their globals to their modules."""
    for space in _globals.values():
        space.give_back()


def _builtins(found: Any) -> dict[str, Any]:
    names = dict(vars(found) if isinstance(found, types.ModuleType) else found)
    for value, other in _BUILTINS.items():
        name = getattr(value, "__name__", "")
        if names.get(name) is value:
            names[name] = other
    names["__import__"] = _import
    return names


def _copy(fn: types.FunctionType) -> Any:
    """A function with the same code, that runs on the tape."""
    module = fn.__module__ or ""
    if isinstance(fn.__globals__, _Globals) or module.split(".")[0] in ("numpy", "transgrad") and not module.startswith("transgrad.rules."):
        return fn
    found = _copies.get(fn)
    if found is None:
        space = _globals.setdefault(id(fn.__globals__), _Globals(fn.__globals__))
        cells = tuple(map(_cell, fn.__closure__)) if fn.__closure__ else None
        found = types.FunctionType(fn.__code__, space, fn.__name__, fn.__defaults__, cells)
        found.__kwdefaults__ = fn.__kwdefaults__
        found.__dict__.update(fn.__dict__)
        found.__dict__["__transgrad_primal__"] = fn
        _copies[fn] = found
    return found


_SEEN_IN_CELLS = (types.FunctionType, types.ModuleType, types.MethodType, types.BuiltinFunctionType, functools.partial, np.ndarray)


def _cell(cell: types.CellType) -> types.CellType:
    """The cell itself, so that writes are shared; functions and modules in it are seen through the lens."""
    try:
        value = cell.cell_contents
    except ValueError:      # not filled yet
        return cell
    if isinstance(value, _SEEN_IN_CELLS):
        return types.CellType(lifted(value))
    return cell


# what NumPy's constructors and Python's own functions do here

def _made(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    args, kwargs = tuple(map(_plain, args)), {k: _plain(v) for k, v in kwargs.items()}
    made = fn(*args, **kwargs)
    return made if any(map(_holds, (*args, *kwargs.values()))) else _fresh(made)


def _full(shape: Any, fill_value: Any, dtype: Any = None, **options: Any) -> Any:
    if not isinstance(fill_value, TapedArray):
        return _made(np.full, shape, fill_value, _plain(dtype), **options)
    made = np.broadcast_to(fill_value, shape).copy()
    return made if dtype is None else made.astype(_plain(dtype))


def _import(*args: Any) -> Any:
    return lifted(builtins.__import__(*args))


def _plain(x: Any) -> Any:
    """``float`` and ``complex``, where the function hands them on as types."""
    return float if x is _Float else complex if x is _Complex else x


def _fresh(x: Any) -> Any:
    """An array that was just made, which may be given values that are differentiated."""
    if isinstance(x, (list, tuple)):
        return type(x)(map(_fresh, x))
    return TapedArray(wrap(x)) if isinstance(x, np.ndarray) and x.dtype.kind in "fc" else x


def _from_data(fn: Callable[..., Any], data: Any, dtype: Any = None, **options: Any) -> Any:
    dtype = _plain(dtype)
    copies = fn is np.array and options.get("copy", True) is not False
    if isinstance(data, TapedArray):
        wanted = np.dtype(data.dtype if dtype is None else dtype)
        if wanted.kind not in "fc":
            return fn(data.tensor._array, dtype=dtype)
        if wanted != data.dtype:
            return data.astype(wanted)
        return data.copy() if copies or data.number else data
    if _holds(data):
        stacked = _stack(data)
        return stacked if dtype is None or np.dtype(dtype) == stacked.dtype else stacked.astype(dtype)
    return _fresh(fn(data, dtype=dtype, **options) if dtype is not None else fn(data, **options))


def _stack(data: Any) -> Any:
    if isinstance(data, (list, tuple)):
        return np.stack([_as_array(_stack(row)) for row in data])
    return data


def _as_array(x: Any) -> Any:
    return x if isinstance(x, TapedArray) else TapedArray(wrap(np.asarray(x, np.float64 if np.asarray(x).dtype.kind in "biu" else None)))


class _ToFloat(type):
    """Has a call of `_Float` keep what is recorded."""

    def __call__(cls, x: Any = 0.0) -> Any:
        if isinstance(x, TapedArray):
            return taped(dispatch.apply(np.ndarray.astype, x.tensor, np.float64), number=float)
        return float(x)


class _Float(float, metaclass=_ToFloat):
    """``float`` under the lens."""


class _ToComplex(type):
    """Has a call of `_Complex` keep what is recorded."""

    def __call__(cls, *parts: Any) -> Any:
        if not any(map(_holds, parts)):
            return complex(*parts)
        return parts[0] + 0j if len(parts) == 1 else parts[0] + 1j * parts[1]


class _Complex(complex, metaclass=_ToComplex):
    """``complex`` under the lens."""


def _isinstance(x: Any, kinds: Any) -> bool:
    kinds = tuple(map(_plain, kinds)) if isinstance(kinds, tuple) else _plain(kinds)
    if not isinstance(x, TapedArray):
        return isinstance(x, kinds)
    like: Any = x.tensor._array.item() if x.number is float else x.tensor._array[()] if x.number else np.empty(())
    return isinstance(like, kinds)


def _type(*args: Any) -> Any:
    if len(args) == 1 and isinstance(args[0], TapedArray):
        x = args[0]
        return type(x.tensor._array.item()) if x.number is float else type(x.tensor._array[()]) if x.number else np.ndarray
    return type(*args)


_TYPES: dict[type, Any] = {float: _Float, complex: _Complex}
def _stopped(x: Any) -> Any:
    return TapedArray(x.tensor.detach(), x.number) if isinstance(x, TapedArray) else stop_gradient(x)


_WRAPPED: dict[Any, Any] = {
    stop_gradient: _stopped, custom_root: custom_root, custom_fixed_point: custom_fixed_point,
    **{fn: functools.partial(_made, fn) for fn in _MAKERS}, **{fn: functools.partial(_from_data, fn) for fn in _FROM_DATA},
    np.full: _full,
}
_BUILTINS: dict[Any, Any] = {float: _Float, complex: _Complex, isinstance: _isinstance, type: _type}
