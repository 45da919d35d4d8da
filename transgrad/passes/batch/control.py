"""Batched control flow: unchanged where the condition is the same for all examples, otherwise by selection or on the examples concerned."""
from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np

from ...ir.effects import is_pure, writes
from ...ir.ops import UNDEF, Block, Call, For, GetAttr, If, Invoke, Lit, Op, Operand, Raise, Source, Value, While, walk
from ...ir.types import Arr, Dim, Num, Obj, OptT
from ..analysis.alias import summarize
from .batched_values import Facts
from .indexing import own
from .lanes import Lanes, check_truth, is_number, ndim
from .shapes import along_examples
from .unsupported import CannotBatch

if TYPE_CHECKING:
    from .driver import Batch

__all__ = ["batch_if", "batch_loop", "is_total", "own_items", "source"]

#: operations that are defined, and have a finite derivative, everywhere: they may run for examples that do not need them
_TOTAL: frozenset[Callable[..., Any]] = frozenset((
    operator.add, operator.sub, operator.mul, operator.neg, operator.pos, operator.abs, abs, operator.lt, operator.le, operator.gt,
    operator.ge, operator.eq, operator.ne, operator.and_, operator.or_, operator.xor, operator.not_, np.add, np.subtract, np.multiply,
    np.negative, np.square, np.absolute,
    np.sin, np.cos, np.tanh, np.arctan, np.maximum, np.minimum, np.where, np.floor, np.ceil, np.sign, np.sum, np.ndarray.sum,
    np.logical_and, np.logical_or, np.logical_not, max, min,
))


# branches

def batch_if(b: "Batch", op: If) -> None:
    """A branch."""
    if not b.batched(op.cond):
        _common_if(b, op)
        return
    check_truth(op.cond, op)
    for taken, other, negate in ((op.then, op.orelse, False), (op.orelse, op.then, True)):
        if taken.ops and isinstance(taken.ops[-1], Raise):
            _raise_for_first(b, op, taken, negate)
            b.block(other)
            for r, y in zip(op.results, other.yields):
                b.set(r, b.whole(y, r.type) if b.batched(r) else b.operand(y))
            return
    if any(not is_number(r.type) and b.batched(r) for r in op.results):
        raise CannotBatch("which object or container is meant differs between the examples", op.loc)
    if any(_is_none(x) != _is_none(y) and b.batched(r) for r, x, y in zip(op.results, op.then.yields, op.orelse.yields)):
        raise CannotBatch("whether a value is None differs between the examples", op.loc)
    for k, r in enumerate(op.results):
        if UNDEF in (op.then.yields[k], op.orelse.yields[k]) and b.batched(r) and b.unbound.is_read(op, k):
            raise CannotBatch(f"{repr(r.name) if r.name else 'a value'} is read and may be unbound for some of the examples", op.loc)
    if any(b.facts.written(r) for r in op.results):
        raise CannotBatch("which array is written to differs between the examples", op.loc)
    if is_total(op.then) and is_total(op.orelse):
        b.block(op.then)
        b.block(op.orelse)
        for r, x, y in zip(op.results, op.then.yields, op.orelse.yields):
            if b.batched(r):
                b.lanes.values[r] = _choose(b, b.operand(op.cond), x, y, r)
            else:
                b.plain[r] = b.operand(x)
        return
    _part(b, op)


def _is_none(x: Operand) -> bool:
    """Whether an operand is None, or may be."""
    return isinstance(x, Lit) and x.value is None or isinstance(x.type, OptT)


def _common_if(b: "Batch", op: If) -> None:
    """All examples go the same way."""
    made = If(b.operand(op.cond), Block(), Block(), loc=op.loc, part=op.part)
    for inner, out in ((op.then, made.then), (op.orelse, made.orelse)):
        with b.builder.inside(out):
            b.block(inner)
            out.yields = [b.whole(y, r.type) if b.batched(r) and (y is not UNDEF or is_number(r.type)) else b.operand(y)
                          for y, r in zip(inner.yields, op.results)]
    made.results = [b.carry(r) for r in op.results]
    b.builder.block.ops.append(made)


