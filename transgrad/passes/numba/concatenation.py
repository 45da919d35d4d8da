"""Concatenate lists of arrays: a list display becomes a tuple, which Numba supports; a list that a loop has filled is copied row by row."""
from __future__ import annotations

from typing import Any

import numpy as np

from ...ir.effects import writes
from ...ir.memory import Memory
from ...ir.ops import Block, Build, Call, Function, Lit, Op, Star, Value, blocks_of, walk
from ...ir.types import Arr, ListT, TupleT
from ...runtime.numba import rows
from ..analysis.def_use import definitions
from ..manager import Property, Stage, analysis, optimization

__all__ = ["join_lists"]

_JOINS = frozenset((np.stack, np.hstack, np.vstack, np.concatenate, np.column_stack, np.dstack))


@optimization(Stage.LOWER_NUMBA, requires=(Property.FINAL,), analyses=(definitions,))
def join_lists(fn: Function) -> bool:
    """Rewrite such calls of a function in place."""
    calls = [op for op in walk(fn.body) if isinstance(op, Call) and op.args and isinstance(op.args[0], Value) and isinstance(
        op.args[0].type, ListT) and (_is_join(op.fn) or op.fn is np.array)]
    if not calls:
        return False
    memory = Memory(fn)
    defs = analysis(definitions, fn)
    written = [w for op in walk(fn.body) for w in writes(op) if isinstance(w.type, ListT)]
    tuples: dict[int, Build] = {}
    for op in calls:
        items = op.args[0]
        made = defs.get(items)
        whole = isinstance(made, Build) and made.kind == "list" and made.items and not any(isinstance(i, Star) for i in made.items)
        if whole and not any(memory.may_share(items, w) for w in written):
            assert isinstance(made, Build)
            if op.fn is np.array and not op.kwargs and len(op.args) == 1 and all(_is_row(i.type, made.items[0].type) for i in made.items):
                op.fn, op.spelling = np.stack, None
            if op.fn is not np.array:
                tuples[id(op)] = Build("tuple", list(made.items), results=[Value(TupleT(tuple(i.type for i in made.items)), items.name)],
                                       loc=op.loc, part=op.part)
                op.args = [tuples[id(op)].results[0], *op.args[1:]]
            continue
        _by_rows(op, items.type)
    _insert(fn.body, tuples)
    return True


def _is_join(fn: Any) -> bool:
    try:
        return fn in _JOINS
    except TypeError:
        return False


def _is_row(t: Any, first: Any) -> bool:
    return isinstance(t, Arr) and isinstance(first, Arr) and 0 < len(t.dims) == len(first.dims) and t.dtype == first.dtype


def _by_rows(op: Call, t: Any) -> None:
    """Join a list of unknown length along the first axis."""
    axis = op.kwargs.get("axis", op.args[1] if len(op.args) > 1 else Lit(0))
    plain = isinstance(t.elem, Arr) and t.elem.dims and set(op.kwargs) <= {"axis"} and isinstance(axis, Lit) and axis.value == 0
    if not plain or len(op.args) > 2 or op.fn is np.array and len(op.args) > 1:
        return
    if op.fn in (np.stack, np.array) or op.fn is np.vstack and len(t.elem.dims) == 1:
        op.fn = rows.stacked_rows
    elif op.fn in (np.concatenate, np.vstack) or op.fn is np.hstack and len(t.elem.dims) == 1:
        op.fn = rows.joined_rows
    else:
        return
    op.args, op.kwargs, op.spelling = op.args[:1], {}, None


def _insert(block: Block, before: dict[int, Build]) -> None:
    """Put operations in front of those that they are for."""
    ops: list[Op] = []
    for op in block.ops:
        for inner in blocks_of(op):
            _insert(inner, before)
        if id(op) in before:
            ops.append(before[id(op)])
        ops.append(op)
    block.ops = ops
