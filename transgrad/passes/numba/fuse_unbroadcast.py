"""Fuse un-broadcasting with accumulation.

``a += unbroadcast(w, like)`` adds ``w`` itself if nothing was broadcast, which is known only at run time.
"""
from __future__ import annotations

import operator
from collections import Counter, defaultdict
from typing import Any

import numpy as np

from ...ir.ops import Block, Call, Function, Op, Operand, Value, blocks_of, operands_of, walk
from ...ir.prims import inplace_at
from ...ir.types import Arr
from ...runtime import unbroadcast
from ..analysis.def_use import definitions
from ..scalarize.functions.elementwise import is_elementwise
from .fusion_group import same_dim

__all__ = ["fold_into_writes"]

_SUMS = frozenset((operator.iadd, operator.isub))


def fold_into_writes(fn: Function, targets: dict[int, Value]) -> dict[int, Operand]:
    """Rewrite a function in place, so that such additions add the array that is to be summed down.

    Parameters
    ----------
    fn : Function
        The function.
    targets : dict
        The views that writes go to, by the identity of the operation.

    Returns
    -------
    dict
        The array whose shape is that of the sum, by the identity of the addition.
    """
    uses: dict[Any, list[Op]] = defaultdict(list)
    counts: Counter[Any] = Counter()
    for op in walk(fn.body):
        for o in operands_of(op):
            uses[o].append(op)
            counts[o] += 1
        counts.update(y for block in blocks_of(op) for y in block.yields)
    counts.update(fn.body.yields)
    defs = definitions(fn)
    folds: dict[int, Operand] = {}

    def visit(block: Block) -> None:
        done: set[int] = set()
        for op in block.ops:
            for inner in blocks_of(op):
                visit(inner)
            place = _value_place(op)
            if place is None:
                continue
            assert isinstance(op, Call)
            summed = defs.get(op.args[place])
            target = targets.get(id(op), op.args[0] if place == 1 else None)
            if isinstance(summed, Call) and summed.fn is unbroadcast and summed in block.ops and counts[summed.result] == 1 and _fits(
                    target, summed.args[0], summed.args[1], defs, uses, counts):
                folds[id(op)] = summed.args[1]
                op.args[place] = summed.args[0]
                done.add(id(summed))
        block.ops = [op for op in block.ops if id(op) not in done]

    visit(fn.body)
    return folds


def _value_place(op: Op) -> int | None:
    """The position of the addend among the arguments of an in-place addition."""
    if not isinstance(op, Call):
        return None
    if op.fn in _SUMS and len(op.args) == 2:
        return 1
    return 2 if op.fn is inplace_at and op.args[3].value in _SUMS else None


def _fits(target: Any, w: Any, like: Any, defs: dict[Value, Op], uses: dict[Any, list[Op]], counts: Counter[Any]) -> bool:
    """Whether ``w`` is an array that one loop computes and nothing changes, of whose lengths only some may be others in the target."""
    if not all(isinstance(v, Value) and isinstance(v.type, Arr) and v.type.dims for v in (target, w, like)):
        return False
    dtype = np.dtype(target.type.dtype)
    if dtype != w.type.dtype or dtype.kind != "f" or len({len(v.type.dims) for v in (target, w, like)}) > 1:
        return False
    if not all(same_dim(d, e) or d.one is None and e.one is False for d, e in zip(target.type.dims, w.type.dims)):
        return False
    made = defs.get(w)
    return made is not None and is_elementwise(made) and counts[w] == len(uses[w]) and all(_only_reads(op, w) for op in uses[w])


def _only_reads(op: Op, w: Value) -> bool:
    if is_elementwise(op) or isinstance(op, Call) and op.fn is unbroadcast:
        return True
    return isinstance(op, Call) and (op.fn is operator.setitem or _value_place(op) is not None) and op.args[0] is not w
