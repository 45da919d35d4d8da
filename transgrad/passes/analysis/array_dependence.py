"""Analysis: whether a later write may touch the elements of an earlier read (dependence test).

For example, ``L[i, k]`` is read for ``k < j`` and column ``j`` is written, in a loop with increasing ``j``. An access is an index or a
slice along each of the leading axes. Independence is proven along one axis by distances from a common variable and by the ranges of loop
variables.
"""
from __future__ import annotations

import operator
from collections.abc import Iterator

from ...ir.ops import Block, Build, Call, For, Lit, Op, Operand, Source, Value, While
from ...ir.prims import inplace_at
from ...ir.types import Arr, Num
from .program_order import Layout

__all__ = ["goes_elsewhere"]

#: the first and the last index along an axis, if they are known; an index is both
Span = tuple[Operand | None, Operand | None, bool]
#: a number: its base (None for a constant), and the distance from the base
Distance = tuple[Value | None, int]
_DEPTH = 6


def goes_elsewhere(layout: Layout, read: Op | None, write: Op, at: Op) -> bool:
    """Whether ``write``, wherever it runs after ``at``, writes to none of the elements that ``read`` reads."""
    if not (isinstance(read, Call) and read.fn is operator.getitem):
        return False
    if not (isinstance(write, Call) and write.fn in (operator.setitem, inplace_at)):
        return False
    (base, spans), (other, written) = _place(layout, read), _place(layout, write)
    if base is not other:
        return False
    pairs = list(zip(spans, written))
    around = layout.loops(write)
    for loop in reversed(layout.loops(at)):
        if loop in around and not any(_apart(layout, x, y, layout.inside[id(loop)], loop) for x, y in pairs):
            return False        # a later turn of it may write there
    return layout.position[id(write)] < layout.position[id(at)] or any(_apart(layout, x, y, layout.inside[id(at)], None) for x, y in pairs)


def _place(layout: Layout, op: Call) -> tuple[Operand, list[Span]]:
    """The array of which an element or a part is meant, and which."""
    base, spans = op.args[0], _spans(layout, op.args[1])
    while True:
        made = layout.maker.get(base) if isinstance(base, Value) else None
        if not (isinstance(made, Call) and made.fn is operator.getitem and isinstance(made.args[0].type, Arr)):
            return base, spans
        parts = _parts(layout, made.args[1])
        if not all(map(_is_index, parts)):
            return base, spans
        base, spans = made.args[0], [*_spans(layout, made.args[1]), *spans]


def _parts(layout: Layout, index: Operand) -> list[Operand]:
    made = layout.maker.get(index) if isinstance(index, Value) else None
    if isinstance(made, Build) and made.kind == "tuple":
        return list(made.items)
    if isinstance(index, Lit) and isinstance(index.value, tuple):
        return [Lit(x) for x in index.value]
    return [index]


def _is_index(x: object) -> bool:
    return type(x.value) is int if isinstance(x, Lit) else isinstance(x, Value) and x.type == Num("int")


def _spans(layout: Layout, index: Operand) -> list[Span]:
    """The extent of an index along each of the leading axes, as far as known."""
    found: list[Span] = []
    for part in _parts(layout, index):
        if _is_index(part):
            found.append((part, part, True))
            continue
        made = layout.maker.get(part) if isinstance(part, Value) else None
        if isinstance(made, Build) and made.kind == "slice":
            start, stop, step = made.items
        elif isinstance(part, Lit) and isinstance(part.value, slice):
            start, stop, step = Lit(part.value.start), Lit(part.value.stop), Lit(part.value.step)
        else:
            break
        if not (isinstance(step, Lit) and (step.value is None or type(step.value) is int and step.value > 0)):
            break
        found.append((Lit(0) if _is_none(start) else start, None if _is_none(stop) else stop, False))
    return found


def _is_none(x: object) -> bool:
    return isinstance(x, Lit) and x.value is None


