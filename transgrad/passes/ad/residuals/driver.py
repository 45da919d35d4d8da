"""Make the forward values that the reverse part reads available to it: recompute cheap ones, and save the others in variables or, inside
loops, in lists with one item per iteration.
"""
from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ....ir.clone import clone_op
from ....ir.effects import is_known_pure
from ....ir.ops import (
    UNDEF,
    Block,
    Build,
    Call,
    For,
    GetAttr,
    If,
    Invoke,
    Lit,
    Op,
    Operand,
    Source,
    Star,
    Try,
    Value,
    While,
    With,
    blocks_of,
    operands_of,
)
from ....ir.prims import present, unpack
from ....ir.types import Arr, ListT, Num, is_differentiable
from ...analysis.alias import copies_on_read
from ...analysis.def_use import definitions_in
from ...analysis.program_order import flat_ops
from ...analysis.to_be_recorded import Stability
from ...rewriting.substitute import substitute, uses_of
from ...switches import is_on
from ..reverse.result import Pair, ReverseResult
from .presum import keep_sums
from .save_elementary import keep_functions
from .stored_elements import read_from_places
from .undefined import define_shapes

__all__ = ["connect", "needed_values", "recomputable"]

_CHEAP = frozenset((
    operator.add, operator.sub, operator.mul, operator.truediv, operator.neg, operator.lt, operator.le, operator.gt, operator.ge,
    operator.eq, operator.ne, operator.is_, operator.is_not, operator.not_, abs, operator.abs, operator.and_, operator.or_,
    operator.floordiv, operator.mod, len, isinstance,
))
_CHEAP_ATTRS = frozenset(("T", "mT", "shape", "ndim", "size", "real", "imag"))


def connect(res: ReverseResult, stability: Stability, apart: bool = False) -> None:
    """Rewrite forward and reverse blocks so that the reverse part reads only available values; ``apart`` says that they
    become two functions."""
    define_shapes(res)
    outer: dict[Op, Block] = {}
    _note_blocks(res.block, outer)
    for pair in reversed(res.pairs[1:]):
        if isinstance(pair.owner, (For, While)):
            keep_functions(pair)
            read_from_places(pair, res.layout, lambda op: recomputable(op, stability))
        needed = needed_values(pair, res)
        if isinstance(pair.owner, (For, While)):
            _through_loop(pair, needed, res, stability, outer)
        else:
            _through_branch(pair, needed, res, stability, apart)


def _note_blocks(block: Block, found: dict[Op, Block]) -> None:
    """In which block each loop stands."""
    for op in block.ops:
        if type(op) is For:
            found[op] = block
        if type(op) is not Call:
            for inner in blocks_of(op):
                _note_blocks(inner, found)


def needed_values(pair: Pair, res: ReverseResult) -> list[Value]:
    """Values of the forward region that the reverse region reads, in the order of their definition."""
    used = uses_of(pair.backward)
    found = [p for p in pair.forward.params if p in used]
    for op in flat_ops(pair.forward):
        found += [v for v in op.results if v in used]
    return found


def is_scalar(v: Operand) -> bool:
    """Whether an operand is a number (not an array)."""
    t = v.type
    return isinstance(t, Num) or isinstance(t, Arr) and t.scalar


