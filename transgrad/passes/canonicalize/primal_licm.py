"""Loop-invariant code motion of array operations, before differentiation.

The reverse loop then accumulates the cotangent of the invariant, which is propagated once, after the loop; and its value is not saved.

A loop may run zero times, so only operations that cannot raise are moved: arithmetic of floats and of arrays whose shapes are known to
match, ufuncs of one array, and sums along axes. If the loop does not run, the cotangent of the result is zero, and zero times an infinite
derivative is NaN. Operations whose derivative is not finite everywhere, such as divisions and logarithms, are therefore moved only out of
loops that are known to run, under a guard if the trip count is the length of an argument.
"""
from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from ...ir.attributes import Guard
from ...ir.ops import Call, For, Function, Lit, Op, Operand, Value, While, operands_of
from ...ir.types import Arr, Num
from ..analysis.alias import AliasClasses
from ..analysis.def_use import definitions, definitions_in
from ..analysis.program_order import owners_in
from ..loops.distribution.iterations import Lengths, turns_of
from ..manager import Stage, optimization
from ..simplify.licm import Hoist

__all__ = ["hoist_primal_invariants"]

_ARITHMETIC = frozenset((operator.add, operator.sub, operator.mul, operator.truediv, operator.neg))
#: functions whose derivatives are finite for all finite arguments; the exponent of a power is a positive integer here
_SMOOTH = (_ARITHMETIC - {operator.truediv}) | {
    operator.getitem, operator.pow, np.sum, np.ndarray.sum, np.negative, np.positive, np.absolute, np.square, np.sin, np.cos, np.tanh,
    np.arctan, np.arcsinh, math.sin, math.cos, math.tanh, math.atan, math.asinh, math.fabs}
_SUMS = frozenset((np.sum, np.ndarray.sum))


@optimization(Stage.CANONICALIZE, analyses=(AliasClasses, definitions))
def hoist_primal_invariants(fn: Function) -> bool:
    """Rewrite a function that is to be differentiated, in place."""
    if any(isinstance(op, (For, While)) for op in fn.body.ops):
        lift = _Lift(fn)
        lift.block(fn.body, {})
        fn.attrs.add_guards(lift.guards)
        return True
    return False


