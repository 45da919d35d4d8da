"""Replace gathers at evenly spaced indices with strided slices.

Batched over the iterations of a loop, ``x[2 + 4 * f]`` is a gather, which copies. Since ``f`` is 0, 1, ..., it is also the slice
``x[2:19:4]``, a view; and ``x[4 * f + np.arange(4)]`` is a reshaped slice if consecutive rows are adjacent. A slice is clipped at the end
of its array without an error, so each call checks that the array is long enough.
"""
from __future__ import annotations

import math
import operator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeGuard

import numpy as np

from ....ir.attributes import Guard
from ....ir.build import Builder
from ....ir.ops import Block, Build, Call, Function, Lit, Op, Operand, Star, Value, blocks_of, count_reads, walk
from ....ir.types import Arr, Dim, Num, Obj
from ...analysis.alias import AliasClasses, adds_axes, is_slice
from ...analysis.def_use import definitions
from ...analysis.trip_counts import Counts
from ...manager import invalidate
from ...rewriting.substitute import substitute
from ...simplify.dce import eliminate_dead_code

__all__ = ["read_by_slices"]

_ARITHMETIC = {operator.add: operator.add, operator.sub: operator.sub, np.add: operator.add, np.subtract: operator.sub}


def read_by_slices(fn: Function, count: Operand, caller: Function) -> list[Guard]:
    """Rewrite a function of all iteration numbers in place. The numbers are its first parameter, which is removed if only their count is
    used.

    Returns the guards for the arguments of ``caller``, checked at each call.
    """
    if not any(map(_may_be_rows, walk(fn.body))):
        return []
    run = _Strides(fn, count, caller)
    run.block(fn.body)
    if run.changed:
        eliminate_dead_code(fn)
        run.drop_numbers(count)
        invalidate(fn)
    return [Guard("many", name, axis, least) for (name, axis), least in run.least.items()]


def _may_be_rows(op: Op) -> bool:
    """Whether an operation reads an array by an array of integers, alone or among other indices."""
    if not isinstance(op, Call) or op.fn is not operator.getitem or not isinstance(op.args[0].type, Arr) or isinstance(op.args[1], Lit):
        return False
    return any(map(_is_array, getattr(op.args[1].type, "elems", (op.args[1].type,))))


def _is_array(t: Any) -> bool:
    return isinstance(t, Arr) and t.dtype == "int64" and bool(t.dims)


@dataclass(frozen=True)
class _Places:
    """Integers: ``constant``, and a step further for each place along each of the axes, which have a step and a length."""

    constant: int
    axes: tuple[tuple[int, int], ...] = ()

    def along(self, k: int) -> list[tuple[int, int]]:
        """The axes of ``k`` dimensions."""
        return [*[(0, 1)] * (k - len(self.axes)), *self.axes]

    def times(self, n: int) -> _Places:
        return _Places(self.constant * n, tuple((step * n, length) for step, length in self.axes))

    def slice(self) -> slice | None:
        """The slice of these elements in order; None if there is none."""
        axes = [axis for axis in self.axes if axis[1] > 1]
        if self.constant < 0 or not axes or axes[-1][0] < 1 or any(a[0] != b[0] * b[1] for a, b in pairwise(axes)):
            return None
        step = axes[-1][0]
        stop = self.constant + step * (math.prod(length for _, length in axes) - 1) + 1
        return slice(self.constant or None, stop, step if step > 1 else None)


