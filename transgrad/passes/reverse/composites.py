"""Derivatives of several operations as one, where the whole is simpler than its parts: of ``1 / (1 + exp(-x))`` the result alone is
kept, and no ``0 * inf`` comes of an exponential that overflows."""
from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from ...ir.ops import Call, Lit, Operand, Value
from ...ir.types import Arr, Num
from ..switches import is_on

if TYPE_CHECKING:
    from .driver import Reverse

__all__ = ["reverse_composite"]

_DIVIDES, _ADDS = (operator.truediv, np.divide), (operator.add, np.add)
_EXPONENTIALS, _NEGATES = (np.exp, math.exp), (operator.neg, np.negative)


def reverse_composite(r: "Reverse", op: Call, g: Any) -> bool:
    """Reverses an operation with those that made its operands, as one; whether it could."""
    if op.fn not in _DIVIDES or op.kwargs or not _is_one(op.args[0]) or not is_on("simplify"):
        return False
    exponent = _exponent(r, op)
    if exponent is None or not isinstance(exponent, Value) or r.classes.is_written(exponent):
        return False
    y = r.keep(op.result, op, after=True)
    slope = r.builder.call(operator.mul, y, r.builder.call(operator.sub, Lit(1.0), y))
    entry = r.builder.call(operator.mul, g, slope)
    negated = r.layout.maker.get(exponent)
    if isinstance(negated, Call) and negated.fn in _NEGATES and not negated.kwargs and not r.classes.is_written(negated.args[0]):
        r.add(negated.args[0], entry, owned=True)
    else:
        r.add(exponent, r.builder.call(operator.neg, entry), owned=True)
    return True


def _exponent(r: "Reverse", op: Call) -> Operand | None:
    """``u`` of ``1 / (1 + exp(u))``, where nothing is written over meanwhile."""
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
