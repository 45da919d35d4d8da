"""Writes a Jacobian that is zero but for a few diagonals: a matrix of zeros, and each diagonal as a view of it."""
from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ...ir.build import Builder
from ...ir.clone import clone_function
from ...ir.ops import Block, Call, Function, Lit, Operand, Tree, Value
from ...ir.prims import inplace_at
from ...ir.types import ANY, Arr, Num
from ...passes.ad.banded_jacobian import Diagonals, NoDiagonals, Pieces, is_vector, slice_without
from ...passes.algebra.folding_builder import AlgebraBuilder
from ...passes.canonicalize.inline import TooLarge, inline_calls
from ...passes.pipelines import prepare, simplify
from ...passes.simplify.cse import eliminate_common_subexpressions
from ...passes.simplify.dce import eliminate_dead_code
from ...passes.switches import is_on
from ..structure import argument, select_slots
from ..transformations import Target

__all__ = ["by_diagonals"]

#: how large a function may become by writing out the calls in it
_LIMIT = 400


def by_diagonals(fn: Function, target: Target) -> Function | None:
    """The Jacobian of a function of one vector with one vector as its result; None if more than a few diagonals may differ from 0.

    ``fn`` is left as it is.
    """
    if not is_on("diagonals") or len(target.slots) != 1 or target.slots[0].key is not None or fn.returns.kind != "leaf":
        return None
    x, y = argument(fn, target.names[0]), fn.body.yields[fn.returns.index]
    if not isinstance(x, Value) or not is_vector(x.type) or not is_vector(y.type):
        return None
    new = clone_function(fn)
    prepare(new)
    try:
        inline_calls(new, lambda op: True, _LIMIT)
        x, y = argument(new, target.names[0]), new.body.yields[fn.returns.index]
        if not isinstance(x, Value) or not isinstance(y, Value):
            return None
        passed = Diagonals(new, x)
        found, longer = passed.diagonals(y), _longer(passed.length(y), passed.length(x))
    except (NoDiagonals, TooLarge):
        return None
    if not is_vector(y.type) or longer is None:
        return None
    start = Block() if passed.sure else new.body
    with AlgebraBuilder(start, part="tangent") as b:
        matrix = _Matrix(b, x, y, longer, passed.sure)
    if passed.sure:
        new.body.ops[:0] = start.ops
    with AlgebraBuilder(new.body, part="tangent") as b:
        for k, pieces in sorted(found.items()):
            matrix.put(b, k, pieces)
    new.body.yields = [matrix.entries]
    new.returns = select_slots([Tree("leaf", index=0)], target.names, target.slots, target.single)
    new.attrs.primal = new.attrs.primal or fn.origin
    new.origin = None
    eliminate_dead_code(new)        # the dense arrays
    eliminate_common_subexpressions(new)        # of the diagonals
    simplify(new)
    return new


def _longer(y: tuple[Any, int] | None, x: tuple[Any, int] | None) -> int | None:
    """The difference of the lengths of two vectors, if it is known."""
    return y[1] - x[1] if x is not None and y is not None and x[0] == y[0] else None


class _Matrix:
    """A matrix of zeros: a row for each entry of ``y``, a column for each of ``x``."""

    def __init__(self, b: Builder, x: Value, y: Value, longer: int, sure: bool):
        self.longer = longer
        self.columns = b.attr(x, "size")
        if not sure:
            y.type = Arr("float64", (ANY,))     # how long it is, only computing it tells
        self.rows = self._less(b, -longer) if sure else b.attr(y, "size")
        shape = b.build("tuple", [self.rows, self.columns])
        self.entries = b.call(np.zeros, shape, type=Arr("float64", (ANY, ANY)), name=f"jac_{x.name}")
        self.flat = b.call(np.ndarray.ravel, self.entries, type=Arr("float64", (ANY,)), name="flat")

    def _less(self, b: Builder, by: int) -> Operand:
        """``columns - by``, and no less than nothing."""
        if by <= 0:
            return b.call(operator.add, self.columns, -by) if by else self.columns  # type: ignore[no-any-return]
        return b.call(max, b.call(operator.sub, self.columns, by), 0, type=Num("int"))  # type: ignore[no-any-return]

    def put(self, b: Builder, k: int, pieces: Pieces) -> None:
        """Write a diagonal: its largest piece, and add the others to that."""
        front, behind = max(-k, 0), max(k + self.longer, 0)     # rows that it does not meet
        step = b.call(operator.add, self.columns, 1)
        first = self.columns if front == 1 else b.call(operator.mul, front, self.columns) if front else k or None
        last = b.call(operator.mul, self._less(b, behind - self.longer), self.columns) if behind > 1 else None
        view = b.call(operator.getitem, self.flat, b.build("slice", [first, last, step]), type=Arr("float64", (ANY,)), name="diagonal")
        ordered = sorted(pieces.items(), key=lambda item: sum(item[0]))
        for n, (where, entries) in enumerate(ordered):
            left_out = [max(w - o, 0) for w, o in zip(where, (front, behind))]
            too_many = [max(o - w, 0) for w, o in zip(where, (front, behind))]
            if any(too_many) and is_vector(entries.type):
                entries = b.call(operator.getitem, entries, slice_without(too_many))
            place = Lit(slice_without(left_out)) if any(left_out) else Lit(slice(None))
            if n:
                b.call(inplace_at, view, place, entries, operator.iadd)
            else:
                b.emit(Call(operator.setitem, [view, place, entries]))
