"""The derivative of `logaddexp` without its value, if nothing else reads that.

>>> show("y = np.exp(b - np.logaddexp(a, b))", differentiate_logaddexp, arrays="a b")
y = 1.0 / (1.0 + np.exp(np.minimum(a - b, 709.0)))

One exponential is a third of the work.
"""
from __future__ import annotations

import operator

import numpy as np

from ...ir.ops import Call, Function, Lit, Op, Operand
from ...ir.types import Arr, Num
from ..analysis.alias import AliasClasses
from ..manager import Stage, optimization
from ..rewriting import Exp, Match, Sub, Var, pattern, rewrite

__all__ = ["differentiate_logaddexp"]

#: the largest number with a finite exponential, with a margin: beyond it, the derivative is 0 to the last digit
_MOST = {"float64": 709.0, "float32": 88.0}


@optimization(Stage.SIMPLIFY, "simplify", analyses=(AliasClasses,))
def differentiate_logaddexp(fn: Function) -> bool:
    """Rewrite ``fn`` in place."""
    return rewrite(fn, _slope)


@pattern(Exp(Sub(Var("b"), Var("y"))))
def _slope(m: Match) -> Operand | None:
    total, t = m.maker(m.y), m.result.type
    if type(total) is not Call or total.fn is not np.logaddexp or not all(_is_slope(m, total, user) for user in m.users(m.y)):
        return None
    a = total.args[0] if m.b is total.args[1] else total.args[1]
    rise = m.builder.call(operator.neg, m.b) if isinstance(a, Lit) and a.value == 0 else m.builder.call(operator.sub, a, m.b)
    other = m.builder.call(np.exp, m.builder.call(np.minimum, rise, _MOST[t.dtype]))  # type: ignore[union-attr]
    return m.builder.call(operator.truediv, 1.0, m.builder.call(operator.add, 1.0, other), type=t)  # type: ignore[no-any-return]


def _is_slope(m: Match, total: Call, user: Op | None) -> bool:
    """Whether a use of ``y = logaddexp(a, b)`` is ``exp(b - y)`` or ``exp(a - y)``."""
    if type(user) is not Call or user.fn is not operator.sub or user.kwargs or user.args[1] is not total.result or total.kwargs:
        return False
    t = user.result.type
    plain = isinstance(t, Arr) and t.dtype in _MOST and not t.scalar and user.args[0] in total.args and total.args[0] is not total.args[1]
    above = m.users(user.result)
    return plain and len(above) == 1 and type(above[0]) is Call and above[0].fn is np.exp and not above[0].kwargs and all(
        isinstance(x.type, (Arr, Num)) for x in total.args)
