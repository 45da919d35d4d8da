"""Driver of loop distribution.

For small arrays, the cost of a NumPy operation is the cost of the call, and the vectorized operation is called once. Operations that only
read results of the recurrence follow the loop, operations that the recurrence only reads precede it, and the loop keeps the recurrence.
The pass runs before differentiation, so that derivatives are vectorized as well and their sums over iterations are sums along an axis.
"""
from __future__ import annotations

from typing import Any

from ....ir.attributes import Guard
from ....ir.effects import is_unknown
from ....ir.ops import Block, For, Function, Op, Try, blocks_of, walk
from ....ir.types import Arr
from ...analysis.alias import AliasClasses
from ...analysis.def_use import definitions
from ...analysis.program_order import owners_in
from ...manager import Stage, analysis, optimization
from ...switches import is_on
from .iterations import Lengths, turns_of
from .plan import Plan

__all__ = ["distribute_loops"]

#: the maximum number of elements of the array of all iterations, and of one iteration: beyond that, arithmetic dominates the calls
_MANY, _SMALL = 2 ** 18, 2 ** 10
#: how many turns there are at least
_TURNS = 8


@optimization(Stage.CANONICALIZE, "distribute", analyses=(AliasClasses, definitions))
def distribute_loops(fn: Function) -> bool:
    """Rewrite ``fn`` in place; how long arguments are at least and at most becomes a guard."""
    if not fn.attrs.shapes:
        return False
    owners = owners_in(fn.body)
    if not any(isinstance(op, For) and any(map(_makes_vector, op.body.ops)) for op in owners) or any(
            isinstance(op, Try) for op in owners):
        return False
    found = _Distribute(fn)
    found.block(fn.body)
    if found.guards:
        fn.attrs.add_guards(found.guards)
    return True


def _makes_vector(op: Op) -> bool:
    return len(op.results) == 1 and isinstance(t := op.results[0].type, Arr) and bool(t.dims)


class _Distribute:
    def __init__(self, fn: Function):
        self.fn = fn
        self.lengths = Lengths(fn)
        self.classes = analysis(AliasClasses, fn)
        self.guards: list[Guard] = []

    def block(self, block: Block) -> None:
        ops: list[Op] = []
        for op in block.ops:
            for inner in blocks_of(op):
                self.block(inner)
            before, after = self.loop(op) if isinstance(op, For) else ([], [])
            ops += [*before, op, *after]
        block.ops = ops

    def loop(self, loop: For) -> tuple[list[Op], list[Op]]:
        """Take operations out of a loop: those that go before it, and behind it."""
        turns = turns_of(loop, self.lengths)
        if turns is None or turns.count < _TURNS or turns.array is not None and self.classes.is_written(turns.array):
            return [], []
        if any(map(is_unknown, walk(loop.body))):
            return [], []
        plan = Plan(loop, turns, self.classes)
        guards = self.sizes(plan) if plan.is_worth() else None
        if guards is None or not is_on("distribute") or not is_on("parts"):
            return [], []
        from ...batch.unsupported import CannotBatch  # which most functions need not load
        from .rewrite import Rewrite
        try:
            ahead, behind = Rewrite(self.fn, plan).carry_out()
        except CannotBatch:
            return [], []
        self.guards += guards
        return ahead, behind

    def sizes(self, plan: Plan) -> list[Guard] | None:
        """The guards that the arrays of all iterations are small, and that there are several iterations; None if that does not hold."""
        turns = plan.turns
        most, units = 1, dict[Any, int]()
        for op in (*plan.behind, *plan.ahead):
            assert isinstance(op.results[0].type, Arr)
            size = 1
            for d in op.results[0].type.dims:
                length, unit = self.lengths.of_dim(d), self.lengths.unit(d)
                if length is None:
                    return None
                size *= length if unit is None else 2 * length + 16
                if unit is not None:
                    units[unit] = 2 * self.lengths.known[unit] + 16
            most = max(most, size)
        if most > _SMALL or turns.count > (longest := _MANY // most):
            return None
        name, axis = turns.unit
        return [Guard("many", name, axis, _TURNS - turns.more), Guard("narrow", name, axis, longest - turns.more),
                *(Guard("narrow", unit[0], unit[1], length) for unit, length in units.items() if unit != turns.unit)]