def is_total(block: Block) -> bool:
    """Whether a block may run for examples that do not take it."""
    for op in block.ops:
        if isinstance(op, GetAttr):
            continue
        if not isinstance(op, Call) or writes(op) or not is_pure(op):
            return False
        if op.fn is operator.getitem:
            if not isinstance(op.args[1], Lit) or not isinstance(op.args[0].type, Arr):
                return False
        elif op.fn is operator.pow or op.fn is np.power:
            if not (isinstance(op.args[1], Lit) and isinstance(op.args[1].value, int) and op.args[1].value >= 0):
                return False
        elif op.fn not in _TOTAL:
            return False
    return True


def _choose(b: "Batch", cond: Any, x: Operand, y: Operand, r: Value) -> Any:
    """``x`` for the examples where the condition holds, ``y`` for the others."""
    if x is UNDEF or y is UNDEF:
        return b.whole(y if x is UNDEF else x, r.type)
    k = ndim(r.type)
    return b.builder.call(np.where, b.aligned(cond, 0, k), b.operand(x), b.operand(y), name=r.name, type=b.type_of(r.type))


def _raise_for_first(b: "Batch", op: If, block: Block, negate: bool) -> None:
    """Raises what the first example concerned would."""
    cond = b.operand(op.cond)
    cond = b.builder.call(np.logical_not, cond, type=cond.type) if negate else cond
    made = If(b.builder.call(np.any, cond, type=Arr("bool", (), True)), Block(), Block(), loc=op.loc, part=op.part)
    outer, plain = b.lanes, dict(b.plain)
    with b.builder.inside(made.then):
        first = b.builder.call(np.argmax, cond, type=Num("int"))
        single = _Single(outer, first)
        b.lanes = single
        kept, b.facts = b.facts, _Nothing(b.facts, single)
        inside = Block()
        with b.builder.inside(inside):
            b.block(block)
        made.then.ops += single.entry.ops + inside.ops
        b.facts = kept
    b.lanes, b.plain = outer, plain
    b.builder.block.ops.append(made)


class _Single(Lanes):
    """One example, whose values are no batches."""

    def __init__(self, parent: Lanes, index: Operand):
        super().__init__(Lit(1), Dim(True), parent, index)
        self.entry = Block()

    def get(self, v: Value) -> Any:
        if v in self.values:
            return self.values[v]
        assert self.parent is not None and self.index is not None
        made = Value(v.type, v.name, v.varied)
        self.entry.ops.append(Call(operator.getitem, [self.parent.get(v), self.index], results=[made]))
        self.values[v] = made
        return made


class _Nothing(Facts):
    """The facts for one example: what comes from outside is read from its batch, what is computed is as it was."""

    def __init__(self, facts: Facts, lanes: _Single):  # the analysis is not run again
        self.facts, self.lanes = facts, lanes
        self.fn, self.classes = facts.fn, facts.classes

    def batched(self, v: Any) -> bool:
        if not isinstance(v, Value) or not self.facts.batched(v):
            return False
        outer: Lanes | None = self.lanes.parent
        while outer is not None:
            if v in outer.values:
                return True
            outer = outer.parent
        return False


def _sub(b: "Batch", index: Any) -> Lanes:
    """The examples that a mask or a list of numbers picks."""
    size = b.builder.call(len, index, type=Num("int", index.type.dims[0]))
    return Lanes(size, index.type.dims[0], b.lanes, index)


def _which(b: "Batch", mask: Any) -> Any:
    """The numbers of the examples for which a mask holds."""
    return b.builder.call(np.flatnonzero, mask, type=Arr("int64", (Dim(None),)))


def _run(b: "Batch", lanes: Lanes, block: Block, after: Callable[[], None]) -> None:
    """Runs a block for some of the examples; ``after`` says what is done with what it yields, in place."""
    outer = b.lanes
    b.lanes = lanes
    inside = Block()
    with b.builder.inside(inside):
        b.block(block)
        after()
        b.lanes = outer
        _write_back(b, lanes, block)
    b.builder.block.ops += lanes.entry.ops + inside.ops
    lanes.entry.ops = []


