"""Replace lists filled by loops of unknown trip count with growing arrays, all that one loop fills together.

If the loop is nested, the arrays grow through all iterations of the outer loop, and another array stores where the part of each iteration
begins and ends.
"""
from __future__ import annotations

import operator
from typing import TYPE_CHECKING

import numpy as np

from ...ir.build import Builder
from ...ir.ops import Block, Build, Call, For, If, Lit, Op, Operand, Source, Value, While, blocks_of
from ...ir.types import ANY, Arr, ListT, Num, Obj
from ...runtime import borrowed
from ...runtime.numba.stacks import grown, grown_in
from ..analysis.def_use import definitions_in
from ..rewriting.substitute import substitute, substitute_op

if TYPE_CHECKING:
    from .residual_arrays import Converter, Filled

__all__ = ["grow"]

_COUNT = Num("int", ANY)
_ROOM = 16


def grow(converter: Converter, lists: list[Filled], owner: For | None, around: Block | None) -> None:
    """Replace the lists that one loop fills by arrays.

    Parameters
    ----------
    converter : Converter
        The converter of the function.
    lists : list of Filled
        The lists, all filled by the same loop.
    owner : For or None
        The loop around it, an operation of ``around``.
    """
    lists = [f for f in lists if not any(isinstance(op, Call) and op.fn is operator.getitem for op in f.uses)]
    if not lists:
        return
    loop = lists[0].loop
    names = [f.made.result.name for f in lists]
    types = [Arr(_dtype(f), (ANY,)) for f in lists]
    kept = _kept_lists(converter, lists, owner, around)
    starts = [Value(t, name) for t, name in zip(types, names)]
    borrow = all(not isinstance(op, Call) or op.fn is len for f in kept or lists for op in f.uses)
    owners = [Value(ListT(t), name) for t, name in zip(types, names)] if borrow else []
    again = borrow and kept is None and owner is not None and around is not None
    made: list[Op] = []
    taken: list[Op] = []
    for k, (t, v, f) in enumerate(zip(types, starts, lists)):
        dtype = [] if t.dtype == "float64" else [Lit(np.dtype(t.dtype).type)]
        array = Value(t, v.name) if borrow else v
        made.append(Call(np.empty, [Lit(_ROOM), *dtype], results=[array], loc=f.made.loc, part=f.made.part))
        if borrow:
            made.append(Build("list", [array], results=[owners[k]], loc=f.made.loc, part=f.made.part))
        if again:       # of the size reached by the previous iteration
            array = Value(t, v.name)
            taken.append(Call(operator.getitem, [owners[k], Lit(0)], results=[array], loc=f.made.loc, part=f.made.part))
        if borrow:
            taken.append(Call(borrowed, [array], results=[v], loc=f.made.loc, part=f.made.part))
    block = lists[0].block
    for f in lists:
        block.ops.remove(f.made)
    outer = around if again else block
    if kept is None:
        at = block.ops.index(loop)
        block.ops[at:at] = taken
        at = outer.ops.index(owner if again else taken[0] if taken else loop)  # type: ignore[union-attr,arg-type]
        outer.ops[at:at] = made  # type: ignore[union-attr]
        arrays, count = _fill(lists, types, list(starts), Lit(0), owners)
        for f, array in zip(lists, arrays):
            converter.lengths[array] = count
            _hand_over(converter, f, array, count)
        outer.ops += _freed(owners, made)  # type: ignore[union-attr]
        return
    assert owner is not None and around is not None
    inner = [Value(t, name) for t, name in zip(types, names)]
    first = Value(_COUNT, "n")
    arrays, count = _fill(lists, types, list(inner), first, owners)
    results = [Value(t, name) for t, name in zip(types, names)]
    owner.inits += [*starts, Lit(0)]
    owner.body.params += [*inner, first]
    owner.body.yields += [*arrays, count]
    owner.results += [*results, Value(_COUNT, "n")]
    at = around.ops.index(owner)
    around.ops[at:at] = [*made, *taken]
    _keep_bounds(converter, lists, kept, results, count, owner, around)
    around.ops += _freed(owners, made)


