"""Vectorize loops with independent iterations: the body is computed for all iterations at once.

::

    before:  for xi in x:                                  after:  k = np.exp(-np.sum((x - x[:, None, :]) ** 2, axis=2))
                 rows.append(np.exp(-np.sum((x - xi) ** 2, axis=1)))
             k = np.stack(rows)

The pass serves loops, and comprehensions, over the rows of arrays: maps, sums of a term per row, and arrays that are filled row by row. It
runs before differentiation, so that the derivative is vectorized as well. A loop is vectorized where the arrays of one iteration are small
and there are several iterations: then the cost of an operation is that of calling it.

Sums along an axis are rounded differently from sums one by one.
"""
from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ...ir.attributes import Guard
from ...ir.build import Builder
from ...ir.clone import clone_op
from ...ir.ops import Block, Build, Call, For, Function, Lit, Op, Try, Value, blocks_of, operands_of, walk
from ...ir.types import Arr, ListT, Obj
from ..analysis.alias import AliasClasses
from ..analysis.def_use import definitions, definitions_in
from ..analysis.program_order import owners_in
from ..loops.distribution.iterations import Lengths
from ..loops.distribution.plan import emit_sum
from ..manager import Stage, analysis, invalidate, optimization
from ..memory.in_place_accumulation import makes_own
from ..rewriting.substitute import substitute, uses_of
from ..switches import is_on
from .independent_iterations import Outcome, independent_iterations
from .iteration_access import Iterations, iterations_of
from .private_parts import defined

__all__ = ["vectorize_loops"]

#: how many numbers the arrays of all iterations have at most, and those of one: of more, arithmetic takes longer than calling it
_MANY, _SMALL = 2 ** 18, 2 ** 10
#: how many iterations there are at least; how many operations on numbers take as long as one on arrays
_FEW, _NUMBERS = 4, 16
#: what makes an array of the items of a list
_STACKS = (np.array, np.asarray, np.stack, np.vstack)


@optimization(Stage.CANONICALIZE, "vectorize", analyses=(AliasClasses, definitions))
def vectorize_loops(fn: Function) -> bool:
    """Rewrite ``fn`` in place; bounds on the lengths of its arguments become guards."""
    if not fn.attrs.shapes or not is_on("vectorize"):
        return False
    owners = owners_in(fn.body)
    if not any(isinstance(op, For) for op in owners) or any(isinstance(op, Try) for op in owners):
        return False
    return _Vectorize(fn).block(fn.body)


