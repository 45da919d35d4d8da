"""The examples for which a region runs: all, or those that took a branch or are still in a loop."""
from __future__ import annotations

import itertools
import operator
from dataclasses import replace
from typing import Any

from ...ir.build import Builder
from ...ir.ops import Block, Call, Lit, Op, Operand, Value
from ...ir.types import Arr, DictT, Dim, ListT, Num, OptT, RecordT, TupleT, Type, strip
from .unsupported import CannotBatch

__all__ = ["Lanes", "batch_type", "check_truth", "directions", "first_array", "is_number", "ndim", "of_directions"]

_COUNT = itertools.count()
_DTYPES = {"bool": "bool", "int": "int64", "float": "float64", "complex": "complex128"}


def is_number(t: Type) -> bool:
    """Whether a value of this type is a number or an array of them."""
    return isinstance(t, (Num, Arr))


def ndim(t: Type) -> int:
    """Dimensions of a number or array, which may be None elsewhere."""
    t = strip(t)
    if not is_number(t):
        raise CannotBatch("a value whose type is not known when compiling differs between the examples")
    return len(t.dims) if isinstance(t, Arr) else 0


def check_truth(x: Operand, op: Op) -> None:
    """Refuse the truth value of an operand that is not a number; an array with one element has that of its element."""
    if not is_number(x.type) or ndim(x.type):
        raise CannotBatch("whether an array, or what may be None, is true differs between the examples", op.loc)


def directions() -> Dim:
    """The number of directions in a span: a value written to a part of an array has as many as that part, without
    broadcasting."""
    return Dim(None, ("<directions>", next(_COUNT)))


def of_directions(dim: Dim) -> bool:
    """Whether a dimension is made by `directions`."""
    return isinstance(dim.sym, tuple) and dim.sym[0] == "<directions>"


def batch_type(t: Any, dim: Dim) -> Any:
    """The type of a batch of values of type ``t``: a first dimension more, wherever there are numbers."""
    match t:
        case Num(kind):
            return Arr(_DTYPES[kind], (dim,))
        case Arr(dtype, dims):
            return Arr(dtype, (dim, *dims))
        case TupleT(elems, cls):
            return TupleT(tuple(batch_type(e, dim) for e in elems), cls)
        case RecordT(elems=elems):
            return replace(t, elems=tuple(batch_type(e, dim) for e in elems))
        case ListT(elem, length):
            return ListT(None if elem is None else batch_type(elem, dim), length)
        case DictT(key, value):
            return DictT(key, None if value is None else batch_type(value, dim))
        case OptT(elem):
            return OptT(batch_type(elem, dim))
    return t


class Lanes:
    """Where the batched values are that some of the examples see.

    ``size`` is how many examples there are; ``index`` says which ones of ``parent`` they are.  A value from outside is
    gathered on entry, when it is first asked for.
    """

    def __init__(self, size: Operand, dim: Dim, parent: "Lanes | None" = None, index: Operand | None = None, entry: Block | None = None):
        self.size, self.dim = size, dim
        self.parent, self.index = parent, index
        self.entry = entry if entry is not None else Block()
        #: whether there may be none
        self.may_be_empty = False
        self.values: dict[Value, Any] = {}
        #: the gathered values, in order
        self.gathered: dict[Value, Any] = {}

    def get(self, v: Value) -> Any:
        """The batch of values that stands for ``v`` here."""
        if v in self.values:
            return self.values[v]
        if self.parent is None:
            raise CannotBatch(f"{v.name or 'a value'} is not known at this place")
        if not is_number(v.type):
            raise CannotBatch("a container is used where the examples part")
        outer = self.parent.get(v)
        inner = Value(batch_type(v.type, self.dim), v.name, v.varied)
        self.entry.ops.append(Call(operator.getitem, [outer, self.index if self.index is not None else Lit(0)], results=[inner]))
        self.values[v] = self.gathered[v] = inner
        return inner


def first_array(b: Builder, x: Any) -> Any:
    """The first array in an argument."""
    t: Any = x.type
    while not is_number(t):
        if isinstance(t, RecordT):
            key, inner = t.keys[0], t.elems[0]
            x = b.call(operator.getitem, x, Lit(key), type=inner) if t.cls is dict else b.attr(x, str(key), inner)
            t = inner
            continue
        if not isinstance(t, (TupleT, ListT)):
            raise CannotBatch("a value whose type is not known when compiling differs between the examples", b.loc)
        t = t.elems[0] if isinstance(t, TupleT) else t.elem
        x = b.call(operator.getitem, x, Lit(0), type=t)
    return x
