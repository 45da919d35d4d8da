"""Sink definitions of large arrays to their first use, so that the arrays are in cache when they are read."""
from __future__ import annotations

import operator
from collections.abc import Callable

import numpy as np

from ...ir.ops import Block, Call, Function, Op, Value, operands_of
from ..analysis.alias import AliasClasses
from ..analysis.def_use import definitions_in
from .destination_passing import UFUNC
from .in_place_accumulation import collect_uses, makes_own

__all__ = ["compute_late"]


def compute_late(fn: Function, block: Block, is_large: Callable[[Value], bool]) -> None:
    """Reorder a block of a finished function; ``is_large`` tells which values are arrays worth moving.

    Only element-wise operations on values that nothing writes to are moved. No move extends the lifetime of two arrays to shorten that of
    one.
    """
    moved = {op.result for op in block.ops if type(op) is Call and _is_elementwise(op) and is_large(op.result)}
    if len(moved) < 2:
        return
    classes = AliasClasses(fn)
    uses = collect_uses(block.ops)
    makers = definitions_in(block.ops)
    kept = set(block.yields)

    def ends(v: Value, rest: list[Op]) -> bool:
        """Whether nothing reads an array of the block's own from there on."""
        return v not in kept and is_large(v) and makes_own(makers.get(v), v) and set(map(id, uses[v])).isdisjoint(map(id, rest))

    ops: list[Op] = []
    for op in reversed(block.ops):
        at = 0
        if type(op) is Call and op.results and op.result in moved and op.result in uses and not classes.any_written(op.args):
            users = set(map(id, uses[op.result]))
            first = next(k for k, other in enumerate(ops) if id(other) in users)
            if sum(ends(a, ops[first:]) for a in set(operands_of(op)) if isinstance(a, Value)) < 2:
                at = first
        ops.insert(at, op)
    block.ops = ops


def _is_elementwise(op: Call) -> bool:
    """Whether an operation computes an array of its own, element by element."""
    if op.kwargs or len(op.results) != 1 or not makes_own(op, op.result):
        return False
    ufunc = UFUNC.get(op.fn, op.fn)
    return op.fn is operator.pow or isinstance(ufunc, np.ufunc) and ufunc.signature is None and ufunc.nout == 1
