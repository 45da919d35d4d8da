"""Forward stores to loads: after ``rows[k] = v``, replace ``rows[k]`` by ``v``.

A loaded row is a view, which is copied if the derivative needs it and the array is written to again; ``v`` is a value. Both are equal until
the next write to the array, so the pass requires that the view is dead by then.
"""
from __future__ import annotations

import operator
from typing import Any

from ...ir.ops import Block, Call, Function, Lit, Op, Operand, Value, blocks_of, walk
from ...ir.types import Arr, Num
from ..analysis.alias import AliasClasses
from ..analysis.def_use import definitions
from ..analysis.live_views import LiveViews
from ..manager import Stage, analysis, optimization
from ..rewriting.substitute import substitute
from ..switches import is_on

__all__ = ["forward_stores_to_loads"]


@optimization(Stage.CANONICALIZE, "stored", analyses=(AliasClasses, definitions))
def forward_stores_to_loads(fn: Function) -> bool:
    """Rewrite ``fn`` in place."""
    if not any(_stores_row(op) for op in walk(fn.body)) or not is_on("stored"):
        return False
    found: dict[Value, Operand] = {}
    _Stored(fn, found).block(fn.body)
    if found:
        substitute(fn.body, found)
    return True


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
        self.classes = analysis(AliasClasses, fn)
        self.found = found
        self.makers = analysis(definitions, fn)
        self.live = LiveViews(self.classes)
        #: the blocks around the one that is looked at, each with the operation in it that owns the next
        self.outer: list[tuple[Block, Op]] = []

    def block(self, block: Block) -> None:
        rows: dict[Any, Value] = {}
        for k, op in enumerate(block.ops):
            if isinstance(op, Call) and op.fn is operator.getitem and rows and (key := self.key(op)) in rows:
                value = rows[key]
                if op.result.type == value.type and self.live.are_done(op.result, block, k, self.outer):
                    self.found[op.result] = self.found.get(value, value)
            for inner in blocks_of(op):
                self.outer.append((block, op))
                self.block(inner)
                self.outer.pop()
            changed = self.live.changed(op)
            if changed:
                rows = {key: v for key, v in rows.items() if self.classes.find(key[0]) not in changed}
            if _stores_row(op) and isinstance(op, Call) and not self.classes.is_written(op.args[2]):
                rows[self.key(op)] = op.args[2]

    def key(self, op: Call) -> Any:
        """The array and the number of a row."""
        return op.args[0], self.number(op.args[1])

    def number(self, x: Operand, depth: int = 4) -> Any:
        """The base and offset of an index."""
        if isinstance(x, Lit):
            return type(x.value), repr(x.value)
        made = self.makers.get(x)
        if depth and isinstance(made, Call) and made.fn in (operator.add, operator.sub, operator.mul) and all(
                isinstance(a.type, Num) and a.type.kind == "int" for a in made.args):
            return made.fn, *(self.number(a, depth - 1) for a in made.args)
        return x
