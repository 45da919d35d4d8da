"""Strength reduction: small whole powers of arrays as products.

NumPy multiplies for ``x ** 2`` and calls a function for ``x ** 3``, which takes a hundred times as long.

>>> show("y = x ** 3", multiply_powers, arrays="x")
y = x ** 2 * x
>>> show("y = x ** -4.0", multiply_powers, arrays="x")
y = 1.0 / (x ** 2) ** 2

A product rounds differently, so the powers that the user wrote stay where the value of the function, a comparison or an index depends on
them.
"""
from __future__ import annotations

import operator
from collections.abc import Set
from typing import Any

import numpy as np

from ...ir.build import Builder
from ...ir.ops import Call, Function, Lit, Operand, blocks_of, operands_of, walk
from ...ir.prims import inplace_at
from ...ir.types import Arr
from ..manager import Stage, optimization
from ..rewriting import Match, Number, Pow, Var, pattern, rewrite

__all__ = ["multiply_powers"]

_POWERS = (operator.pow, np.power)
_CHANGES = frozenset((operator.iadd, operator.isub, operator.imul, operator.itruediv, inplace_at))
#: operations that propagate a rounding error of an operand without amplification
_SMOOTH = frozenset((
    operator.add, operator.sub, operator.mul, operator.truediv, operator.neg, operator.matmul, operator.getitem, *_POWERS, np.sum,
    np.ndarray.sum, np.mean, np.ndarray.mean, np.vdot, np.dot, np.outer, np.einsum, np.roll, np.reshape, np.ndarray.reshape, np.transpose,
    np.expand_dims, np.broadcast_to, np.sqrt, np.exp, np.expm1, np.log, np.log1p, np.sin, np.cos, np.tan, np.tanh, np.sinh, np.cosh,
    np.arctan, np.square, np.add, np.subtract, np.multiply, np.divide, np.negative,
))
#: products round once for each factor, and a power once
_MOST = 8


@optimization(Stage.SIMPLIFY, "simplify")
def multiply_powers(fn: Function) -> bool:
    """Rewrite ``fn`` in place; return whether there was something to do."""
    powers = [op for op in walk(fn.body) if _exponent(op)]
    own = _needed_as_written(fn) if any(op.part == "primal" for op in powers) else frozenset()
    return rewrite(fn, _power, among=lambda op: op.part != "primal" or op.result not in own)


@pattern(Pow(Var("x"), Number("n")))
def _power(m: Match) -> Operand | None:
    n = _exponent(m.op)
    if not n:
        return None
    product: Operand = _product(m.builder, m.x, abs(n))
    return product if n > 0 else m.builder.call(operator.truediv, Lit(1.0), product, type=m.result.type)


def _needed_as_written(fn: Function) -> Set[Operand]:
    """Values on which the function's own result depends, or which must not change by a rounding: comparisons, branches, indices."""
    own: set[Operand] = set()
    ops = list(walk(fn.body))
    derived = {r for op in ops if op.part != "primal" for r in op.results}
    own.update(y for y in fn.body.yields if y not in derived)
    for op in reversed(ops):
        if type(op) is Call and (op.fn in _SMOOTH or op.part != "primal" and op.fn in _CHANGES):
            if not own.isdisjoint(op.results):
                own.update(operands_of(op))
            continue
        own.update(operands_of(op))
        for block in blocks_of(op):
            own.update(block.yields)
    return own


def _exponent(op: Any) -> int:
    """The exponent of a power of an array; 0 if it is not rewritten."""
    if type(op) is not Call or op.fn not in _POWERS or op.kwargs:
        return 0
    x, n = op.args
    if not isinstance(x.type, Arr) or not x.type.dims or x.type.dtype not in ("float64", "float32") or not isinstance(n, Lit):
        return 0
    if type(n.value) not in (int, float) or n.value != int(n.value) or n.text is not None:
        return 0
    return int(n.value) if abs(n.value) <= _MOST and n.value not in (-1, 0, 1, 2) else 0


def _product(b: Builder, x: Any, n: int) -> Any:
    """A power by squares, and a factor for each that is left over."""
    if n == 1:
        return x
    half = _product(b, x, n // 2)
    square = b.call(operator.pow, half, 2, type=x.type)
    return b.call(operator.mul, square, x, type=x.type) if n % 2 else square
