"""Sink reductions out of reverse loops.

``w_bar[1] += s * q`` takes three operations in each iteration, two of which load and store the accumulator. The iterations save ``s`` and
``q`` instead, and the sum is computed after the loop. In nested loops whose accumulator depends on the innermost variable (``w_bar[k]``),
there is one list for each of its values.
"""
from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ....ir.attributes import Guard
from ....ir.build import Builder
from ....ir.clone import clone_op
from ....ir.ops import Block, Build, Call, For, Function, Lit, Op, Operand, Source, Try, Value, While, blocks_of, operands_of, walk
from ....ir.prims import inplace_at
from ....ir.types import Arr, Dim, ListT, Num, Obj
from ...ad.residuals.saved_lists import Kept, KeptLists, item_of, let_go
from ...analysis.alias import AliasClasses
from ...analysis.def_use import definitions, definitions_in
from ...analysis.program_order import owners_in
from ...analysis.trip_counts import Counts
from ...batch.unsupported import CannotBatch
from ...manager import Property, Stage, analysis, optimization
from ...memory.in_place_accumulation import collect_uses
from ...rewriting.substitute import uses_of
from ...switches import is_on
from .vectorize_iterations import has_form_for_all, stacked, turns_along

__all__ = ["sink_loop_reductions"]

_ADDS = (operator.iadd, operator.isub)
_INTEGERS = (operator.add, operator.sub, operator.mul)


@optimization(Stage.LOWER_NUMPY, "behind", requires=(Property.FINAL,), analyses=(AliasClasses, definitions))
def sink_loop_reductions(fn: Function) -> bool:
    """Rewrite a finished function in place; how often loops turn at least, and how large arrays are at most, becomes a guard."""
    if not fn.attrs.shapes:
        return False
    owners = owners_in(fn.body)
    if not any(type(op) is For and any(map(_adds, op.body.ops)) for op in owners) or any(isinstance(op, Try) for op in owners):
        return False
    if not is_on("behind"):
        return False
    state = _Behind(fn)
    state.block(fn.body)
    for block, loop, before in state.before:
        at = block.ops.index(loop)
        block.ops[at:at] = before
    for kept in state.renumbered:
        let_go([kept])
    if state.guards:
        fn.attrs.add_guards(state.guards)
    return True


def _adds(op: Op) -> bool:
    """Whether an operation adds an array to a part of another one."""
    return type(op) is Call and op.fn is inplace_at and op.part == "adjoint" and op.args[3].value in _ADDS and isinstance(
        t := op.args[2].type, Arr) and bool(t.dims)


class _Behind:
    def __init__(self, fn: Function):
        self.fn = fn
        self.classes = analysis(AliasClasses, fn)
        self.counts = Counts(fn)
        self.guards: list[Guard] = []
        #: operations to insert before other loops, with the block of these
        self.before: list[tuple[Block, Op, list[Op]]] = []
        #: residuals saved per iteration number, which may no longer be saved for other uses
        self.renumbered: list[Kept] = []

    def block(self, block: Block) -> None:
        """Take the sums out of the loops of a block, as far out as they can go."""
        ops: list[Op] = []
        for op in block.ops:
            if type(op) is For and op.part == "adjoint" and not op.stops:
                before, after = _Nest(self, op).carry_out()
                for inner in blocks_of(op):
                    self.block(inner)
                ops += [*before, op, *after]
                continue
            for inner in blocks_of(op):
                self.block(inner)
            ops.append(op)
        block.ops = ops


