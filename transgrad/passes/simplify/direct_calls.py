"""Replace NumPy functions written in Python with equivalent calls of compiled code.

``np.zeros_like(x)``, ``np.expand_dims(x, 1)`` and ``np.reshape(x, shape)`` take four to ten times as long as ``np.zeros(len(x))``,
``x[:, None]`` and ``x.reshape(shape)``.
"""
from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ...ir.build import Builder
from ...ir.ops import Block, Call, Function, Lit, Op, Value, blocks_of, functions_of
from ...ir.types import Arr, Num
from ..manager import Property, Stage, optimization
from ..switches import is_on

__all__ = ["lower_direct_calls"]

_METHODS: dict[Callable[..., Any], Callable[..., Any]] = {
    np.reshape: np.ndarray.reshape, np.transpose: np.ndarray.transpose, np.swapaxes: np.ndarray.swapaxes, np.squeeze: np.ndarray.squeeze,
}
_SLOW = frozenset((np.zeros_like, np.expand_dims, np.flip, *_METHODS))


@optimization(Stage.LOWER_NUMPY, "simplify", requires=(Property.FINAL,))
def lower_direct_calls(ir: Function) -> bool:
    """Rewrite the adjoint part of a finished function and of its callees in place; the user's code is not changed."""
    if is_on("simplify"):
        for fn in functions_of(ir):
            _block(fn.body, frozenset(fn.params) if fn is ir else frozenset())
    return True


def _block(block: Block, given: frozenset[Value]) -> None:
    ops: list[Op] = []
    for op in block.ops:
        if type(op) is not Call:
            for inner in blocks_of(op):
                _block(inner, given)
        elif op.fn in _SLOW and op.part != "primal" and not op.kwargs and op.args and type(op.args[0].type) is Arr and op.args[0].type.dims:
            _call(op, op.args[0].type, given, ops)
        ops.append(op)
    block.ops = ops


def _call(op: Call, t: Arr, given: frozenset[Value], ops: list[Op]) -> None:
    rank = len(t.dims)
    if op.fn is np.zeros_like:
        # an argument is the array that its type says, a cotangent may be a number that stands for its broadcast
        if op.args[0] in given and rank == 1 and t.dtype == "float64":      # of one dimension there is one order of its elements
            with Builder(Block([], ops), op.part, op.loc) as b:
                op.args = [b.call(len, op.args[0], type=Num("int"))]
            op.fn, op.spelling = np.zeros, None
    elif op.fn in (np.expand_dims, np.flip):
        axis = op.args[1].value if len(op.args) == 2 and isinstance(op.args[1], Lit) else None
        rank += op.fn is np.expand_dims
        if type(axis) is int and -rank <= axis < rank:
            there = None if op.fn is np.expand_dims else slice(None, None, -1)
            index = (*[slice(None)] * (axis % rank), there)
            op.fn, op.args, op.spelling = operator.getitem, [op.args[0], Lit(index if axis % rank else there)], None
    else:
        op.fn, op.spelling = _METHODS[op.fn], None
