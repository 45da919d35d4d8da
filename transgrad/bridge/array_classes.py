"""Subclasses of ``np.ndarray`` in functions that run on the tape.

The copy of such a class is a subclass of `TapedArray` with the methods of the class. NumPy itself says whether the result of a function
is an instance of the class: the function is called once more with arrays of a class that only serves as a mark.
"""
from __future__ import annotations

import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from ..autograd import dispatch
from ..autograd.tensor import Tensor, wrap
from .array import METHODS, TapedArray
from .classes import COPY_OF, plain_class

__all__ = ["SubclassArray", "array_class", "fill", "instance_of"]


class _Mark(np.ndarray):
    """Stands for the class of an array."""


class SubclassArray(TapedArray):
    """A recorded array of a subclass of ``np.ndarray``, with attributes of its own."""

    def __new__(cls, shape: Any = (), dtype: Any = float, buffer: Any = None, offset: int = 0, strides: Any = None,
                order: Any = None) -> Any:
        """``np.ndarray.__new__``."""
        if buffer is None:
            return cls.over(wrap(np.ndarray(shape, plain_class(dtype), order=order)), None)
        if not isinstance(buffer, TapedArray):
            return cls.over(wrap(np.ndarray(shape, plain_class(dtype), buffer, offset, strides, order)), None)
        if offset or strides is not None or np.dtype(plain_class(dtype)) != buffer.dtype or order not in (None, "C"):
            raise TypeError("an array of a subclass over a part of a recorded buffer is not recorded by the tape")
        return cls.over(dispatch.apply(np.reshape, buffer.tensor, shape), None)

    def __init__(self, *args: Any, **kwargs: Any):
        """Do nothing: ``__new__`` has made the instance."""

    @classmethod
    def over(cls, tensor: Tensor, parent: Any) -> Any:
        """An instance over a Tensor; ``parent`` is the array it was made from, for ``__array_finalize__``."""
        made = object.__new__(cls)
        TapedArray.__init__(made, tensor)
        finalize = getattr(cls, "__array_finalize__", None)
        if finalize is not None:
            made.__array_finalize__(parent)
        return made

    @property       # type: ignore[misc]
    def __class__(self) -> type:
        """The copy of the class for functions on the tape, and the class itself for others."""
        on_tape = type(sys._getframe(1).f_globals) is not dict
        return type(self) if on_tape else vars(type(self))[COPY_OF]


    @property
    def T(self) -> Any:
        return _like(self, super().T)

    @property
    def mT(self) -> Any:
        return _like(self, super().mT)

    @property
    def real(self) -> Any:
        return _like(self, super().real)

    @property
    def imag(self) -> Any:
        return _like(self, super().imag)

    def __copy__(self) -> Any:
        return _like(self, TapedArray(self.tensor.clone()))

    def __getitem__(self, key: Any) -> Any:
        found = super().__getitem__(key)
        return _classed(self, found, lambda x: x[_plain(key)])

    def __getattr__(self, name: str, plain: bool = False) -> Any:
        found = super().__getattr__(name, plain)
        if not isinstance(found, types.FunctionType):
            return found
        return lambda *args, **kwargs: _classed(self, found(*args, **kwargs), lambda x: getattr(x, name)(
            *map(_plain, args), **{k: _plain(v) for k, v in kwargs.items()}))

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        found = super().__array_ufunc__(ufunc, method, *inputs, **kwargs)
        if kwargs.get("out") is not None or method == "at":
            return found
        owner = _owner(inputs)
        return _classed(owner, found, lambda _: getattr(ufunc, method)(*map(_plain, inputs), **{k: _plain(v) for k, v in kwargs.items()}))

    def __array_function__(self, func: Callable[..., Any], types: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        found = super().__array_function__(func, types, args, kwargs)
        if kwargs.get("out") is not None or not _holds_array(found):
            return found
        owner = _owner((*args, *kwargs.values()))
        return _classed(owner, found, lambda _: func(*map(_plain, args), **{k: _plain(v) for k, v in kwargs.items()}))


def _holds_array(found: Any) -> bool:
    return isinstance(found, TapedArray) or isinstance(found, (list, tuple)) and any(map(_holds_array, found))


def _owner(values: Any) -> Any:
    """The argument whose class the result may have: that of the highest priority, the first of several."""
    found = [x for v in values for x in (v if isinstance(v, (list, tuple)) else (v,)) if isinstance(x, SubclassArray)]
    return max(found, key=lambda x: getattr(type(x), "__array_priority__", 0))


def _plain(x: Any) -> Any:
    """An argument with plain numbers, in which arrays of the classes are marked."""
    if isinstance(x, TapedArray):
        array = x.tensor._array.copy()
        return array.view(_Mark) if isinstance(x, SubclassArray) else array[()] if x.number else array
    if isinstance(x, (list, tuple)):
        return type(x)(map(_plain, x)) if type(x) in (list, tuple) else x
    if isinstance(x, slice):
        return slice(*(int(v) if isinstance(v, TapedArray) else v for v in (x.start, x.stop, x.step)))
    return plain_class(x)


def _classed(owner: Any, found: Any, call: Callable[[Any], Any]) -> Any:
    """The result of a function, as an instance of the class of ``owner`` where NumPy would return one."""
    if not _holds_array(found):
        return found
    with np.errstate(all="ignore"):
        return _as_marked(owner, found, call(_plain(owner)))


def _as_marked(owner: Any, found: Any, mark: Any) -> Any:
    if isinstance(found, (list, tuple)) and isinstance(mark, (list, tuple)):
        items = [_as_marked(owner, *pair) for pair in zip(found, mark)]
        return type(found)(*items) if hasattr(found, "_fields") else type(found)(items)
    if type(mark) is _Mark and isinstance(found, TapedArray) and not isinstance(found, SubclassArray):
        return _like(owner, found)
    return found


def _like(owner: Any, found: Any) -> Any:
    return type(owner).over(found.tensor, owner)


def _view(x: TapedArray, *args: Any, **kwargs: Any) -> Any:
    """``x.view(cls)`` of a class on the tape or of ``np.ndarray``, or the bytes of the array as other numbers."""
    kind = kwargs.get("type", args[0] if len(args) == 1 and not kwargs else None)
    if isinstance(kind, type) and issubclass(kind, SubclassArray):
        return kind.over(dispatch.apply(np.reshape, x.tensor, x.shape), x)
    if kind is np.ndarray:
        return TapedArray(dispatch.apply(np.reshape, x.tensor, x.shape))
    if not args and not kwargs:
        made = TapedArray(dispatch.apply(np.reshape, x.tensor, x.shape))
        return _like(x, made) if isinstance(x, SubclassArray) else made
    return TapedArray.__getattr__(x, "view", True)(*map(plain_class, args), **{k: plain_class(v) for k, v in kwargs.items()})


METHODS["view"] = _view


def array_class(cls: Any, lens: Callable[[Any], Any], make: Callable[[str, tuple[Any, ...], dict[str, Any]], Any]) -> Any:
    """The copy of a subclass of ``np.ndarray``, made by ``make``, to be filled; the class itself where its results may be anything."""
    if any(name in vars(base) for base in cls.__mro__[:cls.__mro__.index(np.ndarray)] for name in ("__array_wrap__", "__array_prepare__")):
        return cls
    bases = tuple(SubclassArray if base is np.ndarray else lens(base) for base in cls.__bases__)
    if not all(base is not cls and (not issubclass(base, np.ndarray)) for base in bases):
        return cls      # another class of NumPy's is among them
    return make(cls.__name__, bases, {"__module__": cls.__module__, COPY_OF: cls})


def fill(made: Any, cls: type, lens: Callable[[Any], Any]) -> None:
    """Give the copy of a class its methods, which may refer to the copy."""
    for name, value in vars(cls).items():
        if isinstance(value, types.FunctionType):
            setattr(made, name, lens(value))
        elif isinstance(value, (staticmethod, classmethod)):
            setattr(made, name, type(value)(lens(value.__func__)))
        elif isinstance(value, property):
            setattr(made, name, property(*(None if f is None else lens(f) for f in (value.fget, value.fset, value.fdel))))
        elif name not in ("__dict__", "__weakref__", "__slots__", "__module__"):
            setattr(made, name, value)


def instance_of(x: SubclassArray, back: Callable[[Any], Any]) -> Any:
    """The instance of the user's class that a recorded array stands for; ``back`` makes its attributes plain."""
    made = x.tensor.detach()._array.view(plain_class(type(x)))
    made.__dict__.update({name: back(item) for name, item in x.__dict__.items()})
    return made
