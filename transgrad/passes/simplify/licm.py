"""Loop-invariant code motion.

A loop may run zero times, so only operations that cannot raise are moved: arithmetic of floats, but not division by a variable. If the
generated code has another form that runs after an exception (`scalars`, `lists`), divisions, functions of ``math`` and loads of list items
are moved as well.

References: Muchnick, *Advanced Compiler Design and Implementation*, 13.2.
"""
from __future__ import annotations

import math
import operator
from typing import Any

from ...ir.ops import Block, Call, For, Function, GetAttr, Lit, Op, Operand, Try, Value, While, With, blocks_of, operands_of, walk
from ...ir.types import Arr, ListT, Num
from ..analysis.alias import AliasClasses
from ..analysis.program_order import owners_in
from ..manager import Property, Stage, analysis, optimization
from ..rewriting.substitute import substitute, substitute_op
from ..switches import is_on

__all__ = ["Hoist", "hoist_invariants"]

_EXACT = (operator.add, operator.sub, operator.mul)
_MAY_RAISE = frozenset((operator.truediv, operator.pow, *(f for f in vars(math).values() if callable(f))))
_SHAPE = ("shape", "size", "ndim")


@optimization(Stage.LOWER_NUMPY, "hoist", requires=(Property.FINAL,), analyses=(AliasClasses,))
def hoist_invariants(fn: Function) -> bool:
    """Rewrite a finished function in place: it is not differentiated again."""
    if any(isinstance(op, (For, While)) for op in fn.body.ops):
        Hoist(fn).block(fn.body, {})
        return True
    return False


class Hoist:
    """Hoist loop-invariant operations of a function."""

    def __init__(self, fn: Function):
        self.fn = fn
        self.risky = bool(fn.attrs.floats) and not any(isinstance(op, (Try, With)) for op in owners_in(fn.body))
        self._classes: AliasClasses | None = None

    def is_written(self, v: Operand) -> bool:
        if self._classes is None:
            self._classes = analysis(AliasClasses, self.fn)
        return self._classes.is_written(v)

    def block(self, block: Block, known: dict[Any, Value]) -> None:
        """Hoist the invariants of the loops of a block; ``known`` are the expressions hoisted before."""
        ops: list[Op] = []
        mapping: dict[Value, Operand] = {}
        for op in block.ops:
            if type(op) is Call:
                ops.append(op)
                continue
            for inner in blocks_of(op):
                self.block(inner, dict(known))
            if isinstance(op, (For, While)):
                for moved in self.invariant(op):
                    substitute_op(moved, mapping)
                    key = _key(moved)
                    if key in known:
                        mapping[moved.result] = known[key]
                    else:
                        known[key] = moved.result
                        ops.append(moved)
            ops.append(op)
        block.ops = ops
        substitute(block, mapping)

    def invariant(self, loop: For | While) -> list[Op]:
        """Remove the loop-invariant operations from a loop."""
        body = loop.body
        inside = list(walk(body))
        changing = {*body.params, *(v for op in inside for v in op.results), *(p for op in inside for b in blocks_of(op) for p in b.params)}
        moved: list[Op] = []
        for op in body.ops:
            if len(op.results) == 1 and changing.isdisjoint(operands_of(op)) and self.may_move(op):
                changing.discard(op.result)
                moved.append(op)
        if not moved or not is_on("hoist"):
            return []
        gone = set(map(id, moved))
        body.ops = [op for op in body.ops if id(op) not in gone]
        for op in moved:
            op.loc = loop.loc
        return moved

    def may_move(self, op: Op) -> bool:
        """Whether an operation does nothing but compute, gives the same result before the loop, and does not raise there."""
        if isinstance(op, GetAttr):
            return isinstance(op.obj.type, Arr) and op.name in ("T", *_SHAPE) and not (op.name == "T" and self.is_written(op.obj))
        if not isinstance(op, Call) or op.kwargs:
            return False
        if op.fn is operator.getitem and isinstance(op.args[0].type, ListT):
            return self.risky and _is_int(op.args[1]) and not self.is_written(op.args[0])
        if not all(_kind(a) for a in op.args) or not isinstance(op.result.type, Num):
            return False
        kinds = {_kind(a) for a in op.args}
        if op.fn in _EXACT or op.fn is operator.neg:
            return len(kinds) == 1 or self.risky or all(isinstance(a, Lit) for a in op.args if _kind(a) == "int")
        if op.fn is operator.truediv and kinds == {"float"} and isinstance(op.args[1], Lit) and op.args[1].value:
            return True
        return self.risky and _may_raise(op.fn)


def _may_raise(fn: Any) -> bool:
    try:
        return fn in _MAY_RAISE
    except TypeError:       # unhashable
        return False


def _kind(x: Operand) -> str | None:
    """'int' or 'float' for a number of Python's."""
    t = x.type
    return t.kind if isinstance(t, Num) and t.kind in ("int", "float") else None


def _is_int(x: Operand) -> bool:
    return _kind(x) == "int"


def _key(op: Op) -> Any:
    """A key for the value of an operation."""
    if isinstance(op, GetAttr):
        return op.name, op.obj
    assert isinstance(op, Call)
    operands: list[tuple[int | str, Operand]] = [*enumerate(op.args), *op.kwargs.items()]
    return op.fn, *((k, (type(a.value), repr(a.value)) if isinstance(a, Lit) else a) for k, a in operands)
