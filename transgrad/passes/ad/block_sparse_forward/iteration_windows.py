"""Vectorize loops whose iterations read adjacent windows of the argument.

An iteration that reads ``x[4 * f : 4 * f + 4]`` has tangents in four directions, which differ between iterations. The body becomes a
function of the iteration number and of a window of directions, and one batched call replaces the loop: one operation on the stacked
matrices of all iterations instead of one for each. Reductions over iterations are scattered to the rows of their directions.
"""
from __future__ import annotations

import math
import operator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ....ir.attributes import Attributes, Guard
from ....ir.build import Builder
from ....ir.clone import clone_block
from ....ir.ops import Block, Build, Call, For, Function, Invoke, Lit, Op, Operand, Source, Tree, Value, blocks_of, operands_of, walk
from ....ir.types import Arr, Dim, Num
from ...analysis.def_use import definitions_in
from ...batch.driver import batched_callee
from ...batch.unsupported import CannotBatch
from ...loops.distribution.iterations import Lengths
from ...scalarize.values.boundary import has_effects
from ...switches import is_on
from ...vectorize.accumulate_matmul import multiply_stacks, turns_of
from ..reverse.unbroadcast import is_as_large
from .batch_calls import call_together
from .entry import spanned
from .loop_accumulators import sums_of
from .narrow_tangents import zeros_made_by
from .strided_reads import read_by_slices
from .unroll import write_out_turns

if TYPE_CHECKING:
    from .driver import SpannedBatch

__all__ = ["Window", "side_by_side"]

#: upper bounds of the trip count and the window width: the values of all iterations are in memory at once
_TURNS, _WIDTH = 64, 64
#: how many numbers they add up at most: of more, arithmetic takes longer than calling it
_NUMBERS = 2 ** 20


@dataclass
class _Place:
    """An index: ``turns`` times the iteration number, plus ``constant``, plus the numbers of inner loops."""

    turns: int
    constant: int
    inner: dict[Value, int] = field(default_factory=dict)


