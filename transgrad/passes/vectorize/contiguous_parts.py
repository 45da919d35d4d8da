"""Treat contiguous parts of a vector as rows of a matrix: ``w[:n]``, ``w[n:2 * n]`` and ``w[2 * n:]`` are the rows of ``w.reshape(3,
-1)`` if ``w`` is three times as long as ``n``.

Lengths are those of the arguments for which code is generated, under a guard.
"""
from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any, TypeGuard, cast

from ...ir.attributes import Guard
from ...ir.infer import infer
from ...ir.ops import Build, Call, Function, Lit, Op, Operand, Star, Value, operands_of, walk
from ...ir.types import Arr, Dim, Num
from ..analysis.def_use import definitions
from ..manager import Stage, analysis, optimization
from ..simplify.shapes import is_elementwise
from ..switches import is_on

__all__ = ["Part", "Parts", "specialize_contiguous_parts"]

#: a dimension of an argument
_Unit = tuple[str, int]
#: a multiple of a length, and that length
_Length = tuple[int, _Unit | None]


@optimization(Stage.CANONICALIZE, "parts", analyses=(definitions,))
def specialize_contiguous_parts(fn: Function) -> bool:
    """Specialize the types of ``fn`` to the lengths of the parts of vectors used in element-wise operations, so that the derivative need
    not determine whether they were broadcast."""
    if not fn.attrs.shapes:
        return False
    ops = list(walk(fn.body))
    if not any(isinstance(op, Build) and op.kind == "slice" for op in ops):
        return False
    parts = Parts(fn)
    used = {o for op in ops if isinstance(op, Call) and is_elementwise(op.fn) for o in operands_of(op)}
    found = [(op, part) for op in ops if (part := parts.part(op)) is not None and op.result in used]
    if not found or not is_on("parts"):
        return False
    for op, part in found:
        op.result.type = Arr(op.result.type.dtype, (part.dim,))  # type: ignore[union-attr]
    fn.attrs.add_guards(parts.guard(part) for _, part in found)
    for op in ops:
        if type(op) is Call and len(op.results) == 1 and _is_open(t := op.result.type) and not any(isinstance(a, Star) for a in op.args):
            now = infer(op.fn, op.args, op.kwargs)
            if isinstance(now, Arr) and not _is_open(now) and (now.dtype, len(now.dims)) == (t.dtype, len(t.dims)):
                op.result.type = now
    return True


def _is_open(t: Any) -> TypeGuard[Arr]:
    return isinstance(t, Arr) and any(d.one is None for d in t.dims)


@dataclass(frozen=True)
class Part:
    """The read of a part of a vector: row ``row`` of the vector ``base`` as a matrix with ``rows`` rows that are ``long`` times the length
    ``unit`` each."""

    base: Value
    rows: int
    row: int
    long: int
    unit: _Unit

    @property
    def dim(self) -> Dim:
        """How long it is."""
        return Dim(False, self.unit if self.long == 1 else ("<times>", self.long, self.unit))


class Parts:
    """Facts about the lengths of a function's arguments."""

    def __init__(self, fn: Function):
        self.makers: dict[Value, Op] = analysis(definitions, fn)
        shapes: dict[Any, tuple[int, ...]] = fn.attrs.shapes
        #: how long the dimensions of the arguments are in the first call
        self.lengths: dict[Any, int] = {(name, k): n for name, shape in shapes.items() for k, n in enumerate(shape)}

    def part(self, op: Op) -> Part | None:
        """The part of a vector that an operation reads, among several parts of equal length; at most ten."""
        if type(op) is not Call or op.fn is not operator.getitem or not isinstance(base := op.args[0], Value):
            return None
        made = self.makers.get(op.args[1]) if isinstance(op.args[1], Value) else None
        if not isinstance(made, Build) or made.kind != "slice" or not _is_none(made.items[2]):
            return None
        if not isinstance(base.type, Arr) or len(base.type.dims) != 1:
            return None
        whole = base.type.dims[0]
        start = (0, None) if _is_none(made.items[0]) else self.multiple(made.items[0])
        stop = None if _is_none(made.items[1]) else self.multiple(made.items[1])
        if start is None or stop is None and not _is_none(made.items[1]):
            return None
        unit = start[1] if start[1] is not None else stop[1] if stop is not None else None
        times = self.times(whole, unit) if unit is not None else 0
        if unit is None or not times or stop is not None and stop[1] != unit:
            return None
        first, last = start[0], times if stop is None else stop[0]
        long = last - first
        if not 0 <= first < last <= times or times % long or first % long or not 1 < times // long <= 10:
            return None
        return Part(base, times // long, first // long, long, unit)

    def times(self, whole: Dim, unit: _Unit) -> int:
        """The ratio of the length of a dimension to a unit in the first call; 0 if it is not an integer, or not known."""
        n, m = self.lengths.get(whole.sym, 0), self.lengths.get(unit, 0)
        return n // m if m > 1 and whole.off == 0 and n % m == 0 else 0

    def multiple(self, x: Operand) -> _Length | None:
        """The argument length of which a number is a multiple, and the factor; None for other numbers."""
        if isinstance(x, Lit):
            return (0, None) if type(x.value) is int and x.value == 0 else None
        t, made = x.type, self.makers.get(x)
        if isinstance(t, Num) and t.dim is not None and t.dim.sym in self.lengths and t.dim.off == 0 and t.dim.one is False:
            return 1, cast(_Unit, t.dim.sym)
        if not isinstance(made, Call) or made.kwargs or len(made.args) != 2:
            return None
        a, b = made.args
        if made.fn is operator.mul:
            for factor, other in ((a, b), (b, a)):
                if isinstance(factor, Lit) and type(factor.value) is int and (found := self.multiple(other)) is not None:
                    return factor.value * found[0], found[1]
        if made.fn in (operator.add, operator.sub):
            first, second = self.multiple(a), self.multiple(b)
            if first is not None and second is not None and first[1] == second[1]:
                return made.fn(first[0], second[0]), first[1]
        return None

    def guard(self, part: Part) -> Guard:
        """The guard for the length of the vector, checked at each call."""
        assert isinstance(part.base.type, Arr)
        name, axis = cast(_Unit, part.base.type.dims[0].sym)
        return Guard("times", name, axis, (*part.unit, part.rows * part.long))


def _is_none(x: Operand) -> bool:
    return isinstance(x, Lit) and x.value is None
