"""A large array is multiplied by small ones in turn, and not by the large array that their product is: that one need not be made.

``g * (a[:, None] * b / d)`` becomes ``g / d * a[:, None] * b``, each step of which may be written over the one before.
"""
from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ...ir.effects import is_pure
from ...ir.ops import Block, Call, Op, Value
from ...ir.types import Arr
from .accumulate import collect_uses
from .into import alike

__all__ = ["multiply_by_factors"]

_TIMES = (operator.mul, np.multiply)
_OVER = (operator.truediv, np.divide)
_MINUS = (operator.neg, np.negative)


def multiply_by_factors(block: Block, size: Callable[[Any], int], is_large: Callable[[Value], bool]) -> bool:
    """Rewrites the adjoint part of a block in place; whether anything changed.

    Parameters
    ----------
    block : Block
        Of a finished function.
    size, is_large : callable
        How many numbers an array has, 0 where that is not known; and whether they are many.
    """
    found = [op for op in block.ops if _is_outer(op, size) and is_large(op.result)]
    changed = False
    for op in found:
        changed |= _rewrite(block, op)
    return changed


def _is_outer(op: Op, size: Callable[[Any], int]) -> bool:
    """Whether an operation multiplies two arrays that are smaller than what comes out."""
    if type(op) is not Call or op.fn not in _TIMES or op.kwargs or op.result.name is not None or not _is_array(op.result):
        return False
    return all(_is_array(a) and 0 < size(a) < size(op.result) for a in op.args)


def _is_array(x: Any) -> bool:
    return isinstance(x, Value) and type(x.type) is Arr and x.type.dtype == "float64" and not x.type.scalar and bool(x.type.dims)


def _rewrite(block: Block, outer: Call) -> bool:
    """Follows a product to where another array is multiplied by it."""
    uses = collect_uses(block.ops)
    kept = {id(y) for y in block.yields}
    chain: list[Call] = [outer]
    steps: list[tuple[Any, Value]] = []
    while True:
        v = chain[-1].result
        users = uses.get(v, [])
        if id(v) in kept or v.name is not None or len(users) != 1:
            return False
        op = users[0]
        if type(op) is not Call or op.kwargs or len(op.args) != 2 or not alike(op.result.type, outer.result.type):
            return False
        other = op.args[1] if op.args[0] is v else op.args[0]
        if not isinstance(other, Value) or not alike(other.type, outer.result.type):
            return False
        chain.append(op)
        if op.fn in _OVER and op.args[0] is v:
            steps.append((operator.truediv, other))
        elif op.fn in _TIMES:
            break
        else:
            return False
    last, scaled = chain[-1], other
    if last.part != "adjoint":
        return False
    where = {id(op): k for k, op in enumerate(block.ops)}
    if not all(map(is_pure, block.ops[where[id(outer)]:where[id(last)]])):
        return False        # what is read later than it was must be the same then
    users = uses.get(last.result, [])
    negated = users[0] if last.result.name is None and id(last.result) not in kept and len(users) == 1 and (
        type(users[0]) is Call and users[0].fn in _MINUS and not users[0].kwargs and users[0].part == "adjoint") else None
    first, second = outer.args
    ops: list[Op] = []

    def step(fn: Any, *args: Any, into: Value | None = None) -> Value:
        result = into if into is not None else Value(args[0].type)
        ops.append(Call(fn, list(args), results=[result], loc=last.loc, part="adjoint"))
        return result

    for fn, x in steps:
        scaled = step(fn, scaled, x)
    if negated is not None:
        first = step(operator.neg, first)
    scaled = step(operator.mul, scaled, first)
    step(operator.mul, scaled, second, into=(negated or last).result)
    gone = {*map(id, chain), id(negated)}
    at = block.ops.index(last)
    block.ops = [op for op in (*block.ops[:at], *ops, *block.ops[at + 1:]) if id(op) not in gone]
    return True
