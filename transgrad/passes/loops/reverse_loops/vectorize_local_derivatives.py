"""Vectorize the part of a reverse loop that depends only on saved values.

An example is the derivative ``1.0 - h ** 2`` of ``tanh``. For small arrays, the cost of an operation is the cost of the call; vectorized,
it is called once. The saved values are stacked into one array, and the reverse loop iterates over the rows of the result. """
from __future__ import annotations

from typing import Any

import numpy as np

from ....ir.attributes import Guard
from ....ir.build import Builder
from ....ir.infer import infer
from ....ir.ops import Block, Build, Call, For, Function, Op, Source, Try, Value, blocks_of, operands_of
from ....ir.types import Arr, Dim, ListT
from ...ad.residuals.saved_lists import Kept, KeptLists, item_of, let_go
from ...analysis.alias import AliasClasses
from ...analysis.def_use import definitions
from ...analysis.program_order import defined_in, owners_in
from ...analysis.trip_counts import Counts
from ...batch.unsupported import CannotBatch
from ...manager import Property, Stage, analysis, optimization
from ...memory.in_place_accumulation import collect_uses
from ...switches import is_on
from .invariant_factors import gather_factors
from .vectorize_iterations import computes, has_form_for_all, stacked, turns_along

__all__ = ["vectorize_derivatives"]

#: minimum number of operations in an iteration that makes the search for residuals worthwhile
_WORTH = 2


@optimization(Stage.LOWER_NUMPY, "ahead", requires=(Property.FINAL,), analyses=(AliasClasses, definitions))
def vectorize_derivatives(fn: Function) -> bool:
    """Rewrite a finished function in place; how often loops turn at least, and how large arrays are at most, becomes a guard."""
    if not fn.attrs.shapes:
        return False
    found = [op for op in owners_in(fn.body) if type(op) is For and op.part == "adjoint" and _may_gain(op)]
    if not found or any(isinstance(op, Try) for op in owners_in(fn.body)) or not is_on("ahead"):
        return False
    guards: list[Guard] = []
    for mirror in found:
        guards += _Ahead(fn, mirror).carry_out()
    if guards:
        fn.attrs.add_guards(guards)
    return True


def _may_gain(loop: For) -> bool:
    """Whether a loop computes several arrays from its sources alone."""
    known = {p for p in loop.body.params[:len(loop.body.params) - len(loop.inits)] if isinstance(p.type, Arr) and p.type.dims}
    count = 0
    for op in loop.body.ops if known else ():
        if type(op) is Call and op.results and isinstance(op.result.type, Arr):
            own = [o for o in operands_of(op) if type(o) is Value]
            if own and known.issuperset(own):
                known.add(op.result)
                count += computes(op)
    return count >= _WORTH