class Window:
    """The part of the argument that a loop reads: from ``low`` to ``high`` in iteration 0, shifted by ``step`` in each following one."""

    def __init__(self, loop: For, seed: Value):
        self.number = loop.body.params[0]
        assert isinstance(seed.type, Arr)
        #: the argument, and its axis
        self.argument: Any = seed.type.dims[0].sym if not seed.type.dims[0].off else None
        self.makers: dict[Value, Op] = definitions_in(walk(loop.body))
        self.inner = {op.body.params[0]: bounds for op in walk(loop.body) if isinstance(op, For) and (bounds := turns_of(op)) is not None}
        self.places: dict[int, tuple[_Place, _Place]] = {}
        self.step = 0
        lows, highs = [], []
        for op in walk(loop.body):
            if seed not in operands_of(op):
                continue
            found = self.bounds(op.args[1]) if isinstance(op, Call) and op.fn is operator.getitem else None
            if found is None or self.step not in (0, found[0].turns):
                raise CannotBatch("a part of the argument that is not known when compiling", op.loc)
            self.step = found[0].turns
            self.places[id(op)] = found
            lows.append(found[0].constant)
            highs.append(found[1].constant + sum(c * (self.inner[v] - 1) for v, c in found[1].inner.items()))
        if not lows or self.step < 1 or min(lows) < 0:
            raise CannotBatch("iterations that read the same part of the argument", loop.loc)
        self.low, self.high = min(lows), max(highs)

    @property
    def width(self) -> int:
        return self.high - self.low

    def is_there(self, fn: Function, count: int) -> bool:
        """Whether the argument of the first call has all that is read: a window has places of its own, and would not miss them."""
        shape = fn.attrs.shapes.get(self.argument[0] if isinstance(self.argument, tuple) else None)
        return shape is not None and self.argument[1] == 0 and shape[0] >= self.high + self.step * (count - 1)

    def guard(self, count: int) -> Guard:
        """The guard for the argument, checked at each call."""
        name, axis = self.argument
        return Guard("many", name, axis, self.high + self.step * (count - 1))

    def bounds(self, index: Operand) -> tuple[_Place, _Place] | None:
        """The first place that an index picks, and the one behind the last."""
        made = self.makers.get(index) if isinstance(index, Value) else None
        if isinstance(made, Build) and made.kind == "slice":
            if not (isinstance(made.items[2], Lit) and made.items[2].value in (None, 1)):
                return None
            start, stop = map(self.place, made.items[:2])
            if start is None or stop is None or start.inner or stop.inner or start.turns != stop.turns or start.constant >= stop.constant:
                return None
            return start, stop
        found = self.place(index)
        return None if found is None else (found, _Place(found.turns, found.constant + 1, found.inner))

    def place(self, x: Operand) -> _Place | None:
        """The operands of an integer expression."""
        if isinstance(x, Lit):
            return _Place(0, x.value) if type(x.value) is int else None
        if x is self.number:
            return _Place(1, 0)
        if x in self.inner:
            return _Place(0, 0, {x: 1})
        made = self.makers.get(x)
        if not isinstance(made, Call) or made.kwargs or made.fn not in (operator.add, operator.mul) or len(made.args) != 2:
            return None
        a, b = map(self.place, made.args)
        if a is None or b is None:
            return None
        if made.fn is operator.add:
            inner = {v: a.inner.get(v, 0) + b.inner.get(v, 0) for v in {**a.inner, **b.inner}}
            return _Place(a.turns + b.turns, a.constant + b.constant, inner)
        a, b = (a, b) if not b.turns and not b.inner else (b, a)
        if b.turns or b.inner or b.constant < 0:
            return None
        return _Place(a.turns * b.constant, a.constant * b.constant, {v: c * b.constant for v, c in a.inner.items()})

    def inside(self, b: Builder, op: Call, mapping: dict[Value, Any]) -> Any:
        """The index of a read, in the window."""
        start, stop = self.places[id(op)]
        if isinstance(self.makers.get(op.args[1]), Build):
            return Lit(slice(start.constant - self.low, stop.constant - self.low))
        at: Any = None if start.inner and start.constant == self.low else Lit(start.constant - self.low)
        for v, times in start.inner.items():
            number = mapping[v] if times == 1 else b.call(operator.mul, times, mapping[v])
            at = number if at is None else b.call(operator.add, at, number)
        return at


def side_by_side(b: SpannedBatch, loop: For) -> bool:
    """Write a loop for all its iterations at once, or iteration by iteration with one large product each; False if it should be written
    unchanged."""
    count = turns_of(loop) if is_on("turns") or is_on("stacks") else None
    if count is None or not 2 <= count <= _TURNS:
        return False
    params, yields = loop.body.params[1:], loop.body.yields
    sums = sums_of(b.fn.body)
    if not params or not all(p in sums and is_as_large(p.type, y.type) and _is_plain(p) for p, y in zip(params, yields)):
        return False
    free = [v for v in _free(loop) if v is not b.found.seed]
    if any(map(b.batched, free)) or not _is_plain(b.found.seed):
        return False
    try:
        window = Window(loop, b.found.seed)
        if window.width > _WIDTH or not window.is_there(b.fn, count):
            return False
        turn, seed = _turn(b, loop, free, window)
        if has_effects(turn):
            return False
        stacked = is_on("stacks") and multiply_stacks(turn)
        one = _for_window(turn, seed, write_out_turns(turn, seed))
    except CannotBatch:
        return False
    limits = _limits(b.fn, params, count * window.width) if is_on("turns") else None
    every = None if limits is None else _for_all(one)
    if every is None and not stacked:
        return False
    limits = [] if every is None or limits is None else limits
    if every is not None:
        limits += read_by_slices(every, loop.sources[0].operands[1], b.fn)
    b.fn.attrs.add_guards([window.guard(count), *limits])
    _write(b, loop, free, window, one, every)
    return True


