"""In-place accumulation: ``x_bar = x_bar + …`` becomes ``x_bar += …`` if the array is local and its old value is dead."""
from __future__ import annotations

import operator
from collections.abc import Set

import numpy as np

from ...ir.ops import Block, Call, Function, GetAttr, Op, Operand, Value, blocks_of, operands_of
from ...ir.types import Arr
from ...runtime import inverse_of_lower, kept_where, lower_half, product_of_triangles, share_of_larger, share_of_smaller
from ..analysis.def_use import definitions_in
from ..manager import Property, Stage, optimization
from ..rewriting.substitute import substitute
from ..switches import is_on
from .destination_passing import alike

__all__ = ["MASKS", "accumulate_in_place", "collect_uses", "makes_own", "only_reads"]

_INPLACE = {operator.add: operator.iadd, operator.sub: operator.isub, operator.mul: operator.imul, operator.truediv: operator.itruediv}
#: functions that select elements of their last operand, and can overwrite it
MASKS = (kept_where, share_of_larger, share_of_smaller)
#: operations that read arrays and return a new one
_FRESH = frozenset((
    *MASKS,
    operator.add, operator.sub, operator.mul, operator.truediv, operator.neg, operator.pow, operator.matmul, operator.lt, operator.le,
    operator.gt, operator.ge, operator.eq, operator.ne, np.sum, np.where, np.outer, np.dot, np.vdot, np.zeros_like, np.ones_like,
    np.empty_like, np.copy, np.ndarray.copy, np.zeros, np.count_nonzero, np.einsum, np.vecdot, np.eye, np.tril, np.triu, np.max, np.min,
    np.mean, np.argmax, np.argmin,
    np.linalg.cholesky, np.linalg.inv, np.linalg.solve, inverse_of_lower, lower_half, product_of_triangles,
))


@optimization(Stage.LOWER_NUMPY, "simplify", requires=(Property.FINAL,))
def accumulate_in_place(fn: Function) -> bool:
    """Rewrite the derivative part of a finished function in place: it is not differentiated again."""
    if is_on("simplify"):
        _block(fn.body)
        return True
    return False


def _block(block: Block) -> None:
    for op in block.ops:
        if type(op) is not Call:
            for inner in blocks_of(op):
                _block(inner)
    candidates = [(k, op) for k, op in enumerate(block.ops) if type(op) is Call and op.fn in _INPLACE and _is_candidate(op)]
    if not candidates:
        return
    makers = definitions_in(block.ops)
    uses = collect_uses(block.ops, {o for _, op in candidates for o in (op.args[0], op.result)})
    totals: dict[Value, Operand] = {}
    kept = set(block.yields)
    for k, op in candidates:
        before, result = op.args[0], op.result
        total = totals.get(before, before) if isinstance(before, Value) else before
        if (not isinstance(total, Value) or before in kept or uses[total][-1] is not op or not makes_own(makers.get(total), total)
                or not all(map(only_reads, uses[total]))):
            continue
        block.ops[k] = Call(_INPLACE[op.fn], op.args, loc=op.loc, part=op.part)
        totals[result] = total
        uses[total] = [block.ops[k], *uses.pop(result, [])]
    if totals:
        substitute(block, totals)


def _is_candidate(op: Call) -> bool:
    """Whether an operation changes an array that goes by the same name before and after."""
    if op.kwargs or op.args[0] is op.args[1]:
        return False
    total, result = op.args[0], op.results[0]
    return (type(total) is Value and total.name is not None and total.name == result.name and isinstance(total.type, Arr)
            and bool(total.type.dims) and alike(total.type, result.type))


def collect_uses(ops: list[Op], values: Set[Operand] | None = None) -> dict[Value, list[Op]]:
    """For each value, or for each of ``values``, its readers in order, with multiplicity; an operation
    reads the operands of its blocks."""
    uses: dict[Value, list[Op]] = {}
    for op in ops:
        read = operands_of(op) if type(op) is Call else _all_reads(op)
        if values is not None and values.isdisjoint(read):
            continue
        for o in read:
            if type(o) is Value and (values is None or o in values):
                uses.setdefault(o, []).append(op)
    return uses


def _all_reads(op: Op) -> list[Operand]:
    found = [*operands_of(op)]
    for inner in blocks_of(op):
        found += inner.yields
        for nested in inner.ops:
            found += operands_of(nested) if type(nested) is Call else _all_reads(nested)
    return found


def makes_own(op: Op | None, v: Value) -> bool:
    """Whether an operation makes a new array."""
    return isinstance(op, Call) and op.results == [v] and "out" not in op.kwargs and (op.fn in _FRESH or isinstance(op.fn, np.ufunc))


def only_reads(op: Op) -> bool:
    """Whether an operation retains no reference to its operands."""
    if isinstance(op, GetAttr):
        return op.name in ("shape", "size", "ndim", "dtype")
    return isinstance(op, Call) and "out" not in op.kwargs and (
        op.fn in _FRESH or op.fn in _INPLACE.values() or isinstance(op.fn, np.ufunc))
