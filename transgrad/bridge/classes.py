"""Python's and NumPy's number classes for functions on the tape: conversions keep recorded numbers, and ``isinstance`` accepts a recorded
number as an instance of the class that it represents."""
from __future__ import annotations

from types import FunctionType, MethodType
from typing import Any

import numpy as np

from ..autograd import dispatch
from .array import TapedArray, inner, taped
from .written import check_read

__all__ = ["CLASSES", "COPY_OF", "QUESTIONS", "plain_class"]


def _class_of(x: TapedArray) -> type:
    """The class of the value that an array or number represents."""
    if type(x) is not TapedArray:
        return vars(type(x))[COPY_OF]   # type: ignore[no-any-return]
    return type(x.tensor._array.item()) if x.number is float else type(x.tensor._array[()]) if x.number else np.ndarray


class _Seen(type):
    """A class that stands for one of Python's or NumPy's."""

    stands_for: Any

    def __instancecheck__(cls, x: Any) -> bool:
        return issubclass(_class_of(x), cls.stands_for) if isinstance(x, TapedArray) else isinstance(x, cls.stands_for)

    def __subclasscheck__(cls, other: Any) -> bool:
        return issubclass(plain_class(other), cls.stands_for)

    def __eq__(cls, other: object) -> bool:
        return other is cls or other is cls.stands_for

    def __hash__(cls) -> int:
        return hash(cls.stands_for)


class _ToFloat(_Seen):
    def __call__(cls, x: Any = 0.0) -> Any:
        if isinstance(x, TapedArray):
            if x.size != 1:
                raise TypeError("only length-1 arrays can be converted to Python scalars")
            return taped(dispatch.apply(np.ndarray.astype, inner(x.reshape(())), np.float64), number=float)
        convert = getattr(type(x), "__float__", None)
        if isinstance(convert, FunctionType):       # of a user's class, which may return a recorded number
            found = convert(x)
            return cls(found) if isinstance(found, TapedArray) else float(found)
        return float(check_read(x))


class _ToComplex(_Seen):
    def __call__(cls, *parts: Any) -> Any:
        if not any(isinstance(part, TapedArray) for part in parts):
            return complex(*map(check_read, parts))
        return parts[0] + 0j if len(parts) == 1 else parts[0] + 1j * parts[1]


class _ToScalar(_Seen):
    def __call__(cls, x: Any = 0.0) -> Any:
        if isinstance(x, TapedArray):
            if x.ndim and x.dtype == cls.stands_for:
                return x[...]       # which is no copy
            return taped(dispatch.apply(np.ndarray.astype, x.tensor, cls.stands_for), number=True)
        return cls.stands_for(check_read(x))


class _ToType(_Seen):
    def __call__(cls, *args: Any) -> Any:
        if len(args) != 1:
            return type(*args)
        found = _class_of(args[0]) if type(args[0]) is TapedArray else type(args[0])
        return CLASSES.get(found, found)        # as the function names it


def _standing_for(cls: type, meta: type) -> Any:
    space: dict[str, Any] = {"stands_for": cls, "__module__": cls.__module__}
    if cls in (float, complex):
        space["dtype"] = np.dtype(cls)      # NumPy before 2.4 takes a subclass for one of objects
    return meta(cls.__name__, (cls,), space)


#: the attribute of a copy of a class that says whose
COPY_OF = "__transgrad_class__"
#: the replacement of a class in a function on the tape
CLASSES: dict[type, Any] = {cls: _standing_for(cls, meta) for cls, meta in (
    (float, _ToFloat), (complex, _ToComplex), (type, _ToType),
    (np.float64, _ToScalar), (np.float32, _ToScalar), (np.float16, _ToScalar), (np.longdouble, _ToScalar),
)}


def plain_class(x: Any) -> Any:
    """The class that one of these, or a copy of a class of the user's, stands for."""
    return x.stands_for if isinstance(x, _Seen) else vars(x).get(COPY_OF, x) if isinstance(x, type) else x


def _kinds(kinds: Any) -> Any:
    return tuple(map(_kinds, kinds)) if isinstance(kinds, tuple) else plain_class(kinds)


def _isinstance(x: Any, kinds: Any) -> bool:
    if not isinstance(x, TapedArray):
        return isinstance(x, _kinds(kinds))
    return issubclass(_class_of(x), _kinds(kinds))


_MISSING = object()


def _lacks(x: Any, name: Any) -> bool:
    """Whether a recorded Python number has an attribute only because it is recorded."""
    return isinstance(x, TapedArray) and x.number is float and isinstance(name, str) and not hasattr(float, name)


def _hasattr(x: Any, name: str, /) -> bool:
    return not _lacks(x, name) and hasattr(x, name)


def _getattr(x: Any, name: str, default: Any = _MISSING, /) -> Any:
    if _lacks(x, name):
        if default is _MISSING:
            raise AttributeError(f"'float' object has no attribute {name!r}")
        return default
    return getattr(x, name) if default is _MISSING else getattr(x, name, default)


def _issubclass(cls: Any, kinds: Any) -> bool:
    return issubclass(plain_class(cls), _kinds(kinds))


class _Bases(super):
    """The result of ``super``, whose methods run on the tape."""

    def __getattribute__(self, name: str) -> Any:
        found = super().__getattribute__(name)
        if isinstance(found, MethodType) and isinstance(found.__func__, FunctionType):
            from .lift import lifted
            return MethodType(lifted(found.__func__), found.__self__)
        return found


class _Super(_Bases):
    """``super``, which may be given the copy of a class: an object of one of its subclasses is no instance of that."""

    def __new__(cls, *args: Any) -> Any:
        if len(args) < 2:
            return super().__new__(cls)     # Python looks at the frame of the caller
        made = super().__new__(_Bases)
        own = args[0] if issubclass(args[0], TapedArray) else vars(args[0]).get(COPY_OF, args[0])
        super.__init__(made, own, args[1])
        return made


_Super.__name__ = "super"
#: the replacements of Python's predicates on classes
QUESTIONS: dict[Any, Any] = {isinstance: _isinstance, issubclass: _issubclass, hasattr: _hasattr, getattr: _getattr, super: _Super}
