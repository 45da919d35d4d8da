"""Lists that a loop fills, one item an iteration, become arrays of the length of the loop."""
from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ...ir.build import Builder
from ...ir.effects import writes
from ...ir.ops import Block, Build, Call, For, Function, Lit, Op, Operand, Source, Value, blocks_of, operands_of, walk
from ...ir.types import ANY, Arr, ListT, Num, Type

__all__ = ["arrays_for_lists"]


def arrays_for_lists(fn: Function) -> None:
    """Rewrites lists of residuals, and loops over arrays or lists as loops over numbers."""
    lengths: dict[Value, Operand] = {}
    _visit(fn.body, fn, lengths)
    _index_loops(fn.body, lengths)


def _visit(block: Block, fn: Function, lengths: dict[Value, Operand]) -> None:
    for op in block.ops:
        for inner in blocks_of(op):
            _visit(inner, fn, lengths)
    for op in list(block.ops):
        if isinstance(op, Build) and op.kind == "list" and not op.items:
            _convert(block, op, fn, lengths)


def _uses(fn: Function, v: Value) -> list[Op]:
    return [op for op in walk(fn.body) if any(o is v for o in operands_of(op))]


def _convert(block: Block, made: Build, fn: Function, lengths: dict[Value, Operand]) -> None:
    """Has a list be an array, where one loop beside it fills it and nothing else changes it."""
    items = made.result
    uses = _uses(fn, items)
    fills = [op for op in uses if isinstance(op, Call) and op.fn is list.append and op.args[0] is items]
    if len(fills) != 1:
        return
    loop = next((op for op in block.ops if isinstance(op, For) and any(o is fills[0] for o in op.body.ops)), None)
    item = fills[0].args[1]
    dtype = _dtype(item.type)
    if loop is None or loop.stops or dtype is None or not all(_reads(op, items) for op in uses if op is not fills[0]):
        return
    if any(s.kind not in ("range", "count", "seq") for s in loop.sources):
        return
    if _yielded(fn.body, items):
        return
    t = Arr(dtype, (ANY,))
    array = Value(t, items.name)
    before = Block()
    with Builder(before, part=made.part, loc=made.loc) as b:
        count = lengths[array] = _trip_count(b, loop)
        b.emit(Call(np.empty, [count] if dtype == "float64" else [count, Lit(np.dtype(dtype).type)], results=[array]))
    at = block.ops.index(loop)
    block.ops[at:at] = before.ops
    block.ops.remove(made)
    k = _counter(loop)
    place = loop.body.ops.index(fills[0])
    loop.body.ops[place] = Call(operator.setitem, [array, k, item], loc=fills[0].loc, part=fills[0].part)
    for op in uses:
        _replace(op, items, array)


def _dtype(t: Type) -> str | None:
    """The dtype of an array for numbers of a type."""
    if isinstance(t, Num):
        return {"float": "float64", "int": "int64", "bool": "bool", "complex": "complex128"}[t.kind]
    if isinstance(t, Arr) and t.scalar and t.dtype[0] in "biufc":
        return t.dtype
    return None


def _reads(op: Op, items: Value) -> bool:
    """Whether an operation only reads items of a list."""
    if isinstance(op, For):
        return all(s.kind == "seq" or items not in s.operands for s in op.sources) and items not in op.inits
    return isinstance(op, Call) and (op.fn is len or op.fn is operator.getitem and op.args[0] is items)


def _yielded(block: Block, v: Value) -> bool:
    return any(y is v for y in block.yields) or any(_yielded(inner, v) for op in block.ops for inner in blocks_of(op))


def _replace(op: Op, old: Value, new: Value) -> None:
    from ..substitute import substitute_op
    substitute_op(op, {old: new})


def _trip_count(b: Builder, loop: For) -> Operand:
    """How often a loop runs, written before it."""
    counts = [c for s in loop.sources if (c := length_of(b, s)) is not None]
    out = counts[0]
    for c in counts[1:]:
        if c is not out:
            out = b.call(min, out, c, type=Num("int"))
    return out


def length_of(b: Builder, s: Source) -> Operand | None:
    """The number of items of a source; None where it has no end."""
    if s.kind == "count":
        return None
    if s.kind != "range":
        return b.call(len, s.operands[0], type=Num("int"))  # type: ignore[no-any-return]
    start, stop, step = s.operands
    if isinstance(start, Lit) and start.value == 0 and isinstance(step, Lit) and step.value == 1:
        if isinstance(stop, Lit):
            return Lit(max(stop.value, 0))
        return b.call(max, stop, 0, type=Num("int"))  # type: ignore[no-any-return]
    if isinstance(step, Lit) and step.value == 1:
        return b.call(max, b.call(operator.sub, stop, start), 0, type=Num("int"))  # type: ignore[no-any-return]
    if isinstance(step, Lit) and step.value == -1:
        return b.call(max, b.call(operator.sub, start, stop), 0, type=Num("int"))  # type: ignore[no-any-return]
    return b.call(len, b.call(range, start, stop, step), type=Num("int"))  # type: ignore[no-any-return]


def _counter(loop: For) -> Value:
    """The number of the iteration, in the body of a loop."""
    for s, v in zip(loop.sources, loop.body.params):
        start = s.operands[0]
        if s.kind in ("range", "count") and not s.reverse and isinstance(start, Lit) and start.value == 0 and (
                s.kind == "count" or isinstance(s.operands[2], Lit) and s.operands[2].value == 1):
            return v
    k = Value(Num("int"), "k")
    loop.sources.insert(0, Source("count", [Lit(0)]))
    loop.body.params.insert(0, k)
    return k


