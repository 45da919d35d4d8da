"""Batched array displays such as ``np.array([[c, -s], [s, c]])``: fill an array entry by entry for all examples."""
from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from ...ir.ops import Build, Call, Lit, Op, Star, Value
from ...ir.types import Arr
from ..analysis.def_use import definitions
from .lanes import is_number
from .unsupported import CannotBatch

if TYPE_CHECKING:
    from .driver import Batch

__all__ = ["from_nested"]


def from_nested(b: "Batch", op: Call) -> Any:
    """The batch of an array made of displays in displays."""
    t = op.result.type
    makers = definitions(b.fn)
    rows = _items(b, op.args[0], makers)
    shape = [len(rows)]
    level = rows
    while (inner := next((x for x in level if not is_number(x.type)), None)) is not None:
        level = _items(b, inner, makers)
        shape.append(len(level))
    if not isinstance(t, Arr) or len(t.dims) != len(shape):
        raise CannotBatch("an array made of arrays in displays that differ between the examples", op.loc)
    kind: dict[str, Any] = {} if t.dtype == "float64" else {"dtype": Lit(np.dtype(t.dtype))}
    out = b.builder.call(np.zeros, b.builder.build("tuple", [b.lanes.size, *shape]), type=b.type_of(t), name=op.result.name, **kind)
    _fill(b, out, rows, (), shape, makers)
    return out


def _fill(b: "Batch", out: Any, items: list[Any], place: tuple[int, ...], shape: list[int],
          makers: dict[Value, Op]) -> None:
    for k, x in enumerate(items):
        rest = getattr(x.value, "shape", ()) if isinstance(x, Lit) else ()
        if not is_number(x.type):
            _fill(b, out, _items(b, x, makers), (*place, k), shape, makers)
        elif len(place) + 1 < len(shape) and rest != tuple(shape[len(place) + 1:]):
            raise CannotBatch("an array made of arrays in displays that differ between the examples")
        elif not (isinstance(x, Lit) and type(x.value) in (int, float) and x.value == 0 and str(x.value)[0] != "-"):
            b.builder.call(operator.setitem, out, Lit((slice(None), *place, k)), b.operand(x))


def _items(b: "Batch", x: Any, makers: dict[Value, Op]) -> list[Any]:
    """The items of a display."""
    if isinstance(x, Lit) and isinstance(x.value, (list, tuple)):
        return [Lit(v) for v in x.value]
    made = makers.get(x)
    if not isinstance(made, Build) or made.kind not in ("list", "tuple") or b.facts.written(x) or any(
            isinstance(i, Star) for i in made.items):
        raise CannotBatch("an array made of lists of values that differ between the examples")
    return list(made.items)