def recomputable(op: Op | None, stability: Stability) -> bool:
    """Whether an operation is cheap enough to be run again in the reverse part, and would give the same result there."""
    if isinstance(op, GetAttr):
        return op.name in _CHEAP_ATTRS and isinstance(op.obj.type, Arr)
    if isinstance(op, Build):
        return op.kind in ("slice", "tuple")
    if not isinstance(op, Call) or op.kwargs or any(isinstance(a, Star) for a in op.args):
        return False
    if op.fn is unpack:
        base = op.args[0]
        return (isinstance(base.type, Arr) and all(map(is_scalar, op.results)) and id(op) in stability.layout.position
                and stability.stable(base, op))
    if len(op.results) != 1:
        return False
    if op.fn is present:
        return True
    if op.fn is operator.getitem:
        base, index = op.args
        if isinstance(base.type, Arr) and (is_scalar(op.result) or _basic(index)) and not stability.ever_changes(index):
            read = op.result if not is_scalar(op.result) else base
            return id(op) in stability.layout.position and stability.stable(read, op) or _reads_behind(op, stability)
        return not isinstance(base.type, (Arr, ListT)) and not stability.ever_changes(base)
    if op.fn is np.ndarray.reshape:     # of a vector, it is a view
        base = op.args[0]
        return (isinstance(base.type, Arr) and len(base.type.dims) == 1 and all(isinstance(a, Lit) for a in op.args[1:])
                and id(op) in stability.layout.position and stability.stable(base, op))
    if op.fn is len:
        return isinstance(op.args[0].type, Arr) or not stability.ever_changes(op.args[0])
    return op.fn in _CHEAP and is_scalar(op.result) and all(is_scalar(a) or isinstance(a, Lit) for a in op.args)


_ARITHMETIC = frozenset((operator.add, operator.sub, operator.mul, operator.truediv, operator.neg, np.add, np.subtract, np.multiply,
                         np.divide, np.negative, np.square))


def is_arithmetic(op: Op | None, stability: Stability) -> bool:
    """Whether an operation is arithmetic on arrays that still have their old values when the reverse part repeats it in machine code."""
    if not is_on("recompute") or not isinstance(op, Call) or op.fn not in _ARITHMETIC or op.kwargs:
        return False
    if id(op) not in stability.layout.position:
        return False
    numbers = all(isinstance(a.type, (Num, Arr)) for a in (op.result, *op.args))
    return numbers and all(is_scalar(a) or stability.stable(a, op) for a in (op.result, *op.args))


def _reads_behind(op: Call, stability: Stability) -> bool:
    if id(op) not in stability.layout.position:
        return False
    base = op.args[0]
    if stability.is_frozen(base):
        return False
    return all(stability.reads_elsewhere(op, w, op) for w in stability.writers_after(stability.classes.find(base), op))


def _basic(index: Operand) -> bool:
    return not copies_on_read(index)


#: how many operations recomputing one value may take
_BUDGET = 3


def _choose(needed: list[Value], pair: Pair, res: ReverseResult, stability: Stability, free: set[Value]) -> list[Value]:
    """The needed values that are recomputed, and the further operands of the recomputation, in the order of their definition."""
    order = {v: k for k, v in enumerate(_defined(pair.forward))}
    have = set(needed) | free
    again: set[Value] = set()
    anyway = {_formula(op) for op in pair.backward.ops if isinstance(op, Call)} - {None}

    def made(v: Value) -> Op | None:
        """The operation that computes ``v``, where it may run again."""
        op = res.layout.maker.get(v)
        if op is None or not recomputable(op, stability) and not is_arithmetic(op, stability) and (_formula(op) not in anyway or any(
                map(stability.classes.is_written, (v, *(o for o in operands_of(op) if isinstance(o, Value)))))):
            return None         # nor does the reverse part compute the same for a derivative
        return op

    def missing(o: Operand) -> bool:
        return o in order and o not in have

    for v in reversed(needed):
        if v in free:
            continue
        have.discard(v)
        found = _chain(v, _BUDGET, made, missing)
        have.add(v)
        if found is not None:
            again.update(found)
            have.update(found)
    return sorted(again, key=lambda v: order[v])


def _chain(v: Value, budget: int, made: Callable[[Value], Op | None], missing: Callable[[Operand], bool]) -> list[Value] | None:
    """The operations that recompute ``v``; None if there are too many."""
    op = made(v) if budget else None
    if op is None:
        return None
    found = [v]
    for o in operands_of(op):
        if isinstance(o, Value) and missing(o) and o not in found:
            below = _chain(o, budget - len(found), made, missing)
            if below is None or len(found) + len(below) > budget:
                return None
            found += below
    return found


