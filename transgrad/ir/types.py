"""Types of IR values: what is known of a value when the derivative is written.

A type says the kind of a scalar, the dtype of an array and, for each of its dimensions, whether it is 1.  That is enough
to decide every un-broadcast, cast and zero in the compiler; lengths are never part of a type.
"""
from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Union

import numpy as np

__all__ = [
    "ANY", "BIG", "BOTTOM", "ONE", "Arr", "DictT", "Dim", "ListT", "Num", "Obj", "OptT", "RecordT", "RefT", "SetT", "TupleT", "Type",
    "UNKNOWN", "as_numbers", "classes_of", "disturbed", "holds_instance", "holds_reference",
    "is_instance", "is_box", "is_differentiable", "is_mixed", "join", "map_dims",
    "may_be_no_container", "ndim_of", "reference", "strip", "unmixed",
]


@dataclass(frozen=True, slots=True)
class Dim:
    """One dimension of an array.

    ``one`` is True (length 1), False (any other length) or None (not known); two dimensions with the same ``sym`` (where
    it is not None) and the same ``off`` have the same length even where ``one`` is not known: it is the length that
    ``sym`` stands for, plus ``off``.  An axis of an argument is its name and number; what else there is begins with what is no
    name, as ``("<const>", 3)`` does.
    """

    one: bool | None
    sym: Hashable = None
    off: int = 0

    @property
    def known(self) -> int | None:
        """The length, where it is known when compiling."""
        if self.one:
            return 1
        return self.sym[1] + self.off if isinstance(self.sym, tuple) and self.sym[0] == "<const>" else None

    def __str__(self) -> str:
        return {True: "1", False: "n", None: "?"}[self.one]


ONE, BIG, ANY = Dim(True), Dim(False), Dim(None)


@dataclass(frozen=True, slots=True)
class Num:
    """A Python number; ``kind`` is 'bool', 'int', 'float' or 'complex'.  ``dim`` is set on an int that is a length.

    ``mixed`` says that paths with numbers of different classes were joined: the number may be of a narrower class than ``kind``.
    """

    kind: str
    dim: Dim | None = None
    mixed: bool = field(default=False, repr=False)

    def __str__(self) -> str:
        return self.kind


@dataclass(frozen=True, slots=True)
class Arr:
    """A NumPy array, or with ``scalar`` a NumPy scalar (an immutable array without dimensions).

    ``mixed`` says of one without dimensions that its class is not known: a scalar may be a Python number, an array a scalar.
    """

    dtype: str
    dims: tuple[Dim, ...] = ()
    scalar: bool = False
    mixed: bool = field(default=False, repr=False)

    def __str__(self) -> str:
        return f"np.{self.dtype}" if self.scalar else f"{self.dtype}[{','.join(map(str, self.dims))}]"


@dataclass(frozen=True, slots=True)
class TupleT:
    """A tuple of known length (``cls`` is the class of a named tuple, or list for a list argument whose elements differ
    in type)."""

    elems: tuple["Type", ...]
    cls: type | None = None

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.elems))})"


@dataclass(frozen=True, slots=True)
class ListT:
    """A list whose elements have one type; ``elem`` is None while nothing is known to be in it.  ``length`` is set on a
    display that nothing has been able to change yet."""

    elem: "Type | None"
    length: int | None = None

    def __str__(self) -> str:
        return f"list[{self.elem}]"


@dataclass(frozen=True, slots=True)
class DictT:
    """A dict whose keys and values each have one type."""

    key: "Type | None"
    value: "Type | None"

    def __str__(self) -> str:
        return f"dict[{self.key}, {self.value}]"


