"""Emit the distributed operations for all iterations at once, and keep the rest in the loop."""
from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ....ir.build import Builder
from ....ir.clone import clone_op
from ....ir.ops import Block, Build, Call, Function, Invoke, Lit, Op, Source, Value, operands_of
from ....ir.types import Arr, ListT, Obj
from ...analysis.elementwise import on_other_operands
from ...batch.driver import batch
from ...batch.unsupported import CannotBatch
from ...rewriting.substitute import substitute
from .plan import Plan, emit_sum

__all__ = ["Rewrite"]


class Rewrite:
    """Carries out a plan."""

    def __init__(self, fn: Function, plan: Plan):
        self.fn, self.plan, self.turns = fn, plan, plan.turns
        #: value of an iteration → the array of all iterations
        self.of_all: dict[Value, Any] = {}

    def carry_out(self) -> tuple[list[Op], list[Op]]:
        """The operations before the loop, and those after it. The loop is changed last, when the rest is known to be possible."""
        plan, loop = self.plan, self.plan.loop
        before, after = Block(), Block()
        lists: list[tuple[Value, Value]] = []
        with Builder(before, loop.part, loop.loc) as b:
            self.compute(b, plan.ahead, [*plan.handed, *plan.shared])
        with Builder(before, loop.part, loop.loc) as b:
            for v in plan.kept:
                items = Value(ListT(v.type), f"{v.name}_list" if v.name else None, v.varied)
                b.emit(Build("list", [], results=[items]))
                lists.append((v, items))
        with Builder(after, loop.part, loop.loc) as b:
            for v, items in lists:
                self.of_all[v] = b.call(np.array, items, type=self.type_of(v))
            self.compute(b, plan.behind, [s.term for s in plan.sums])
            ends = [emit_sum(b, s, loop.inits[s.place], self.of_all[s.term]) for s in plan.sums]
        self.change_loop(lists)
        for s, end in sorted(zip(plan.sums, ends), key=lambda pair: -pair[0].place):
            result = loop.results.pop(s.place)
            loop.inits.pop(s.place)
            loop.body.yields.pop(s.place)
            del loop.body.params[len(loop.sources) + s.place]
            end.results[0] = result
        return before.ops, after.ops

    def type_of(self, v: Value) -> Arr:
        assert isinstance(v.type, Arr)
        return Arr(v.type.dtype, (self.turns.dim, *v.type.dims))

    def compute(self, b: Builder, ops: list[Op], results: list[Any]) -> None:
        """Write operations for all iterations at once."""
        given: dict[Value, Any] = {}
        copies: dict[Value, Any] = {}
        fragment = Block()
        own = {op.results[0] for op in ops}
        for op in ops:
            if (row := self.turns.first_row(op)) is not None:
                given[op.results[0]] = self.rows(b, *row, op)
                continue
            for o in operands_of(op):
                if o is self.turns.row:
                    given[o] = self.turns.array
                elif o in self.of_all and o not in own:
                    given[o] = self.of_all[o]
            if isinstance(op, Invoke):
                with Builder(fragment, op.part, op.loc) as writer:
                    args = [copies.get(a, a) if isinstance(a, Value) else a for a in op.args]
                    copies[op.results[0]] = on_other_operands(writer, op, args)
            else:
                fragment.ops.append(clone_op(op, copies))
        if not ops:
            return
        wanted = list(dict.fromkeys(results))
        fragment.params = list(given)
        fragment.yields = [copies.get(v, v) for v in wanted]
        alone = Function("turns", fragment, names=self.fn.names, loc=self.plan.loop.loc)
        made, facts, _ = batch(alone, list(given), self.turns.dim)
        if not all(map(facts.batched, fragment.yields)):
            raise CannotBatch("a loop-invariant value")
        substitute(made.body, dict(zip(made.body.params, given.values())))
        b.block.ops += made.body.ops
        for v, y in zip(wanted, made.body.yields):
            if isinstance(y, Value) and v.name and y.name == v.name and v in self.plan.handed:
                y.name = f"{v.name}_rows"
            self.of_all[v] = y if y not in made.body.params else given[list(given)[made.body.params.index(y)]]

    def rows(self, b: Builder, array: Value, first: int, op: Op) -> Any:
        """The rows of an array that the iterations read, in order."""
        t = array.type
        assert isinstance(t, Arr)
        d = t.dims[0]
        if first == 0 and d.off == self.turns.more:
            return array
        loc, b.loc = b.loc, op.loc
        stop = None if first + self.turns.more == d.off else first + self.turns.more - d.off
        found = b.call(operator.getitem, array, Lit(slice(first or None, stop, None)), type=Arr(t.dtype, (self.turns.dim, *t.dims[1:])))
        b.loc = loc
        return found

    def change_loop(self, lists: list[tuple[Value, Value]]) -> None:
        """Remove the operations computed elsewhere from the loop, and let it save the values used after it."""
        plan, loop = self.plan, self.plan.loop
        gone = {id(op) for op in (*plan.behind, *plan.ahead, *(op for s in plan.sums for op in s.gone))}
        loop.body.ops = [op for op in loop.body.ops if id(op) not in gone]
        self.hand_rows()
        for v, items in lists:
            loop.body.ops.append(Call(list.append, [items, v], results=[Value(Obj(type(None)))], loc=loop.body.ops[-1].loc))

    def hand_rows(self) -> None:
        """Let each iteration read its rows of the values computed before the loop."""
        turns, loop = self.turns, self.plan.loop
        rows: list[Op] = []
        index = turns.index
        if index is not None and turns.start and self.plan.handed:
            index = Value(index.type)
            rows.append(Call(operator.sub, [turns.index, Lit(turns.start)], results=[index], loc=loop.loc))
        for v in self.plan.handed:
            if index is None:
                loop.body.params.insert(len(loop.sources), v)
                loop.sources.append(Source("seq", [self.of_all[v]]))
            else:
                rows.append(Call(operator.getitem, [self.of_all[v], index], results=[v], loc=self.plan.makers[v].loc))
        loop.body.ops[:0] = rows