def _index_loops(block: Block, lengths: dict[Value, Operand]) -> None:
    """Writes loops over several things in step, or backwards over anything but a range, as loops over one range."""
    ops: list[Op] = []
    for op in block.ops:
        for inner in blocks_of(op):
            _index_loops(inner, lengths)
        if isinstance(op, For) and all(s.kind in ("range", "count", "seq") for s in op.sources) and not _is_plain(op) and all(
                _indexable(s, op) for s in op.sources):
            _by_index(op, ops, lengths)
        if isinstance(op, For) and op.sources[0].kind == "range" and op.sources[0].reverse:
            _turned(op.sources[0], op, ops)
        ops.append(op)
    block.ops = ops


def _is_plain(op: For) -> bool:
    """Whether a loop runs over one range, which can be turned round where it runs backwards."""
    s = op.sources[0]
    if len(op.sources) > 1 or s.kind != "range":
        return False
    return not s.reverse or isinstance(s.operands[2], Lit) and s.operands[2].value in (1, -1)


def _turned(s: Source, op: For, before: list[Op]) -> None:
    """A range that runs backwards as one that runs forwards: ``reversed`` is nothing Numba knows."""
    start, stop, step = s.operands
    assert isinstance(step, Lit) and step.value in (1, -1)
    block = Block()
    with Builder(block, part=op.part, loc=op.loc) as b:
        s.operands = [_shifted(b, stop, -step.value), _shifted(b, start, -step.value), Lit(-step.value)]
    s.reverse = False
    before += block.ops


def _shifted(b: Builder, n: Operand, by: int) -> Operand:
    if isinstance(n, Lit):
        return Lit(n.value + by)
    return b.call(operator.add if by > 0 else operator.sub, n, abs(by))  # type: ignore[no-any-return]


def _indexable(s: Source, op: For) -> bool:
    """Whether the items of a source can be read by number: of a list, where the loop does not change it."""
    if s.kind != "seq" or isinstance(s.operands[0].type, Arr):
        return True
    return isinstance(s.operands[0].type, ListT) and not any(s.operands[0] in writes(inner) for inner in walk(op.body))


def _by_index(op: For, before: list[Op], known_lengths: dict[Value, Operand]) -> None:
    """One range for all sources; the items are read in the body."""
    block = Block()
    with Builder(block, part=op.part, loc=op.loc) as b:
        lengths = [known_lengths[o] if (o := s.operands[0]) in known_lengths else length_of(b, s) for s in op.sources]
        defs = {r: made for made in [*before, *block.ops] for r in made.results}
        known = [n for n in lengths if n is not None]
        count: Any = known[0]
        for n in known[1:]:
            if not _same(n, count, defs):
                count = b.call(min, count, n, type=Num("int"))
    before += block.ops
    backwards = all(s.reverse or s.kind == "count" for s in op.sources) and all(s.kind != "count" for s in op.sources)
    names = [v.name for s, v in zip(op.sources, op.body.params) if s.kind in ("range", "count") and v.name]
    k = Value(Num("int"), names[0] if names else "k")
    head = Block()
    mapping: dict[Value, Operand] = {}
    with Builder(head, part=op.part, loc=op.loc) as b:
        for s, v, length in zip(op.sources, op.body.params, lengths):
            place: Any = k
            if s.reverse and not backwards and length is not None:
                place = b.call(operator.sub, b.call(operator.sub, length, 1), k)
            elif backwards and length is not None and not _same(length, count, defs):      # each runs from its own end
                place = b.call(operator.add, b.call(operator.sub, length, count), k)
            if s.kind == "seq":
                b.emit(Call(operator.getitem, [s.operands[0], place], results=[v]))
                continue
            start = s.operands[0]
            step = s.operands[2] if s.kind == "range" else Lit(1)
            mapping[v] = _item(b, start, step, place, v)
    n_sources = len(op.sources)
    op.body.params = [k, *op.body.params[n_sources:]]
    op.body.ops[:0] = head.ops
    from ..substitute import substitute
    substitute(op.body, mapping)
    op.sources = [Source("range", [Lit(0), count, Lit(1)], reverse=backwards)]


def _same(a: Operand | None, b: Operand | None, defs: dict[Value, Op]) -> bool:
    """Whether two lengths are the same by how they are computed."""
    if a is b or isinstance(a, Lit) and isinstance(b, Lit) and a.value == b.value:
        return True
    p, q = defs.get(a), defs.get(b)  # type: ignore[arg-type]
    return isinstance(p, Call) and isinstance(q, Call) and p.fn is q.fn and len(p.args) == len(q.args) and all(
        _same(x, y, defs) for x, y in zip(p.args, q.args))


def _item(b: Builder, start: Operand, step: Operand, k: Operand, v: Value) -> Operand:
    """``start + step * k``."""
    unit = isinstance(step, Lit) and step.value == 1
    if unit and isinstance(start, Lit) and start.value == 0:
        return k
    if isinstance(step, Lit) and step.value == -1:
        return b.call(operator.sub, start, k, name=v.name)  # type: ignore[no-any-return]
    scaled = k if unit else b.call(operator.mul, step, k)
    return b.call(operator.add, start, scaled, name=v.name)  # type: ignore[no-any-return]


