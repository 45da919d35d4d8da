"""Analysis: live ranges of the views of an array.

A view changes with its array. A view that is dead before the next write to the array is as good as a value.
"""
from __future__ import annotations

import operator
from typing import Any

from ...ir.effects import is_unknown
from ...ir.ops import Block, Build, Call, For, GetAttr, Invoke, Op, Value, blocks_of, operands_of, walk
from ...ir.prims import inplace_at
from ...ir.types import Arr, Num
from ..rewriting.substitute import uses_of
from .alias import AliasClasses

__all__ = ["LiveViews"]


class LiveViews:
    """The reads of the views of one function's arrays, and the writes to the arrays."""

    def __init__(self, classes: AliasClasses):
        self.classes = classes
        self.changes: dict[int, set[Any]] = {}
        self.root: Any = None
        self.seen: set[Any] = set()

    def changed(self, op: Op) -> set[Any]:
        """The classes of memory that an operation writes to; of one of which nothing is known, all that are written to at all."""
        if id(op) not in self.changes:
            inside = list(walk(Block([], [op])))
            found = {root for inner in inside for root in self.classes.changed_by(inner)}
            self.changes[id(op)] = found | set(self.classes.writers) if any(map(is_unknown, inside)) else found
        return self.changes[id(op)]

    def are_done(self, view: Value, block: Block, at: int, outer: list[tuple[Block, Op]]) -> bool:
        """Whether a view that the operation at a place of a block makes is read for the last time before the next write to its array;
        ``outer`` are the blocks around that one, each with the operation in it that owns the next."""
        self.root = self.classes.find(view)
        self.seen = set()
        return self.holds({view}, block, at + 1, outer)

    def holds(self, views: set[Value], block: Block, start: int, outer: list[tuple[Block, Op]]) -> bool:
        """The same for views that are there at a place of a block."""
        mark = id(block), start, frozenset(views)
        if not views or mark in self.seen:
            return True
        self.seen.add(mark)
        views, last = set(views), -1
        for k in range(start, len(block.ops)):
            op = block.ops[k]
            inside = any(not views.isdisjoint(uses_of(inner)) for inner in blocks_of(op))
            if inside or not views.isdisjoint(operands_of(op)):
                if inside and not self.only_read(op, views) or not self.passes_on(op, views, [*outer, (block, op)]):
                    return False
                last = k
                if inside and self.root in self.changed(op):
                    return False
        left = not views.isdisjoint(block.yields)
        for k in range(start, len(block.ops) if left else last + 1):
            if self.root in self.changed(block.ops[k]) and (left or k < last or not _reads_first(block.ops[k])):
                return False
        return not left or self.leaves(views, block, outer)

    def only_read(self, op: Op, views: set[Value]) -> bool:
        """Whether views are only read in the blocks of an operation."""
        for inner in (o for b in blocks_of(op) for o in walk(b)):
            if not views.isdisjoint(operands_of(inner)) and (not isinstance(inner, Call) or self.changed(inner) or self.keeps(inner)):
                return False
        return all(views.isdisjoint(b.yields) for o in walk(Block([], [op])) for b in blocks_of(o))

    def keeps(self, op: Op) -> bool:
        """Whether the result of an operation may refer to the array."""
        return any(not isinstance(r.type, (Num, Arr)) or self.classes.find(r) is self.root for r in op.results)

    def passes_on(self, op: Op, views: set[Value], outer: list[tuple[Block, Op]]) -> bool:
        """Add the views that an operation makes of ``views``; False if they are not known."""
        if isinstance(op, For):
            if any(o in views for s in op.sources for o in s.operands):
                return False
            first = len(op.body.params) - len(op.inits)
            places = [k for k, i in enumerate(op.inits) if i in views]
            inner = {op.body.params[first + k] for k in places}
            views |= {op.results[k] for k in places}
            return self.holds(inner, op.body, 0, outer)
        if blocks_of(op):
            return op.results == [] or not self.keeps(op)
        if not isinstance(op, (Call, Invoke, Build, GetAttr)):
            return False
        if self.changed(op) and not (isinstance(op, Call) and op.fn in (operator.setitem, inplace_at) and isinstance(op.args[0].type, Arr)):
            return False
        if self.keeps(op):
            views.update(op.results)
        return True

    def leaves(self, views: set[Value], block: Block, outer: list[tuple[Block, Op]]) -> bool:
        """The values that a block yields are available in the next iteration, and after the loop."""
        if not outer or not isinstance(op := outer[-1][1], For):
            return False        # a result of the function, for one
        first = len(block.params) - len(op.inits)
        places = [k - op.stops for k, y in enumerate(block.yields) if y in views]
        if any(k < 0 for k in places):
            return False
        around = outer[-1][0]
        at = next(k for k, o in enumerate(around.ops) if o is op)
        return self.holds({block.params[first + k] for k in places}, block, 0, outer) and self.holds(
            {op.results[k] for k in places}, around, at + 1, outer[:-1])


def _reads_first(op: Op) -> bool:
    """Whether an operation has read all that it reads of a view when it writes: a loop that is given it at its start does, if it passes."""
    return isinstance(op, For) or isinstance(op, Call) and op.fn in (operator.setitem, inplace_at)
