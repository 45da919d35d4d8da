"""Which callables Python has syntax for: unary, binary, comparison and augmented operators."""
from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

from ..ir.prims import not_in

__all__ = ["AUGMENTED", "BINARY", "COMPARE", "INPLACE", "NEGATED", "SWAPPED", "UNARY"]

Fn = Callable[..., Any]

UNARY: dict[Fn, type[ast.unaryop]] = {
    operator.neg: ast.USub, operator.pos: ast.UAdd, operator.invert: ast.Invert, operator.inv: ast.Invert, operator.not_: ast.Not,
}

BINARY: dict[Fn, type[ast.operator]] = {
    operator.add: ast.Add, operator.sub: ast.Sub, operator.mul: ast.Mult, operator.truediv: ast.Div, operator.floordiv: ast.FloorDiv,
    operator.mod: ast.Mod, operator.pow: ast.Pow, operator.matmul: ast.MatMult, operator.and_: ast.BitAnd, operator.or_: ast.BitOr,
    operator.xor: ast.BitXor, operator.lshift: ast.LShift, operator.rshift: ast.RShift,
}

COMPARE: dict[Fn, type[ast.cmpop]] = {
    operator.lt: ast.Lt, operator.le: ast.LtE, operator.gt: ast.Gt, operator.ge: ast.GtE, operator.eq: ast.Eq, operator.ne: ast.NotEq,
    operator.is_: ast.Is, operator.is_not: ast.IsNot, operator.contains: ast.In, not_in: ast.NotIn,
}

#: Comparisons that are written with their arguments the other way round (``item in container``).
SWAPPED: frozenset[Fn] = frozenset((operator.contains,))

#: Comparisons whose negation Python can say; ``not a < b`` is not ``a >= b`` (NaN), nor ``not a == b`` always ``a != b``.
NEGATED: dict[type[ast.cmpop], type[ast.cmpop]] = {ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In}

#: In-place operators of the IR: the result is the first argument, written to.
INPLACE: dict[Fn, type[ast.operator]] = {
    operator.iadd: ast.Add, operator.isub: ast.Sub, operator.imul: ast.Mult, operator.itruediv: ast.Div, operator.ifloordiv: ast.FloorDiv,
    operator.imod: ast.Mod, operator.ipow: ast.Pow, operator.imatmul: ast.MatMult, operator.iand: ast.BitAnd, operator.ior: ast.BitOr,
    operator.ixor: ast.BitXor, operator.ilshift: ast.LShift, operator.irshift: ast.RShift,
}

#: Operators that may be written augmented where the target is the left argument and immutable.
AUGMENTED: dict[Fn, type[ast.operator]] = dict(BINARY)
