"""Arguments and results of scalarized functions: load arguments and store results element by element."""
from __future__ import annotations

import math
import operator
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ....ir.attributes import Guard
from ....ir.build import Builder
from ....ir.ops import Block, Function, Lit, Operand, Param, Value
from ....ir.types import Arr, Dim
from .element import NotSmall, operand_of
from .elementwise import dtype_of

__all__ = ["Shape", "around", "check_small", "elements", "held", "index_of", "is_zero", "name_of", "plain_names", "write"]

Shape = tuple[int, ...]
#: the most numbers in the arguments of one example
_MOST = 64


def plain_names(fn: Function) -> dict[Value, str]:
    """The names of the parameters, which are given one by one."""
    names = {p.value: p.name for p in fn.signature if isinstance(p.value, Value)}
    if any(p.kind not in ("ordinary", "positional") for p in fn.signature) or set(names) != set(fn.params):
        raise NotSmall("the arguments are not plain")
    return names


def check_small(shapes: Mapping[str, Shape], types: Mapping[str, Arr]) -> None:
    if not 0 < sum(int(np.prod(s)) for s in shapes.values()) <= _MOST or any(0 in s for s in shapes.values()):
        raise NotSmall("the arguments are too large, or empty")
    if any(t.dtype != "float64" for t in types.values()):
        raise NotSmall("the arguments are not float64")


def around(fn: Function, given: Mapping[Value, Value], guards: Sequence[Guard]) -> Function:
    """The function that is called, as yet without a body."""
    made = Function(fn.name, Block(list(given.values())), fn.returns, names=dict(fn.names), origin=fn.origin, loc=fn.loc, doc=fn.doc,
                    attrs=fn.attrs.copy())
    made.signature = [Param(p.name, given[p.value] if isinstance(p.value, Value) else p.value, p.kind) for p in fn.signature]
    made.attrs.guards = [*fn.attrs.guards, *guards]
    return made


def elements(b: Builder, x: Value, shape: Shape, *example: Operand, dims: tuple[Dim, ...] = ()) -> np.ndarray | Operand:
    """The elements of an argument, or of one example of it; or, with ``dims``, the columns of those of all examples."""
    number = Arr("float64", (), scalar=True) if dims == () else Arr("float64", dims)
    if not shape:
        return b.call(operator.getitem, x, *example, type=number)  # type: ignore[no-any-return]
    out = np.empty(shape, object)
    for place in np.ndindex(out.shape):
        name = "_".join([x.name or "x", *map(str, place)])
        out[place] = b.call(operator.getitem, x, index_of(b, [*example, *place]), type=number, name=name)
    return out


def index_of(b: Builder, places: Sequence[Any]) -> Any:
    """The index of a place."""
    return places[0] if len(places) == 1 else b.build("tuple", places)


def name_of(y: Operand) -> str | None:
    """The name of a result."""
    return y.name if isinstance(y, Value) else None


def held(y: Operand, shape: Shape, dims: tuple[Dim, ...]) -> Value:
    """An array for a result, with dimensions for the examples."""
    return Value(Arr("float64", (*dims, *(Dim(n == 1, ("<const>", n)) for n in shape))), name_of(y) or "out")


def is_zero(number: Operand) -> bool:
    """Whether a number is known to be 0."""
    return isinstance(number, Lit) and number.value == 0.0 and math.copysign(1.0, number.value) > 0.0


def write(b: Builder, out: Value, whole: np.ndarray, example: Operand | None, zeros: bool = False) -> None:
    """Write a result to an array of results, which may be zeros already."""
    assert isinstance(out.type, Arr)
    lengths = tuple(d.known for d in out.type.dims[len(out.type.dims) - whole.ndim:])
    if example is not None and len(out.type.dims) != whole.ndim + 1 or lengths != whole.shape:
        raise NotSmall("the shape of a result is not known")
    for place in np.ndindex(whole.shape):
        x: object = whole[place]
        number = operand_of(float(x) if place and isinstance(x, int) and not isinstance(x, bool) else x)
        if dtype_of(number) != "float64":
            raise NotSmall("a result that is not float64")
        if not (zeros and is_zero(number)):
            b.call(operator.setitem, out, index_of(b, [*([] if example is None else [example]), *place]), number)
