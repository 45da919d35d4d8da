"""Branches and loops that carry narrow tangents, and the bounds of these."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ....ir.ops import Block, Build, Call, For, If, Lit, Operand, Star, Value
from ....ir.types import Arr, Dim, Num
from ...batch.control import own_items, source
from ...batch.lanes import directions
from ...batch.unsupported import CannotBatch
from .driver import Span
from .iteration_windows import side_by_side
from .narrow_tangents import zeros_made_by

if TYPE_CHECKING:
    from .driver import SpannedBatch

__all__ = ["branch", "loop", "total"]


def _none(b: "SpannedBatch", v: Value, zero: Operand, count: Operand) -> Any:
    """Zeros for a number of directions, in the form of a narrow tangent."""
    made = zeros_made_by(b.found.makers, zero)
    t: Any = b.type_of(v.type)
    t = Arr(t.dtype, (Dim(None), *t.dims[1:]))
    if len(t.dims) == 1:
        return b.builder.call(np.zeros, count, type=t, name=v.name)
    like = zero
    while isinstance(made, Call) and made.fn is np.zeros_like and not made.kwargs and not b.batched(made.args[0]):
        like = made.args[0]
        made = zeros_made_by(b.found.makers, like)
    held = b.operand(like)
    shape = Value(b.builder.attr(held, "shape").type)
    b.builder.emit(Build("tuple", [count, Star(b.builder.attr(held, "shape"))], results=[shape]))
    kind = {} if t.dtype == "float64" else {"dtype": b.builder.attr(held, "dtype")}
    return b.builder.call(np.zeros, shape, type=t, name=v.name, **kind)


def _handed(b: "SpannedBatch", y: Operand, r: Value) -> tuple[Any, Any, Any]:
    """A narrow tangent with its bounds; those of none are such that every other has less and more."""
    if not b.found.narrow(y):
        return _none(b, r, y, Lit(0)), b.everything.size, Lit(0)
    assert isinstance(y, Value)
    span = b.spans[y]
    return b.laid(y, span, span.dim), span.low, span.high


def _received(b: "SpannedBatch", r: Value) -> list[Value]:
    """A narrow tangent with its bounds, as results or parameters."""
    t: Any = b.type_of(r.type)
    dim = directions()
    made = [Value(Arr(t.dtype, (dim, *t.dims[1:])), r.name, r.varied), Value(Num("int"), "low"), Value(Num("int"), "high")]
    b.spans[r] = Span(made[1], made[2], made[0], dim=dim)
    return made


def branch(b: "SpannedBatch", op: If) -> None:
    """A branch."""
    made = If(b.operand(op.cond), Block(), Block(), loc=op.loc, part=op.part)
    for inner, out in ((op.then, made.then), (op.orelse, made.orelse)):
        with b.builder.inside(out):
            b.block(inner)
            out.yields = [x for y, r in zip(inner.yields, op.results) for x in _given(b, y, r)]
    made.results = [x for r in op.results for x in _taken(b, r)]
    b.builder.block.ops.append(made)


def _given(b: "SpannedBatch", y: Operand, r: Value) -> list[Any]:
    """The value that a block yields for a result."""
    if b.found.narrow(r):
        return list(_handed(b, y, r))
    return [b.whole(y, r.type) if b.batched(r) else b.operand(y)]


def _taken(b: "SpannedBatch", r: Value) -> list[Value]:
    """The replacement of a result."""
    return _received(b, r) if b.found.narrow(r) else [b.carry(r)]


def loop(b: "SpannedBatch", op: For) -> None:
    """A loop; its accumulators are arrays outside of it."""
    if b.facts.diverges(op):
        raise CannotBatch("a loop that differs between the directions", op.loc)
    if side_by_side(b, op):
        return
    first = len(op.body.params) - len(op.inits)
    params, yields = op.body.params[first:], op.body.yields[op.stops:]
    carried = []
    for p, x, y, r in zip(params, op.inits, yields, op.results):
        if b.found.is_sum(p):
            b.lanes.values[p] = b.lanes.values[r] = total(b, x, p)
        else:
            carried.append((p, x, y, r))
    inits = [x for p, init, _, _ in carried for x in _given(b, init, p)]
    sources = [source(b, s) for s in op.sources]
    body = Block([*(b.carry(p) for p in op.body.params[:first]), *(x for p, *_ in carried for x in _taken(b, p))])
    made = For(sources, inits, body, op.stops, loc=op.loc, part=op.part)
    with b.builder.inside(body):
        own_items(b, op)
        b.block(op.body)
        body.yields = [*map(b.operand, op.body.yields[:op.stops]), *(x for p, _, y, _ in carried for x in _given(b, y, p))]
    made.results = [x for *_, r in carried for x in _taken(b, r)]
    b.builder.block.ops.append(made)


def total(b: "SpannedBatch", x: Operand, p: Value) -> Any:
    """The array that a loop adds to: a new one, but for an inner loop, which adds to that of the outer one."""
    if isinstance(x, Value) and b.found.is_sum(x):
        return b.lanes.get(x)
    if not b.batched(x) and zeros_made_by(b.found.makers, x) is not None:
        return _none(b, p, x, b.everything.size)
    start = b.whole(x, p.type)
    return b.owned(x, start) if isinstance(x, Value) and b.batched(x) else start
