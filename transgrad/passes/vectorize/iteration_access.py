"""Analysis: the parts of arrays that the iterations of a loop read or store, one each, in order."""
from __future__ import annotations

import operator
from collections.abc import Set
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...ir.build import Builder
from ...ir.ops import Block, Build, Call, For, Lit, Op, Operand, Value, operands_of
from ...ir.prims import inplace_at
from ...ir.types import Arr, Dim, Num
from ..loops.distribution.iterations import Lengths, Turns, turns_of

__all__ = ["Access", "Iterations", "iterations_of"]

_SUBSCRIPTS = frozenset((operator.getitem, operator.setitem, inplace_at))


class Iterations:
    """The iterations of a loop: how many there are, and what its variables are in each.

    Attributes
    ----------
    turns : Turns
        Their number.
    rows : dict
        The array over whose rows a loop variable iterates, in order.
    starts : dict
        The first value of a loop variable that counts.
    longer : dict
        How long dimensions of arguments have to be at least.
    same : set
        The dimensions of arguments that have to be as long as that which the iterations run through.
    """

    def __init__(self, turns: Turns, rows: dict[Value, Value], starts: dict[Value, int]):
        self.turns, self.rows, self.starts = turns, rows, starts
        self.same: set[Any] = set()
        self.longer: dict[Any, int] = {}

    def access(self, op: Op, inside: Set[Value]) -> Access | None:
        """The part of an array that an operation reads or stores in all iterations; None if it is not one part for each iteration.

        One index has to grow by 1 in each iteration; the others are loop-invariant, that is, defined outside of the loop.
        """
        if type(op) is not Call or op.fn not in _SUBSCRIPTS or not isinstance(array := op.args[0], Value):
            return None
        t, parts = array.type, self._parts(op.args[1])
        if not isinstance(t, Arr) or len(parts) > len(t.dims):
            return None
        found = [(k, first) for k, part in enumerate(parts) if (first := self._offset(part)) is not None]
        if len(found) != 1 or array in inside:
            return None
        (axis, first), = found
        d = t.dims[axis]
        if first < 0 or not all(k == axis or self._is_invariant(part, inside) for k, part in enumerate(parts)):
            return None
        if d.sym != self.turns.unit and not self._is_as_long(d.sym) or first + self.turns.more > d.off:
            return None
        if d.sym != self.turns.unit:
            self.same.add(d.sym)
        stop = first + self.turns.more - d.off
        return Access(array, tuple(parts), axis, slice(first or None, stop or None))

    def misses(self, op: Op, stored: Access) -> bool:
        """Whether an operation reads another part of an array than is stored in any iteration: ``a[t - 1]``, where ``a[t, j]`` is."""
        if type(op) is not Call or op.fn is not operator.getitem or op.args[0] is not stored.array:
            return False
        for k, (part, other) in enumerate(zip(self._parts(op.args[1]), stored.parts)):
            if k != stored.axis:
                (base, off), (other_base, other_off) = self._affine(part), self._affine(other)
                if base is other_base and off != other_off and (min(off, other_off) >= 0 if base is None else self._exceeds(
                        stored.array.type.dims[k], abs(off - other_off))):
                    return True
        return False

    def _exceeds(self, d: Dim, distance: int) -> bool:
        """Whether a dimension is longer than a distance, so that no index that wraps around is another one; guards check it later."""
        if d.known is not None:
            return d.known > distance
        length = self.turns.lengths.of_dim(d)
        if length is None or length <= distance or not _is_axis(d.sym):
            return False
        self.longer[d.sym] = max(self.longer.get(d.sym, 0), distance + 1 - d.off)
        return True

    def _affine(self, part: Any) -> tuple[Value | object | None, int]:
        """An index as a value and an offset; None for a known integer, and a unique object for other indices."""
        if isinstance(part, Lit):
            return (None, part.value) if type(part.value) is int else (object(), 0)
        made = self.turns.lengths.makers.get(part)
        if type(made) is Call and made.fn in (operator.add, operator.sub) and not made.kwargs and isinstance(by := made.args[1], Lit):
            if type(by.value) is int and isinstance(made.args[0], Value):
                return made.args[0], made.fn(0, by.value)
        return part, 0

    def _parts(self, index: Operand) -> list[Any]:
        """The indices of the axes."""
        if isinstance(index, Lit):
            return [Lit(i) for i in index.value] if isinstance(index.value, tuple) else [index]
        made = self.turns.lengths.makers.get(index)
        return list(made.items) if isinstance(made, Build) and made.kind == "tuple" else [index]

    def _is_invariant(self, part: Any, inside: Set[Value]) -> bool:
        """Whether an index is an integer or a slice, and the same in all iterations."""
        if isinstance(part, Lit):
            return type(part.value) in (int, slice)
        if not isinstance(part, Value):
            return False
        made = self.turns.lengths.makers.get(part)
        if isinstance(made, Build) and made.kind == "slice":
            return not any(o in inside for o in operands_of(made)) and part not in inside
        t = part.type
        return part not in inside and (
            isinstance(t, Num) and t.kind == "int" or isinstance(t, Arr) and t.scalar and t.dtype[:3] == "int")

    def _offset(self, index: Any) -> int | None:
        for variable, start in self.starts.items():
            by = Turns(self.turns.lengths, self.turns.unit, self.turns.more, start, index=variable).offset(index)
            if by is not None:
                return start + by
        return None

    def _is_as_long(self, unit: Any) -> bool:
        """Whether another dimension of an argument is as long in the first call, and a guard can compare the two."""
        known = self.turns.lengths.known
        return all(_is_axis(u) for u in (unit, self.turns.unit)) and unit in known and known[unit] == known[self.turns.unit]