def _write_back(b: "Batch", lanes: Lanes, block: Block) -> None:
    """Arrays that a block has changed for its examples are changed for them outside."""
    changed = {b.facts.classes.find(v) for op in walk(block) for v in _changed_by(op) if isinstance(v, Value)}
    seen: set[Any] = set()
    assert lanes.parent is not None
    for v, inner in lanes.gathered.items():
        if isinstance(v.type, Num):
            continue
        node = b.facts.classes.find(v)
        if node not in changed:
            continue
        if node in seen:
            raise CannotBatch("an array is changed under two names where the examples part")
        seen.add(node)
        b.builder.call(operator.setitem, lanes.parent.get(v), lanes.index, inner)


def _changed_by(op: Op) -> list[Operand]:
    """What an operation writes to, itself or in the function that it calls."""
    return [op.args[k] for k in summarize(op.func).written] if isinstance(op, Invoke) else writes(op)


def _part(b: "Batch", op: If) -> None:
    """Runs each side for the examples that take it."""
    cond = b.operand(op.cond)
    sides = []
    for block, negate in ((op.then, False), (op.orelse, True)):
        if block.ops:
            mask = b.builder.call(np.logical_not, cond, type=cond.type) if negate else cond
            sides.append((block, _which(b, mask)))
        else:
            sides.append((block, None))
    results: list[Any] = [None] * len(op.results)
    numbers: dict[int, tuple[Lit, Operand]] = {}
    # a side without operations yields what there was before: the other side is written into a copy of it
    for block, index in sorted(sides, key=lambda side: side[1] is not None):
        if index is None:
            for k, (r, y) in enumerate(zip(op.results, block.yields)):
                if b.batched(r) and _is_number(y) and isinstance(r.type, Arr) and r.type.dims:
                    numbers[k] = y, Lit(Ellipsis)
                elif b.batched(r) and y is not UNDEF:
                    x = b.whole(y, r.type)
                    results[k] = b.builder.call(np.ndarray.copy, x, type=x.type) if b.batched(y) else x
                elif not b.batched(r):
                    b.plain[r] = b.operand(y)
            continue
        lanes = _sub(b, index)
        lanes.may_be_empty = True

        def store(block: Block = block, lanes: Lanes = lanes) -> None:
            for k, (r, y) in enumerate(zip(op.results, block.yields)):
                if not b.batched(r):
                    b.plain[r] = b.operand(y)
                elif y is not UNDEF:
                    _store(b, results, numbers, k, r, y, lanes)

        _run(b, lanes, block, store)
    for k, (r, x) in enumerate(zip(op.results, results)):
        if b.batched(r):
            if x is None and k in numbers:
                raise CannotBatch(f"{r.name or 'a value'} is a number on both sides of a branch, and an array after it", op.loc)
            b.lanes.values[r] = b.promote(Lit(0.0), r.type) if x is None else x


def _store(b: "Batch", results: list[Any], numbers: dict[int, tuple[Lit, Operand]], k: int, r: Value, y: Operand, lanes: Lanes) -> None:
    """Writes what some of the examples yield into the result of all, which the first of them makes; a number that stands for an
    array does not say how long, and is kept in ``numbers`` until the other side has come."""
    x = b.operand(y)
    outer = lanes.parent
    assert outer is not None and lanes.index is not None
    if results[k] is None:
        t = b.type_of(r.type)
        if _is_number(x) and len(t.dims) > 1:
            numbers[k] = x, lanes.index
            return
        to = Arr(t.dtype, (outer.dim, *t.dims[1:]))
        options: dict[str, Any] = {} if to.dtype == "float64" else {"dtype": Lit(getattr(np, to.dtype), f"np.{to.dtype}")}
        shape: Any = outer.size
        if len(to.dims) > 1:
            part = slice(1, None) if b.batched(y) else slice(None)
            rest = b.one(operator.getitem, b.builder.attr(x, "shape"), Lit(part), type=Obj(tuple))
            shape = b.one(operator.add, b.builder.build("tuple", [outer.size]), rest, type=Obj(tuple))
        results[k] = b.builder.call(np.empty, shape, type=to, name=r.name, **options)
        if k in numbers:
            b.builder.call(operator.setitem, results[k], numbers[k][1], numbers[k][0])
    b.builder.call(operator.setitem, results[k], lanes.index, x)