@dataclass(frozen=True, slots=True)
class RecordT:
    """A dict with known keys (``cls`` is dict), or an instance of ``cls`` (a dataclass) with known attributes.

    ``form`` is the class of an argument that is compiled as a dict and whose derivative has that class: OrderedDict.
    """

    keys: tuple[Hashable, ...]
    elems: tuple["Type", ...]
    cls: type = dict
    form: type | None = field(default=None, compare=False)

    def __str__(self) -> str:
        return f"{self.cls.__name__}({', '.join(f'{k}: {e}' for k, e in zip(self.keys, self.elems))})"


@dataclass(frozen=True, slots=True)
class SetT:
    """A set whose elements have one type."""

    elem: "Type | None"

    def __str__(self) -> str:
        return f"set[{self.elem}]"


@dataclass(frozen=True, slots=True)
class OptT:
    """None, or a value of type ``elem``."""

    elem: "Type"

    def __str__(self) -> str:
        return f"{self.elem}?"


@dataclass(frozen=True, slots=True)
class Obj:
    """Any other Python object, of class ``cls`` where that is known."""

    cls: type | None = None

    def __str__(self) -> str:
        return self.cls.__name__ if self.cls else "object"


class Several:
    """Stands for the class of an instance that may be of one of several."""


@dataclass(frozen=True, slots=True)
class RefT(Obj):
    """The number of an instance whose attributes are in tables (see `transgrad.frontend.domain.heap`); front end only.

    ``classes`` are those that the instance may have; none where something else may be in its place, which is refused where it is read.
    """

    classes: tuple[type, ...] = ()

    def __str__(self) -> str:
        return " or ".join(c.__name__ for c in self.classes) or "instance or something else"


def reference(*classes: type) -> RefT:
    """The type of an instance of one of some classes."""
    return RefT(classes[0] if len(classes) == 1 else Several, classes)


@lru_cache(maxsize=4096)
def holds_reference(t: Any) -> bool:
    """Whether a type is that of an instance in tables, or of a container of such."""
    match t:
        case RefT():
            return True
        case TupleT(elems) | RecordT(_, elems):
            return any(map(holds_reference, elems))
        case ListT(elem) | SetT(elem) | OptT(elem):
            return holds_reference(elem)
        case DictT(key, value):
            return holds_reference(key) or holds_reference(value)
    return False


def is_instance(t: Any) -> bool:
    """Whether a type is that of an instance by its fields, whose fields the function does not read again once it has assigned them."""
    return isinstance(t, RecordT) and t.cls is not dict


def holds_instance(t: Any) -> bool:
    """Whether a type is that of an instance by its fields, or of a container of such."""
    match t:
        case RecordT(cls=cls, elems=elems):
            return cls is not dict or any(map(holds_instance, elems))
        case TupleT(elems):
            return any(map(holds_instance, elems))
        case ListT(elem) | OptT(elem):
            return holds_instance(elem)
        case DictT(_, value):
            return holds_instance(value)
    return False


Type = Union[Num, Arr, TupleT, ListT, DictT, RecordT, SetT, OptT, Obj]
UNKNOWN = Obj(None)


class Never:
    """The class of a value that there never is: what a recursive call returns before anything is known of it, an item of an empty list."""


BOTTOM = Obj(Never)
_KINDS = ("bool", "int", "float", "complex")


def is_differentiable(t: Type | None) -> bool:
    """Whether a value of this type can carry a derivative (unknown objects may, and tuples of residuals)."""
    if type(t) is Num:
        return t.kind in ("float", "complex")
    if type(t) is Arr:
        return t.dtype[0] in "fc"
    match t:
        case TupleT(elems) | RecordT(_, elems):
            return any(map(is_differentiable, elems))
        case ListT(elem) | OptT(elem):
            return elem is None or is_differentiable(elem)
        case DictT(_, value):
            return value is None or is_differentiable(value)
        case Obj(cls):
            return cls is None or cls is tuple
    return False


