"""Inline derivatives that select elements, before they are differentiated again.

The derivative of ``np.where(x > 0, np.sqrt(x), 0.0)`` consists of two functions: one computes the derivative of ``sqrt``, the other
selects. Differentiated separately, the first multiplies zero cotangents by infinite derivatives and cannot know that they were not
selected (see `nan_masking`).

Calls that are recomputed in the reverse sweep (checkpoints), recursive calls and calls of large functions are not inlined.
"""
from __future__ import annotations

import numpy as np

from ...ir.clone import clone_function
from ...ir.ops import Call, Function, If, Invoke, Op, Value, walk
from ...ir.types import Arr
from ..manager import Stage, optimization
from .inline import TooLarge, inline_calls

__all__ = ["inline_derivatives"]

#: operations of a function whose derivatives are inlined
_LIMIT = 800


@optimization(Stage.DIFFERENTIATE)
def inline_derivatives(fn: Function) -> bool:
    """Inline them in place."""
    if not any(_is_derivative(op) and _selects(op.func, set()) for op in walk(fn.body) if isinstance(op, Invoke)):
        return False
    trial = clone_function(fn)
    try:
        inline_calls(trial, _is_derivative, _LIMIT)
    except TooLarge:
        return False
    fn.body, fn.signature, fn.names = trial.body, trial.signature, trial.names
    return True


def _is_derivative(op: Op) -> bool:
    return isinstance(op, Invoke) and op.func.origin is None and not op.again


def _selects(fn: Function, seen: set[int]) -> bool:
    """Whether a function, or one that it calls, selects elements or branches."""
    if id(fn) in seen:
        return False
    seen.add(id(fn))
    for op in walk(fn.body):
        if isinstance(op, Invoke) and _selects(op.func, seen):
            return True
        if isinstance(op, If) and op.results or isinstance(op, Call) and (op.fn is np.where and len(op.args) == 3 or any(
                isinstance(a, Value) and isinstance(a.type, Arr) and a.type.dtype == "bool" for a in op.args[1:2])):
            return True
    return False
