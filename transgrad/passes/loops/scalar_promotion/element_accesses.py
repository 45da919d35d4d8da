"""Analysis: the element that an operation accesses, as far as it can be distinguished from others at compile time.

``x[i - 1]`` is the element before ``x[i]``; in a loop over ``range(1, n)`` it is neither ``x[n]`` nor ``x[-1]``.
"""
from __future__ import annotations

import operator
from dataclasses import dataclass, replace
from typing import Any

from ....ir.ops import Build, Call, For, Lit, Op, Operand, Value
from ....ir.prims import inplace_at
from ....ir.types import Arr, ListT, Num

__all__ = ["TOUCHES", "Finder", "Number", "Place", "Span"]

#: what touches one element of its first argument
TOUCHES = (operator.getitem, operator.setitem, inplace_at)
_DEPTH = 8


@dataclass(frozen=True, slots=True)
class Number:
    """An integer: a value (or none) plus a number known at compile time."""

    base: Value | None
    offset: int

    def __add__(self, more: int) -> Number:
        return replace(self, offset=self.offset + more)


@dataclass(frozen=True, slots=True)
class Place:
    """One element: the list or array, and its indices."""

    root: Value
    path: tuple[Number, ...]

    def moved(self, var: Value, by: int) -> Place:
        """The position as seen in an iteration in which ``var`` is smaller by this amount."""
        return replace(self, path=tuple(n + by if n.base is var else n for n in self.path))

    def varies(self, var: Value) -> bool:
        """Whether it is a different element in each iteration."""
        return any(n.base is var for n in self.path)


@dataclass(frozen=True, slots=True)
class Span:
    """The numbers that a loop variable runs over: all those from ``low`` to ``high``, upwards or downwards by one."""

    var: Value
    step: int
    low: Number
    high: Number
    #: the operands of the range, for code around the loop
    start: Operand
    stop: Operand
    reverse: bool

    @property
    def first(self) -> tuple[Operand, int]:
        """The variable's first number: an operand, plus so much."""
        return (self.stop, -1 if self._forward else 1) if self.reverse else (self.start, 0)

    @property
    def beyond(self) -> tuple[Operand, int]:
        """Its value in an iteration after the last one."""
        return (self.start, -1 if self._forward else 1) if self.reverse else (self.stop, 0)

    @property
    def _forward(self) -> bool:
        return (self.step > 0) != self.reverse


class Finder:
    """The places that operations of one function touch."""

    def __init__(self, makers: dict[Value, Op]):
        self.makers = makers
        #: loop variables, with the least they can be
        self.least: dict[Value, int] = {}

    def span(self, loop: For) -> Span | None:
        """The values of the variable of a loop over a range in steps of one, if the loop runs at all.

        For a loop over several sources, this is only known if a transformation has created them: they have the same length.
        """
        found = [(s, v) for s, v in zip(loop.sources, loop.body.params) if s.kind == "range"]
        if len(found) != 1 or len(loop.sources) > 1 and loop.part != "adjoint" or any(s.kind in ("items", "values") for s in loop.sources):
            return None
        source, var = found[0]
        start, stop, step = source.operands
        if not isinstance(step, Lit) or step.value not in (1, -1):
            return None
        forward = step.value == 1
        low = self.number(start) if forward else self.number(stop) + 1
        high = self.number(stop) + -1 if forward else self.number(start)
        if low.base is None and low.offset >= 0 and high.base is not None:
            high = self.above_zero(high)
        return Span(var, step.value * (-1 if source.reverse else 1), low, high, start, stop, source.reverse)

    def above_zero(self, n: Number) -> Number:
        """``n``, where ``max(m, 0)`` is ``m`` as it is known to be above zero."""
        made = self.makers.get(n.base) if n.base is not None else None
        if isinstance(made, Call) and made.fn is max and len(made.args) == 2 and isinstance(made.args[1], Lit) and made.args[1].value == 0 \
                and n.offset == -1:
            return self.number(made.args[0]) + n.offset
        return n

    def number(self, x: Operand) -> Number:
        """An integer, as far as it is a value plus a number."""
        offset = 0
        for _ in range(_DEPTH):
            if isinstance(x, Lit):
                return Number(None, x.value + offset)
            made = self.makers.get(x)
            if not isinstance(made, Call) or made.fn not in (operator.add, operator.sub) or len(made.args) != 2:
                break
            a, b = made.args
            if isinstance(a, Lit) and made.fn is operator.add:
                a, b = b, a
            if not isinstance(b, Lit) or type(b.value) is not int:
                break
            offset += b.value if made.fn is operator.add else -b.value
            x = a
        assert isinstance(x, Value)
        return Number(x, offset)

    def place(self, op: Call) -> Place | None:
        """The element that an operation accesses; None if there is none, or several."""
        base, path = op.args[0], self.indices(op.args[1])
        if path is None or not isinstance(base, Value):
            return None
        row = self.makers.get(base)
        if isinstance(row, Call) and row.fn is operator.getitem and isinstance(row.args[0], Value) and _is_list_of_lists(row.args[0]):
            outer = self.indices(row.args[1])
            return Place(row.args[0], (*outer, *path)) if outer is not None and len(outer) == 1 else None
        t = base.type
        depth = len(t.dims) if isinstance(t, Arr) else 1
        return Place(base, path) if len(path) == depth else None

    def indices(self, index: Operand) -> tuple[Number, ...] | None:
        """The numbers of an index."""
        if isinstance(index, Lit):
            found = index.value if isinstance(index.value, tuple) else (index.value,)
            return tuple(Number(None, k) for k in found) if all(type(k) is int for k in found) else None
        made = self.makers.get(index)
        items: list[Any] = list(made.items) if isinstance(made, Build) and made.kind == "tuple" else [index]
        return tuple(map(self.number, items)) if all(map(_is_int, items)) else None

    def smallest(self, n: Number, span: Span | None = None) -> int | None:
        """The minimum of a number, if it is known."""
        if span is not None and n.base is span.var:
            low = self.smallest(span.low)
            return None if low is None else low + n.offset
        if n.base is None:
            return n.offset
        return self.least[n.base] + n.offset if n.base in self.least else None

    def may_wrap(self, n: Number, span: Span) -> bool:
        """Whether a number may be below zero: as an index, it counts from the end then."""
        least = self.smallest(n, span)
        return least is None or least < 0

    def differ(self, a: Place, b: Place, span: Span) -> bool:
        """Whether two positions in one list or array are never the same element, in any two iterations of a loop, if both
        depend on its variable in the same iteration."""
        if len(a.path) != len(b.path):
            return False
        return any(self._differ(m, n, span) for m, n in zip(a.path, b.path))

    def _differ(self, m: Number, n: Number, span: Span) -> bool:
        if self.may_wrap(m, span) or self.may_wrap(n, span):
            return False
        if m.base is n.base:
            return m.offset != n.offset
        if n.base is span.var:
            m, n = n, m
        if m.base is not span.var:
            return False
        low, high = span.low + m.offset, span.high + m.offset
        return low.base is n.base and n.offset < low.offset or high.base is n.base and n.offset > high.offset


def _is_int(x: Any) -> bool:
    return type(x.value) is int if isinstance(x, Lit) else isinstance(x, Value) and isinstance(x.type, Num) and x.type.kind == "int"


def _is_list_of_lists(v: Value) -> bool:
    return isinstance(v.type, ListT) and isinstance(v.type.elem, ListT)