def _limits(fn: Function, sums: list[Value], times: int) -> list[Guard] | None:
    """The maximum lengths of arguments for which the sums of all iterations fit into memory; None if they do not, as far as
    the arguments of the first call show."""
    lengths, found = Lengths(fn), []
    for v in sums:
        dims = v.type.dims if isinstance(v.type, Arr) else ()
        size = times * math.prod(lengths.of_dim(d) or 1 for d in dims)
        if size > _NUMBERS:
            return None
        known = [d.sym for d in dims if d.sym in lengths.known]
        if known:
            longest: Any = max(known, key=lambda sym: lengths.known[sym])
            most = (_NUMBERS / max(size, 1)) ** (1.0 / known.count(longest))
            found.append(Guard("narrow", longest[0], longest[1], max(int(lengths.known[longest] * most), 1)))
    return found


def _for_all(one: Function) -> Function | None:
    """An iteration for all iteration numbers at once; None if that is not possible."""
    try:
        made, facts = batched_callee(one, [p is one.params[0] for p in one.params])
    except CannotBatch:
        return None
    if not all(map(facts.batched, one.body.yields)):
        return None
    call_together(made)
    return made


def _is_plain(v: Value) -> bool:
    return isinstance(v.type, Arr) and bool(v.type.dims) and v.type.dtype == "float64"


def _free(loop: For) -> list[Value]:
    """The values from outside of a loop that its iterations read, except the loop-carried ones."""
    own = {v for op in walk(loop.body) for v in op.results} | {p for block in _blocks(loop.body) for p in block.params}
    read = [*(o for op in walk(loop.body) for o in operands_of(op)), *(y for block in _blocks(loop.body) for y in block.yields)]
    return list(dict.fromkeys(v for v in read if isinstance(v, Value) and v not in own))


def _blocks(block: Block) -> list[Block]:
    return [block, *(inner for op in walk(block) for inner in blocks_of(op))]


def _turn(b: SpannedBatch, loop: For, free: list[Value], window: Window) -> tuple[Function, Value]:
    """An iteration as a function of its number, the values it reads, and the tangent of its window; it returns its term of each sum."""
    mapping: dict[Value, Any] = {}
    number = mapping[window.number] = Value(Num("int"), window.number.name)
    seed = Value(Arr("float64", (Dim(None),)), b.found.seed.name)
    body = Block()
    for v in free:
        mapping[v] = Value(v.type, v.name, v.varied)
    yields = list(loop.body.yields)
    made = definitions_in(loop.body.ops)
    left: list[Op] = []
    with Builder(body, loop.part, loop.loc) as writer:
        for k, (p, x) in enumerate(zip(loop.body.params[1:], loop.inits)):
            like = _shape_of(b, x) if b.batched(p) else x
            if not isinstance(like, Value) or b.batched(like):
                raise CannotBatch("a sum that begins with what differs between the directions")
            op = made[yields[k]]    # type: ignore[index]
            term = op.args[op.args[0] is p] if isinstance(op, Call) else None
            if isinstance(term, Value) and is_as_large(p.type, term.type):
                yields[k] = term
                left.append(op)
                continue
            mapping.setdefault(like, Value(like.type, like.name, like.varied))
            if like not in free:
                free.append(like)
            mapping[p] = writer.call(np.zeros_like, mapping[like], type=p.type, name=p.name)
    ops = [op for op in loop.body.ops if not any(op is other for other in left)]
    reads = _Reads(window, b.found.seed, seed, mapping)
    inner = clone_block(Block([], ops, yields), mapping)
    reads.block(inner, Block([], ops))
    body.ops += inner.ops
    body.yields = inner.yields
    body.params = [number, *(mapping[v] for v in free), seed]
    leaves = [Tree("leaf", index=k) for k in range(len(body.yields))]
    fn = Function(f"{b.fn.name}_turn", body, returns=leaves[0] if len(leaves) == 1 else Tree("tuple", leaves), names=dict(b.fn.names),
                  loc=loop.loc, attrs=Attributes(emit=True))
    return fn, seed