def _formula(op: Op) -> Any:
    """The function and the operands of an operation without effects."""
    if not isinstance(op, Call) or op.kwargs or len(op.results) != 1 or not is_known_pure(op.fn) or not all(
            type(a) is Value or isinstance(a, Lit) and type(a.value) in (int, float) for a in op.args):
        return None
    return op.fn, *(a.value if isinstance(a, Lit) else a for a in op.args)


def _defined(block: Block) -> Any:
    yield from block.params
    for op in flat_ops(block):
        yield from op.results


def _place_again(again: list[Value], pair: Pair, res: ReverseResult) -> None:
    """Clone the operations of recomputed values into the reverse region, each before its first use there; ``again`` is in
    the order of their definition."""
    rank = {res.layout.maker[v]: k for k, v in enumerate(again)}
    makers = definitions_in(rank)
    ops: list[Op] = []
    mapping: dict[Value, Operand] = {}
    placed: set[Op] = set()

    def place(reads: Iterable[Operand], user: Op | None) -> None:
        """The operands of ``user`` in order of definition, last first, each preceded by its own operands."""
        for op in sorted({makers[o] for o in reads if o in makers}, key=rank.__getitem__, reverse=True):
            if op in placed:
                continue
            placed.add(op)
            copy = clone_op(op, {})
            copy.part = "adjoint"
            if user is not None:
                copy.loc = user.loc
            for old, new in zip(op.results, copy.results):
                new.name = old.name
            place(operands_of(op), copy)
            ops.append(copy)
            mapping.update(zip(op.results, copy.results))

    for op in pair.backward.ops if rank else ():
        place(uses_of(Block([], [op])), op)
        ops.append(op)
    if rank:
        place(pair.backward.yields, None)
        pair.backward.ops = ops
    substitute(pair.backward, mapping)


# branches

def _through_branch(pair: Pair, needed: list[Value], res: ReverseResult, stability: Stability, apart: bool) -> None:
    if not needed:
        return
    _place_again(_choose(needed, pair, res, stability, set()), pair, res)
    kept = needed_values(pair, res)
    mapping: dict[Value, Operand] = {}
    owner = pair.owner
    assert owner is not None
    for v in kept:
        if not v.name:
            v.name = "s"
        out = Value(v.type, v.name, v.varied)
        # on either branch the value is appended to a list in a loop, or passed between functions
        outermost = res.layout.inside[id(owner)] is res.pairs[0].forward
        filler = UNDEF if outermost and not apart else Lit(0.0 if is_differentiable(v.type) else None, filler=True)
        owner.results.append(out)
        for block in _result_blocks(owner):
            block.yields.append(v if block is pair.forward else filler)
        res.layout.home[out] = res.layout.inside[id(owner)]
        res.layout.maker[out] = owner
        mapping[v] = out
    substitute(pair.backward, mapping)


def _result_blocks(op: Op) -> list[Block]:
    if isinstance(op, If):
        return [op.then, op.orelse]
    assert isinstance(op, Try)
    return [op.body, *(h.body for h in op.handlers)]


# loops

def _through_loop(pair: Pair, needed: list[Value], res: ReverseResult, stability: Stability, outer: dict[Op, Block]) -> None:
    """``outer`` says in which reverse region the reverse of each loop stands."""
    loop, mirror = pair.owner, pair.mirror
    assert isinstance(loop, (For, While)) and isinstance(mirror, For)
    plan = _SourcePlan(pair, loop, mirror, outer[mirror], res, stability)
    free = plan.free(needed)
    _place_again(_choose(needed, pair, res, stability, free), pair, res)
    needed = needed_values(pair, res)
    mapping: dict[Value, Operand] = {}
    for v in needed:
        if v in free:
            mapping[v] = plan.item(v)
    stored = keep_sums(pair, [v for v in needed if v not in free], res.layout)
    for v in stored:
        mapping[v] = plan.store(v)
    if pair.position is not None:
        mapping[pair.position] = plan.position()
    plan.finish()
    substitute(pair.backward, mapping)


