"""Index lists of lists: ``x[i, j]`` becomes ``x[i][j]``, and a row that is read repeatedly is loaded once."""
from __future__ import annotations

import operator
from typing import Any

from ...ir.ops import Block, Build, Call, Function, Lit, Op, Operand, Value, blocks_of, walk
from ...ir.prims import inplace_at
from ...ir.types import ListT
from ..rewriting.substitute import uses_of

__all__ = ["read_by_rows"]

_AT = (operator.getitem, operator.setitem, inplace_at)


def read_by_rows(fn: Function) -> None:
    """Rewrite ``fn`` in place: elements of lists of lists, of which nothing but elements is written to."""
    makers = {r: op for op in walk(fn.body) if isinstance(op, Build) for r in op.results}
    split: set[Value] = set()
    _block(fn.body, {}, makers, split)
    _drop(fn.body, split - uses_of(fn.body))


def _block(block: Block, rows: dict[Any, Value], makers: dict[Value, Build], split: set[Value]) -> None:
    ops: list[Op] = []
    for op in block.ops:
        if isinstance(op, Call) and op.fn in _AT and isinstance(op.args[0].type, ListT) and (
                places := _places(op.args[1], makers)) is not None:
            items = op.args[0]
            for place in places[:-1]:
                items = _row(items, place, op, rows, ops)
            if isinstance(op.args[1], Value):
                split.add(op.args[1])
            op.args[:2] = [items, places[-1]]
        for inner in blocks_of(op):
            _block(inner, dict(rows), makers, split)
        ops.append(op)
    block.ops = ops


def _places(index: Operand, makers: dict[Value, Build]) -> list[Operand] | None:
    """The numbers of an index of several."""
    if isinstance(index, Lit):
        return [Lit(k) for k in index.value] if isinstance(index.value, tuple) else None
    made = makers.get(index)
    return list(made.items) if made is not None and made.kind == "tuple" else None


def _row(items: Any, place: Operand, op: Call, rows: dict[Any, Value], ops: list[Op]) -> Value:
    key = items, place if isinstance(place, Value) else place.value
    if key not in rows:
        known = items.name and (isinstance(place, Lit) or place.name)
        name = f"{items.name.removesuffix('_list')}_{place.value if isinstance(place, Lit) else place.name}" if known else None
        rows[key] = row = Value(items.type.elem, name if name is None or name.isidentifier() else None)
        ops.append(Call(operator.getitem, [items, place], results=[row], loc=op.loc, part=op.part))
    return rows[key]


def _drop(block: Block, values: set[Value]) -> None:
    block.ops = [op for op in block.ops if not (isinstance(op, Build) and op.result in values)]
    for op in block.ops:
        for inner in blocks_of(op):
            _drop(inner, values)
