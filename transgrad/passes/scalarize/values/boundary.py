"""Analysis: operations that accept Python floats instead of NumPy scalars, and operations that must not run twice."""
from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from ....ir.effects import SHAPE_CHECKS, is_pure, not_only_computing, writes
from ....ir.ops import Call, CallValue, Function, Lit, Op, SetAttr, Try, Value, functions_of, walk
from ....ir.prims import inplace_at
from ....ir.types import Arr
from ...analysis.alias import AliasClasses, summarize
from .small_arrays import is_scalar

__all__ = ["has_effects", "takes"]

_TAKES = frozenset((float, int, bool, operator.not_, *(f for f in vars(math).values() if callable(f))))
_STORES = frozenset((operator.setitem, inplace_at, operator.iadd, operator.isub, operator.imul, operator.itruediv))
_ARITHMETIC = frozenset((operator.add, operator.sub, operator.mul, operator.truediv, np.add, np.subtract, np.multiply, np.divide))


def takes(op: Op, operand: Any) -> bool:
    """Whether an operation takes a Python float for a NumPy scalar, and does the same with it."""
    if type(operand) is not Value or not is_scalar(operand.type) or not isinstance(op, Call) or op.kwargs:
        return False
    fn = op.fn
    if fn is operator.not_:
        return True
    if operand.type.dtype == "bool":  # type: ignore[union-attr]
        return False
    try:
        if fn in _TAKES:
            return True
        stores, computes = fn in _STORES, fn in _ARITHMETIC
    except TypeError:       # unhashable
        return False
    if stores:
        base, value = op.args[0], op.args[2 if fn in (operator.setitem, inplace_at) else 1]
        return operand is value and sum(a is operand for a in op.args) == 1 and _is_float64(base)
    return computes and len(op.args) == 2 and any(_is_float64(a) for a in op.args)


def _is_float64(x: Any) -> bool:
    t = x.type
    return isinstance(t, Arr) and t.dtype == "float64" and not t.scalar


def has_effects(fn: Function, classes: AliasClasses | None = None) -> bool:
    """Whether a function has effects, so that it cannot be run again after an exception; ``classes`` are its
    own, if they are known."""
    if summarize(fn).written if classes is None else any(classes.is_written(p) or classes.holds_written(p) for p in fn.params):
        return True
    return any(_has_effect(op) for f in functions_of(fn) for op in not_only_computing(walk(f.body)))


def _has_effect(op: Op) -> bool:
    """Whether something outside of a function may notice an operation that does more than compute."""
    if type(op) is Call:
        return op.fn not in SHAPE_CHECKS and not is_pure(op) and (not writes(op) or any(isinstance(w, Lit) for w in writes(op)))
    return isinstance(op, (Try, CallValue, SetAttr))