def classes_of(t: Num | Arr) -> tuple[type, ...]:
    """The classes that a number or array of this type may have."""
    numbers = [bool, int, float, complex]
    if isinstance(t, Num):
        at = _KINDS.index(t.kind)
        return tuple(numbers[:at + 1] if t.mixed else numbers[at:at + 1])
    own = np.dtype(t.dtype).type if t.scalar else np.ndarray
    if not t.mixed:
        return (own,)
    return (own, *numbers[:4 if t.dtype == "complex128" else 3]) if t.scalar else (own, np.dtype(t.dtype).type)


def unmixed(t: Any) -> Any:
    """A type without the notes that classes are not known, which the front end alone asks for."""
    if isinstance(t, (Num, Arr)):
        return replace(t, mixed=False) if t.mixed else t
    if isinstance(t, Obj) or not _holds_mixed(t):
        return t        # itself: equal types may differ in what is not compared
    match t:
        case TupleT(elems, cls):
            return TupleT(tuple(map(unmixed, elems)), cls)
        case ListT(elem, length):
            return ListT(unmixed(elem), length)
        case DictT(key, value):
            return DictT(unmixed(key), unmixed(value))
        case RecordT(elems=elems):
            return replace(t, elems=tuple(map(unmixed, elems)))
        case SetT(elem):
            return SetT(unmixed(elem))
        case OptT(elem):
            return OptT(unmixed(elem))
    return t


@lru_cache(maxsize=4096)
def _holds_mixed(t: Any) -> bool:
    """Whether the class of some number or array in a container is not known."""
    match t:
        case Num() | Arr():
            return t.mixed
        case TupleT(elems) | RecordT(_, elems):
            return any(map(_holds_mixed, elems))
        case ListT(elem) | SetT(elem) | OptT(elem):
            return _holds_mixed(elem)
        case DictT(key, value):
            return _holds_mixed(key) or _holds_mixed(value)
    return False


def as_numbers(t: Any) -> Any:
    """A type in which instances in tables are the numbers that they are at run time."""
    if not holds_reference(t):
        return t
    match t:
        case RefT():
            return Num("int")
        case TupleT(elems, cls):
            return TupleT(tuple(map(as_numbers, elems)), cls)
        case ListT(elem, length):
            return ListT(as_numbers(elem), length)
        case DictT(key, value):
            return DictT(as_numbers(key), as_numbers(value))
        case RecordT(elems=elems):
            return replace(t, elems=tuple(map(as_numbers, elems)))
        case SetT(elem):
            return SetT(as_numbers(elem))
        case OptT(elem):
            return OptT(as_numbers(elem))
    return t


def is_mixed(t: Any) -> bool:
    """Whether the class of a number or array is not known."""
    return isinstance(t, (Num, Arr)) and t.mixed


def is_box(t: Any) -> bool:
    """Whether a value is an array without dimensions, which is no number: it may be a view, and can be written to."""
    return isinstance(t, Arr) and not t.dims and not t.scalar


def ndim_of(t: Any) -> int | None:
    """Number of dimensions of a number or array type; None for anything else."""
    return 0 if isinstance(t, Num) else len(t.dims) if isinstance(t, Arr) else None


def _join_dim(a: Dim, b: Dim) -> Dim:
    if a == b:
        return a
    one = a.one if a.one == b.one else None
    return Dim(one, a.sym, a.off) if (a.sym, a.off) == (b.sym, b.off) else Dim(one)


def strip(t: Type) -> Type:
    """The type without "or None"."""
    return t.elem if isinstance(t, OptT) else t


def disturbed(t: Type) -> Type:
    """What is left of a type once something of which nothing is known had the value in hand: anything may be in its containers."""
    match t:
        case ListT():
            return ListT(UNKNOWN)
        case SetT():
            return SetT(UNKNOWN)
        case DictT():
            return DictT(UNKNOWN, UNKNOWN)
        case RecordT(keys, elems, cls):
            return DictT(UNKNOWN, UNKNOWN) if cls is dict else RecordT(keys, tuple(map(disturbed, elems)), cls)
        case TupleT(elems, cls):
            return ListT(UNKNOWN) if cls is list else TupleT(tuple(map(disturbed, elems)), cls)
        case OptT(elem):
            return OptT(disturbed(elem))
    return t