class _Vectorize:
    def __init__(self, fn: Function):
        self.fn = fn
        self.lengths = Lengths(fn)

    def block(self, block: Block) -> bool:
        """Vectorize the loops of a block, inner ones first."""
        changed = False
        for op in list(block.ops):
            if isinstance(op, For):
                changed |= self.block(op.body)
                changed |= self.loop(block, op)
        return changed

    def loop(self, block: Block, loop: For) -> bool:
        iterations = iterations_of(loop, self.lengths)
        if iterations is None or iterations.turns.count < _FEW:
            return False
        outcome = independent_iterations(loop, block, iterations, analysis(AliasClasses, self.fn))
        if outcome is None or (guards := self.sizes(loop, iterations)) is None:
            return False
        from ..batch.unsupported import CannotBatch  # which most functions need not load
        try:
            ops = _Rewrite(self.fn, block, loop, iterations, outcome).carry_out()
        except CannotBatch:
            return False
        at = block.ops.index(loop)
        block.ops[at:at + 1] = ops
        name, axis = iterations.turns.unit
        self.fn.attrs.add_guards([*guards, *(Guard("times", name, axis, (*unit, 1)) for unit in iterations.same),
                                  *(Guard("many", of, k, least) for (of, k), least in iterations.longer.items())])
        invalidate(self.fn)
        self.lengths = Lengths(self.fn)
        return True

    def sizes(self, loop: For, iterations: Iterations) -> list[Guard] | None:
        """The guards on lengths under which vectorization is profitable; None if it is not."""
        turns = iterations.turns
        most, units, arrays = 1, dict[Any, int](), False
        for t in (r.type for op in walk(loop.body) for r in op.results):
            size = 1
            for d in t.dims if isinstance(t, Arr) else ():
                length, unit = self.lengths.of_dim(d), self.lengths.unit(d)
                arrays = arrays or length != 1 and not d.one
                if length is None and not d.one:
                    continue
                size *= length or 1
                if unit is not None:
                    units[unit] = 2 * self.lengths.known[unit] + 16
            most = max(most, size)
        if most > _SMALL or turns.count > (longest := _MANY // most) or turns.count < (least := _FEW if arrays else _NUMBERS):
            return None
        name, axis = turns.unit
        return [Guard("many", name, axis, least - turns.more), Guard("narrow", name, axis, longest - turns.more),
                *(Guard("narrow", unit[0], unit[1], length) for unit, length in units.items() if unit != turns.unit)]


class _Rewrite:
    """The operations that stand for a loop."""

    def __init__(self, fn: Function, block: Block, loop: For, iterations: Iterations, outcome: Outcome):
        self.fn, self.block, self.loop, self.iterations, self.outcome = fn, block, loop, iterations, outcome

    def carry_out(self) -> list[Op]:
        made = Block()
        with Builder(made, self.loop.part, self.loop.loc) as b:
            of_all = dict(zip(self.outcome.values, self.compute(b)))
            for s in self.outcome.sums:
                emit_sum(b, s, self.loop.inits[s.place], of_all[s.term]).results = [self.loop.results[s.place]]
            for op, access, v in self.outcome.stored:
                b.loc = op.loc
                b.call(op.fn, access.array, access.index(b), access.stored(b, of_all[v]), *op.args[3:])
            for op, items, v in self.outcome.appended:
                b.loc = op.loc
                self.items(b, items, of_all[v])
        return made.ops

    def compute(self, b: Builder) -> list[Any]:
        """Emit the body for all iterations at once; what each iteration leaves behind."""
        from ..batch.driver import batch
        from ..batch.unsupported import CannotBatch
        turns, gone = self.iterations.turns, set(map(id, self.outcome.ops))
        given: dict[Value, Any] = dict(self.iterations.rows)
        copies: dict[Value, Any] = {}
        fragment, inside = Block(), defined(self.loop.body).difference(*(op.results for op in self.outcome.invariant))
        b.block.ops += self.outcome.invariant
        gone.update(map(id, self.outcome.invariant))
        for op in self.loop.body.ops:
            if id(op) in gone:
                continue
            if (access := self.iterations.access(op, inside)) is not None and op.fn is operator.getitem:      # type: ignore[union-attr]
                b.loc = op.loc
                given[op.results[0]] = access.read(b, op.results[0].type, turns.dim)
            else:
                fragment.ops.append(clone_op(op, copies))
        fragment.ops = _needed(fragment.ops, [copies.get(v, v) for v in self.outcome.values])
        read = {o for op in walk(fragment) for o in operands_of(op)}
        for variable, start in self.iterations.starts.items():
            if variable in read:
                t = Arr("int64", (turns.dim,))
                length = b.call(len, next(iter(given.values()))) if given else None
                if length is None:
                    raise CannotBatch("a loop over numbers alone")
                given[variable] = b.call(np.arange, *([length] if not start else [start, b.call(operator.add, length, start)]), type=t)
        wanted = list(dict.fromkeys(self.outcome.values))
        given = {v: x for v, x in given.items() if v in read or v in wanted}
        fragment.params = list(given)
        fragment.yields = [copies.get(v, v) for v in wanted]
        alone = Function("iterations", fragment, names=self.fn.names, loc=self.loop.loc)
        made, facts, _ = batch(alone, list(given), turns.dim)
        if not all(map(facts.batched, fragment.yields)):
            raise CannotBatch("a loop-invariant value")
        substitute(made.body, dict(zip(made.body.params, given.values())))
        b.block.ops += made.body.ops
        places = dict(zip(made.body.params, given.values()))
        found = {v: places.get(y, y) if isinstance(y, Value) else y for v, y in zip(wanted, made.body.yields)}
        return [found[v] for v in self.outcome.values]

    def items(self, b: Builder, items: Value, stacked: Any) -> None:
        """Emit what stands for a list that each iteration appended to: an array, if the list only becomes one."""
        op = definitions_in(b.block.ops).get(stacked)
        if not makes_own(op, stacked):
            stacked = b.call(np.array, stacked, type=stacked.type)
        arrays = self.arrays_of(items)
        if arrays is None:
            t = stacked.type
            item = Arr(t.dtype, t.dims[1:], len(t.dims) == 1)
            rows = Value(ListT(item), items.name, stacked.varied)
            b.emit(Call(list, [stacked], results=[rows]))
            b.emit(Call(list.extend, [items, rows], results=[Value(Obj(type(None)))]))
            return
        stacked.name = stacked.name or next((op.result.name for op, _ in arrays if op.result.name), None)
        for op, axis in arrays:
            self.block.ops.remove(op)
            made = b.call(np.moveaxis, stacked, 0, axis, type=op.result.type, name=op.result.name) if axis else stacked
            substitute(self.fn.body, {op.result: made})

    def arrays_of(self, items: Value) -> list[tuple[Call, int]] | None:
        """The operations that make an array of a list, with the axis that its items are placed along; None if something else reads or
        changes the list."""
        made = definitions_in(self.block.ops).get(items)
        if not isinstance(made, Build) or made.items or items in self.block.yields:
            return None
        found: list[tuple[Call, int]] = []
        for op in walk(self.fn.body):
            if any(items in inner.yields for inner in blocks_of(op)):
                return None
            if items not in operands_of(op) or any(op is gone for gone in self.outcome.ops):
                continue
            if type(op) is not Call or op.fn not in _STACKS or op.args != [items] or op.kwargs.keys() - {"axis"}:
                return None
            if op not in self.block.ops:
                return None
            axis = op.kwargs.get("axis", Lit(0))
            if not isinstance(axis, Lit) or type(axis.value) is not int or axis.value < 0:
                return None
            found.append((op, axis.value))
        return found or None


def _needed(ops: list[Op], results: list[Any]) -> list[Op]:
    """The operations without those that only make indices that are not needed."""
    read: set[Any] = set(results)
    kept: list[Op] = []
    for op in reversed(ops):
        idle = isinstance(op, Build) or type(op) is Call and op.fn in (operator.add, operator.sub)
        if idle and read.isdisjoint(op.results):
            continue
        read.update(uses_of(Block(ops=[op])))
        kept.append(op)
    return kept[::-1]
