"""Merge consecutive additions to the same slice of an array of zeros, and replace the first with a store."""
from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ...ir.ops import Call, Function, Lit, Op, Value, blocks_of, operands_of, walk
from ...ir.prims import inplace_at
from ..algebra.folding_builder import AlgebraBuilder
from ..analysis.alias import AliasClasses
from ..manager import Stage, analysis, optimization
from ..switches import is_on

__all__ = ["merge_slice_additions"]

_ADDING = (operator.iadd, operator.isub)


@optimization(Stage.SIMPLIFY, "simplify", analyses=(AliasClasses,))
def merge_slice_additions(fn: Function) -> bool:
    """Rewrite the arrays of zeros of the outermost block of ``fn`` in place."""
    made = [op for op in fn.body.ops if isinstance(op, Call) and op.fn is np.zeros_like and op.part != "primal"]
    if not made or not is_on("simplify"):
        return False
    classes = analysis(AliasClasses, fn)
    for op in made:
        _add_up(fn, op.result, classes)
    return True


def _add_up(fn: Function, zeros: Value, classes: AliasClasses) -> None:
    """Rewrite the additions to one array, up to its first other use."""
    found: list[Call] = []
    for op in fn.body.ops[next(k for k, op in enumerate(fn.body.ops) if zeros in op.results) + 1:]:
        if isinstance(op, Call) and _adds(op, zeros) and not classes.is_written(op.args[2]):
            found.append(op)
        elif any(zeros in operands_of(inner) for inner in _with_inner(op)):
            break
    groups: dict[str, list[Call]] = {}
    for op in found:
        groups.setdefault(repr(op.args[1].value), []).append(op)
    last = {id(ops[-1]): ops for ops in groups.values()}
    gone = {id(op) for op in found} - last.keys()
    ops, fn.body.ops = fn.body.ops, []
    first = True
    for op in ops:
        if id(op) in last:
            _put(fn, last[id(op)], first)
            first = False
        elif id(op) not in gone:
            fn.body.ops.append(op)


def _with_inner(op: Op) -> list[Op]:
    """An operation and those in its blocks."""
    return [op, *(inner for block in blocks_of(op) for inner in walk(block))]


def _adds(op: Call, zeros: Value) -> bool:
    """Whether an operation adds something to a slice that is known at compile time."""
    if op.fn is not inplace_at or op.args[0] is not zeros or op.args[2] is zeros or op.args[3].value not in _ADDING:
        return False
    return isinstance(op.args[1], Lit) and isinstance(op.args[1].value, slice) and isinstance(op.args[2], Value)


def _put(fn: Function, ops: list[Call], first: bool) -> None:
    """The sum of the additions to one slice; the ``first`` is the only store to it."""
    base, index = ops[0].args[:2]
    with AlgebraBuilder(fn.body, part=ops[-1].part, loc=ops[-1].loc) as b:
        added = [op.args[2] for op in ops if op.args[3].value is operator.iadd]
        taken = [op.args[2] for op in ops if op.args[3].value is operator.isub]
        total: Any = None
        for term in added or taken:
            total = term if total is None else b.call(operator.add, total, term)
        for term in taken if added else ():
            total = b.call(operator.sub, total, term)
        if first and added:
            b.emit(Call(operator.setitem, [base, index, total]))
        else:
            b.emit(Call(inplace_at, [base, index, total, Lit(operator.iadd if added else operator.isub)]))
