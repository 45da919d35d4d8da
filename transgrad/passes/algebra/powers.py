"""Derivatives compute small whole powers of arrays by products: for ``x ** 2`` NumPy multiplies, for ``x ** 3`` it takes a hundred times as
long."""
from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ...ir.build import Builder
from ...ir.ops import Block, Call, Function, Lit, Operand, Value, blocks_of, walk
from ...ir.types import Arr
from ..substitute import substitute

__all__ = ["multiply_powers"]

_POWERS = (operator.pow, np.power)
#: products round once for each factor, and a power once
_MOST = 8


def multiply_powers(fn: Function) -> bool:
    """Rewrites ``fn`` in place, and says whether there was something to do; what the function itself computes stays as it is written."""
    found = any(map(_exponent, walk(fn.body)))
    if found:
        _block(fn.body)
    return found


def _exponent(op: Any) -> int:
    """To which power an operation of a derivative takes an array; 0 where it is to stay."""
    if type(op) is not Call or op.fn not in _POWERS or op.part == "primal" or op.kwargs:
        return 0
    x, n = op.args
    if not isinstance(x.type, Arr) or not x.type.dims or x.type.dtype not in ("float64", "float32") or not isinstance(n, Lit):
        return 0
    if type(n.value) not in (int, float) or n.value != int(n.value) or n.text is not None:
        return 0
    return int(n.value) if abs(n.value) <= _MOST and n.value not in (-1, 0, 1, 2) else 0


def _block(block: Block) -> None:
    made: dict[Value, Operand] = {}
    ops, block.ops = block.ops, []
    with Builder(block) as b:
        for op in ops:
            for inner in blocks_of(op):
                _block(inner)
            n = _exponent(op)
            if not n:
                block.ops.append(op)
                continue
            b.loc, b.part = op.loc, op.part
            assert isinstance(op, Call)
            product = _product(b, op.args[0], abs(n))
            found = product if n > 0 else b.call(operator.truediv, Lit(1.0), product, type=op.result.type)
            found.name = op.result.name
            made[op.result] = found
    substitute(block, made)


def _product(b: Builder, x: Any, n: int) -> Any:
    """A power by squares, and a factor for each that is left over."""
    if n == 1:
        return x
    half = _product(b, x, n // 2)
    square = b.call(operator.pow, half, 2, type=x.type)
    return b.call(operator.mul, square, x, type=x.type) if n % 2 else square
