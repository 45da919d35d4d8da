"""The iterations of a loop: their number, and the row of an array that each of them reads."""
from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

from ....ir.ops import Call, For, Function, Lit, Op, Operand, Value
from ....ir.types import Arr, Dim, Num
from ...analysis.def_use import definitions
from ...manager import analysis

__all__ = ["Lengths", "Turns", "turns_of"]


class Lengths:
    """Facts about lengths: those of the arguments in the first call, and the numbers computed from them."""

    def __init__(self, fn: Function):
        self.makers: dict[Value, Op] = analysis(definitions, fn)
        shapes: dict[Any, tuple[int, ...]] = fn.attrs.shapes
        self.known: dict[Any, int] = {(name, k): n for name, shape in shapes.items() for k, n in enumerate(shape)}

    def of_number(self, x: Operand) -> tuple[Any, int] | None:
        """A number as a dimension of an argument plus an offset; None for other numbers."""
        t = x.type
        if isinstance(t, Num) and t.dim is not None:
            return (t.dim.sym, t.dim.off) if t.dim.sym in self.known else None
        made = self.makers.get(x) if isinstance(x, Value) else None
        if not isinstance(made, Call) or made.fn not in (operator.add, operator.sub) or len(made.args) != 2 or made.kwargs:
            return None
        by, found = made.args[1], self.of_number(made.args[0])
        if found is None or not isinstance(by, Lit) or type(by.value) is not int:
            return None
        return found[0], made.fn(found[1], by.value)

    def of_dim(self, d: Dim) -> int | None:
        """The length of a dimension in the first call; None if it is not known."""
        if d.known is not None:
            return d.known
        kind = d.sym[0] if isinstance(d.sym, tuple) and len(d.sym) > 1 else None
        if kind == "<times>" and d.sym[2] in self.known:  # type: ignore[index]
            return d.sym[1] * self.known[d.sym[2]] + d.off  # type: ignore[index,no-any-return]
        return self.known[d.sym] + d.off if d.sym in self.known else None

    def unit(self, d: Dim) -> Any:
        """The dimension of an argument that a length is measured in."""
        kind = d.sym[0] if isinstance(d.sym, tuple) and len(d.sym) > 1 else None
        return d.sym[2] if kind == "<times>" else d.sym if d.sym in self.known else None  # type: ignore[index]


@dataclass
class Turns:
    """The iterations of a loop over numbers or over the rows of an array: their number is the length of ``unit``, plus ``more``.

    ``start`` is the number of the first iteration, ``index`` the loop variable if it is a number, ``row`` if it is a row of ``array``.
    """

    lengths: Lengths
    unit: Any
    more: int
    start: int = 0
    index: Value | None = None
    row: Value | None = None
    array: Value | None = None

    @property
    def count(self) -> int:
        """How many there are in the first call."""
        return self.lengths.known[self.unit] + self.more

    @property
    def dim(self) -> Dim:
        """The dimension along which they stand; that they are several is made sure of."""
        return Dim(False, self.unit, self.more)

    def first_row(self, op: Op) -> tuple[Value, int] | None:
        """The array of which an operation reads consecutive rows, one per iteration, and the number of the first; None for other
        operations, or if a row that is read may not exist."""
        if not isinstance(op, Call) or op.fn is not operator.getitem or not isinstance(array := op.args[0], Value):
            return None
        t = array.type
        if not isinstance(t, Arr) or not t.dims or self.index is None or (by := self.offset(op.args[1])) is None:
            return None
        first, d = self.start + by, t.dims[0]
        fits = d.sym == self.unit and first + self.more <= d.off
        return (array, first) if first >= 0 and fits else None

    def offset(self, x: Operand) -> int | None:
        """The difference of a number and the loop variable."""
        if x is self.index:
            return 0
        made = self.lengths.makers.get(x) if isinstance(x, Value) else None
        if not isinstance(made, Call) or made.kwargs or made.fn not in (operator.add, operator.sub):
            return None
        for a, b in ((made.args[0], made.args[1]), (made.args[1], made.args[0])):
            if a is self.index and isinstance(b, Lit) and type(b.value) is int and (made.fn is operator.add or b is made.args[1]):
                return made.fn(0, b.value)  # type: ignore[no-any-return]
        return None


def turns_of(loop: For, lengths: Lengths) -> Turns | None:
    """The iterations of a loop, if their number follows from the length of an argument."""
    if loop.stops or len(loop.sources) != 1:
        return None
    s, variable = loop.sources[0], loop.body.params[0]
    if s.reverse or s.frees or s.snapshots is not None:
        return None
    if s.kind == "range":
        start, stop, step = s.operands
        if not (_is_int(start) and start.value >= 0 and _is_int(step) and step.value == 1):  # type: ignore[union-attr]
            return None
        found = lengths.of_number(stop)
        first: int = start.value  # type: ignore[union-attr]
        return None if found is None else Turns(lengths, found[0], found[1] - first, first, index=variable)
    array = s.operands[0]
    if s.kind != "seq" or not isinstance(array, Value) or not isinstance(array.type, Arr) or not array.type.dims:
        return None
    d = array.type.dims[0]
    return Turns(lengths, d.sym, d.off, row=variable, array=array) if d.sym in lengths.known else None


def _is_int(x: Operand) -> bool:
    return isinstance(x, Lit) and type(x.value) is int