class _Ahead:
    """The reverse of one loop."""

    def __init__(self, fn: Function, mirror: For):
        self.fn, self.mirror, self.body = fn, mirror, mirror.body
        self.classes = analysis(AliasClasses, fn)
        self.counts = Counts(fn)
        self.kept = self.group()
        self.items = {item_of(k): k for k in self.kept}
        #: the operations of an iteration that can be computed in advance, by their results
        self.found: dict[Any, Op] = {}
        self.inside: set[Value] = set()

    def group(self) -> list[Kept]:
        """The lists of small arrays that the loop runs over, all of them filled by one loop and kept in the same way."""
        found = [k for k in KeptLists(self.fn).kept() if k.mirror is self.mirror and isinstance(k.loop, For)
                 and self.counts.is_small(k.append.args[1].type) and not self.classes.is_written(k.append.args[1])]
        return [k for k in found if k.loop is found[0].loop and _outer(k) is _outer(found[0])]

    def carry_out(self) -> list[Guard]:
        """Hoist the profitable operations; return the guards."""
        if not self.kept:
            return []
        first, outermost = self.kept[0], _outer(self.kept[0])
        assert isinstance(first.loop, For)
        loops = [first.through.loop, first.loop] if first.through is not None else [first.loop]
        if not all(isinstance(loop, For) for loop in loops):
            return []
        self.inside = defined_in(outermost)
        self.find()
        if not self.found or self.counts.guards(loops, [v.type for v in self.items]) is None:   # type: ignore[arg-type]
            return []
        if gather_factors(self.body, lambda v: v in self.found or v in self.items, self.classes.is_written):
            self.inside = defined_in(outermost)
            self.find()
        wanted, ops = self.plan()
        read = [v for v in self.items if any(v in operands_of(op) for op in ops)]
        if not wanted or sum(map(_cost, ops)) < len(wanted) + len(read):
            return []
        types = [v.type for v in (*read, *(op.result for op in ops)) if isinstance(v.type, Arr)]
        guards = self.counts.guards(loops, types)      # type: ignore[arg-type]
        return guards if guards is not None and self.rewrite(wanted, ops, read) else []

    def find(self) -> None:
        """The operations of an iteration that read only residuals and each other, or loop-invariant values."""
        self.found = {}
        for op in self.body.ops:
            own = [o for o in operands_of(op) if o in self.inside]
            if own and all(o in self.items or o in self.found for o in own) and has_form_for_all(op, self.classes) and (
                    op.result not in self.body.yields):
                if isinstance(op, Build) or self.counts.is_small(op.result.type) or self.is_small_now(op):
                    self.found[op.result] = op

    def is_small_now(self, op: Op) -> bool:
        """Whether an array is known to be small from the facts found about its operands so far."""
        assert isinstance(op, Call)
        t = infer(op.fn, op.args, op.kwargs)
        if self.counts.is_small(t) and len(t.dims) == len(op.result.type.dims):     # type: ignore[union-attr]
            op.result.type = t
            return True
        return False

    def plan(self) -> tuple[list[Any], list[Op]]:
        """The values passed to the iterations, and the operations that compute them, in order."""
        uses = collect_uses(self.body.ops)
        own = {id(op) for op in self.found.values()}
        gains: set[Any] = set()
        wanted = []
        for v, op in self.found.items():
            if computes(op) or any(o in gains for o in operands_of(op)):
                gains.add(v)
                if isinstance(v.type, Arr) and any(id(user) not in own for user in uses.get(v, ())):
                    wanted.append(v)
        needed = set(wanted)
        for v in reversed(self.found):
            if v in needed:
                needed.update(o for o in operands_of(self.found[v]) if o in self.found)
        return wanted, [op for v, op in self.found.items() if v in needed]

    def rewrite(self, wanted: list[Any], ops: list[Op], read: list[Value]) -> bool:
        """Compute for all iterations at once; return whether that is possible."""
        turns = Dim(False, ("<turns>", id(self.mirror)))
        outermost, ahead = _outer(self.kept[0]), Block()
        nested = outermost is not self.mirror
        lists = {v: Value(self.items[v].items.type, self.items[v].items.name) if nested else self.items[v].items for v in read}
        with Builder(ahead, "adjoint", ops[0].loc) as b:
            given = {v: b.call(np.array, items, type=turns_along(v.type, turns)) for v, items in lists.items()}
            try:
                arrays = stacked(self.fn, b, ops, given, wanted, turns)
            except CannotBatch:
                return False
            rows = [b.call(list, array, type=ListT(v.type)) for v, array in zip(wanted, arrays)]
        block = next(block for block in _blocks(self.fn.body) if outermost in block.ops)
        at = block.ops.index(outermost)
        block.ops[at:at] = ahead.ops
        self.leave_out(wanted, ops)
        for v, items in zip(wanted, rows):
            if nested:
                self.body.ops.insert(0, Call(list.pop, [items], results=[v], loc=self.mirror.loc, part="adjoint"))
            else:
                self.body.params.insert(len(self.body.params) - len(self.mirror.inits), v)
                self.mirror.sources.append(Source("seq", [items], reverse=True))
        if nested:
            for v, items in lists.items():
                self.fill(self.items[v], items)
        let_go([self.items[v] for v in read])
        return True

    def leave_out(self, wanted: list[Any], ops: list[Op]) -> None:
        """Remove the hoisted operations from the iteration, except those with other uses."""
        gone = {id(op) for op in ops if op.result in wanted}
        uses = collect_uses(self.body.ops)
        for op in reversed(ops):
            if all(id(user) in gone for user in uses.get(op.result, ())) or id(op) in gone:
                gone.add(id(op))
        self.body.ops = [op for op in self.body.ops if id(op) not in gone]

    def fill(self, kept: Kept, items: Value) -> None:
        """Let the iterations of a nested loop save a value in one list for all of them."""
        assert kept.through is not None
        block, at = kept.through.block, kept.through.block.ops.index(kept.through.loop)
        block.ops.insert(at, Build("list", [], results=[items], loc=kept.through.made.loc, part=kept.through.made.part))
        at = kept.loop.body.ops.index(kept.append) + 1
        append = Call(list.append, [items, kept.append.args[1]], loc=kept.append.loc, part=kept.append.part)
        kept.loop.body.ops.insert(at, append)


def _outer(kept: Kept) -> For:
    """The outermost of the loops that iterate over the residuals."""
    return kept.mirror if kept.through is None else kept.through.mirror


def _cost(op: Op) -> int:
    """How many operations an operation takes as long as."""
    if not computes(op):
        return 0
    return 2 if isinstance(op, Call) and op.fn is np.concatenate else 1


def _blocks(block: Block) -> Any:
    """A block and those in it."""
    yield block
    for op in block.ops:
        for inner in blocks_of(op):
            yield from _blocks(inner)