def _is_axis(unit: Any) -> bool:
    return isinstance(unit, tuple) and len(unit) == 2 and isinstance(unit[0], str) and type(unit[1]) is int


@dataclass(frozen=True)
class Access:
    """The parts of an array that the iterations of a loop read or store, one each: ``array[i, 1:-1]`` for an ``i`` that counts.

    ``axis`` is the axis that the iterations run along, and ``along`` the part of it that they take together.
    """

    array: Value
    parts: tuple[Any, ...]
    axis: int
    along: slice

    @property
    def place(self) -> int:
        """The axis of the iterations among the axes of all parts together: integers take theirs away."""
        return sum(not _is_integer(part) for part in self.parts[:self.axis])

    @property
    def rank(self) -> int:
        """How many axes one part has."""
        t = self.array.type
        assert isinstance(t, Arr)
        return len(t.dims) - sum(map(_is_integer, self.parts))

    def index(self, b: Builder) -> Any:
        """Emit the index of all parts together."""
        if self.axis == 0 and all(isinstance(part, Lit) and part.value == slice(None) for part in self.parts[1:]):
            return Lit(self.along)
        return b.build("tuple", [Lit(self.along) if k == self.axis else part for k, part in enumerate(self.parts)])

    def read(self, b: Builder, t: Any, dim: Any) -> Any:
        """Emit the parts of all iterations, each of type ``t``, along the first axis."""
        assert isinstance(self.array.type, Arr)
        whole = all(isinstance(part, Lit) and part.value == slice(None) for k, part in enumerate(self.parts) if k != self.axis)
        if whole and self.along == slice(None):
            return self._in_front(b, self.array, self.axis)
        dims = [*t.dims]
        dims.insert(self.place, dim)
        found = b.call(operator.getitem, self.array, self.index(b), type=Arr(t.dtype, tuple(dims)))
        return self._in_front(b, found, self.place)

    @staticmethod
    def _in_front(b: Builder, x: Any, axis: int) -> Any:
        """Emit an array with an axis moved to the front."""
        t = x.type
        if not axis:
            return x
        to = Arr(t.dtype, (t.dims[axis], *t.dims[:axis], *t.dims[axis + 1:]))
        return b.attr(x, "T", to) if len(t.dims) == 2 else b.call(np.moveaxis, x, axis, 0, type=to)

    def stored(self, b: Builder, values: Any) -> Any:
        """Emit the values that are stored to all parts, of those of each iteration along the first axis."""
        missing = self.rank - len(values.type.dims) + 1
        if missing:
            t = values.type
            values = b.call(operator.getitem, values, Lit((slice(None), *[None] * missing)),
                            type=Arr(t.dtype, (t.dims[0], *[Dim(True)] * missing, *t.dims[1:])))
        if not self.place:
            return values
        return b.attr(values, "T") if len(values.type.dims) == 2 else b.call(np.moveaxis, values, 0, self.place)


def _is_integer(part: Any) -> bool:
    """Whether an index is an integer."""
    return isinstance(part, Lit) and type(part.value) is int or isinstance(part, Value) and (
        isinstance(part.type, Num) or isinstance(part.type, Arr) and part.type.scalar)


def iterations_of(loop: For, lengths: Lengths) -> Iterations | None:
    """The iterations of a loop over ranges and arrays that are equally long."""
    turns, rows, starts = None, dict[Value, Value](), dict[Value, int]()
    units = []
    for source, variable in zip(loop.sources, loop.body.params):
        if source.kind == "count" and not source.reverse and isinstance(start := source.operands[0], Lit) and type(start.value) is int:
            starts[variable] = start.value
            continue
        if source.kind == "items":
            return None
        one = For([source], [], Block(params=[variable]))
        found = turns_of(one, lengths)
        if found is None or turns is not None and found.more != turns.more:
            return None
        turns = turns or found
        units.append(found.unit)
        if found.array is not None:
            rows[variable] = found.array
        else:
            starts[variable] = found.start
    if turns is None or loop.stops:
        return None
    made = Iterations(turns, rows, starts)
    made.same.update(unit for unit in units if unit != turns.unit)
    return made if all(map(made._is_as_long, made.same)) else None
