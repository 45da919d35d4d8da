"""Arithmetic of derivatives on Python numbers, with NumPy's results.

The rules compute with Python's operators and `math` where their operands are Python numbers.  These raise where NumPy returns an
infinity or NaN: ``1.0 / x`` at 0, ``math.exp(x)`` at 1000.  The derivative of ``np.log(x)`` at 0 is infinite, not an error.

>>> show("x_bar = g / x", use_numpy_arithmetic)
x_bar = float(np.divide(g, x))

The operations that the user wrote keep their semantics; only those of rules and passes are replaced. Generated code that `may_raise` runs
as it is, and this form of it runs when it raises; a function with effects cannot run twice, and gets this form at once.
"""
from __future__ import annotations

import cmath
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ...ir.clone import clone_function
from ...ir.ops import Block, Call, Function, Invoke, Lit, Op, Value, blocks_of, functions_of, walk
from ...ir.types import Arr, Num
from ...rules.scalar import scalar_functions
from ..manager import Property, Stage, optimization

__all__ = ["may_raise", "raises_where_numpy_does_not", "use_numpy_arithmetic", "with_numpy_arithmetic"]

_OPERATORS: dict[Any, Callable[..., Any]] = {
    operator.truediv: np.divide, operator.floordiv: np.floor_divide, operator.mod: np.mod, operator.pow: np.power, math.pow: np.power,
}
#: functions of Python numbers that never raise
_SAFE = frozenset((math.tanh, math.atan, math.asinh, math.atan2, math.copysign, math.cbrt, math.fabs, math.radians, math.degrees,
                   math.isnan, math.isinf, math.isfinite, cmath.isnan, cmath.isinf, cmath.isfinite))
_NUMPY: dict[Any, Callable[..., Any]] = {**_OPERATORS, **{f: ufunc for ufunc, f in scalar_functions() if f not in _SAFE}}
_CONVERSIONS: dict[str, Callable[..., Any]] = {"float": float, "complex": complex}
_DTYPES = {"float": "float64", "complex": "complex128"}


def raises_where_numpy_does_not(op: Op) -> bool:
    """Whether an operation is one on Python numbers that may raise where NumPy returns an infinity or NaN."""
    if type(op) is not Call or op.kwargs or len(op.results) != 1:
        return False
    try:
        if op.fn not in _NUMPY:
            return False
    except TypeError:       # unhashable
        return False
    if op.fn is operator.truediv and _is_nonzero(op.args[1]):
        return False
    t = op.results[0].type
    return isinstance(t, Num) and t.kind in _CONVERSIONS and all(isinstance(a, (Value, Lit)) and isinstance(a.type, Num) for a in op.args)


def _is_nonzero(x: Any) -> bool:
    return isinstance(x, Lit) and type(x.value) in (int, float, complex) and x.value != 0


def may_raise(fn: Function) -> bool:
    """Whether the derivative part of a function, or of one that it calls, may raise where NumPy's arithmetic does not."""
    return any(not op.written and raises_where_numpy_does_not(op) for f in functions_of(fn) for op in walk(f.body))


@optimization(Stage.LOWER_NUMPY, requires=(Property.FINAL,))
def use_numpy_arithmetic(fn: Function) -> bool:
    """Rewrite a function, and those that it calls, in place."""
    if not may_raise(fn):
        return False
    for f in functions_of(fn):
        _block(f.body)
    return True


def with_numpy_arithmetic(fn: Function) -> Function:
    """Return a copy of a function, and of those that it calls, with NumPy's arithmetic."""
    copies: dict[int, Function] = {}

    def copied(f: Function) -> Function:
        if id(f) not in copies:
            copies[id(f)] = made = clone_function(f)
            for op in walk(made.body):
                if isinstance(op, Invoke):
                    op.func = copied(op.func)
        return copies[id(f)]

    found = copied(fn)
    use_numpy_arithmetic(found)
    return found


def _block(block: Block) -> None:
    ops: list[Op] = []
    for op in block.ops:
        for inner in blocks_of(op):
            _block(inner)
        if type(op) is Call and not op.written and raises_where_numpy_does_not(op):
            kind = op.results[0].type.kind      # type: ignore[union-attr]
            number = Value(Arr(_DTYPES[kind], (), scalar=True), None, op.results[0].varied)
            ops.append(Call(_NUMPY[op.fn], op.args, results=[number], loc=op.loc, part=op.part))
            op = Call(_CONVERSIONS[kind], [number], results=op.results, loc=op.loc, part=op.part)
        ops.append(op)
    block.ops = ops
