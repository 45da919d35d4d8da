"""Differentiate a sum of squares as twice a sum of products: ``2.0 * np.sum(x * x_dot)``.

The factor multiplies a number instead of an array, cancels against the factor 1/2 of a square root or of a loss, and the remaining sum
is a contraction when there are many directions.
"""
from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from ....ir.effects import aliases
from ....ir.ops import Call, Function, Lit, Op, Operand, Value, count_reads, walk
from ....ir.types import Arr
from ...algebra.folding_builder import AlgebraBuilder
from ...analysis.alias import AliasClasses
from ...switches import is_on

__all__ = ["TangentBuilder", "summed_squares"]

_SUMS = frozenset((np.sum, np.ndarray.sum, np.mean, np.ndarray.mean))
_PRODUCTS = frozenset((operator.mul, np.multiply))
_FLOATS = ("float64", "float32")


class TangentBuilder(AlgebraBuilder):
    """A builder that has factors meet: ``0.5 * (2.0 * t)`` is ``t``."""

    def _simplified(self, fn: Any, a: list[Any]) -> Operand | None:
        found = super()._simplified(fn, a)
        if found is None and fn in _PRODUCTS and len(a) == 2:
            for c, x in (a, a[::-1]):
                if isinstance(c, Lit) and (factors := self._factors(c, x)) is not None:
                    return self.call(operator.mul, *factors)  # type: ignore[no-any-return]
        return found

    def _factors(self, c: Lit, x: Any) -> tuple[Lit, Any] | None:
        """``c * (d * y)`` as the factors ``c * d`` and ``y``, where one number is a power of two, so that nothing is rounded otherwise."""
        made = self.expression(x)
        if made is None or made.fn is not operator.mul or not isinstance(d := made.args[0], Lit):
            return None
        y, numbers = made.args[1], (c.value, d.value)
        if not all(type(v.value) is float and v.text is None and 1e-100 < abs(v.value) < 1e100 for v in (c, d)):
            return None
        source = self.maker.get(self.memory(y)) if isinstance(y, Value) else None
        own = isinstance(source, Call) and not aliases(source)      # this builder has not seen the writes to arrays of other builders
        exact = any(abs(math.frexp(v)[0]) == 0.5 for v in numbers)
        return (Lit(math.prod(numbers)), y) if own and exact and y.type == x.type else None


def summed_squares(fn: Function, makers: dict[Value, Op], classes: AliasClasses) -> dict[int, Value]:
    """The sums of squares without other uses, each by its id, with the squared value: neither is written to."""
    if not is_on("simplify"):
        return {}
    found = {id(op): (op.args[0], x) for op in walk(fn.body) if type(op) is Call and op.fn in _SUMS and op.args
             and (x := _squared(makers.get(op.args[0]))) is not None}
    if not found:
        return {}
    read = count_reads(fn)
    return {key: x for key, (square, x) in found.items()
            if read[square] == 1 and not classes.is_written(square) and not classes.is_written(x)}


def _squared(made: Any) -> Value | None:
    """The array of floats that an operation squares."""
    if type(made) is not Call or made.kwargs or not made.args or not isinstance(made.args[0], Value):
        return None
    x, *rest = made.args
    if not isinstance(x.type, Arr) or not x.type.dims or x.type.dtype not in _FLOATS:
        return None
    if made.fn in _PRODUCTS:
        return x if len(rest) == 1 and rest[0] is x else None
    if made.fn is operator.pow:
        return x if isinstance(rest[0], Lit) and type(rest[0].value) in (int, float) and rest[0].value == 2 else None
    return x if made.fn is np.square else None