class _Lift(Hoist):
    def __init__(self, fn: Function):
        super().__init__(fn)
        self.lengths = Lengths(fn)
        #: Variables of loops that count up from a number that is not negative.
        self.counters = {loop.body.params[0] for loop in owners_in(fn.body) if isinstance(loop, For) and len(loop.sources) == 1 and
                         loop.sources[0].kind == "range" and _counts_up(*loop.sources[0].operands)}
        self.guards: list[Guard] = []
        #: Whether the loop at hand is known to run.
        self.runs = False
        self.functions: set[int] = set()

    def invariant(self, loop: For | While) -> list[Op]:
        if not any(type(op) is Call and len(op.results) == 1 and (self.fits(op) or self.is_function(op)) for op in loop.body.ops):
            return []
        self.functions = self.functions_of_numbers(loop)
        guards = self.running(loop)
        self.runs = guards is not None
        moved = super().invariant(loop)
        if guards and not all(map(_is_smooth, moved)):
            self.guards += guards
        return moved

    def running(self, loop: For | While) -> list[Guard] | None:
        """The guards under which a loop runs at least once; None if that is not known."""
        if not isinstance(loop, For) or loop.stops or len(loop.sources) != 1:
            return None
        s = loop.sources[0]
        if s.kind == "range":
            start, stop, step = s.operands
            if isinstance(start, Lit) and start.value == 0 and isinstance(step, Lit) and step.value == 1:
                made = self.lengths.makers.get(stop) if isinstance(stop, Value) else None
                if isinstance(stop, Lit) and stop.value > 0 or isinstance(made, Call) and made.fn is operator.add and (
                        made.args[0] in self.counters and isinstance(made.args[1], Lit) and made.args[1].value > 0):
                    return []
        turns = turns_of(loop, self.lengths)
        if turns is None or turns.count < 1:
            return None
        name, axis = turns.unit
        return [Guard("many", name, axis, 1 - turns.more)]

    def functions_of_numbers(self, loop: For | While) -> set[int]:
        """The ids of the calls of elementary functions in a loop, and of the arithmetic that their arguments are computed with."""
        makers = definitions_in(loop.body.ops)
        todo: list[Op] = [op for op in loop.body.ops if isinstance(op, Call) and self.is_function(op)]
        found = set(map(id, todo))
        while todo:
            for o in operands_of(todo.pop()):
                made = makers.get(o) if isinstance(o, Value) else None
                if isinstance(made, Call) and id(made) not in found:
                    found.add(id(made))
                    todo.append(made)
        return found

    def may_move(self, op: Op) -> bool:
        if not isinstance(op, Call) or not self.runs and not _is_smooth(op):
            return False
        if isinstance(op.result.type, Num):
            return id(op) in self.functions and super().may_move(op)
        return self.fits(op) and not any(map(self.is_written, (op.result, *op.args)))

    def is_function(self, op: Call) -> bool:
        """Whether a call computes an elementary function of a number; the function runs again with NumPy if it raises."""
        return getattr(op.fn, "__module__", None) == "math" and super().may_move(op)

    @staticmethod
    def fits(op: Call) -> bool:
        """Whether a call computes with arrays and cannot raise."""
        if op.fn in _SUMS:
            return _is_array(op.args[0]) and len(op.args) == 1 and _float(op.result) and (
                not op.kwargs or [*op.kwargs] == ["axis"] and _is_axis(op.kwargs["axis"], len(op.args[0].type.dims)))
        if op.kwargs or not _is_array(op.result):
            return False
        if isinstance(op.fn, np.ufunc):
            return op.fn.nin == len(op.args) == op.fn.nout == 1 and _is_array(op.args[0])
        if op.fn is operator.getitem:
            fits = _is_array(op.args[0]) and _is_part(op.args[1], len(op.args[0].type.dims))
        elif op.fn is operator.pow:
            exponent = getattr(op.args[1], "value", None)
            fits = _is_array(op.args[0]) and type(exponent) is int and exponent > 0
        else:
            fits = op.fn in _ARITHMETIC and _fit([a for a in op.args if not _is_number(a)])
        return fits


def _counts_up(start: Operand, stop: Operand, step: Operand) -> bool:
    return isinstance(start, Lit) and isinstance(step, Lit) and start.value >= 0 and step.value > 0


def _is_smooth(op: Op) -> bool:
    """Whether the derivative of an operation is finite for all finite operands."""
    assert isinstance(op, Call)
    if op.fn in (operator.truediv, np.divide):
        return isinstance(op.args[1], Lit) and bool(op.args[1].value)
    return op.fn in _SMOOTH


def _is_array(x: Operand) -> bool:
    return isinstance(x.type, Arr) and bool(x.type.dims) and x.type.dtype == "float64"


def _float(x: Operand) -> bool:
    return isinstance(x.type, Arr) and x.type.dtype == "float64"


def _is_axis(axis: Operand, rank: int) -> bool:
    """Whether an axis is one of so many."""
    value: Any = axis.value if isinstance(axis, Lit) else None
    return type(value) is int and -rank <= value < rank


def _is_number(x: Operand) -> bool:
    t = x.type
    return isinstance(t, Num) and t.kind in ("int", "float") or isinstance(t, Arr) and t.scalar and t.dtype == "float64"


def _is_part(index: Operand, rank: int) -> bool:
    """Whether an index takes a part that any array of so many dimensions has."""
    value: Any = index.value if isinstance(index, Lit) else None
    parts = value if isinstance(value, tuple) else (value,)
    return len(parts) <= rank and all(isinstance(p, slice) for p in parts)


def _fit(arrays: list[Operand]) -> bool:
    """Whether arrays have one shape, as far as their types say."""
    first = arrays[0]
    return all(map(_is_array, arrays)) and all(
        a is first or a.type == first.type and all(d.sym is not None or d.known is not None for d in a.type.dims)   # type: ignore[union-attr]
        for a in arrays)
