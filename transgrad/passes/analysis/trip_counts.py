"""Analysis: trip counts and array sizes in terms of the lengths of arguments, with the guards that they require."""
from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import floor, prod
from typing import Any

from ...ir.attributes import Guard
from ...ir.ops import Call, For, Function, Lit, Operand, Source, Value
from ...ir.types import Arr, Dim, Num
from ..ad.residuals.saved_lists import KeptLists
from ..loops.distribution.iterations import Lengths

__all__ = ["Count", "Counts", "counter_of"]

#: the minimum trip count, the maximum number of elements per iteration and in total: beyond that, arithmetic dominates the calls
_TURNS, _SMALL, _MANY = 8, 2 ** 10, 2 ** 18


@dataclass(frozen=True)
class Count:
    """``(times * n + more) // parts``, where ``n`` is how long the dimension ``unit`` of an argument is."""

    unit: tuple[str, int]
    times: int = 1
    more: int = 0
    parts: int = 1

    def of(self, n: int) -> int:
        """The number for a length."""
        return (self.times * n + self.more) // self.parts

    def least(self, count: int) -> int:
        """The smallest length for which the number is as large as ``count``."""
        return -((self.more - count * self.parts) // self.times)

    @property
    def slope(self) -> Fraction:
        """By how much the number is larger than a length of one and more, at most."""
        return Fraction(self.times + max(self.more, 0), self.parts)


class Counts:
    """Facts about a function's loops."""

    def __init__(self, fn: Function):
        self.lengths = Lengths(fn)
        self.fn = fn
        self.lists: KeptLists | None = None
        #: the loop that fills the list that a source iterates over
        self.filled: dict[int, Any] = {}

    def of_number(self, x: Operand) -> Count | None:
        """A number that grows with the length of an argument; None for any other."""
        t = x.type
        if isinstance(t, Num) and t.dim is not None:
            return Count(t.dim.sym, more=t.dim.off) if t.dim.sym in self.lengths.known else None  # type: ignore[arg-type]
        made = self.lengths.makers.get(x) if isinstance(x, Value) else None
        if not isinstance(made, Call) or made.kwargs or len(made.args) != 2:
            return None
        a, b = made.args
        if made.fn is operator.mul and isinstance(a, Lit):
            a, b = b, a
        found = self.of_number(a) if isinstance(b, Lit) and type(b.value) is int else None
        if found is None:
            return None
        by: int = b.value
        if made.fn in (operator.add, operator.sub):
            return Count(found.unit, found.times, found.more + made.fn(0, by) * found.parts, found.parts)
        if made.fn is operator.floordiv and by > 0:
            return Count(found.unit, found.times, found.more, found.parts * by)
        return Count(found.unit, found.times * by, found.more * by) if made.fn is operator.mul and by > 0 and found.parts == 1 else None

    def of_loop(self, loop: For) -> Count | int | None:
        """How often a loop turns; of the reverse of another, all that it runs over is as long."""
        if loop.stops or len(loop.sources) > 1 and loop.part != "adjoint":
            return None
        for s in loop.sources:
            if s.kind == "range":
                return self.of_range(*s.operands)
            if s.kind == "seq" and isinstance(t := s.operands[0].type, Arr) and t.dims:
                return self.of_dim(t.dims[0])
        for s in loop.sources:
            if s.kind == "seq" and isinstance(filled := self.filler(s), For):
                return self.of_loop(filled)
        return None

    def of_range(self, start: Operand, stop: Operand, step: Operand) -> Count | int | None:
        """How many numbers a range has, where it counts by one."""
        if not isinstance(start, Lit) or not isinstance(step, Lit) or type(start.value) is not int or step.value != 1:
            return None
        if isinstance(stop, Lit):
            return stop.value - start.value if type(stop.value) is int else None
        found = self.of_number(stop)
        return found and Count(found.unit, found.times, found.more - start.value * found.parts, found.parts)

    def filler(self, s: Source) -> Any:
        """The only loop that appends to a list, once per iteration."""
        if self.lists is None:
            self.lists = KeptLists(self.fn)
            self.filled = {id(k.source): k.loop for k in self.lists.kept()}
        items = s.operands[0]
        if id(s) in self.filled or not isinstance(items, Value):
            return self.filled.get(id(s))
        appends, made = self.lists.appends.get(items, []), self.lists.made.get(items)
        loop = appends[0][1] if len(appends) == 1 else None
        return loop if made is not None and loop in made[1].ops else None

    def of_dim(self, d: Dim) -> Count | int | None:
        """How long a dimension is."""
        if d.known is not None:
            return d.known
        kind = d.sym[0] if isinstance(d.sym, tuple) and len(d.sym) > 1 else None
        if kind == "<times>" and d.sym[2] in self.lengths.known:      # type: ignore[index]
            return Count(d.sym[2], times=d.sym[1], more=d.off)      # type: ignore[index]
        return Count(d.sym, more=d.off) if d.sym in self.lengths.known else None      # type: ignore[arg-type]

    def is_small(self, t: Any) -> bool:
        """Whether a value is an array of float64 with few numbers, whose shape is known."""
        if not isinstance(t, Arr) or t.dtype != "float64" or not t.dims or t.scalar:
            return False
        size = 1
        for d in t.dims:
            found = self.of_dim(d)
            if found is None:
                return False
            size *= self.now(found)
        return size <= _SMALL

    def now(self, count: Count | int) -> int:
        """A number in the first call."""
        return count if isinstance(count, int) else count.of(self.lengths.known[count.unit])

    def guards(self, loops: Sequence[For], types: Iterable[Any], besides: Sequence[For] = ()) -> list[Guard] | None:
        """The guards that nested loops run often enough, and that arrays of these types for all their iterations, and those of the loops
        ``besides``, are small; None if they are not."""
        counts = [self.of_loop(loop) for loop in (*loops, *besides)]
        every = [count for count in counts if count is not None]
        if len(every) < len(counts):
            return None
        turns = every[:len(loops)]
        have = [self.now(count) for count in turns]
        if max(have) < _TURNS or min(have) < 1:
            return None
        found: dict[Guard, None] = {}
        for count, n in zip(turns, have):
            if isinstance(count, Count):
                found[Guard("many", *count.unit, count.least(_TURNS if n >= _TURNS else 1))] = None
        for t in dict.fromkeys(types):
            sizes = [*every, *(self.of_dim(d) for d in t.dims)]
            factors = [s for s in sizes if isinstance(s, Count)]
            fixed: int = prod(max(s, 1) for s in sizes if isinstance(s, int))
            limit = floor(_MANY / (fixed * prod(f.slope for f in factors)))
            units = tuple(sorted(f.unit for f in factors))
            if prod(self.lengths.known[unit] for unit in units) > limit:
                return None
            if units:
                found[Guard("product", units, None, limit)] = None
        return list(found)


def counter_of(loop: For) -> tuple[Value, Operand, bool] | None:
    """The induction variable of a loop that starts or ends at zero, and whether it counts down; None if there is none."""
    if loop.stops or len(loop.sources) > 1 and loop.part != "adjoint":
        return None
    for p, s in zip(loop.body.params, loop.sources):
        if s.kind == "items":
            return None     # which takes two
        if s.kind == "range" and [getattr(o, "value", None) for o in (s.operands[0], s.operands[2])] == [0, 1]:
            return p, s.operands[1], s.reverse
    return None