def _is_number(x: Any) -> TypeGuard[Lit]:
    return isinstance(x, Lit) and x is not UNDEF and np.ndim(x.value) == 0


# loops

def batch_loop(b: "Batch", op: For | While) -> None:
    """A loop."""
    if b.facts.diverges(op):
        _parting_loop(b, op)
        return
    n = len(op.body.params) - len(op.inits)
    inits = [b.whole(x, r.type) if b.batched(r) else b.operand(x) for x, r in zip(op.inits, op.results)]
    made: For | While
    if isinstance(op, For):
        sources = [source(b, s) for s in op.sources]
        body = Block([b.carry(p) for p in op.body.params[:n]] + [b.carry(p) for p in op.body.params[n:]])
        made = For(sources, inits, body, op.stops, loc=op.loc, part=op.part)
    else:
        cond = Block([b.carry(p) for p in op.cond.params])
        with b.builder.inside(cond):
            b.block(op.cond)
            cond.yields = [b.operand(op.cond.yields[0])]
        body = Block([b.carry(p) for p in op.body.params])
        made = While(inits, cond, body, op.stops, loc=op.loc, part=op.part)
    with b.builder.inside(body):
        own_items(b, op)
        b.block(op.body)
        yields = op.body.yields[op.stops:]
        body.yields = [*map(b.operand, op.body.yields[:op.stops]),
                       *(b.whole(y, r.type) if b.batched(r) else b.operand(y) for y, r in zip(yields, op.results))]
    made.results = [b.carry(r) for r in op.results]
    b.builder.block.ops.append(made)




def own_items(b: "Batch", op: For | While) -> None:
    """The entries of an array that a loop runs over are values, also where the array is written to."""
    if isinstance(op, For):
        k = 0
        for s in op.sources:
            if s.kind == "seq" and b.batched(s.operands[0]) and isinstance(s.operands[0].type, Arr):
                item = op.body.params[k]
                b.lanes.values[item] = own(b, b.lanes.values[item], s.operands[0], item)
            k += 2 if s.kind == "items" else 1


def source(b: "Batch", s: Source) -> Source:
    """What a loop runs over; the rows of a batch of arrays stand along its second axis."""
    operands = []
    for o in s.operands:
        x = b.operand(o)
        if b.batched(o) and isinstance(o.type, Arr):
            x = along_examples(b, o)
        elif b.batched(o) and s.kind == "iter":
            raise CannotBatch("an iterator differs between the examples")
        operands.append(x)
    return Source(s.kind, operands, s.reverse)