def _freed(owners: list[Value], made: list[Op]) -> list[Op]:
    """Keep the contents of the arrays alive to the end of the block that created them."""
    return [Call(list.clear, [v], loc=made[0].loc, part="adjoint") for v in owners]


def _dtype(f: Filled) -> str:
    from .residual_arrays import number_dtype
    return str(number_dtype(f.item.type))


def _fill(lists: list[Filled], types: list[Arr], starts: list[Operand], first: Operand, owners: list[Value]) -> tuple[list[Value], Value]:
    """Rewrite the loop to fill the arrays ``starts`` from place ``first``; the arrays after it, and the place reached.

    Counting who refers to an array takes longer than most iterations, so the loop has them ``borrowed``: ``owners`` hold them.
    """
    loop = lists[0].loop
    names = [f.made.result.name for f in lists]

    def fresh() -> list[Value]:
        return [Value(t, name) for t, name in zip(types, names)]

    inner, after, larger, results = fresh(), fresh(), fresh(), fresh()
    n, more, count = (Value(_COUNT, "n") for _ in range(3))
    room, full = Value(_COUNT), Value(Num("bool"))
    loc, part = lists[0].fill.loc, lists[0].fill.part
    for f, array in zip(lists, after):
        place = loop.body.ops.index(f.fill)
        loop.body.ops[place] = Call(operator.setitem, [array, n, f.item], loc=f.fill.loc, part=f.fill.part)
    growth: list[Op] = [Call(grown_in, [owner, old], results=[new], loc=loc, part=part) for owner, old, new in zip(owners, inner, larger)]
    growth = growth or [Call(grown, [old], results=[new], loc=loc, part=part) for old, new in zip(inner, larger)]
    loop.body.ops[:0] = [
        Call(len, [inner[0]], results=[room], loc=loc, part=part),
        Call(operator.eq, [n, room], results=[full], loc=loc, part=part),
        If(full, Block([], growth, list(larger)), Block([], [], list(inner)), results=list(after), loc=loc, part=part),
    ]
    loop.body.ops.append(Call(operator.add, [n, Lit(1)], results=[more], loc=loc, part=part))
    loop.inits += [*starts, first]
    loop.body.params += [*inner, n]
    loop.body.yields += [*after, more]
    if isinstance(loop, While):
        loop.cond.params += [*fresh(), Value(_COUNT, "n")]
    loop.results += [*results, count]
    return results, count


def _hand_over(converter: Converter, f: Filled, array: Value, count: Value) -> None:
    """Let the readers of a list read an array, of which the first ``count`` elements are filled."""
    items = f.made.result
    for op in f.uses:
        if isinstance(op, Call) and op.fn is len:
            substitute(converter.fn.body, {op.result: count})
            _remove(converter.fn.body, op)
        elif isinstance(op, Call):      # put into another list: the part that is filled
            part, filled = Value(Obj(slice)), Value(array.type, items.name)
            at = f.block.ops.index(op)
            f.block.ops[at:at] = [Build("slice", [Lit(None), count, Lit(None)], results=[part], loc=op.loc, part=op.part),
                                  Call(operator.getitem, [array, part], results=[filled], loc=op.loc, part=op.part)]
            converter.defs[filled] = f.block.ops[at + 1]
            op.args[1] = filled
        else:
            substitute_op(op, {items: array})


def _remove(block: Block, op: Op) -> bool:
    """Remove an operation from a block or from one inside of it."""
    for k, other in enumerate(block.ops):
        if other is op:
            del block.ops[k]
            return True
        if any(_remove(inner, op) for inner in blocks_of(other)):
            return True
    return False