def _apart(layout: Layout, read: Span, written: Span, block: Block, loop: For | While | None) -> bool:
    """Whether the elements written along an axis, in a later iteration of ``loop``, lie on one side of those read; values of enclosing
    blocks are the same on both sides."""
    if read[2] and written[2] and isinstance(read[0], Lit) and isinstance(written[0], Lit):
        x, y = read[0].value, written[0].value
        return bool(x != y and (x < 0) == (y < 0))
    known = layout.chain(block)
    var, step = _counted(loop)

    def compare(low: Span, high: Span, further: int) -> bool:
        """Whether all of ``low`` is below all of ``high``; ``further`` is how much the loop's variable has grown in between."""
        above = dict(_least(layout, high))
        for basis, distance in _most(layout, low):
            if basis in above and (basis is None or layout.home.get(basis) in known or basis is var and further > 0):
                if above[basis] - distance + (further if basis is var and basis is not None else 0) > 0:
                    return True
        return False
    return compare(read, written, step) or compare(written, read, -step)


def _counted(loop: For | While | None) -> tuple[Value | None, int]:
    """A loop's variable, and its increment per iteration."""
    at = 0
    for source in loop.sources if isinstance(loop, For) else ():
        if source.kind in ("range", "count"):
            step = source.operands[2] if source.kind == "range" else Lit(1)
            if isinstance(step, Lit) and type(step.value) is int:
                return loop.body.params[at], -step.value if source.reverse else step.value      # type: ignore[union-attr]
        at += 2 if source.kind == "items" else 1
    return None, 0


def _least(layout: Layout, span: Span) -> Iterator[Distance]:
    """Numbers that the indices are not below, the closest last."""
    start, _, index = span
    if start is not None and _is_not_below(layout, start, 0):      # an index below 0 is one from the end
        yield from sorted(_bounds(layout, start, 0, False, _DEPTH), key=_distance)


def _most(layout: Layout, span: Span) -> Iterator[Distance]:
    """Numbers that the indices are not above."""
    _, stop, index = span
    if stop is not None and _is_not_below(layout, stop, 0):
        yield from _bounds(layout, stop, 0 if index else -1, True, _DEPTH)


def _distance(x: Distance) -> int:
    return x[1]


def _bounds(layout: Layout, x: Operand, add: int, upper: bool, depth: int) -> Iterator[Distance]:
    """Upper (or lower) bounds of ``x + add``, in terms of the operands from which it is computed."""
    if isinstance(x, Lit):
        if type(x.value) is int:
            yield None, x.value + add
        return
    yield x, add
    made = layout.maker.get(x)
    if depth == 0:
        return
    if made is None:
        found = _source(layout, x)
        if found is not None and found.kind == "range":
            start, stop, step = found.operands
            assert isinstance(step, Lit)
            if (step.value > 0) is upper:
                yield from _bounds(layout, stop, add + (-1 if upper else 1), upper, depth - 1)
            else:
                yield from _bounds(layout, start, add, upper, depth - 1)
        elif found is not None and not upper:
            yield from _bounds(layout, found.operands[0], add, upper, depth - 1)
    elif isinstance(made, Call) and made.fn in (operator.add, operator.sub) and len(made.args) == 2:
        y, z = made.args
        if isinstance(z, Lit) and type(z.value) is int:
            yield from _bounds(layout, y, add + (z.value if made.fn is operator.add else -z.value), upper, depth - 1)
        elif made.fn is operator.add and isinstance(y, Lit) and type(y.value) is int:
            yield from _bounds(layout, z, add + y.value, upper, depth - 1)


def _source(layout: Layout, x: Value) -> Source | None:
    """The range or the count that a loop's variable runs over, by a known step."""
    owner = layout.owner.get(id(layout.home.get(x)))
    if not isinstance(owner, For):
        return None
    at = 0
    for source in owner.sources:
        if at < len(owner.body.params) and owner.body.params[at] is x:
            step = source.operands[2] if source.kind == "range" else Lit(1)
            known = source.kind in ("range", "count") and isinstance(step, Lit) and type(step.value) is int and step.value != 0
            return source if known else None
        at += 2 if source.kind == "items" else 1
    return None


def _is_not_below(layout: Layout, x: Operand, least: int) -> bool:
    """Whether a whole number is known to be so large at least."""
    for basis, distance in _bounds(layout, x, 0, False, _DEPTH):
        if basis is None:
            if distance >= least:
                return True
        elif isinstance(made := layout.maker.get(basis), Call) and made.fn is len and distance >= least:
            return True
    return False
