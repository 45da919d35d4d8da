"""Analysis: parts of arrays that are still zero when they are first written to.

A narrow tangent is written at its own directions, and zeros at all others. In an array of zeros, these are there already.
"""
from __future__ import annotations

import operator
from typing import Any

from ....ir.ops import Call, For, Function, If, Lit, Op, Operand, Value
from ...analysis.program_order import Layout
from .narrow_tangents import Spans, zeros_made_by

__all__ = ["Untouched"]


class Untouched:
    """Facts about the writes of a forward sweep."""

    def __init__(self, fn: Function, found: Spans):
        self.fn, self.found, self.classes = fn, found, found.facts.classes
        self._layout: Layout | None = None
        #: arrays to initialize with zeros: their contents are not known yet, and zeros are written to their parts
        self.filled: set[Any] = {v for v in fn.attrs.written_once if any(map(self._leaves_zeros, self.writers(v)))}

    def writers(self, v: Value) -> list[Op]:
        """The operations that write to an array."""
        return self.classes.writers.get(self.classes.find(v), [])

    def _leaves_zeros(self, op: Op) -> bool:
        return self.writes_zero(op) or self.found.sinks(op) is not None

    def writes_zero(self, op: Op) -> bool:
        """Whether an operation writes zeros to a part of an array."""
        return isinstance(op, Call) and op.fn is operator.setitem and isinstance(z := op.args[2], Lit) and str(z.value) == "0.0"

    def is_zero(self, op: Call) -> bool:
        """Whether the part that an operation writes to is zero before it."""
        x, index = op.args[:2]
        if x in self.filled:
            return True
        return isinstance(zeros_made_by(self.found.makers, x), Call) and self.writers(x) == [op] and self._once(op, x, index)

    def _once(self, op: Call, x: Value, index: Any) -> bool:
        """Whether an operation writes to another part of an array each time; the array itself may be made several times, too."""
        layout = self._layout = self._layout or Layout(self.fn)
        own = [loop for p in self.found.places.parts(index) if (loop := self._turns_with(p)) is not None]
        block, home = layout.inside[id(op)], layout.home[x]
        while block is not home:
            owner = layout.owner.get(id(block))
            if not isinstance(owner, If) and not any(owner is loop for loop in own):
                return False
            block = layout.outer[id(block)]
        return True

    def _turns_with(self, x: Operand) -> For | None:
        """The loop in which an integer differs between iterations and is not negative."""
        places = self.found.places
        found = places.bounds(x)
        if found is None or found[0] is not x or found[1] is not None:
            return None
        while x not in places.loops:
            made = self.found.makers.get(x)     # type: ignore[arg-type]
            pairs = (made.args, made.args[::-1]) if isinstance(made, Call) and made.fn in (operator.add, operator.mul) else ()
            grows = [a for a, c in pairs if isinstance(a, Value) and isinstance(c, Lit) and c.value > 0]
            if not grows:
                return None
            x = grows[0]
        return places.loops[x]
