"""Loop-invariant code motion before differentiation.

The adjoint of a hoisted value is accumulated by the reverse loop and propagated once, after it, and the value need not be saved. A loop may
run zero times, so only operations that cannot raise are moved: arithmetic of floats, and of arrays whose shapes are known to match.
"""
from __future__ import annotations

import operator
from typing import Any

from ...ir.ops import Call, For, Function, Lit, Op, Operand, While
from ...ir.types import Arr, Num
from ..analysis.alias import AliasClasses
from ..manager import Stage, optimization
from ..simplify.licm import Hoist

__all__ = ["hoist_primal_invariants"]

_ARITHMETIC = frozenset((operator.add, operator.sub, operator.mul, operator.truediv, operator.neg))
_MOVING = _ARITHMETIC | {operator.getitem, operator.pow}


@optimization(Stage.CANONICALIZE, analyses=(AliasClasses,))
def hoist_primal_invariants(fn: Function) -> bool:
    """Rewrites a function that is to be differentiated, in place."""
    if any(isinstance(op, (For, While)) for op in fn.body.ops):
        _Lift(fn).block(fn.body, {})
        return True
    return False


class _Lift(Hoist):
    def invariant(self, loop: For | While) -> list[Op]:
        if not any(type(op) is Call and op.fn in _MOVING and _is_array(op.result) for op in loop.body.ops):
            return []
        return super().invariant(loop)

    def may_move(self, op: Op) -> bool:
        if not isinstance(op, Call) or op.kwargs or not _is_array(op.result):
            return False
        if op.fn is operator.getitem:
            fits = _is_array(op.args[0]) and _is_part(op.args[1], len(op.args[0].type.dims))
        elif op.fn is operator.pow:
            exponent = getattr(op.args[1], "value", None)
            fits = _is_array(op.args[0]) and type(exponent) is int and exponent > 0
        else:
            fits = op.fn in _ARITHMETIC and _fit([a for a in op.args if not _is_number(a)])
        return fits and not any(map(self.is_written, (op.result, *op.args)))


def _is_array(x: Operand) -> bool:
    return isinstance(x.type, Arr) and bool(x.type.dims) and x.type.dtype == "float64"


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
