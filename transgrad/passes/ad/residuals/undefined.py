"""Residuals, and values whose shape the reverse part reads, that are not defined on every path."""
from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ....ir.build import Builder
from ....ir.ops import UNDEF, Block, Call, For, If, Lit, Op, Operand, Try, Value, While, With, blocks_of, calls_of, operands_of, walk
from ....ir.types import Arr, DictT, ListT, Num, TupleT, Type

if TYPE_CHECKING:
    from ...analysis.program_order import Layout
    from ..reverse.result import ReverseResult

__all__ = ["define_kept", "define_shapes", "ends", "undefined_values"]


def define_shapes(res: "ReverseResult") -> None:
    """Define a value that the reverse part reads, as an empty placeholder, on the paths of the forward part that do not
    compute it.

    The adjoint of such a value is zero there: only its shape is used, and values computed from it are never read.
    """
    forward = res.pairs[0].forward
    undefined = undefined_values(forward)
    if not undefined:
        return
    makers = {r: (op, k) for op in walk(forward) for k, r in enumerate(op.results)}
    asked = [v for v in dict.fromkeys(_unguarded(res)) if v in undefined and _may_be_undefined(v, makers, set())]
    seen: set[Value] = set()
    while asked:
        v = asked.pop()
        if v in seen or v not in makers:
            continue
        seen.add(v)
        op, k = makers[v]
        for block, operands, place in _sources(op, k, res):
            if operands[place] is UNDEF:
                operands[place] = _empty(v.type, block, op, res)
            elif isinstance(operands[place], Value):
                asked.append(operands[place])  # type: ignore[arg-type]


def _unguarded(res: "ReverseResult") -> Iterator[Value]:
    """Values of the forward part that the reverse part reads although nothing shows that the forward part has defined them."""
    yield from _unguarded_in(res.block, [], {id(pair.backward): pair.forward for pair in res.pairs}, res.layout)


def _unguarded_in(block: Block, path: list[Block], reversed_: dict[int, Block], layout: "Layout") -> Iterator[Value]:
    forward = reversed_.get(id(block))
    path = path if forward is None else layout.chain(forward)
    for op in block.ops:
        yield from (v for v in operands_of(op) if isinstance(v, Value) and v in layout.maker and not any(
            layout.inside[id(user)] in path and not blocks_of(user) for user in layout.users.get(v, ())))
        for inner in blocks_of(op):
            yield from _unguarded_in(inner, path, reversed_, layout)


def _may_be_undefined(v: Operand, makers: dict[Value, tuple[Op, int]], seen: set[Value]) -> bool:
    if v is UNDEF:
        return True
    if not isinstance(v, Value) or v in seen or v not in makers:
        return False
    seen.add(v)
    op, k = makers[v]
    if isinstance(op, (If, Try, With)):
        return any(_may_be_undefined(block.yields[k], makers, seen) for block in ends(op))
    return isinstance(op, (For, While)) and any(_may_be_undefined(y, makers, seen) for y in (op.inits[k], op.body.yields[op.stops + k]))


def undefined_values(root: Block) -> set[Value]:
    """The values in a block, and in the blocks inside of it, that some path leaves without a value."""
    links: dict[Value, list[Operand]] = {}
    for op in walk(root):
        if type(op) is Call:
            continue
        if isinstance(op, (If, Try, With)):
            for k, r in enumerate(op.results):
                links[r] = [block.yields[k] for block in ends(op)]
        elif isinstance(op, (For, While)):
            count = len(op.results)
            for k, r in enumerate(op.results):
                links[r] = [op.inits[k], op.body.yields[op.stops + k]]
                for block in (op.body, *([op.cond] if isinstance(op, While) else [])):
                    links[block.params[len(block.params) - count + k]] = links[r]
    found: set[Value] = set()
    known = -1
    while known < len(found):
        known = len(found)
        found.update(r for r, sources in links.items() if any(x is UNDEF or isinstance(x, Value) and x in found for x in sources))
    return found


