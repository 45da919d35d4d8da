"""Loops for additions to shifted parts of one array: inside, where all parts overlap, each element is written once; at the borders,
and where nothing is inside, the parts are added to one by one.

Each element is given what it gets in the order of the additions, as if they were done one after the other.
"""
from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...ir.build import Builder
from ...ir.ops import Block, Call, For, If, Lit, Operand, Source, Value
from ...ir.types import Arr, Num
from ..elements.elementwise import cast
from .group import Member, Sink

if TYPE_CHECKING:
    from .kernel import Kernel

__all__ = ["gather"]

_WHOLE, _TRUTH = Num("int"), Num("bool")


def gather(kernel: Kernel, b: Builder) -> None:
    """Writes the loops of a group that is gathered, whose lines end in additions to parts of one array."""
    writer = _Gather(kernel, b)
    tests = [b.call(operator.ge, n, s, type=_TRUTH) for n, s in zip(kernel.lengths, writer.spreads) if s]
    overlap = tests[0]
    for t in tests[1:]:
        overlap = b.call(operator.and_, overlap, t, type=_TRUTH)
    overlap.name = "overlap"
    branch = If(overlap, Block(), Block())
    with b.inside(branch.then):
        writer.inside(0, [])
    with b.inside(branch.orelse):
        for line in writer.lines:
            writer.whole(line, [])
    b.emit(branch)


class _Gather:
    """Along each dimension, a line adds to as many elements as the loops are long, from its start on; the inside are those that the
    part has which begins last and the part which begins first."""

    def __init__(self, kernel: Kernel, b: Builder):
        self.kernel, self.b, self.lines, self.lengths = kernel, b, kernel.group.lines, kernel.lengths
        self.starts = [kernel.group.bases[line[-1].target][1] for line in self.lines if isinstance(line[-1], Sink)]
        self.low, self.high = [[fn(s) for s in zip(*self.starts)] for fn in (min, max)]
        self.spreads = [high - low for high, low in zip(self.high, self.low)]

    def inside(self, k: int, index: list[Operand]) -> None:
        """Writes to the elements inside along the dimensions before ``k``, at ``index`` of the part that begins last."""
        if k == len(self.lengths):
            self.element(index)
            return
        if self.spreads[k]:
            for number in range(len(self.lines)):
                self.border(k, number, index)
        self.loop(k, self.plus(self.lengths[k], -self.spreads[k]), lambda i: self.inside(k + 1, [*index, i]))

    def border(self, k: int, number: int, index: list[Operand]) -> None:
        """Adds to the elements of one part that are not inside along dimension ``k``: those before the inside, and those behind it."""
        start, shifted, b = self.starts[number][k], self.shifted(number, index), self.b
        before, behind = self.high[k] - start, start - self.low[k]

        def body(i: Operand) -> None:
            place = i
            if behind:
                skipped = self.plus(self.lengths[k], -self.spreads[k])
                if before:
                    from ...runtime.native.selection import select
                    skipped = b.call(select, b.call(operator.ge, i, before, type=_TRUTH), skipped, 0, type=_WHOLE)
                place = b.call(operator.add, i, skipped, type=_WHOLE)
            self.whole(self.lines[number], [*shifted, place])

        self.loop(k, Lit(before + behind), body)

    def whole(self, line: list[Member], index: list[Any]) -> None:
        """Adds to one part, along all dimensions for which there is no index."""
        k = len(index)
        if k == len(self.lengths):
            self.kernel.element(self.b, index, {}, {}, line)
        else:
            self.loop(k, self.lengths[k], lambda i: self.whole(line, [*index, i]))

    def element(self, index: list[Operand]) -> None:
        """Adds all that one element is given."""
        b, kernel = self.b, self.kernel
        first = self.lines[0][-1]
        assert isinstance(first, Sink) and isinstance(first.target.type, Arr)
        array, of_one = kernel.params[kernel.group.bases[first.target][0]], Arr(first.target.type.dtype, (), scalar=True)
        places = [self.plus(i, high) for i, high in zip(index, self.high)]
        place = places[0] if len(places) == 1 else b.build("tuple", places)
        total = b.call(operator.getitem, array, place, type=of_one)
        for number, line in enumerate(self.lines):
            *computed, sink = line
            at = self.shifted(number, index)
            values: dict[Any, Operand] = {}
            for m in computed:
                assert isinstance(m, Call)
                values[m.result] = kernel.computed(b, m, values, at)
            assert isinstance(sink, Sink)
            total = b.call(sink.fn, total, cast(b, kernel.value(b, sink.value, values, at), of_one.dtype), type=of_one)
        b.call(operator.setitem, array, place, total)

    def shifted(self, number: int, index: list[Operand]) -> list[Operand]:
        """Where a line is for the element that the part that begins last has at ``index``."""
        return [self.plus(i, high - start) for i, high, start in zip(index, self.high, self.starts[number])]

    def loop(self, k: int, count: Operand, body: Callable[[Operand], None]) -> None:
        """Writes a loop along dimension ``k``."""
        i = Value(_WHOLE, "ijklmn"[k] if k < 6 else "i")
        block = Block([i])
        with self.b.inside(block):
            body(i)
        self.b.emit(For([Source("range", [Lit(0), count, Lit(1)])], [], block))

    def plus(self, x: Operand, n: int) -> Operand:
        """The sum of two whole numbers."""
        return self.b.call(operator.add if n > 0 else operator.sub, x, abs(n), type=_WHOLE) if n else x
