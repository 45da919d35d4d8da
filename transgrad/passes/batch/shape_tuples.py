"""Simplify the shape tuples that batching creates: ``(n,) + (k, m)`` to ``(n, k, m)``, and ``x.shape[1:][1:]`` to ``x.shape[2:]``."""
from __future__ import annotations

import operator
from typing import Any

from ...ir.ops import Block, Build, Call, GetAttr, Lit, Op, Operand, Star, Value, blocks_of
from ...ir.types import Obj, TupleT

__all__ = ["join_tuples"]


def join_tuples(block: Block) -> None:
    """Rewrite a block in place; dead operations are removed later."""
    _Join().block(block)


class _Join:
    def __init__(self) -> None:
        self.makers: dict[Operand, Op] = {}

    def block(self, block: Block) -> None:
        for k, op in enumerate(block.ops):
            if type(op) is Call and len(op.args) == 2 and not op.kwargs:
                if op.fn is operator.add and (items := self.items(op)) is not None:
                    op = block.ops[k] = Build("tuple", items, results=op.results, loc=op.loc, part=op.part)
                elif op.fn is operator.getitem:
                    self.read_whole(op)
            if len(op.results) == 1:
                self.makers[op.results[0]] = op
            for inner in blocks_of(op):
                self.block(inner)

    def items(self, op: Call) -> list[Any] | None:
        """The items of a sum that begins with a tuple display; None for other sums."""
        first, rest = op.args
        made = self.makers.get(first)
        if not isinstance(made, Build) or made.kind != "tuple":
            return None
        other = self.makers.get(rest)
        if isinstance(other, Build) and other.kind == "tuple":
            return [*made.items, *other.items]
        if isinstance(rest, Lit) and type(rest.value) is tuple and rest.text is None:
            return [*made.items, *map(Lit, rest.value)]
        known = isinstance(rest, Value) and (isinstance(rest.type, TupleT) and rest.type.cls is None or rest.type == Obj(tuple))
        return [*made.items, Star(rest)] if known and op.results[0].type == Obj(tuple) else None

    def read_whole(self, op: Call) -> None:
        """Let readers of a part of a shape after some of its lengths read the whole shape."""
        part, index = op.args
        made = self.makers.get(part)
        if not isinstance(made, Call) or made.fn is not operator.getitem or not isinstance(self.makers.get(made.args[0]), GetAttr):
            return
        shape, start = self.makers[made.args[0]], _start(made.args[1])
        if not isinstance(shape, GetAttr) or shape.name != "shape" or start is None or not isinstance(index, Lit):
            return
        if type(index.value) is int and index.value >= 0 and index.text is None:
            op.args = [made.args[0], Lit(start + index.value)]
        elif (more := _start(index)) is not None:
            op.args = [made.args[0], Lit(slice(start + more, None))]


def _start(index: Operand) -> int | None:
    """The start of a slice that extends to the end; None for other indices."""
    s = index.value if isinstance(index, Lit) else None
    if not isinstance(s, slice) or s.stop is not None or s.step is not None:
        return None
    return 0 if s.start is None else s.start if type(s.start) is int and s.start >= 0 else None
