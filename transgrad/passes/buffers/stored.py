"""A row that was just put into an array is what was put there: ``rows[k] = v; x = rows[k]`` is ``rows[k] = v; x = v``.

A row that is read is a view, which is copied where the derivative needs it and the array is written to again.  What was put there is a
value.  The two are the same until the next write to the array; so it is done where nothing reads the view after one.
"""
from __future__ import annotations

import operator
from typing import Any

from ...ir.ops import Block, Build, Call, For, Function, GetAttr, Invoke, Lit, Op, Operand, Value, blocks_of, operands_of, walk
from ...ir.prims import inplace_at
from ...ir.types import Arr, Num
from ..analysis.alias import AliasClasses, forget
from ..substitute import substitute, uses_of
from ..switches import is_on

__all__ = ["read_what_was_stored"]


def read_what_was_stored(fn: Function) -> None:
    """Rewrites ``fn`` in place."""
    if not is_on("stored") or not any(_stores_row(op) for op in walk(fn.body)):
        return
    found: dict[Value, Operand] = {}
    _Stored(fn, found).block(fn.body)
    if found:
        substitute(fn.body, found)
        forget(fn)


def _stores_row(op: Op) -> bool:
    """Whether an operation puts a value into a row of an array that is as long."""
    if type(op) is not Call or op.fn is not operator.setitem or not isinstance(op.args[0], Value) or not isinstance(op.args[2], Value):
        return False
    t, v, index = op.args[0].type, op.args[2].type, op.args[1].type
    if not isinstance(t, Arr) or not isinstance(v, Arr) or len(t.dims) < 2 or t.dtype != v.dtype or len(v.dims) != len(t.dims) - 1:
        return False
    return isinstance(index, Num) and index.kind == "int" and all(
        a.one is b.one is True or a == b and a.sym is not None for a, b in zip(t.dims[1:], v.dims))


class _Stored:
    def __init__(self, fn: Function, found: dict[Value, Operand]):
        self.classes = AliasClasses(fn)
        self.found = found
        self.makers = {v: op for op in walk(fn.body) for v in op.results}
        #: the blocks around the one that is looked at: the operation in the block, and the block
        self.outer: list[tuple[Block, Op]] = []
        self.changes: dict[int, set[Any]] = {}

    def block(self, block: Block) -> None:
        rows: dict[Any, Value] = {}
        for k, op in enumerate(block.ops):
            if isinstance(op, Call) and op.fn is operator.getitem and rows and (key := self.key(op)) in rows:
                value = rows[key]
                if op.result.type == value.type and self.may_stand(op.result, block, k):
                    self.found[op.result] = self.found.get(value, value)
            for inner in blocks_of(op):
                self.outer.append((block, op))
                self.block(inner)
                self.outer.pop()
            changed = self.changed(op)
            if changed:
                rows = {key: v for key, v in rows.items() if self.classes.find(key[0]) not in changed}
            if _stores_row(op) and isinstance(op, Call) and not self.classes.is_written(op.args[2]):
                rows[self.key(op)] = op.args[2]

    def key(self, op: Call) -> Any:
        """The array and the number of a row."""
        return op.args[0], self.number(op.args[1])

    def number(self, x: Operand, depth: int = 4) -> Any:
        """What an index is computed from."""
        if isinstance(x, Lit):
            return type(x.value), repr(x.value)
        made = self.makers.get(x)
        if depth and isinstance(made, Call) and made.fn in (operator.add, operator.sub, operator.mul) and all(
                isinstance(a.type, Num) and a.type.kind == "int" for a in made.args):
            return made.fn, *(self.number(a, depth - 1) for a in made.args)
        return x

    def changed(self, op: Op) -> set[Any]:
        """The classes of memory that an operation writes to."""
        if id(op) not in self.changes:
            self.changes[id(op)] = {root for inner in walk(Block([], [op])) for root in self.classes.changed_by(inner)}
        return self.changes[id(op)]

    def may_stand(self, view: Value, block: Block, at: int) -> bool:
        """Whether nothing writes to the array of a view before the view is read for the last time."""
        self.root = self.classes.find(view)
        self.seen: set[Any] = set()
        return self.holds({view}, block, at + 1, list(self.outer))

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
        """Whether views are read in the blocks of an operation for what they are alone."""
        for inner in (o for b in blocks_of(op) for o in walk(b)):
            if not views.isdisjoint(operands_of(inner)) and (not isinstance(inner, Call) or self.changed(inner) or self.keeps(inner)):
                return False
        return all(views.isdisjoint(b.yields) for o in walk(Block([], [op])) for b in blocks_of(o))

    def keeps(self, op: Op) -> bool:
        """Whether the result of an operation may refer to the array."""
        return any(not isinstance(r.type, (Num, Arr)) or self.classes.find(r) is self.root for r in op.results)

    def passes_on(self, op: Op, views: set[Value], outer: list[tuple[Block, Op]]) -> bool:
        """Adds to ``views`` what an operation makes of them; False where that is not known."""
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
        """What a block yields is there in the next turn, and behind the loop."""
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
