"""Read residuals from array elements that the loop stores and nothing overwrites, instead of saving or recomputing them."""
from __future__ import annotations

import operator
from collections.abc import Callable, Mapping

from ....ir.ops import Build, Call, Lit, Op, Operand, Value
from ....ir.types import Arr, Num
from ...analysis.program_order import Layout
from ...rewriting.substitute import substitute, uses_of
from ...switches import is_on
from ..reverse.result import Pair

__all__ = ["read_from_places"]


def read_from_places(pair: Pair, layout: Layout, stays: Callable[[Op], bool]) -> None:
    """Rewrite the reverse of a loop's turn in place; ``stays`` tells of a read whether it would give the same there."""
    writes = [op for op in pair.forward.ops if _puts_number(op, layout.maker)]
    if not writes or not is_on("places"):
        return
    read = uses_of(pair.backward)
    mapping: dict[Value, Value] = {}
    for write in writes:
        assert isinstance(write, Call)
        base, index, v = write.args
        if v not in read or v in mapping or layout.home.get(v) is not pair.forward:
            continue
        there = Value(v.type, v.name)
        found = Call(operator.getitem, [base, index], results=[there], loc=write.loc, part="adjoint")
        layout.inside[id(found)], layout.position[id(found)] = pair.forward, layout.end[id(write)]
        layout.home[there], layout.maker[there] = pair.forward, found
        if stays(found):
            pair.forward.ops.insert(pair.forward.ops.index(write) + 1, found)
            mapping[v] = there
    if mapping:
        substitute(pair.backward, dict(mapping))


def _puts_number(op: Op, made: Mapping[Value, Op]) -> bool:
    """Whether an operation writes a number that was computed to an element."""
    if not isinstance(op, Call) or op.fn is not operator.setitem:
        return False
    base, index, v = op.args
    return isinstance(base, Value) and isinstance(base.type, Arr) and base.type.dtype == "float64" and (
        len(base.type.dims) == _numbers_in(index, made)) and isinstance(v, Value) and (
        v.type == Num("float") or isinstance(v.type, Arr) and v.type.scalar and v.type.dtype == "float64")


def _numbers_in(index: Operand, made: Mapping[Value, Op]) -> int:
    """The number of integers in an index; 0 for other indices."""
    if index.type == Num("int"):
        return 1
    tup = made.get(index) if isinstance(index, Value) else None
    items = tup.items if isinstance(tup, Build) and tup.kind == "tuple" else ()
    return len(items) if all(isinstance(i, (Value, Lit)) and i.type == Num("int") for i in items) else 0
