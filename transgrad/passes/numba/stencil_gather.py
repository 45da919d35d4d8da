"""Generate the loops of a stencil adjoint: in the interior, where all shifted parts overlap, each element is written once; at the border,
the parts are added one by one.

Each element receives its contributions in the order of the original additions.
"""
from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...ir.build import Builder
from ...ir.ops import Block, Call, For, If, Lit, Operand, Source, Value
from ...ir.types import Arr, Num
from ...runtime.numba.selection import select
from ..scalarize.functions.elementwise import cast
from .fusion_group import Sink

if TYPE_CHECKING:
    from .fused_kernel import Kernel

__all__ = ["gather"]

_WHOLE, _TRUTH = Num("int"), Num("bool")


def gather(kernel: Kernel, b: Builder) -> None:
    """Write the loops of a group that is gathered, whose lines end in additions to parts of one array."""
    writer = _Gather(kernel, b)
    for number in range(len(writer.lines)):
        writer.border(number, [])
    writer.inside([])


class _Gather:
    """Along each dimension, a line adds to as many elements as the loops are long, from its start on; the inside are those that the
    part has which begins last and the part which begins first."""

    def __init__(self, kernel: Kernel, b: Builder):
        self.kernel, self.b, self.lines, self.lengths = kernel, b, kernel.group.lines, kernel.lengths
        self.starts = [kernel.group.bases[line[-1].target][1] for line in self.lines if isinstance(line[-1], Sink)]
        self.low, self.high = [[fn(s) for s in zip(*self.starts)] for fn in (min, max)]
        self.spreads = [high - low for high, low in zip(self.high, self.low)]
        spread = self.spreads[-1]
        self.overlap = b.call(operator.ge, self.lengths[-1], spread, type=_TRUTH, name="overlap") if spread else None

    def inside(self, index: list[Operand]) -> None:
        """Write to the elements inside, at ``index`` of the part that begins last."""
        k = len(index)
        if k == len(self.lengths):
            self.element(index)
        else:
            self.loop(k, self.plus(self.lengths[k], -self.spreads[k]), lambda i: self.inside([*index, i]))

    def border(self, number: int, index: list[Operand]) -> None:
        """Add to the elements of one part that are not inside."""
        k, b, line = len(index), self.b, self.lines[number]
        if k < len(self.lengths) - 1:
            self.loop(k, self.lengths[k], lambda i: self.border(number, [*index, i]))
            return
        n, spread, before = self.lengths[k], self.spreads[k], self.high[k] - self.starts[number][k]

        def add(i: Operand) -> None:
            self.kernel.element(b, [*index, i], {}, {}, line)

        def at_ends(i: Operand) -> None:
            skipped: Operand = self.plus(n, -spread)
            if 0 < before < spread:
                skipped = b.call(select, b.call(operator.ge, i, before, type=_TRUTH), skipped, 0, type=_WHOLE)
            add(b.call(operator.add, i, skipped, type=_WHOLE) if before < spread else i)

        branch = If(self.is_inside(number, index), Block(), Block())
        with b.inside(branch.then):
            if spread:
                self.loop(k, Lit(spread), at_ends)
        with b.inside(branch.orelse):
            self.loop(k, n, add)
        b.emit(branch)

    def is_inside(self, number: int, index: list[Operand]) -> Operand:
        """Whether a part's row at ``index`` is inside along all dimensions but the last, and the parts overlap along that."""
        tests = [] if self.overlap is None else [self.overlap]
        for i, n, low, high, start in zip(index, self.lengths, self.low, self.high, self.starts[number]):
            if high > start:
                tests.append(self.b.call(operator.ge, i, high - start, type=_TRUTH))
            if start > low:
                tests.append(self.b.call(operator.lt, i, self.plus(n, low - start), type=_TRUTH))
        out: Operand = tests[0]
        for t in tests[1:]:
            out = self.b.call(operator.and_, out, t, type=_TRUTH)
        return out

    def element(self, index: list[Operand]) -> None:
        """Add all that one element is given."""
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
        """Write a loop along dimension ``k``."""
        i = Value(_WHOLE, "ijklmn"[k] if k < 6 else "i")
        block = Block([i])
        with self.b.inside(block):
            body(i)
        self.b.emit(For([Source("range", [Lit(0), count, Lit(1)])], [], block))

    def plus(self, x: Operand, n: int) -> Operand:
        """The sum of two whole numbers."""
        return self.b.call(operator.add if n > 0 else operator.sub, x, abs(n), type=_WHOLE) if n else x
