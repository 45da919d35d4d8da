"""Reverse a loop iteration by iteration, right after each iteration, if its reverse part only accumulates derivatives.

The derivative of a sum is the sum of the derivatives of its terms, in any order. If the reverse loop carries only sums from one iteration
to the next, and everything that it reads from outside is available before the loop, no iteration needs residuals.
"""
from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator
from functools import cache, cached_property
from typing import Any

import numpy as np

from ....ir.effects import aliases, is_mutable, is_pure, is_unknown, writes
from ....ir.ops import (
    Block,
    Call,
    CallValue,
    For,
    Function,
    GetAttr,
    If,
    Invoke,
    Lit,
    Op,
    Operand,
    Source,
    Try,
    Value,
    While,
    With,
    blocks_of,
    operands_of,
    walk,
)
from ....ir.prims import inplace_at
from ....ir.types import Arr, Num, Type
from ....runtime import add_at
from ...analysis.alias import AliasClasses, copies_on_read
from ...analysis.def_use import definitions_in
from ...rewriting.substitute import substitute, substitute_chains, uses_of
from ...simplify.fold import fold_loop
from ...switches import is_on
from ..reverse.result import Pair, ReverseResult

__all__ = ["TermLoops"]

_ADDS = (operator.iadd, operator.isub)
_SCATTERS = (add_at, np.add.at, np.subtract.at)
_LIKE = frozenset((np.zeros_like, np.ones_like, np.empty_like, len))


class TermLoops:
    """The loops of a function that are reversed per iteration: found before the residuals of the others are chosen, and joined with
    their reverse afterwards."""

    def __init__(self, fn: Function, res: ReverseResult):
        self.found: list[_Term] = []
        if len(res.pairs) == 1 or not is_on("terms"):
            return
        _forget_unchanged(res.block)
        whole = Function(fn.name, Block(fn.body.params, [*fn.body.ops, *res.block.ops]))
        region = _Region(fn.body, res.block, fn.body.params, set(), cache(lambda: AliasClasses(whole)))
        regions: dict[Op | None, _Region] = dict.fromkeys(region.ops, region)
        for pair in res.pairs[1:]:
            if pair.owner in regions and regions[pair.owner] is regions.get(pair.mirror):
                term = _Term(regions[pair.owner], pair)
                if term.holds():
                    self.found.append(term)
                    region = term.inside()
                    regions.update(dict.fromkeys(region.ops, region))
        taken = {id(term.pair) for term in self.found}
        res.pairs[:] = [p for p in res.pairs if id(p) not in taken]

    def join(self) -> None:
        """Append the reverse of each of these loops to its iterations."""
        for term in reversed(self.found):       # inner loops first
            term.join()


class _Region:
    """A block and the block that reverses it, which will run directly after it, before any loop is joined with its reverse.

    ``ops`` are the operations of both, in order; ``place`` gives the position of each. ``params`` are defined before both, with the values
    defined before the loop ``outer`` of which they are an iteration; ``shadows`` are those that are only added to.
    """

    def __init__(self, forward: Block, backward: Block, params: Iterable[Value], shadows: set[Value],
                 classes: Callable[[], AliasClasses], outer: _Term | None = None):
        self.forward, self.backward, self.shadows, self.classes, self.outer = forward, backward, shadows, classes, outer
        self.params = set(params)
        self.ops = [*forward.ops, *backward.ops]
        self.place = {op: k for k, op in enumerate(self.ops)}
        self.middle = len(forward.ops)

    @cached_property
    def made(self) -> dict[Value, int]:
        """The place of the operation that makes a value."""
        return {v: k for k, op in enumerate(self.ops) for v in _all_results(op)}

    @cached_property
    def users(self) -> dict[Value, list[tuple[int, Op | None]]]:
        """Who reads a value in the reverse, behind the place of the operation it is in; None for a block that yields it."""
        found: dict[Value, list[tuple[int, Op | None]]] = {}
        for k in range(self.middle, len(self.ops)):
            _note(self.ops[k], k, found)
        return found

    @cached_property
    def changed(self) -> dict[object, int]:
        """The place of the first operation of the reverse that may write to a class of memory, itself or in its blocks."""
        found: dict[object, int] = {}
        for k in range(self.middle, len(self.ops)):
            for op in walk(Block([], [self.ops[k]])):
                for root in self.classes().changed_by(op):
                    found.setdefault(root, k)
        return found


