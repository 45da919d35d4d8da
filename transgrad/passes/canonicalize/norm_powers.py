"""Differentiate even powers of norms as polynomials.

A norm has no derivative at 0, but its square has, of any order::

    y = np.linalg.norm(x); z = y ** 2

    before:  x_bar = 2 * y * z_bar / y * x      (0 / 0 where x is 0)
    after:   x_bar = 2 * z_bar * x

The value of ``z`` stays what the function computes: `Boundary` returns it, and is differentiated like the sum of squares.
Requires that neither ``x`` nor ``y`` is written to.
"""
from __future__ import annotations

import builtins
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ...ir.build import Builder, current
from ...ir.infer import infer
from ...ir.ops import Block, Call, Function, Lit, Op, Operand, Value, blocks_of, walk
from ...ir.prims import Boundary
from ...ir.types import Arr, Num
from ...rules.registry import Rule
from ...rules.static import ZERO
from ...runtime import divisor
from ..analysis.alias import AliasClasses
from ..analysis.def_use import definitions
from ..manager import Property, Stage, analysis, optimization
from ..rewriting import Apply, Match, Var, pattern, rewrite
from ..switches import is_on

__all__ = ["expand_kinks", "differentiate_norm_powers"]


def _model_of(value: Any, model: Any) -> Any:
    return value


_AS_MODEL = Boundary("square", 1, Rule([_model_of], "general", lambda g, y, value, model: (ZERO, g),
                                       jvp=(lambda t, y, value, model: None, lambda t, y, value, model: t)), 1)
_POWERS = frozenset((operator.pow, np.power, builtins.pow, math.pow, np.float_power))
_PRODUCTS = frozenset((operator.mul, np.multiply))
_QUOTIENTS = frozenset((operator.truediv, np.divide))
_SIGNS = frozenset((operator.neg, np.negative))
#: the largest power
_MOST = 8


def _squared(x: Any) -> Any:
    if not isinstance(x.type, (Num, Arr)):      # it may be complex
        return None
    complex_ = isinstance(x.type, Num) and x.type.kind == "complex" or isinstance(x.type, Arr) and x.type.dtype.startswith("complex")
    return np.real(x) ** 2 + np.imag(x) ** 2 if complex_ else x * x


def _of_norm(x: Any, ord: Any = None, axis: Any = None, keepdims: Any = False) -> Any:
    order, along = getattr(ord, "value", ord), getattr(axis, "value", axis)
    dims = len(x.type.dims) if isinstance(x.type, Arr) else 0
    matrix = dims == 2 and along is None or isinstance(along, tuple) and len(along) == 2
    if isinstance(order, Value) or isinstance(along, Value) or not (order is None or order == "fro" or order == 2 and not matrix):
        return None
    square = _squared(x)
    return None if square is None else _sum(square, axis, keepdims)


def _sum(x: Any, axis: Any, keepdims: Any) -> Any:
    given = {"axis": axis, "keepdims": keepdims}
    return np.sum(x, **{k: v for k, v in given.items() if getattr(v, "value", v) not in (None, False)})


def _of_lengths(*coordinates: Any) -> Any:
    total: Any = 0.0
    for c in coordinates:
        total = c * c if total == 0.0 else total + c * c
    return total


#: norms: function → the square of its result, of its arguments; None where there is none
_NORMS: dict[Any, Callable[..., Any]] = {
    np.linalg.norm: _of_norm,
    np.linalg.vector_norm: lambda x, *, axis=None, keepdims=False, ord=2: _of_norm(x, ord, axis, keepdims),
    np.hypot: _of_lengths, math.hypot: _of_lengths,
    np.absolute: _squared, operator.abs: _squared, builtins.abs: _squared, np.fabs: _squared, math.fabs: _squared,
    np.std: lambda a, *args, **kwargs: np.var(a, *args, **kwargs),
    np.ndarray.std: lambda a, *args, **kwargs: np.var(a, *args, **kwargs),
    np.nanstd: lambda a, *args, **kwargs: np.nanvar(a, *args, **kwargs),
}


@optimization(Stage.DIFFERENTIATE, "simplify", analyses=(AliasClasses, definitions))
def differentiate_norm_powers(fn: Function) -> bool:
    """Rewrite a function in place, which is then differentiated."""
    if any(isinstance(op, Call) and op.fn in _NORMS for op in walk(fn.body)) and is_on("simplify"):
        _Rewriter(fn).block(fn.body)
        return True
    return False