def may_be_no_container(t: Type) -> bool:
    """Whether a value of this type is a container, or None."""
    return isinstance(t, OptT) and isinstance(t.elem, (ListT, DictT, TupleT, RecordT))


def join(a: Type | None, b: Type | None) -> Type:
    """The least type that holds the values of both."""
    if a == b or b is None:
        return a if a is not None else UNKNOWN
    if a is None:
        return b
    if a == BOTTOM or b == BOTTOM:
        return b if a == BOTTOM else a
    for x, y in ((a, b), (b, a)):
        if x == Obj(type(None)):
            return y if isinstance(y, OptT) or y == UNKNOWN else OptT(y)
    if isinstance(a, OptT) or isinstance(b, OptT):
        inner = join(a.elem if isinstance(a, OptT) else a, b.elem if isinstance(b, OptT) else b)
        return inner if inner == UNKNOWN else OptT(inner)
    match a, b:
        case RefT(), RefT() if a.classes and b.classes:
            return reference(*dict.fromkeys((*a.classes, *b.classes)))
        case Num(), Num():
            return Num(max(a.kind, b.kind, key=_KINDS.index), mixed=a.mixed or b.mixed or a.kind != b.kind)
        case Arr(), Arr() if len(a.dims) == len(b.dims) and a.dtype == b.dtype:
            return Arr(a.dtype, tuple(map(_join_dim, a.dims, b.dims)), a.scalar and b.scalar, a.mixed or b.mixed or a.scalar != b.scalar)
        case (Num() as num, Arr(_, (), True) as arr) | (Arr(_, (), True) as arr, Num() as num):
            # A Python float and a NumPy float64 scalar behave alike, so `total = 0.0; total += x[i]` stays typed.
            if arr.dtype in ("float64", "complex128") and (num.kind != "complex" or arr.dtype == "complex128"):
                return Arr(arr.dtype, (), True, mixed=True)
            return UNKNOWN
        case TupleT(), TupleT() if len(a.elems) == len(b.elems) and a.cls is b.cls:
            return TupleT(tuple(map(join, a.elems, b.elems)), a.cls)
        case RecordT(), RecordT() if a.keys == b.keys and a.cls is b.cls:
            return replace(a, elems=tuple(map(join, a.elems, b.elems)))
        case ListT(), ListT():
            return ListT(join(a.elem, b.elem) if a.elem or b.elem else None, a.length if a.length == b.length else None)
        case SetT(), SetT():
            return SetT(join(a.elem, b.elem) if a.elem or b.elem else None)
        case DictT(), DictT():
            key = join(a.key, b.key) if a.key or b.key else None
            return DictT(key, join(a.value, b.value) if a.value or b.value else None)
    return reference() if holds_reference(a) or holds_reference(b) else UNKNOWN


def map_dims(t: Any, change: Callable[[Dim], Dim]) -> Any:
    """A type with every dimension changed."""
    match t:
        case Num(kind, dim):
            return t if dim is None else Num(kind, change(dim), t.mixed)
        case Arr(dtype, dims, scalar):
            return t if not dims else Arr(dtype, tuple(map(change, dims)), scalar)
        case TupleT(elems, cls):
            return TupleT(tuple(map_dims(e, change) for e in elems), cls)
        case ListT(elem, length):
            return t if elem is None else ListT(map_dims(elem, change), length)
        case DictT(key, value):
            return DictT(key, map_dims(value, change))
        case RecordT(elems=elems):
            return replace(t, elems=tuple(map_dims(e, change) for e in elems))
        case SetT(elem):
            return SetT(map_dims(elem, change))
        case OptT(elem):
            return OptT(map_dims(elem, change))
    return t
