"""The slope of ``logaddexp`` without its value, where nothing else asks for that: ``exp(b - logaddexp(a, b))`` is
``1 / (1 + exp(a - b))``, and one exponential is a third of the work."""
from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ...ir.build import Builder
from ...ir.ops import Block, Call, Function, Lit, Op, Operand, Value, blocks_of, calls, operands_of, walk
from ...ir.types import Arr, Num
from ..manager import Stage, optimization
from ..substitute import substitute

__all__ = ["slopes_alone"]

#: the largest number whose exponential is finite, with room: beyond it, the slope is 0 to the last digit
_MOST = {"float64": 709.0, "float32": 88.0}


@optimization(Stage.SIMPLIFY, "simplify")
def slopes_alone(fn: Function) -> bool:
    """Rewrites ``fn`` in place."""
    if not calls(fn.body, np.logaddexp):
        return False
    found = [op for op in walk(fn.body) if isinstance(op, Call) and op.fn is np.logaddexp and not op.kwargs
             and all(isinstance(a.type, (Arr, Num)) for a in op.args)]
    if not found:
        return False
    users: dict[Any, list[Op | None]] = {}
    for op in walk(fn.body):
        for o in operands_of(op):
            users.setdefault(o, []).append(op)
        for inner in blocks_of(op):
            for y in inner.yields:
                users.setdefault(y, []).append(None)
    for y in fn.body.yields:
        users.setdefault(y, []).append(None)
    mapping: dict[Value, Operand] = {}
    replaced: dict[int, tuple[Any, Any] | None] = {}       # None for what is not needed any more
    for op in found:
        slopes = [_slope(op, user, users) for user in users.get(op.result, [])]
        if slopes and None not in slopes:
            replaced.update({id(exponential): (op.args[0], b) if b is op.args[1] else (op.args[1], b) for exponential, b in slopes})  # type: ignore[misc]
            replaced.update(dict.fromkeys(map(id, [op, *users[op.result]])))
    if replaced:
        _block(fn.body, replaced, mapping)
        substitute(fn.body, mapping)
        return True
    return False


def _slope(op: Call, user: Op | None, users: dict[Any, list[Op | None]]) -> tuple[Call, Operand] | None:
    """``exp(b - y)`` for an argument ``b`` of ``y = logaddexp(a, b)``; None for any other use of ``y``."""
    if not isinstance(user, Call) or user.fn is not operator.sub or user.kwargs or user.args[1] is not op.result:
        return None
    t = user.result.type
    plain = isinstance(t, Arr) and t.dtype in _MOST and not t.scalar and user.args[0] in op.args and op.args[0] is not op.args[1]
    above = users.get(user.result, [])
    if not plain or len(above) != 1 or not isinstance(above[0], Call) or above[0].fn is not np.exp or above[0].kwargs:
        return None
    return above[0], user.args[0]


def _block(block: Block, replaced: dict[int, tuple[Any, Any] | None], mapping: dict[Value, Operand]) -> None:
    ops: list[Op] = []
    for op in block.ops:
        for inner in blocks_of(op):
            _block(inner, replaced, mapping)
        if id(op) not in replaced:
            ops.append(op)
            continue
        found = replaced[id(op)]
        if found is None:
            continue
        a, b = found
        made, t = Block(), op.result.type
        assert isinstance(t, Arr)
        with Builder(made, op.part, op.loc) as builder:
            rise = builder.call(operator.neg, b) if isinstance(a, Lit) and a.value == 0 else builder.call(operator.sub, a, b)
            other = builder.call(np.exp, builder.call(np.minimum, rise, _MOST[t.dtype]))
            mapping[op.result] = builder.call(operator.truediv, 1.0, builder.call(operator.add, 1.0, other), type=t)
        ops += made.ops
    block.ops = ops
