"""What NumPy does in Python is asked of its machine code: ``np.zeros_like(x)``, ``np.expand_dims(x, 1)`` take four times as long as
``np.zeros(len(x))``, ``x[:, None]``."""
from __future__ import annotations

import operator

import numpy as np

from ...ir.build import Builder
from ...ir.ops import Block, Call, Function, Lit, Op, Value, blocks_of
from ...ir.types import Arr, Num
from ..switches import is_on

__all__ = ["call_directly"]


_SLOW = (np.zeros_like, np.expand_dims)


def call_directly(fn: Function) -> None:
    """Rewrites the adjoint part of a finished function in place; what the user wrote stays as it is."""
    if is_on("simplify"):
        _block(fn.body, frozenset(fn.params))


def _block(block: Block, given: frozenset[Value]) -> None:
    ops: list[Op] = []
    for op in block.ops:
        if type(op) is not Call:
            for inner in blocks_of(op):
                _block(inner, given)
        elif op.fn in _SLOW and op.part != "primal" and not op.kwargs and op.args:
            t = op.args[0].type
            # an argument is the array that its type says; a cotangent may be a number that stands for its broadcast
            if op.fn is np.zeros_like and op.args[0] in given and type(t) is Arr and len(t.dims) == 1 and t.dtype == "float64":
                with Builder(Block([], ops), op.part, op.loc) as b:     # of one dimension, so that there is one order of its elements
                    op.args = [b.call(len, op.args[0], type=Num("int"))]
                op.fn, op.spelling = np.zeros, None
            elif op.fn is np.expand_dims and type(t) is Arr and t.dims and (axis := _place(op)) is not None and axis <= len(t.dims):
                index = (*[slice(None)] * axis, None) if axis else None
                op.fn, op.args, op.spelling = operator.getitem, [op.args[0], Lit(index)], None
        ops.append(op)
    block.ops = ops


def _place(op: Call) -> int | None:
    """Where a dimension is added; None where that is counted from the end, or not known."""
    axis = op.args[1].value if len(op.args) == 2 and isinstance(op.args[1], Lit) else None
    return axis if type(axis) is int and axis >= 0 else None