class _Strides:
    def __init__(self, fn: Function, count: Operand, caller: Function):
        self.fn, self.counts = fn, Counts(caller)
        self.makers: dict[Value, Op] = definitions(fn)
        self.places: dict[Value, _Places | None] = {fn.params[0]: _Places(0, ((1, count.value),))}  # type: ignore[union-attr]
        self.classes = AliasClasses(fn)
        #: values that a caller receives and may write to
        self.returned = {node for y in fn.body.yields for node in (self.classes.find(y), *self.classes.inner(y))}
        self.changed = False
        #: how long the axes of arguments are at least
        self.least: dict[tuple[str, int], int] = {}

    def block(self, block: Block) -> None:
        ops: list[Op] = []
        for op in block.ops:
            for inner in blocks_of(op):
                self.block(inner)
            ops += self.read(op) if isinstance(op, Call) and _may_be_rows(op) else [op]
        block.ops = ops

    def read(self, op: Call) -> list[Op]:
        """The operations equivalent to a read."""
        x, r = op.args[0], op.result
        parts = self.parts(op.args[1])
        axis = next(k for k, p in enumerate(parts) if not _is_number(p))
        places = self.of(parts[axis])
        rows = None if places is None else places.slice()
        others = [*parts[:axis], *parts[axis + 1:]]
        if places is None or rows is None or not all(_is_number(p) or _is_basic(p) for p in others):
            return [op]
        if not isinstance(x, Value) or not self.may_be_view(x, r) or not self.is_long(x.type.dims[axis], rows.stop):   # type: ignore[union-attr]
            return [op]
        self.changed = True
        with Builder(Block(), op.part, op.loc) as b:
            index = Lit(rows) if len(parts) == 1 else b.build("tuple", [*parts[:axis], rows, *parts[axis + 1:]])
            t, lengths = r.type, [length for _, length in places.axes]
            assert isinstance(t, Arr)
            if len(lengths) == 1:
                b.emit(Call(operator.getitem, [x, index], results=[r]))
            else:
                flat = b.call(operator.getitem, x, index, type=Arr(t.dtype, (Dim(None), *t.dims[len(lengths):])))
                b.emit(Call(np.reshape, [flat, _shape(b, lengths, x if len(parts) == 1 else flat)], results=[r]))
        return b.block.ops

    def may_be_view(self, x: Value, part: Value) -> bool:
        """Whether nothing notices that a part of an array is no copy: nothing writes to either of them, and the caller does not get it."""
        return not (self.classes.is_written(x) or self.classes.is_written(part) or self.classes.find(part) in self.returned)

    def is_long(self, d: Dim, least: int) -> bool:
        """Whether a dimension is as long as that, here and, as is checked, at other calls."""
        found = self.counts.of_dim(d)
        if found is None or self.counts.now(found) < least:
            return False
        if not isinstance(found, int):
            self.least[found.unit] = max(found.least(least), self.least.get(found.unit, 0))
        return True

    def parts(self, index: Operand) -> list[Any]:
        made = self.makers.get(index) if isinstance(index, Value) else None
        return list(made.items) if isinstance(made, Build) and made.kind == "tuple" else [index]

    def of(self, x: Operand) -> _Places | None:
        """The values of integers, if they follow from the iteration numbers."""
        if isinstance(x, Lit):
            return _Places(x.value) if type(x.value) is int else None
        if x not in self.places:
            made = self.makers.get(x)
            self.places[x] = self.computed(made) if isinstance(made, Call) and not made.kwargs else None
        return self.places[x]

    def computed(self, op: Call) -> _Places | None:
        if op.fn is np.arange:
            if not all(isinstance(a, Lit) and type(a.value) is int for a in op.args):
                return None
            numbers = range(*(a.value for a in op.args))
            return _Places(numbers.start, ((numbers.step if len(numbers) > 1 else 0, len(numbers)),)) if numbers else None
        if op.fn is operator.getitem:
            found = self.of(op.args[0]) if adds_axes(op.args[1]) else None
            if found is None:
                return None
            own = iter(found.axes)
            index = op.args[1].value if isinstance(op.args[1].value, tuple) else (op.args[1].value,)
            axes = [(0, 1) if p is None else next(own) for p in index]
            return _Places(found.constant, (*axes, *own))
        if len(op.args) != 2 or op.fn not in _ARITHMETIC and op.fn not in (operator.mul, np.multiply):
            return None
        a, b = map(self.of, op.args)
        if a is None or b is None:
            return None
        if op.fn not in _ARITHMETIC:
            return b.times(a.constant) if not a.axes else a.times(b.constant) if not b.axes else None
        how = _ARITHMETIC[op.fn]
        k = max(len(a.axes), len(b.axes))
        pairs = list(zip(a.along(k), b.along(k)))
        if any(n != m and 1 not in (n, m) for (_, n), (_, m) in pairs):
            return None
        return _Places(how(a.constant, b.constant), tuple((how(s, t), max(n, m)) for (s, n), (t, m) in pairs))

    def drop_numbers(self, count: Operand) -> None:
        """Remove the iteration numbers if only their count is used."""
        numbers = self.fn.params[0]
        asks = [op for op in self.fn.body.ops if isinstance(op, Call) and op.fn is len and op.args[0] is numbers]
        if count_reads(self.fn)[numbers] > len(asks):
            return
        self.fn.body.ops = [op for op in self.fn.body.ops if not any(op is other for other in asks)]
        substitute(self.fn.body, {op.result: count for op in asks})
        multiples: dict[Value, Operand] = {
            op.result: Lit(op.args[0].value * op.args[1].value) for op in self.fn.body.ops if _is_multiple(op)}
        self.fn.body.ops = [op for op in self.fn.body.ops if not any(r in multiples for r in op.results)]
        substitute(self.fn.body, multiples)
        self.fn.body.params = self.fn.params[1:]
        self.fn.signature = self.fn.signature[1:]


def _is_multiple(op: Op) -> TypeGuard[Call]:
    """Whether an operation multiplies numbers that are known by now, and have no name."""
    return type(op) is Call and op.fn is operator.mul and all(
        isinstance(a, Lit) and type(a.value) is int and a.text is None for a in op.args)


def _is_number(p: Any) -> bool:
    """Whether a part of an index picks one place."""
    return type(p.value) is int if isinstance(p, Lit) else isinstance(p, Value) and isinstance(p.type, Num) and p.type.kind == "int"


def _is_basic(p: Any) -> bool:
    """Whether a part of an index picks several, or adds an axis, and makes no copy."""
    return not isinstance(p, Star) and (is_slice(p) or isinstance(p, Lit) and (p.value is None or p.value is Ellipsis))


def _shape(b: Builder, lengths: list[int], like: Value) -> Operand:
    """The shape of an array like another one, whose first axis is split into several."""
    assert isinstance(like.type, Arr)
    inner = len(like.type.dims) - 1
    if inner < 2:
        return Lit((*lengths, *[-1] * inner))
    rest, shape = Value(Obj(tuple)), Value(Obj(tuple))
    b.emit(Call(operator.getitem, [b.attr(like, "shape"), Lit(slice(1, None))], results=[rest]))
    b.emit(Build("tuple", [*map(Lit, lengths), Star(rest)], results=[shape]))
    return shape