def _parting_loop(b: "Batch", op: For | While) -> None:
    """A loop that some examples leave before others: it runs until all have, for those that are still in it."""
    n = len(op.body.params) - len(op.inits)
    params = op.body.params[n:]
    changes = [p for p, y in zip(params, op.body.yields[op.stops:]) if b.batched(p) and y is not p]
    if any(b.facts.written(p) for p in changes) or not all(is_number(p.type) for p in params if b.batched(p)):
        raise CannotBatch("a loop-carried value is written to, or is not a number, and the examples leave the loop at different times",
                          op.loc)
    if isinstance(op, While):
        check_truth(op.cond.yields[0], op)
    bool_type = Arr("bool", (b.lanes.dim,))
    inits = [b.whole(x, r.type) if b.batched(r) else b.operand(x) for x, r in zip(op.inits, op.results)]
    active = Value(bool_type, "active")
    made: For | While
    if isinstance(op, For):
        sources, limit = _sources(b, op)
        going: Any = b.builder.call(np.ones, b.lanes.size, dtype=Lit(np.bool_, "np.bool_"), type=bool_type)
        body = Block([*(b.carry(p) for p in op.body.params[:n]), *(b.carry(p) for p in params), active])
        made = For(sources, [*inits, going], body, True, loc=op.loc, part=op.part)
    else:
        limit = None
        for p, x in zip(op.cond.params, inits):
            if b.batched(p):
                b.lanes.values[p] = x
            else:
                b.plain[p] = x
        b.block(op.cond)
        going = b.whole(op.cond.yields[0], Num("bool"))
        head = Value(bool_type, "active")
        cond = Block([*(Value(x.type, p.name) for x, p in zip(inits, params)), head])
        with b.builder.inside(cond):
            cond.yields = [b.builder.call(np.any, head, type=Arr("bool", (), True))]
        body = Block([*(b.carry(p) for p in params), active])
        made = While([*inits, going], cond, body, False, loc=op.loc, part=op.part)
    with b.builder.inside(body):
        mask: Any = active
        if limit is not None:
            counter, stop = limit
            mask = b.builder.call(operator.lt, body.params[counter], stop, type=bool_type)
            mask = b.builder.call(operator.and_, active, mask, type=bool_type)
        own_items(b, op)
        lanes = _sub(b, _which(b, mask))
        outs: list[Any] = [None] * len(params)
        state: dict[str, Any] = {}

        def store() -> None:
            yields = op.body.yields[op.stops:]
            for k, (p, y) in enumerate(zip(params, yields)):
                outs[k] = None if y is p else b.whole(y, p.type) if b.batched(p) else b.operand(y)
            go: Any = Lit(True)
            if op.stops:
                stop = b.operand(op.body.yields[0])
                go = Lit(not stop.value) if isinstance(stop, Lit) else b.builder.call(
                    np.logical_not, stop, type=Arr("bool", (lanes.dim,)) if b.batched(op.body.yields[0]) else None)
            if isinstance(op, While):
                for k, p in enumerate(op.cond.params):
                    x = outs[k] if outs[k] is not None else b.operand(params[k])
                    if b.batched(p):
                        b.lanes.values[p] = x
                    else:
                        b.plain[p] = x
                b.block(op.cond)
                again = b.operand(op.cond.yields[0])
                if _is_true(go):
                    go = again
                else:
                    go = b.builder.call(np.logical_and, again, go, type=Arr("bool", (lanes.dim,)))
            state["go"] = go

        _run(b, lanes, op.body, store)
        yields: list[Any] = []
        for k, p in enumerate(params):
            if outs[k] is None:
                yields.append(b.operand(p))
            elif b.batched(p):
                yields.append(_updated(b, b.operand(p), lanes.index, outs[k], p.name))
            else:
                yields.append(outs[k])
        remaining = active if _is_true(state["go"]) else _updated(b, active, lanes.index, state["go"], "active")
        stop_all: list[Any] = []
        if isinstance(made, For):
            over = b.builder.call(np.any, remaining, type=Arr("bool", (), True))
            stop_all = [b.builder.call(operator.not_, over, type=Num("bool"))]
        body.yields = [*stop_all, *yields, remaining]
    made.results = [*(b.carry(r) for r in op.results), Value(bool_type)]
    b.builder.block.ops.append(made)


def _is_true(x: Any) -> bool:
    return isinstance(x, Lit) and x.value is True


def _updated(b: "Batch", whole: Any, index: Any, part: Any, name: str | None) -> Any:
    """A batch with the entries of some examples replaced."""
    out = b.builder.call(np.ndarray.copy, whole, name=name, type=whole.type)
    b.builder.call(operator.setitem, out, index, part)
    return out


def _sources(b: "Batch", op: For) -> tuple[list[Source], tuple[int, Any] | None]:
    """The sources, the longest of the examples' ranges among them; which parameter counts, and to where it goes for each."""
    limit = None
    sources = []
    k = 0
    for s in op.sources:
        if s.kind == "range" and any(map(b.batched, s.operands)):
            start, stop, step = s.operands
            if b.batched(start) or not (isinstance(step, Lit) and step.value == 1) or s.reverse or limit is not None:
                raise CannotBatch("the examples run a loop over ranges with different starts or steps", op.loc)
            each = b.operand(stop)
            limit = (k, each)
            sources.append(Source("range", [b.operand(start), b.builder.call(np.max, each, type=Num("int")), step], False))
        else:
            sources.append(source(b, s))
        k += 2 if s.kind == "items" else 1
    return sources, limit
