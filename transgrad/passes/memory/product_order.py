"""Multiply a large array by small factors one at a time, instead of forming their large product first.

``g * (a[:, None] * b / d)`` becomes ``g / d * a[:, None] * b``, in which each step can reuse the buffer of the previous one.
"""
from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, TypeGuard

import numpy as np

from ...ir.effects import is_pure
from ...ir.ops import Block, Call, Op, Value
from ...ir.types import Arr
from .destination_passing import alike
from .in_place_accumulation import collect_uses

__all__ = ["multiply_by_factors"]

_TIMES = (operator.mul, np.multiply)
_OVER = (operator.truediv, np.divide)
_MINUS = (operator.neg, np.negative)


def multiply_by_factors(block: Block, size: Callable[[Any], int], is_large: Callable[[Value], bool]) -> bool:
    """Rewrite the adjoint part of a block in place; return whether anything changed.

    Parameters
    ----------
    block : Block
        A block of a finished function.
    size, is_large : callable
        The number of elements of an array, 0 if it is not known; and whether an array is large.
    """
    found = [op for op in block.ops if _is_outer(op, size) and is_large(op.result)]
    return [_rewrite(block, op) for op in found].count(True) > 0


def _is_outer(op: Op, size: Callable[[Any], int]) -> TypeGuard[Call]:
    """Whether an operation multiplies two arrays that are smaller than their product."""
    return type(op) is Call and op.fn in _TIMES and not op.kwargs and op.result.name is None and _is_array(op.result) and all(
        _is_array(a) and 0 < size(a) < size(op.result) for a in op.args)


def _is_array(x: Any) -> bool:
    return isinstance(x, Value) and type(x.type) is Arr and x.type.dtype == "float64" and not x.type.scalar and bool(x.type.dims)


def _rewrite(block: Block, outer: Call) -> bool:
    """Follow a product through divisions to its multiplication by another array, and exchange the order."""
    uses = collect_uses(block.ops)

    def only_user(v: Value) -> Call | None:
        users = uses.get(v, [])
        op = users[0] if len(users) == 1 and v.name is None and v not in block.yields else None
        return op if type(op) is Call and not op.kwargs and alike(op.result.type, outer.result.type) else None

    chain = [outer]
    while (op := only_user(chain[-1].result)) is not None and op.fn in _OVER and op.args[0] is chain[-1].result:
        chain.append(op)
    divisors = [op.args[1] for op in chain[1:]]
    if op is None or op.fn not in _TIMES or op.part != "adjoint":
        return False
    scaled = op.args[1] if op.args[0] is chain[-1].result else op.args[0]
    if not all(_is_array(x) and alike(x.type, outer.result.type) for x in (scaled, *divisors)):
        return False
    start, at = block.ops.index(outer), block.ops.index(op)
    if not all(map(is_pure, block.ops[start:at])):
        return False        # an operand that is read later must not change in between
    ops: list[Op] = []

    def step(fn: Any, *args: Any) -> Value:
        ops.append(Call(fn, list(args), results=[Value(args[0].type)], loc=op.loc, part="adjoint"))
        return ops[-1].result

    first, second = outer.args
    for x in divisors:
        scaled = step(operator.truediv, scaled, x)
    negated = only_user(op.result)
    if negated is not None and negated.fn in _MINUS and negated.part == "adjoint":
        first, last = step(operator.neg, first), negated
    else:
        last = op
    step(operator.mul, step(operator.mul, scaled, first), second)
    ops[-1].results = last.results
    gone = set(map(id, (*chain, op, last)))
    block.ops = [*(o for o in block.ops[:at] if id(o) not in gone), *ops, *(o for o in block.ops[at:] if id(o) not in gone)]
    return True