class _Nest:
    """A loop, with its inner loops that always run."""

    def __init__(self, state: _Behind, outermost: For):
        self.fn, self.classes, self.counts, self.state, self.outermost = state.fn, state.classes, state.counts, state, outermost
        #: residuals of the iterations of a loop, in one list or (with an inner induction variable) in one list for each of its values
        self.lists: dict[tuple[Value, Value | None], tuple[Value, For]] = {}
        self.guards: list[Guard] = []
        #: residuals of the loops themselves, and those of them that are saved by number instead
        self.items: dict[Any, Kept] = {}
        self.renumbered: dict[tuple[Value, Value | None], Kept] = {}
        self.inside: set[Any] = set(outermost.body.params)
        self.makers: dict[Any, Op] = {}
        for op in walk(outermost.body):
            self.inside.update(op.results)
            self.makers.update((v, op) for v in op.results)
            for block in blocks_of(op):
                self.inside.update(block.params)

    def carry_out(self) -> tuple[list[Op], list[Op]]:
        """The operations before the loop, and those after it."""
        found: dict[Any, list[_Sum]] = {}
        self.collect(self.outermost, [self.outermost], found)
        references = self.references() if found else {}
        sums = [s for root, sums in found.items() if references.get(root) == len(sums) and self.is_possible(sums) for s in sums]
        self.items = {item_of(k): k for k in KeptLists(self.fn).kept()} if sums else {}
        after = self.written(sums) if sums else []
        if not after:
            return [], []
        self.state.renumbered += self.renumbered.values()
        return self.kept(), after

    def is_possible(self, sums: list[_Sum]) -> bool:
        """Whether all additions to one array can be moved after the loops; records the guards."""
        guards: list[Guard] = []
        for s in sums:
            checked = self.counts.guards(s.each, s.types(), s.loops[len(s.each):]) if s.is_possible() else None
            if checked is None:
                return False
            guards += checked
        self.guards += guards
        return True

    def collect(self, loop: For, loops: list[For], found: dict[Any, list[_Sum]]) -> None:
        """Collect the additions to external arrays of all loops, by alias class."""
        for op in loop.body.ops:
            if _adds(op) and isinstance(op, Call) and isinstance(op.args[0], Value) and op.args[0] not in self.inside:
                found.setdefault(self.classes.find(op.args[0]), []).append(_Sum(self, op, loops))
            elif type(op) is For and op.part == "adjoint" and not op.stops:
                self.collect(op, [*loops, op], found)

    def references(self) -> dict[Any, int]:
        """The number of references to arrays in the loop, by alias class."""
        counted: dict[Any, int] = {}
        for op in (self.outermost, *walk(self.outermost.body)):
            for o in (*operands_of(op), *(v for block in blocks_of(op) for v in (*block.params, *block.yields)), *op.results):
                if isinstance(o, Value):
                    root = self.classes.find(o)
                    counted[root] = counted.get(root, 0) + 1
        return counted

    def written(self, sums: list[_Sum]) -> list[Op]:
        """Move additions after the loops; return the operations that perform them."""
        after = Block()
        try:
            for loop in dict.fromkeys(s.loops[-1] for s in sums):
                here = [s for s in sums if s.loops[-1] is loop]
                self.write(after, [s for s in here if s.index is None])
                self.write(after, [s for s in here if s.index is not None])
        except CannotBatch:
            return []
        for s in sums:
            s.leave_out()
        self.state.guards += self.guards
        return after.ops

    def write(self, after: Block, sums: list[_Sum]) -> None:
        """Write the additions made in one loop: those whose position depends on an inner induction variable are made in another loop."""
        if not sums:
            return
        index = sums[0].index
        with Builder(after, "adjoint", sums[0].op.loc) as b:
            turns, stacks = Dim(False, ("<turns>", id(sums))), dict[Value, Any]()
            if index is None:
                for s in sums:
                    s.write(b, None, turns, stacks)
                return
            k = Value(index.type, index.name)
            body = Block([k])
            with b.inside(body):
                for s in sums:
                    s.write(b, k, turns, stacks)
            b.emit(For([Source("range", [Lit(0), self.stop(b, sums[0].loops[-1], index), Lit(1)])], [], body))

    def stack(self, b: Builder, v: Value, s: _Sum, k: Value | None, turns: Dim) -> Any:
        """The array of a value in all iterations, or in those of one inner iteration number."""
        if (v, s.index) not in self.lists:
            t = ListT(v.type)
            self.lists[v, s.index] = Value(t if s.index is None else ListT(t), f"{v.name or 'kept'}_list"), s.loops[-1]
            if s.index is not None and self.by_number(v, s) is not None:
                self.renumbered[v, s.index] = self.items[v]
        items = self.lists[v, s.index][0]
        found = items if k is None else b.call(operator.getitem, items, k, type=ListT(v.type))
        whole = b.call(np.array, found, type=turns_along(v.type, turns))
        if (v, s.index) in self.renumbered:        # from the first turn to the last
            whole = b.call(operator.getitem, whole, Lit(slice(None, None, -1)), type=whole.type)
        return whole

    def by_number(self, v: Value, s: _Sum) -> Value | None:
        """The induction variable of the inner of two loops that save a value, if the value can be saved for each of its iterations."""
        kept = self.items.get(v)
        if kept is None or kept.through is None or [kept.through.mirror, kept.mirror] != s.loops:
            return None
        loop = kept.loop
        source = loop.sources[0] if isinstance(loop, For) and len(loop.sources) == 1 and not loop.stops else None
        if source is None or source.kind != "range" or source.reverse or not _counts_from_zero(source):
            return None
        inside = {r for op in walk(kept.through.loop.body) for r in op.results}
        return None if source.operands[1] in inside else loop.body.params[0]

    def index(self, loop: For) -> Value | None:
        """The induction variable of a loop that counts from zero, if its trip count is the same each time."""
        for p, s in zip(loop.body.params, loop.sources):
            if s.kind == "items":
                break       # which takes two
            if s.kind == "range" and _counts_from_zero(s) and (
                    s.operands[1] not in self.inside or self.measured(s.operands[1]) is not None):
                return p
        return None

    def measured(self, x: Any) -> Value | None:
        """The array from outside whose length a number is."""
        made = self.makers.get(x)
        own = isinstance(made, Call) and made.fn is len and isinstance(made.args[0].type, Arr) and made.args[0] not in self.inside
        return made.args[0] if own and isinstance(made, Call) else None

    def stop(self, b: Builder, loop: For, index: Value) -> Any:
        """How often a loop turns."""
        found = loop.sources[loop.body.params.index(index)].operands[1]
        return found if found not in self.inside else b.call(len, self.measured(found), type=found.type)

    def kept(self) -> list[Op]:
        """Let the iterations of loops save the residuals; return the operations that create the lists."""
        made = Block()
        nests: dict[For | While, list[tuple[Value, Kept]]] = {}
        for (v, number), k in self.renumbered.items():
            nests.setdefault(k.loop, []).append((self.lists[v, number][0], k))
        for loop, ours in nests.items():
            outer = ours[0][1].through
            assert isinstance(loop, For) and outer is not None
            counted, ahead = loop.body.params[0], Block()
            self.make(ahead, [(k.append.args[1], items) for items, k in ours], counted, loop.sources[0].operands[1], ours[0][1].made)
            for items, k in ours:
                turn = Block()
                self.append(turn, k.append.args[1], items, counted, k.append)
                at = loop.body.ops.index(k.append) + 1
                loop.body.ops[at:at] = turn.ops
            self.state.before.append((outer.block, outer.loop, ahead.ops))
        groups: dict[Value | None, list[tuple[Value, Value, For]]] = {}
        for (v, index), (items, inner) in self.lists.items():
            if (v, index) not in self.renumbered:
                groups.setdefault(index, []).append((v, items, inner))
        for index, found in groups.items():
            stop: Any = None
            if index is not None:
                with Builder(made, "adjoint", self.outermost.loc) as b:
                    stop = self.stop(b, found[0][2], index)
            self.make(made, [(v, items) for v, items, _ in found], index, stop, self.outermost)
            for v, items, inner in found:
                self.append(inner.body, v, items, index, inner.body.ops[-1])
        return made.ops

    def make(self, block: Block, lists: list[tuple[Value, Value]], index: Value | None, stop: Any, like: Op) -> None:
        """Make lists, or lists of lists."""
        with Builder(block, like.part, like.loc) as b:
            body = Block([Value(index.type, index.name)] if index is not None else [])
            for v, items in lists:
                b.emit(Build("list", [], results=[items]))
                if index is not None:
                    with b.inside(body):
                        empty = Value(ListT(v.type))
                        b.emit(Build("list", [], results=[empty]))
                        b.emit(Call(list.append, [items, empty], results=[Value(Obj(type(None)))]))
            if index is not None:
                b.emit(For([Source("range", [Lit(0), stop, Lit(1)])], [], body))

    def append(self, block: Block, v: Any, items: Value, index: Value | None, like: Op) -> None:
        """Append a value to a list, or to the list of its iteration number."""
        with Builder(block, like.part, like.loc) as b:
            found = items if index is None else b.call(operator.getitem, items, index, type=ListT(v.type))
            b.emit(Call(list.append, [found, v], results=[Value(Obj(type(None)))]))