class _Rewriter:
    def __init__(self, fn: Function):
        self.makers: dict[Any, Op] = analysis(definitions, fn)
        self.classes = analysis(AliasClasses, fn)

    def block(self, block: Block) -> None:
        ops: list[Op] = []
        for op in block.ops:
            for inner in blocks_of(op):
                self.block(inner)
            ops.append(op)
            if isinstance(op, Call) and not op.kwargs and len(op.results) == 1 and not self.classes.is_written(op.result):
                self.replace(op, ops)
        block.ops = ops

    def replace(self, op: Call, ops: list[Op]) -> None:
        scratch = Block()
        with Builder(scratch, op.part, op.loc) as b:
            model = self.model(op)
            if model is None:
                return
            value = Value(op.result.type, op.result.name, op.result.varied)
            result = op.result
            op.results = [value]
            b.emit(Call(_AS_MODEL, [value, model], results=[result]))
        ops += scratch.ops

    def model(self, op: Call) -> Any:
        """The polynomial that an operation computes, if it raises a norm to an even power or multiplies it by itself."""
        args = op.args
        if op.fn in _POWERS and len(args) == 2 and isinstance(args[1], Lit) and type(args[1].value) in (int, float):
            n = args[1].value
            square = self.square(args[0]) if n % 2 == 0 and 2 <= n <= _MOST else None
            return square if square is None or n == 2 else square ** int(n // 2)
        if op.fn is np.square or op.fn in _PRODUCTS and args[0] is args[1]:
            return self.square(args[0])
        if op.fn in _PRODUCTS and (one := self.multiple(args[0])) and (other := self.multiple(args[1])) and one[0] is other[0]:
            model = self.square(one[0])
            for factor in (*one[1], *other[1]) if model is not None else ():
                model = model / factor[1] if factor[0] in _QUOTIENTS else -model if factor[0] in _SIGNS else model * factor[1]
            return model
        return None

    def multiple(self, v: Operand, depth: int = 3) -> tuple[Value, list[tuple[Any, Any]]] | None:
        """The norm that a value is a multiple of, with the operations that multiply it and their other operands."""
        made = self.makers.get(v)
        if not isinstance(made, Call) or depth == 0 or self.classes.is_written(v):
            return None
        if made.fn in _NORMS:
            return made.result, []
        if made.fn in _SIGNS and not made.kwargs:
            inner = self.multiple(made.args[0], depth - 1)
            return inner and (inner[0], [*inner[1], (made.fn, None)])
        if made.fn in _PRODUCTS | _QUOTIENTS and len(made.args) == 2 and not made.kwargs:
            for k in (0, 1) if made.fn in _PRODUCTS else (0,):
                other = made.args[1 - k]
                if not self.classes.is_written(other) and (inner := self.multiple(made.args[k], depth - 1)):
                    return inner[0], [*inner[1], (made.fn, other)]
        return None

    def square(self, v: Operand, depth: int = 3) -> Any:
        """The square of a value that is a norm, or one times or divided by something."""
        made = self.makers.get(v)
        if not isinstance(made, Call) or depth == 0 or self.classes.is_written(v):
            return None
        if made.fn in _NORMS:
            if any(map(self.classes.is_written, made.args)) or not all(isinstance(a, (Value, Lit)) for a in made.args):
                return None
            if "out" in made.kwargs or "where" in made.kwargs and made.fn not in (np.std, np.nanstd, np.ndarray.std):
                return None
            return _NORMS[made.fn](*made.args, **made.kwargs)
        if made.fn in _SIGNS and not made.kwargs:
            return self.square(made.args[0], depth - 1)
        if made.fn in _PRODUCTS | _QUOTIENTS and len(made.args) == 2 and not made.kwargs:
            for k in (0, 1) if made.fn in _PRODUCTS else (0,):
                norm, other = made.args[k], made.args[1 - k]
                if isinstance(norm, Value) and not self.classes.is_written(other) and (inner := self.square(norm, depth - 1)) is not None:
                    factor = other.value * other.value if isinstance(other, Lit) and other.text is None else _square_of(other)
                    return inner * factor if made.fn in _PRODUCTS else inner / factor
        return None


def _square_of(x: Any) -> Any:
    return current().call(operator.mul, x, x)


@optimization(Stage.LOWER_NUMPY, requires=(Property.FINAL,))
def expand_kinks(fn: Function) -> bool:
    """Write ``y + (y == 0)`` for the divisors of derivatives that are 0 by convention, in a function that is not differentiated again."""
    return rewrite(fn, _divisor)


@pattern(Apply((divisor,), Var("y")))
def _divisor(m: Match) -> Operand:
    zero = Value(infer(operator.eq, [m.y, Lit(0)]), None, m.result.varied)
    m.builder.emit(Call(operator.eq, [m.y, Lit(0)], results=[zero], part=m.op.part, loc=m.op.loc))
    return m.call(operator.add, m.y, zero)