class _Term:
    """A loop and its reverse, one in each block of a region."""

    def __init__(self, region: _Region, pair: Pair):
        assert pair.owner is not None and pair.mirror is not None
        self.region, self.pair = region, pair
        self.loop: Any = pair.owner
        self.mirror: Any = pair.mirror
        self.start, self.end = region.place[self.loop], region.place[self.mirror]
        self.early: set[Op] = set()
        #: the sums that begin with a number which is not there before the loop
        self.late: list[int] = []
        self.shadows: set[Value] = set(region.shadows)

    def holds(self) -> bool:
        """Whether the loop can be reversed turn by turn."""
        loop, mirror = self.loop, self.mirror
        if not isinstance(loop, (For, While)) or loop.stops or not self.counted():
            return False
        if not all(isinstance(p.type, (Num, Arr)) and _is_sum(p, y, mirror.body)
                   for p, y in zip(mirror.body.params, mirror.body.yields)):
            return False
        if any(isinstance(op, (Try, With, CallValue)) or is_unknown(op) for block in (loop.body, mirror.body) for op in walk(block)):
            return False
        self.late = [k for k, init in enumerate(mirror.inits) if not self.is_there(init)]
        if not all(_is_number(mirror.body.params[k].type) for k in self.late):
            return False
        return self.reads_what_is_there() and all(map(self.only_adds, walk(mirror.body)))

    def inside(self) -> _Region:
        """The body of the loop and its reverse."""
        params = [*(v for op in self.early for v in op.results), *self.loop.body.params, *self.mirror.body.params]
        return _Region(self.loop.body, self.mirror.body, params, self.shadows, self.region.classes, self)

    def counted(self) -> bool:
        """Whether the iteration number is known in the loop body if it is needed, and no residuals are saved for some iterations only."""
        if not isinstance(self.loop, For):
            return self.pair.position is None and not any(isinstance(op, Invoke) and op.again for op in walk(self.loop.body))
        return not any(s.frees or s.snapshots is not None for s in self.loop.sources)

    @property
    def classes(self) -> AliasClasses:
        return self.region.classes()

    def is_before(self, v: Value) -> bool:
        """Whether a value is there before the loop."""
        region = self.region
        place = region.made.get(v)
        if place is not None:
            return place < self.start
        return v in region.params or region.outer is not None and region.outer.is_before(v)

    def maker(self, v: Value) -> Op | None:
        """The operation that makes a value after the loop, in the forward part or in the reverse part before the reverse of the loop."""
        place = self.region.made.get(v, -1)
        return op if self.start < place < self.end and v in (op := self.region.ops[place]).results else None

    def users(self, v: Value) -> Iterator[Op | None]:
        """Who reads a value in the reverse part, up to the loop and in it; None for a block that yields it."""
        return (op for place, op in self.region.users.get(v, ()) if place <= self.end)

    @cached_property
    def made_here(self) -> dict[Value, Op]:
        """The operations of the reverse of an iteration, by their results."""
        return definitions_in(walk(self.mirror.body))

    def is_there(self, o: Operand) -> bool:
        """Whether an operand of the reverse part is there before the loop, or can be."""
        if not isinstance(o, Value) or self.is_before(o):
            return True
        op = self.maker(o)
        if op is None or not isinstance(op, (Call, GetAttr)) or not is_pure(op):
            return False
        if op in self.early:
            return True
        shape_only = isinstance(op, Call) and op.fn in _LIKE or isinstance(op, GetAttr) and op.name in ("shape", "size", "ndim")
        for a in operands_of(op):
            if not self.is_there(a) or not shape_only and is_mutable(a.type) and self.classes.is_written(a):
                return False
        self.early.add(op)
        return True

    def reads_what_is_there(self) -> bool:
        """Whether the operands of the reverse of an iteration are available at its end, and nothing except its sums changes in between."""
        inside = {*self.mirror.body.params, *(v for op in walk(self.loop.body) for v in op.results), *self.loop.body.params,
                  *(p for op in walk(self.loop.body) for b in blocks_of(op) for p in b.params)}
        own = {*self.made_here, *(p for op in walk(self.mirror.body) for b in blocks_of(op) for p in b.params)}
        for v in uses_of(self.mirror.body):
            if not isinstance(v, Value) or v in own or v is self.pair.position:
                continue
            if is_mutable(v.type) and self.is_changed(v) and not self.is_shadow(v):
                return False
            if v in inside:
                continue
            if not self.is_there(v):
                return False
            made = not self.is_before(v) or v in self.shadows
            if made and is_mutable(v.type) and self.classes.is_written(v) and not self.is_shadow(v):
                return False
        return True

    def is_changed(self, v: Value) -> bool:
        """Whether the reverse part may have written to the memory of a value before it reaches the loop, or writes to it there."""
        place = self.region.changed.get(self.classes.find(v))
        return place is not None and place <= self.end

    def is_shadow(self, v: Value) -> bool:
        """Whether a new array of the reverse part is only added to, until the loop is reversed."""
        if v not in self.shadows:
            op = self.maker(v)
            if op is None or op.part == "primal" or aliases(op) or not self.only_added_to(v):
                return False
            self.shadows.add(v)
        return True

    def only_added_to(self, v: Value) -> bool:
        """Whether all that is done with an array, or with its parts, is to add to it."""
        for op in self.users(v):
            if isinstance(op, GetAttr):
                good = op.name in ("shape", "size", "ndim") or op.name in ("T", "mT") and self.only_added_to(op.result)
            elif not isinstance(op, Call) or op.args[0] is not v or sum(a is v for a in operands_of(op)) != 1:
                good = False
            elif op.fn is inplace_at:
                good = op.args[3].value in _ADDS
            elif op.fn in _ADDS:
                good = not op.results or self.only_added_to(op.result)
            elif op.fn in _SCATTERS or op.fn in _LIKE:
                good = True
            else:
                good = bool(aliases(op)) and isinstance(op.result.type, Arr) and not op.result.type.scalar and self.only_added_to(
                    op.result) and (op.fn is not operator.getitem or not copies_on_read(op.args[1]))
            if not good:
                return False
        return True

    def only_adds(self, op: Op) -> bool:
        """Whether an operation of the reverse only computes, writes into arrays that it has created, or adds to a shadow."""
        if blocks_of(op):       # its inner operations are checked themselves
            return True
        written = writes(op)
        if not written:
            return is_pure(op)
        return all(isinstance(w, Value) and self.is_written_here(w) for w in written)

    def is_written_here(self, v: Value) -> bool:
        """Whether an array written by the reverse of an iteration was created in it, or is (a part of) a shadow."""
        inner = self.made_here
        while v in inner:
            shared = aliases(inner[v])
            if not shared:
                return isinstance(inner[v], Call)
            if len(shared) != 1 or not isinstance(shared[0], Value):
                return False
            v = shared[0]
        return self.is_shadow(v)

    def join(self) -> None:
        """Append its reverse to an iteration of the loop."""
        loop, mirror, region = self.loop, self.mirror, self.region
        self.move_ahead()
        at = region.backward.ops.index(mirror)
        region.backward.ops[at:at + 1] = self.add_up()
        if self.pair.position is not None:
            substitute(mirror.body, {self.pair.position: self.number()})
        loop.inits += mirror.inits
        loop.body.params += mirror.body.params
        loop.body.yields += mirror.body.yields
        if isinstance(loop, While):
            loop.cond.params += [Value(p.type, p.name) for p in mirror.body.params]
        loop.body.ops += mirror.body.ops
        loop.results += mirror.results

    def move_ahead(self) -> None:
        """Compute the operands of the reverse before the loop."""
        forward, backward = self.region.forward, self.region.backward
        place = forward.ops.index(self.loop)
        moved = self.early.difference(forward.ops[:place])      # operations there were moved for an enclosing loop
        if not moved:
            return
        for op in moved:
            if isinstance(op, Call) and op.fn in _LIKE:
                op.loc = self.loop.loc      # zeros to add to
        backward.ops = [op for op in backward.ops if op not in moved]
        forward.ops = [*forward.ops[:place], *sorted(moved, key=self.region.place.__getitem__),
                       *(op for op in forward.ops[place:] if op not in moved)]

    def add_up(self) -> list[Op]:
        """Add a number that is only available after the loop to the sum of the loop."""
        mirror, ops = self.mirror, list[Op]()
        for k in self.late:
            total = mirror.results[k]
            mirror.results[k] = Value(total.type, total.name)
            ops.append(Call(operator.add, [mirror.inits[k], mirror.results[k]], results=[total], loc=mirror.loc, part="adjoint"))
            mirror.inits[k] = Lit(0.0)
        return ops

    def number(self) -> Value:
        """The iteration number."""
        loop = self.loop
        for k, s in enumerate(loop.sources):
            start, *others = s.operands
            if len(loop.sources) == 1 and s.kind == "range" and not s.reverse and _is(start, 0) and _is(others[1], 1):
                return loop.body.params[k]  # type: ignore[no-any-return]
        index = Value(Num("int"), "i")
        loop.sources.insert(0, Source("count", [Lit(0)]))
        loop.body.params.insert(0, index)
        return index