def _shape_of(b: SpannedBatch, x: Operand) -> Operand | None:
    """The operand of a ``zeros_like``; None if the value is not an array of zeros."""
    made = zeros_made_by(b.found.makers, x)
    return made.args[0] if isinstance(made, Call) and made.fn is np.zeros_like and not made.kwargs else None


class _Reads:
    """Let the copy of an iteration read the tangent of its window instead of that of the argument."""

    def __init__(self, window: Window, old: Value, new: Value, mapping: dict[Value, Any]):
        self.window, self.old, self.new, self.mapping = window, old, new, mapping

    def block(self, copy: Block, block: Block) -> None:
        ops: list[Op] = []
        for made, op in zip(copy.ops, block.ops):
            if id(op) in self.window.places:
                assert isinstance(op, Call) and isinstance(made, Call)
                before = Block()
                with Builder(before, made.part, made.loc) as writer:
                    made.args = [self.new, self.window.inside(writer, op, self.mapping)]
                ops += before.ops
            ops.append(made)
            for a, c in zip(blocks_of(made), blocks_of(op)):
                self.block(a, c)
        copy.ops = ops


def _for_window(turn: Function, seed: Value, written_out: bool) -> Function:
    """An iteration for all directions of its window at once."""
    flags = [p is seed for p in turn.params]
    found = spanned(turn, seed, complete=is_on("unrolled"), worth_it=written_out)
    return batched_callee(turn, flags)[0] if found is None else found[0]


def _write(b: SpannedBatch, loop: For, free: list[Value], window: Window, one: Function, every: Function | None) -> None:
    """Call the function that computes the iterations, and add up its results."""
    from .control import total
    from .scatter_rows import add_rows, put_rows
    w = b.builder
    units = w.call(np.eye, window.width, type=Arr("float64", (Dim(None), Dim(None))))
    if every is not None:
        asks = len(every.params) == len(one.params)
        turns = [w.call(np.arange, loop.sources[0].operands[1], type=Arr("int64", (Dim(None),)))] if asks else []
        terms = _invoke(w, every, [*turns, *map(b.operand, free), units])
        if window.step == window.width:
            put_rows(b, loop, terms, window)
            return
    wide = [b.batched(p) for p in loop.body.params[1:]]
    into = [total(b, x, p) if flag else b.operand(x) for p, x, flag in zip(loop.body.params[1:], loop.inits, wide)]
    number = Value(Num("int"), loop.body.params[0].name)
    body = Block([number])
    made = For([Source("range", list(loop.sources[0].operands))], [], body)
    if every is not None:
        into = [a if flag else w.call(operator.add, a, w.call(np.sum, t, axis=0, type=r.type), type=r.type)
                for a, t, flag, r in zip(into, terms, wide, loop.results)]
    else:
        made.inits = [a for a, flag in zip(into, wide) if not flag]
        made.results = [Value(r.type, r.name) for r, flag in zip(loop.results, wide) if not flag]
        body.params += [Value(r.type, r.name) for r in made.results]
        with w.inside(body):
            terms = _invoke(w, one, [number, *map(b.operand, free), units])
            kept = iter(body.params[1:])
            body.yields = [w.call(operator.add, next(kept), t, type=r.type) for t, flag, r in zip(terms, wide, loop.results) if not flag]
        found = iter(made.results)
        into = [a if flag else next(found) for a, flag in zip(into, wide)]
    with w.inside(body):
        add_rows(b, [(a, t) for a, t, flag in zip(into, terms, wide) if flag], window, number, every is not None)
    w.emit(made)
    for p, r, a, flag in zip(loop.body.params[1:], loop.results, into, wide):
        if flag:
            b.lanes.values[p] = b.lanes.values[r] = a
        else:
            b.set(r, a)


def _invoke(w: Builder, fn: Function, args: list[Any]) -> list[Value]:
    """A call of a function of turns, whose window, where it asks, begins at 0."""
    results = [Value(y.type, y.name if isinstance(y, Value) else None) for y in fn.body.yields]
    w.emit(Invoke(fn, [*args, *[Lit(0)] * (len(fn.params) - len(args))], results=results))
    return results