class _SourcePlan:
    """The sources of a reverse loop."""

    def __init__(self, pair: Pair, loop: For | While, mirror: For, outer: Block, res: ReverseResult, stability: Stability):
        self.pair, self.loop, self.mirror, self.outer, self.res, self.stability = pair, loop, mirror, outer, res, stability
        self.items: list[Value] = []
        self.sources: list[Source] = []
        self.lists: list[Value] = []
        #: the operations that create the lists, and those that append to them, by the maker of the value
        self.made: list[Op] = []
        self.appends: dict[Op | None, list[Op]] = {}
        self._index: Value | None = None
        self.block = res.layout.inside[id(loop)]

    def _single(self) -> Source | None:
        """The only source of a loop that runs to its end."""
        if isinstance(self.loop, For) and not self.loop.stops and len(self.loop.sources) == 1:
            return self.loop.sources[0]
        return None

    def free(self, needed: list[Value]) -> set[Value]:
        """Loop variables that the reverse loop can run over itself."""
        source = self._single()
        if source is None:
            return self._enumerated()
        if source.kind == "range":
            return {self.loop.body.params[0]}
        if (source.kind == "seq" and isinstance(source.operands[0].type, (Arr, ListT))
                and self.stability.stable(source.operands[0], self.loop)):
            return {self.loop.body.params[0]}
        return set()

    def _enumerated(self) -> set[Value]:
        """``for i, x in enumerate(xs)``: both can be run over backwards."""
        loop = self.loop
        if isinstance(loop, For) and not loop.stops and len(loop.sources) == 2:
            count, seq = loop.sources
            if (count.kind == "count" and isinstance(count.operands[0], Lit) and count.operands[0].value == 0
                    and seq.kind == "seq" and isinstance(seq.operands[0].type, (Arr, ListT))
                    and not seq.reverse and self.stability.stable(seq.operands[0], loop)):
                return set(loop.body.params[:2])
        return set()

    def item(self, v: Value) -> Value:
        """Run over the values of a loop variable backwards."""
        assert isinstance(self.loop, For)
        if len(self.loop.sources) == 2 and v is self.loop.body.params[0]:
            return self.position()
        source = self.loop.sources[-1]
        if source.kind == "range" and self._index is not None and _counts(source):
            return self._index
        new = self._add(v, Source(source.kind, list(source.operands), not source.reverse))
        if source.kind == "range" and _counts(source) and not source.reverse:
            self._index = new
        return new

    def _add(self, v: Value, source: Source) -> Value:
        new = Value(v.type, v.name)
        self.items.append(new)
        self.sources.append(source)
        return new

    def store(self, v: Value) -> Value:
        """Keep a value of each iteration in a list."""
        if not v.name:
            v.name = "s"
        saved = Value(ListT(v.type), v.name + "s" if v.name.startswith("saved_") else f"saved_{v.name}")
        self.made.append(Build("list", [], results=[saved], loc=self.loop.loc))
        self.res.layout.home[saved] = self.block
        self.res.layout.maker[saved] = self.loop     # which fills it
        self.appends.setdefault(self.res.layout.maker.get(v), []).append(Call(list.append, [saved, v]))
        self.lists.append(saved)
        return self._add(v, Source("seq", [saved], True, frees=self._frees()))

    def _frees(self) -> bool:
        """Whether kept values leave their list as they are read: where little is kept, and the rest computed again."""
        if isinstance(self.loop, For):
            return any(s.frees for s in self.loop.sources)
        return any(isinstance(op, Invoke) and op.again for op in self.loop.body.ops)

    def position(self) -> Value:
        """The number of the iteration."""
        if self._index is None:
            source = self._single()
            if source is not None and source.kind == "range" and _counts(source) and not source.reverse:
                return self.item(self.loop.body.params[0])
            self._index = Value(Num("int"), "i")
            self.items.insert(0, self._index)
            self.sources.insert(0, Source("range", [Lit(0), self.trips(), Lit(1)], True))
        return self._index

    def trips(self) -> Operand:
        """How often the loop ran."""
        if self.lists:
            return self._behind(Call(len, [self.lists[0]]), "n")
        loop = self.loop
        if isinstance(loop, For) and not loop.stops:
            lengths: list[Operand] = []
            for s in loop.sources:
                if s.kind == "seq" and isinstance(s.operands[0].type, (Arr, ListT)) and (
                        isinstance(s.operands[0].type, Arr) or self.stability.stable(s.operands[0], loop)):
                    lengths.append(self._behind(Call(len, [s.operands[0]]), None))
                elif s.kind == "range" and _counts(s):
                    lengths.append(s.operands[1])
                elif s.kind != "count":
                    lengths = []
                    break
            if len(lengths) == 1:
                return lengths[0]
            if lengths and all(s.kind != "range" for s in loop.sources):
                return self._behind(Call(min, lengths), None)
        return self._counter()

    def _counter(self) -> Value:
        """Count the iterations in the forward loop."""
        loop = self.loop
        param, out = Value(Num("int"), "trips"), Value(Num("int"), "trips")
        step = Call(operator.add, [param, Lit(1)], results=[Value(Num("int"), "trips")], loc=loop.loc)
        loop.inits.append(Lit(0))
        loop.body.params.append(param)
        if isinstance(loop, While):
            loop.cond.params.append(Value(Num("int"), "trips"))
        loop.body.ops.append(step)
        loop.body.yields.append(step.result)
        loop.results.append(out)
        self.res.layout.home[out] = self.block
        self.res.layout.maker[out] = loop
        return out

    def _behind(self, op: Call, name: str | None) -> Value:
        out = Value(Num("int"), name)
        op.results = [out]
        op.loc, op.part = self.loop.loc, "adjoint"
        # in the reverse part, where the reverse loop stands
        self.outer.ops.insert(self.outer.ops.index(self.mirror), op)
        return out

    def finish(self) -> None:
        """Write the sources into the reverse loop."""
        if not self.sources:
            source = self._single()
            if source is not None and (
                    source.kind == "range" or source.kind == "seq" and isinstance(source.operands[0].type, (Arr, ListT))):
                if source.kind == "range":
                    self.sources.append(Source("range", list(source.operands)))
                else:
                    self.sources.append(Source("range", [Lit(0), self.trips(), Lit(1)]))
            else:
                self.sources.append(Source("range", [Lit(0), self.trips(), Lit(1)]))
            self.items.append(Value(Num("int"), None))
        self.mirror.sources = self.sources
        self.mirror.body.params[:0] = self.items
        if self.made:
            self._fill()

    def _fill(self) -> None:
        """Create the lists before the loop, and append to them as soon as the values are available."""
        block, body = _block_with(self.block, self.loop), self.loop.body
        place = block.ops.index(self.loop)
        block.ops[place:place] = self.made
        start = next((k for k, op in enumerate(body.ops) if not (type(op) is Call and op.fn is list.append)), len(body.ops))
        ops = [*body.ops[:start], *self.appends.pop(None, [])]      # after the earlier residuals
        for append in ops[start:]:
            append.loc = body.ops[0].loc if body.ops else self.loop.loc
        for op in body.ops[start:]:
            ops.append(op)
            for made in reversed([*flat_ops(op.body), op]) if type(op) is With else (op,):
                for append in reversed(self.appends.pop(made, ())):
                    append.loc = op.loc
                    ops.append(append)
        assert not self.appends, "a value that is kept is not computed in the loop"
        body.ops = ops


def _block_with(block: Block, op: Op) -> Block:
    """The block that holds an operation: ``block``, or the body of a ``with`` statement in it."""
    if op in block.ops:
        return block
    return _block_with(next(other.body for other in block.ops if isinstance(other, With) and op in flat_ops(other.body)), op)


def _counts(source: Source) -> bool:
    """Whether a range counts 0, 1, 2, …"""
    start, _, step = source.operands
    return isinstance(start, Lit) and start.value == 0 and isinstance(step, Lit) and step.value == 1
