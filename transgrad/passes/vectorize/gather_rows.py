"""Combine the rows of an array that the iterations of a loop read, one each, into one gather: ``w[c + j]`` becomes ``w[c + np.arange(4)]``.

An index array wraps negative indices and raises for those out of range, as each index does by itself; a slice would not.
"""
from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ...ir.build import Builder
from ...ir.ops import Call, For, Lit, Op, Operand, Value
from ...ir.types import Arr, Dim, Num
from ..analysis.alias import AliasClasses
from ..batch.driver import may_raise

__all__ = ["RowsOfTurns"]

_INTEGERS: tuple[Any, ...] = (operator.add, operator.sub, operator.mul)
#: how far apart rows are at most: numbers of a machine that count round do not come back to rows that are there
_FAR = 2 ** 31


class RowsOfTurns:
    """The rows that the iterations of a loop read, numbered from 0; ``inside`` are the values computed in the loop."""

    def __init__(self, loop: For, makers: dict[Value, Op], inside: set[Value], classes: AliasClasses):
        self.number, self.count = loop.body.params[0], loop.sources[0].operands[1]
        self.makers, self.inside, self.classes = makers, inside, classes
        #: whether each iteration completes, and makes its reads
        self.complete = not any(map(may_raise, loop.body.ops))

    def read(self, b: Builder, row: Value) -> Value | None:
        """Append a read of the rows of all iterations, each of which reads a ``row``; None if they are not rows of one array that does not
        change, at a constant distance."""
        op = self.makers.get(row)       # not in a branch, and so executed in each iteration
        if not self.complete or not isinstance(op, Call) or op.fn is not operator.getitem:
            return None
        whole, index = op.args
        if not isinstance(whole, Value) or whole in self.inside or self.classes.is_written(whole) or not isinstance(index, Value):
            return None
        t, step = whole.type, self.step(index)
        if not isinstance(t, Arr) or len(t.dims) != 2 or not step or abs(step) > _FAR:
            return None
        integers, first = Arr("int64", (Dim(None),)), self.first(b, index)
        numbers = b.call(np.arange, self.count, type=integers)
        if abs(step) > 1:
            numbers = b.call(operator.mul, abs(step), numbers, type=integers)
        if step < 0 or not (isinstance(first, Lit) and first.value == 0):
            numbers = b.call(operator.add if step > 0 else operator.sub, first, numbers, type=integers)
        return b.call(operator.getitem, whole, numbers, type=Arr(t.dtype, (Dim(None), t.dims[1])))  # type: ignore[no-any-return]

    def step(self, x: Operand) -> int | None:
        """The increment of an integer per iteration; None if it is not known at compile time."""
        if x is self.number:
            return 1
        if isinstance(x, Lit):
            return 0 if type(x.value) is int else None
        if not isinstance(x.type, Num) or x.type.kind != "int":
            return None
        if x not in self.inside:
            return 0
        op = self.makers.get(x)
        if not isinstance(op, Call) or op.fn not in _INTEGERS or op.kwargs:
            return None
        a, b = map(self.step, op.args)
        if a is None or b is None:
            return None
        if op.fn is not operator.mul:
            return op.fn(a, b)  # type: ignore[no-any-return]
        x, y = op.args if b == 0 else op.args[::-1]
        return 0 if a == b == 0 else (a or b) * y.value if isinstance(y, Lit) else None

    def first(self, b: Builder, x: Operand) -> Operand:
        """Append the computation of an integer of iteration 0."""
        if x is self.number:
            return Lit(0)
        if x not in self.inside:
            return x
        op = self.makers[x]
        assert isinstance(op, Call)
        y, z = (self.first(b, a) for a in op.args)
        if isinstance(y, Lit) and isinstance(z, Lit) and y.text is z.text is None:
            return Lit(op.fn(y.value, z.value))
        for one, other in ((y, z), (z, y)):
            if isinstance(one, Lit) and one.value == 0 and (op.fn is not operator.sub or one is z):
                return one if op.fn is operator.mul else other
        return b.call(op.fn, y, z, type=x.type)  # type: ignore[no-any-return]