class _Sum:
    """An addition to a part of an array, in the innermost of some loops; ``index`` is the induction variable of that one if the part
    depends on it."""

    def __init__(self, nest: _Nest, op: Call, loops: list[For]):
        self.nest, self.op, self.loops = nest, op, loops
        self.index: Value | None = None
        self.body = loops[-1].body
        self.makers = definitions_in(self.body.ops)
        #: operations repeated after the loops: those for the position, and a loop-invariant value
        self.again: list[Op] = []
        #: what computes the term, for nothing else
        self.ops: list[Op] = []
        #: the values that the iterations have to save
        self.kept: list[Any] = []

    @property
    def each(self) -> list[For]:
        """The loops whose turns add to one place."""
        return self.loops if self.index is None else self.loops[:-1]

    def is_possible(self) -> bool:
        """Whether the position is the same in all iterations, or follows from that of the innermost of several loops, and the addend is
        a small array that can be saved, or computed from such arrays."""
        whole, term = self.op.args[0].type, self.op.args[2]
        index = self.nest.index(self.loops[-1]) if len(self.loops) > 1 else None
        if not isinstance(whole, Arr) or whole.dtype != "float64" or not self.can_be_kept(term):
            return False
        self.find_term(term)
        return self.find_place(self.op.args[1], index)

    def find_place(self, x: Operand, index: Value | None) -> bool:
        """Whether a position can be computed after the loops, from the iteration number at most; records how."""
        if not isinstance(x, Value) or x not in self.nest.inside:
            return True
        if x is index:
            self.index = index
            return True
        made = self.makers.get(x)
        if made in self.again:
            return True
        whole = isinstance(made, Call) and made.fn in _INTEGERS and isinstance(t := made.result.type, Num) and t.kind == "int"
        known = whole or isinstance(made, Build) and made.kind in ("slice", "tuple")
        if made is None or not known or not all(self.find_place(o, index) for o in operands_of(made)):
            return False
        self.again.append(made)
        return True

    def can_be_kept(self, v: Any) -> bool:
        """Whether an array can be kept for later as it is."""
        return self.nest.counts.is_small(v.type) and not self.nest.classes.is_written(v)

    def find_term(self, term: Value) -> None:
        """The operations that compute only the addend, and their operands."""
        uses = collect_uses(self.body.ops)
        own = {id(self.op)}
        todo, self.kept = [term], []
        while todo:
            v = todo.pop(0)
            made = self.makers.get(v)
            read = [o for o in operands_of(made) if o in self.nest.inside] if made is not None else []
            if made is not None and not read and v is not term and has_form_for_all(made, self.nest.classes):
                if made not in self.again:
                    self.again.append(made)
            elif made is not None and read and v not in self.body.yields and all(id(user) in own for user in uses[v]) and (
                    has_form_for_all(made, self.nest.classes)) and all(map(self.can_be_kept, read)):
                own.add(id(made))
                self.ops.insert(0, made)
                todo += read        # type: ignore[arg-type]
            elif v not in self.kept:
                self.kept.append(v)
        order = {id(op): k for k, op in enumerate(self.body.ops)}
        self.ops.sort(key=lambda op: order[id(op)])

    def types(self) -> list[Any]:
        """The types of the arrays of all iterations."""
        return [v.type for v in (*self.kept, *(op.result for op in self.ops)) if isinstance(v.type, Arr)]

    def write(self, b: Builder, k: Value | None, turns: Dim, stacks: dict[Value, Any]) -> None:
        """Add up the residuals of all iterations, or of those of number ``k``; ``stacks`` are the arrays of all iterations so far."""
        b.loc = self.op.loc
        copies: dict[Value, Operand] = {} if k is None or self.index is None else {self.index: k}
        for op in self.again:
            b.emit(clone_op(op, copies))
        ops = list(self.ops)
        made = ops[-1] if ops else None
        last = ops.pop() if isinstance(made, Call) and made.fn is np.ndarray.reshape else None     # which is that of the sum, too
        term: Any = self.op.args[2] if last is None else operands_of(last)[0]
        for v in self.kept:
            if v not in stacks:
                stacks[v] = self.nest.stack(b, v, self, k, turns)
        given = {v: stacks[v] for v in self.kept}
        whole = stacked(self.nest.fn, b, ops, given, [term], turns, copies)[0] if ops else given[term]
        total = b.call(np.sum, whole, axis=Lit(0), type=term.type)
        if last is not None:
            total = b.call(np.ndarray.reshape, total, *operands_of(last)[1:], type=last.result.type)
        array, place, _, how = self.op.args
        b.emit(Call(inplace_at, [array, copies.get(place, place), total, how], results=[Value(r.type) for r in self.op.results]))

    def leave_out(self) -> None:
        """Take the addition out of the loop, with what nothing reads any more."""
        gone = {id(self.op), *map(id, self.ops)}
        self.body.ops = [op for op in self.body.ops if id(op) not in gone]
        read = uses_of(self.body)
        for made in reversed(self.again):
            if made in self.body.ops and not any(v in read for v in made.results):
                self.body.ops.remove(made)
                read = uses_of(self.body)


def _counts_from_zero(s: Source) -> bool:
    """Whether a range is 0, 1, 2, …"""
    start, _, step = s.operands
    return isinstance(start, Lit) and start.value == 0 and isinstance(step, Lit) and step.value == 1