def _is_sum(v: Any, end: Any, block: Block) -> bool:
    """Whether a block's ``end`` is ``v`` with something added to it, and ``v`` is read for nothing else."""
    while True:
        users = [op for op in block.ops if any(o is v for o in operands_of(op)) or any(v in uses_of(b) for b in blocks_of(op))]
        yielded = sum(y is v for y in block.yields)
        if not users:
            return v is end and yielded == 1
        if len(users) > 1 or yielded:
            return False
        op = users[0]
        if isinstance(op, Call) and sum(o is v for o in operands_of(op)) == 1 and (
                op.fn is operator.add or op.fn is operator.sub and op.args[0] is v):
            v = op.result
        elif isinstance(op, For) and sum(o is v for o in operands_of(op)) == 1 and v in op.inits and not op.stops:
            k = op.inits.index(v)
            if v in uses_of(op.body) or not _is_sum(op.body.params[len(op.body.params) - len(op.inits) + k], op.body.yields[k], op.body):
                return False
            v = op.results[k]
        elif isinstance(op, If) and op.cond is not v:
            places = {k for b in (op.then, op.orelse) for k, y in enumerate(b.yields) if _derives(v, y, b)}
            if len(places) != 1:
                return False
            k = places.pop()
            if not all(_is_sum(v, b.yields[k], b) for b in (op.then, op.orelse)):
                return False
            v = op.results[k]
        else:
            return False


