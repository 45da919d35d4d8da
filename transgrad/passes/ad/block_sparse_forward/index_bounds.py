"""Analysis: the range of entries that an index of a one-dimensional array selects, as non-negative bounds."""
from __future__ import annotations

import operator
from typing import Any

from ....ir.ops import Build, Call, For, Function, Lit, Op, Operand, Value, walk
from ....ir.types import Num

__all__ = ["Places"]


class Places:
    """Facts about the integers of a function."""

    def __init__(self, fn: Function, makers: dict[Value, Op]):
        self.makers = makers
        self.loops: dict[Value, For] = {}
        for op in walk(fn.body):
            if isinstance(op, For):
                at = 0
                for s in op.sources:
                    if s.kind in ("range", "count"):
                        self.loops[op.body.params[at]] = op
                    at += 2 if s.kind == "items" else 1

    def parts(self, index: Operand) -> list[Any]:
        """The parts of an index."""
        if isinstance(index, Lit):
            return [Lit(p) for p in index.value] if isinstance(index.value, tuple) else [index]
        made = self.makers.get(index)
        return list(made.items) if isinstance(made, Build) and made.kind == "tuple" else [index]

    def bounds(self, at: Operand) -> tuple[Operand, Operand | None] | None:
        """The first position of an index, and for a slice the end; None if it is not known, or for a full slice."""
        if isinstance(at, Lit) and isinstance(at.value, slice):
            start, stop, step = at.value.start, at.value.stop, at.value.step
            if step not in (None, 1) or stop is None or (start or 0) < 0 or stop < 0:
                return None
            return Lit(start or 0), Lit(stop)
        made = self.makers.get(at) if isinstance(at, Value) else None
        if isinstance(made, Build) and made.kind == "slice":
            start, stop, step = made.items
            start = Lit(0) if isinstance(start, Lit) and start.value is None else start
            one = isinstance(step, Lit) and step.value in (None, 1)
            return (start, stop) if one and self._counts(start) and self._counts(stop) else None
        return (at, None) if self._counts(at) else None

    def turns(self, x: Any) -> bool:
        """Whether an index differs between the iterations of a loop."""
        if not isinstance(x, Value):
            return False
        made = self.makers.get(x)
        if isinstance(made, Call):
            return any(map(self.turns, made.args))
        return any(map(self.turns, made.items)) if isinstance(made, Build) else x in self.loops

    def _counts(self, x: Operand) -> bool:
        """Whether an operand is an integer that is not negative."""
        if isinstance(x, Lit):
            return type(x.value) is int and x.value >= 0
        if not isinstance(x.type, Num) or x.type.kind != "int":
            return False
        if x in self.loops:
            return self._goes_up(x)
        made = self.makers.get(x)
        if isinstance(made, Call) and made.fn is len:
            return True
        return isinstance(made, Call) and made.fn in (operator.add, operator.mul, operator.floordiv) and all(map(self._counts, made.args))

    def _goes_up(self, x: Value) -> bool:
        loop = self.loops[x]
        at = 0
        for s in loop.sources:
            if loop.body.params[at] is x:
                if s.kind == "count":
                    return self._counts(s.operands[0])
                start, stop, step = s.operands
                if isinstance(step, Lit) and type(step.value) is int and step.value < 0:    # down to a bound that is not negative
                    return self._counts(stop) or isinstance(stop, Lit) and stop.value == -1
                return self._counts(start) and self._counts(step)
            at += 2 if s.kind == "items" else 1
        return False