def _kept_lists(converter: Converter, lists: list[Filled], owner: For | None, around: Block | None) -> list[Filled] | None:
    """The lists in which the loop around keeps these, where all of them are kept and only gone through by loops afterwards."""
    if owner is None or around is None or owner.stops or any(s.kind not in ("range", "count", "seq") for s in owner.sources):
        return None
    kept: list[Filled] = []
    for f in lists:
        if len(f.uses) != 1 or not isinstance(f.uses[0], Call) or f.uses[0].fn is not list.append or f.uses[0] not in owner.body.ops:
            return None
        outer = f.uses[0].args[0]
        made = next((op for op in around.ops if isinstance(op, Build) and outer in op.results and not op.items), None)
        found = converter.filled(around, made) if made is not None else None
        if found is None or found.loop is not owner or not all(isinstance(op, For) for op in found.uses):
            return None
        kept.append(found)
    return kept


def _keep_bounds(converter: Converter, lists: list[Filled], kept: list[Filled], arrays: list[Value], count: Value, owner: For,
                 around: Block) -> None:
    """Let the outer loop save the end of the part of each iteration, and let readers of the lists iterate over the parts."""
    from .residual_arrays import counter_of
    k = counter_of(owner)
    loc, part = owner.loc, owner.part
    bounds = Value(Arr("int64", (ANY,)), "bounds")
    before, body = Block(), Block()
    with Builder(before, part=part, loc=loc) as b:
        times = converter.counts[id(owner)] if id(owner) in converter.counts else converter.trip_count(b, owner)
        size = b.call(operator.add, times, 1, type=_COUNT)
        b.emit(Call(np.empty, [size, Lit(np.int64)], results=[bounds]))
        b.call(operator.setitem, bounds, 0, 0)
    converter.counts[id(owner)] = times
    converter.defs.update(definitions_in(before.ops))
    with Builder(body, part=part, loc=loc) as b:
        b.call(operator.setitem, bounds, b.call(operator.add, k, 1, type=_COUNT), count)
    for f, outer in zip(lists, kept):
        owner.body.ops.remove(f.uses[0])
        around.ops.remove(outer.made)
    owner.body.ops += body.ops
    at = around.ops.index(owner)
    around.ops[at:at] = before.ops
    places: dict[int, tuple[Value, Value, Value]] = {}
    for outer, array in zip(kept, arrays):
        for op in outer.uses:
            assert isinstance(op, For)
            _read_parts(op, outer.made.result, array, bounds, times, places, converter)


def _read_parts(op: For, items: Value, array: Value, bounds: Value, times: Operand, places: dict[int, tuple[Value, Value, Value]],
                converter: Converter) -> None:
    """Let a loop over lists iterate over their indices instead, and read the part of each."""
    for at, s in enumerate(op.sources):
        if s.operands[0] is not items:
            continue
        v = op.body.params[at]
        if id(op) not in places:
            i = Value(_COUNT, "k")
            op.sources[at] = Source("range", [Lit(0), times, Lit(1)], s.reverse)
            op.body.params[at] = i
            head = Block()
            with Builder(head, part=op.part, loc=op.loc) as b:
                start = b.call(operator.getitem, bounds, i, type=_COUNT)
                stop = b.call(operator.getitem, bounds, b.call(operator.add, i, 1, type=_COUNT), type=_COUNT)
                span = b.build("slice", [start, stop, None])
                size = b.call(operator.sub, stop, start, type=_COUNT)
            op.body.ops[:0] = head.ops
            converter.defs.update(definitions_in(head.ops))
            places[id(op)] = (span, size, i)  # type: ignore[assignment]
            after = len(head.ops)
        else:
            del op.sources[at], op.body.params[at]
            after = next(k for k, made in enumerate(op.body.ops) if places[id(op)][1] in made.results) + 1
        span, size, _ = places[id(op)]
        v.type = array.type
        read = Call(operator.getitem, [array, span], results=[v], loc=op.loc, part=op.part)
        op.body.ops.insert(after, read)
        converter.defs[v] = read
        converter.lengths[v] = size
        return