def _sources(op: Op, k: int, res: "ReverseResult") -> Iterator[tuple[Block, list[Operand], int]]:
    """Where the result ``k`` of a branch or loop comes from: a block to compute it in, and the place that holds it."""
    if isinstance(op, (If, Try, With)):
        yield from ((block, block.yields, k) for block in ends(op))
    elif isinstance(op, (For, While)):
        yield from ((res.layout.inside[id(op)], op.inits, k), (op.body, op.body.yields, op.stops + k))


def _empty(t: Type, block: Block, before: Op, res: "ReverseResult") -> Operand:
    """Something empty of type ``t``, computed in ``block``: before an operation of the block, or at its end."""
    if isinstance(t, Num) or isinstance(t, Arr) and t.scalar:
        return Lit(0.0, filler=True)
    made = Block()
    with Builder(made) as b:
        v = _empty_in(b, t)
    place = next((k for k, op in enumerate(block.ops) if op is before), len(block.ops))
    block.ops[place:place] = made.ops
    res.layout.home.update((r, block) for op in made.ops for r in op.results)
    return v


def _empty_in(b: Builder, t: Type) -> Operand:
    """Something empty of type ``t``, made by a builder: a tuple has its number of items, as zeros in its shape are asked for."""
    if isinstance(t, Num) or isinstance(t, Arr) and t.scalar:
        return Lit(0.0, filler=True)
    if isinstance(t, Arr):
        lengths = tuple(1 if d.one else 0 for d in t.dims)
        kind: dict[str, Any] = {} if t.dtype == "float64" else {"dtype": Lit(getattr(np, t.dtype), f"np.{t.dtype}")}
        return b.call(np.empty, lengths[0] if len(lengths) == 1 else lengths, type=t, **kind)  # type: ignore[no-any-return]
    if isinstance(t, (ListT, DictT)):
        return b.build("list" if isinstance(t, ListT) else "dict", [])
    if isinstance(t, TupleT):
        return b.build("tuple", [_empty_in(b, item) for item in t.elems])
    return Lit(None, filler=True)


def define_kept(body: Block, kept: Iterable[object]) -> None:
    """Define residuals as None on paths that do not compute them: ``kept`` values, and items of lists."""
    todo = [v for v in (*kept, *(op.args[1] for op in calls_of(body, list.append))) if isinstance(v, Value)]
    if not todo:
        return
    makers: dict[Value, tuple[Op, int]] = {}
    params: dict[Value, tuple[Op, int]] = {}
    for op in walk(body):
        for k, r in enumerate(op.results):
            makers[r] = op, k
        if isinstance(op, (For, While)):
            n = len(op.body.params) - len(op.inits)
            params.update((p, (op, k)) for k, p in enumerate(op.body.params[n:]))
    seen: set[Value] = set()
    while todo:
        v = todo.pop()
        if v in seen:
            continue
        seen.add(v)
        found = makers.get(v) or params.get(v)
        if found is None:
            continue
        op, k = found
        if isinstance(op, (If, Try, With)):
            for block in ends(op):
                block.yields[k] = _defined(block.yields[k], op.results[k].type, todo)
        elif isinstance(op, (For, While)):
            op.inits[k] = _defined(op.inits[k], op.results[k].type, todo)
            op.body.yields[op.stops + k] = _defined(op.body.yields[op.stops + k], op.results[k].type, todo)


def ends(op: If | Try | With) -> list[Block]:
    """The blocks of which one yields the results."""
    if isinstance(op, If):
        return [op.then, op.orelse]
    return [op.body, *(h.body for h in op.handlers)] if isinstance(op, Try) else [op.body]


def _defined(x: Value | Lit, t: Type, todo: list[Value]) -> Value | Lit:
    if x is UNDEF:      # the adjoint of a tuple is taken apart on every path
        return Lit((None,) * len(t.elems) if isinstance(t, TupleT) and any(isinstance(e, Arr) for e in t.elems) else None, filler=True)
    if isinstance(x, Value):
        todo.append(x)
    return x
