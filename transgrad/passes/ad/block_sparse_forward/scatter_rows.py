"""Scatter the tangents of iteration windows into the rows of their directions, as far as these belong to the current block."""
from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from ....ir.ops import Build, For, Lit, Operand, Star, Value
from ....ir.prims import inplace_at
from ....ir.types import Arr, Num, Obj
from ...batch.lanes import directions
from .control import total
from .driver import Span
from .narrow_tangents import zeros_made_by

if TYPE_CHECKING:
    from .driver import SpannedBatch
    from .iteration_windows import Window

__all__ = ["add_rows", "put_rows"]


def add_rows(b: SpannedBatch, sums: list[tuple[Value, Value]], window: Window, number: Value, several: bool) -> None:
    """Add the terms of an iteration for its window to rows of sums; ``several`` says that the iterations are stacked."""
    w = b.builder
    place = w.call(operator.mul, window.step, number) if window.step > 1 else number
    place = w.call(operator.sub, w.call(operator.add, window.low, place) if window.low else place, b.first)
    start, end, own = _among(b, place, Lit(window.width))
    for into, term in sums:
        assert isinstance(into.type, Arr)
        to = Arr(into.type.dtype, (directions(), *into.type.dims[1:]))
        part = w.call(operator.getitem, term, w.build("tuple", [number, own]) if several else own, type=to)
        w.call(inplace_at, into, w.build("slice", [start, end, None]), part, Lit(operator.iadd, "operator.iadd"))


def put_rows(b: SpannedBatch, loop: For, terms: list[Value], window: Window) -> None:
    """Let a loop accumulate the terms of all its iterations if the window of each starts after that of the previous one: the rows of all of
    them form one array."""
    w, turns = b.builder, loop.sources[0].operands[1]
    known = isinstance(turns, Lit) and turns.text is None
    height = Lit(window.width * turns.value) if known else w.call(operator.mul, window.width, turns)    # type: ignore[union-attr]
    place = w.call(operator.sub, window.low, b.first) if window.low else w.call(operator.neg, b.first)
    start, end, own = _among(b, place, height)
    for p, x, r, term in zip(loop.body.params[1:], loop.inits, loop.results, terms):
        if not b.batched(p):
            b.set(r, w.call(operator.add, b.operand(x), w.call(np.sum, term, axis=0, type=r.type), type=r.type))
            continue
        assert isinstance(p.type, Arr)
        shape, dim = Value(Obj(tuple)), directions()
        rest = b.one(operator.getitem, w.attr(term, "shape"), Lit(slice(2, None)), type=Obj(tuple))
        w.emit(Build("tuple", [height, Star(rest)], results=[shape]))
        rows = w.call(np.reshape, term, shape, type=Arr(p.type.dtype, (directions(), *p.type.dims)))
        part = w.call(operator.getitem, rows, own, type=Arr(p.type.dtype, (dim, *p.type.dims)))
        zeros = not b.batched(x) and zeros_made_by(b.found.makers, x) is not None
        if zeros and b.defers(r, Span(start, end, part, dim=dim)):
            continue
        b.lanes.values[r] = into = total(b, x, p)
        if zeros:
            b.put(r, into)
            w.call(operator.setitem, into, w.build("slice", [start, end, None]), part)
        else:
            w.call(inplace_at, into, w.build("slice", [start, end, None]), part, Lit(operator.iadd, "operator.iadd"))


def _among(b: SpannedBatch, place: Any, height: Operand) -> tuple[Operand, Operand, Operand]:
    """Where rows that begin at a place begin and end among those of this call, and which of them are there."""
    w = b.builder
    start = w.call(max, place, 0, type=Num("int"))
    end = w.call(min, w.call(operator.add, place, height), b.everything.size, type=Num("int"))
    end = w.call(max, end, start, type=Num("int"))
    return start, end, w.build("slice", [w.call(operator.sub, start, place), w.call(operator.sub, end, place), None])