def _derives(v: Any, y: Any, block: Block) -> bool:
    """Whether a value that a block yields depends on ``v``."""
    return y is v or y is not None and _is_sum(v, y, block)


def _forget_unchanged(block: Block) -> None:
    """Remove the loop-carried values that the loops of the reverse part do not change."""
    mapping: dict[Value, Operand] = {}
    _unchanged(block, mapping)
    substitute_chains(block, mapping)


def _unchanged(block: Block, mapping: dict[Value, Operand]) -> None:
    for op in block.ops:
        if type(op) is not Call:
            for inner in blocks_of(op):
                _unchanged(inner, mapping)
            if isinstance(op, For):
                fold_loop(op, mapping)


def _note(op: Op, place: int, users: dict[Value, list[tuple[int, Op | None]]]) -> None:
    for o in operands_of(op):
        if isinstance(o, Value):
            users.setdefault(o, []).append((place, op))
    for block in blocks_of(op):
        for inner in block.ops:
            _note(inner, place, users)
        for y in block.yields:
            if isinstance(y, Value):
                users.setdefault(y, []).append((place, None))


def _all_results(op: Op) -> Iterator[Value]:
    """The results of an operation; for a ``with`` statement also those of its body."""
    yield from op.results
    if isinstance(op, With):
        for inner in op.body.ops:
            yield from _all_results(inner)


def _is_number(t: Type) -> bool:
    return isinstance(t, Num) and t.kind == "float" or isinstance(t, Arr) and t.scalar and t.dtype == "float64"


def _is(x: Operand, value: int) -> bool:
    return isinstance(x, Lit) and x.value == value
