"""Differentiate some compositions as one operation, and some operations as a composition.

The derivative of ``1 / (1 + exp(-x))`` needs only the result, and no ``0 * inf`` arises if the exponential overflows. ``np.diff(x)`` is
reversed as ``x[1:] - x[:-1]``, which adds to two slices of one array.
"""
from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from ....ir.ops import Call, Lit, Operand, Value
from ....ir.types import Arr, Num
from ...switches import is_on
from ..nan_masking import masked_entries, unmasked
from .arrays import accumulate_at

if TYPE_CHECKING:
    from .driver import Reverse

__all__ = ["is_difference", "reverse_composite"]

_DIVIDES, _ADDS = (operator.truediv, np.divide), (operator.add, np.add)
#: differences of so many are written out
_MOST = 3
_EXPONENTIALS, _NEGATES = (np.exp, math.exp), (operator.neg, np.negative)


def reverse_composite(r: "Reverse", op: Call, g: Any) -> bool:
    """Reverse an operation with those that made its operands, as one, or as others; return whether it could."""
    if op.fn is np.diff and is_difference(op) and r.shadowed(op.args[0]):
        _reverse_difference(r, op, g)
        return True
    if op.fn not in _DIVIDES or op.kwargs or not _is_one(op.args[0]) or not is_on("simplify"):
        return False
    exponent = _exponent(r, op)
    if exponent is None or not isinstance(exponent, Value) or r.classes.is_written(exponent):
        return False
    y = r.keep(op.result, op, after=True)
    g, mask = unmasked(r, op, "elementwise", g)
    slope = r.builder.call(operator.mul, y, r.builder.call(operator.sub, Lit(1.0), y))
    entry, = masked_entries(r, op, "elementwise", g, mask, [r.builder.call(operator.mul, g, slope)])
    negated = r.layout.maker.get(exponent)
    if isinstance(negated, Call) and negated.fn in _NEGATES and not negated.kwargs and not r.classes.is_written(negated.args[0]):
        r.add(negated.args[0], entry, owned=True)
    else:
        r.add(exponent, r.builder.call(operator.neg, entry), owned=True)
    return True


def is_difference(op: Call) -> bool:
    """Whether a call computes the first few differences of an array along a known axis."""
    if op.fn is not np.diff or not op.args or len(op.args) > 3 or not op.kwargs.keys() <= {"n", "axis"} or not is_on("simplify"):
        return False
    t = op.args[0].type
    n, axis = _setting(op, 1, "n", 1), _setting(op, 2, "axis", -1)
    return isinstance(op.args[0], Value) and isinstance(t, Arr) and type(n) is int and 1 <= n <= _MOST and type(axis) is int and (
        -len(t.dims) <= axis < len(t.dims))


def _setting(op: Call, place: int, name: str, otherwise: Any) -> Any:
    return getattr(op.args[place] if len(op.args) > place else op.kwargs.get(name, Lit(otherwise)), "value", None)


def _reverse_difference(r: "Reverse", op: Call, g: Any) -> None:
    """Add the cotangent to a part of the argument's for each term of the difference: ``x[2:] - 2 * x[1:-1] + x[:-2]``."""
    base, n = op.args[0], _setting(op, 1, "n", 1)
    axes = [slice(None)] * (_setting(op, 2, "axis", -1) % len(base.type.dims))
    for k in range(n, -1, -1):
        part = slice(k or None, k - n or None)
        times = math.comb(n, k)
        entry = g if times == 1 else r.builder.call(operator.mul, Lit(times), g)
        entry = entry if (n - k) % 2 == 0 else r.builder.call(operator.neg, entry)
        accumulate_at(r, r.shadow(base), Lit((*axes, part) if axes else part), entry)


def _exponent(r: "Reverse", op: Call) -> Operand | None:
    """``u`` of ``1 / (1 + exp(u))``, if no operand is overwritten in between."""
    t = op.result.type
    if not (isinstance(t, Num) and t.kind == "float" or isinstance(t, Arr) and t.dtype.startswith("float")):
        return None
    total = _made_by(r, op.args[1], _ADDS)
    if total is None:
        return None
    others = [a for a in total.args if not _is_one(a)]
    exponential = _made_by(r, others[0], _EXPONENTIALS) if len(others) == 1 else None
    return None if exponential is None else exponential.args[0]


def _made_by(r: "Reverse", x: Operand, fns: tuple[Any, ...]) -> Call | None:
    """The call of one of these functions that made a value, which nothing writes to."""
    made = r.layout.maker.get(x) if isinstance(x, Value) else None
    return made if isinstance(made, Call) and made.fn in fns and not made.kwargs and not r.classes.is_written(x) else None


def _is_one(x: Any) -> bool:
    return isinstance(x, Lit) and type(x.value) in (int, float) and x.value == 1
