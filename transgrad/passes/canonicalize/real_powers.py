"""Powers of Python floats that must not become complex.

``x ** p`` of Python numbers is complex where ``x`` is negative and ``p`` is no integer. That is known only at run time, and the
derivative was compiled for a real result. `math.pow` computes the same number and raises ValueError instead; the form of the
derivative that runs after an exception raises a TypeError that names the power.

>>> show("y = x ** p", use_real_powers)
y = math.pow(x, p)

The powers of a base that cannot be negative, and integer powers, stay as they are.

>>> show("r = x * x + 1.0; y = r ** p", use_real_powers)
r = x * x + 1.0
y = r ** p
"""
from __future__ import annotations

import builtins
import math
import operator
from collections.abc import Mapping
from typing import Any

import numpy as np

from ...ir.ops import Call, Function, Invoke, Lit, Op, Value, functions_of, walk
from ...ir.types import Num
from ...runtime import real_power
from ..manager import Property, Stage, optimization

__all__ = ["use_real_powers"]

_POWERS = (operator.pow, builtins.pow)
#: functions whose real results are never negative
_NONNEGATIVE = frozenset((abs, operator.abs, math.fabs, math.exp, math.sqrt, math.cosh, math.hypot, math.dist, len, np.abs, np.absolute,
                          np.fabs, np.exp, np.sqrt, np.square, np.hypot, np.linalg.norm))
#: operations whose results are not negative if no operand is
_MONOTONE = frozenset((operator.add, operator.mul, operator.truediv, operator.pow, math.pow, max, min, math.fsum, sum, float, int))


@optimization(Stage.LOWER_NUMPY, requires=(Property.FINAL,))
def use_real_powers(fn: Function, checked: bool = False) -> bool:
    """Rewrite a function, and those that it calls, in place; `Attributes.real_powers` then says whether there are such powers.

    ``checked`` has the powers that the user wrote raise a TypeError with an explanation, at the price of a call.
    """
    found: set[Function] = set()
    for f in functions_of(fn):
        makers: dict[Value, Op] | None = None
        for op in walk(f.body):
            if not isinstance(op, Call) or not _may_be_complex(op):
                continue
            if makers is None:
                makers = {r: made for made in walk(f.body) for r in made.results if isinstance(made, Call)}
            if not _nonnegative(op.args[0], makers):
                op.fn, op.spelling = real_power if checked and op.written else math.pow, None
                found.add(f)
    _write_out(fn, found)
    fn.attrs.real_powers = bool(found)
    return bool(found)


def _write_out(fn: Function, changed: set[Function]) -> None:
    """Have the source of changed functions, and of those that call them, generated instead of calling the user's functions."""
    callers = [(f, {op.func for op in walk(f.body) if isinstance(op, Invoke)}) for f in functions_of(fn)]
    while changed:
        for f in changed:
            f.attrs.emit = True
        changed = {f for f, callees in callers if not f.attrs.emit and not callees.isdisjoint(changed)}


def _may_be_complex(op: Op) -> bool:
    """Whether an operation raises a Python number to a power that may be a fraction, with a result taken for a float."""
    if type(op) is not Call or op.fn not in _POWERS or len(op.args) != 2 or op.kwargs:
        return False
    exponent = op.args[1]
    whole = isinstance(exponent, Lit) and isinstance(exponent.value, (int, float)) and float(exponent.value).is_integer()
    return not whole and op.result.type == Num("float") and all(
        isinstance(a.type, Num) and a.type.kind != "complex" for a in op.args) and exponent.type.kind == "float"


def _nonnegative(x: Any, makers: Mapping[Value, Op], depth: int = 8) -> bool:
    """Whether a number is known not to be negative; NaN counts as such, since its powers are real."""
    if isinstance(x, Lit):
        return isinstance(x.value, (int, float)) and x.value >= 0
    made = makers.get(x)
    if not isinstance(made, Call):
        return isinstance(x.type, Num) and (x.type.dim is not None or x.type.kind == "bool")
    if made.fn in _NONNEGATIVE or made.fn is operator.mul and made.args[0] is made.args[1]:
        return True
    if made.fn in _POWERS and isinstance(n := made.args[1], Lit) and isinstance(n.value, (int, float)) and n.value % 2 == 0:
        return True
    return depth > 0 and made.fn in _MONOTONE and not made.kwargs and all(
        isinstance(a.type, Num) and _nonnegative(a, makers, depth - 1) for a in made.args)
