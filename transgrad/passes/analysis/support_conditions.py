"""Conditions that compare a derivative with zero, to mask what is computed from it.

A product ``g * c`` of a derivative ``g`` is masked by ``np.where(g != 0, g * c, 0.0)``, because ``c`` may be infinite where ``g`` is zero
by construction (see `nan_masking`). The mask does not change the value where ``c`` is finite, so the derivative of the product must not
depend on it: with respect to ``g`` it is ``c``, also where ``g`` happens to be zero.
"""
from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...ir.ops import Call, If, Lit, Op, Value

__all__ = ["ZERO", "Comparison", "MaskedOperands", "comparisons", "masked_operands"]

#: the zero that derivatives are compared with; a comparison with another literal is one of the function's own
ZERO = Lit(0)
#: how many operations combine comparisons
_DEPTH = 8


@dataclass(frozen=True, eq=False)
class Comparison:
    """A condition that is true where ``derivative`` is not zero or, without ``holds``, where it is."""

    derivative: Value
    cond: Value
    holds: bool


@dataclass(frozen=True, eq=False)
class MaskedOperands:
    """The operands that an operation masks, one for each result, and the comparisons that its condition ``cond`` combines.

    ``holds`` says for each operand whether it is selected where the condition is true.
    """

    operands: list[Any]
    holds: list[bool]
    cond: Any
    comparisons: list[Comparison]


def comparisons(cond: Any, maker: Callable[[Value], Op | None], depth: int = _DEPTH) -> list[Comparison]:
    """The comparisons of derivatives with zero of which a condition consists, or which it combines."""
    made = maker(cond) if type(cond) is Value and depth else None
    if not isinstance(made, Call):
        return []
    if made.fn in (operator.eq, operator.ne):
        g = made.args[0]
        return [Comparison(g, cond, made.fn is operator.ne)] if made.args[1] is ZERO and type(g) is Value else []
    return [found for a in made.args for found in comparisons(a, maker, depth - 1)]


def masked_operands(op: Op, maker: Callable[[Value], Op | None]) -> MaskedOperands | None:
    """What ``np.where``, or a conditional expression of numbers, masks where a derivative is zero; None for another operation."""
    if type(op) is Call and op.fn is np.where and len(op.args) == 3 and not op.kwargs:
        cond, pairs = op.args[0], [(op.args[1], op.args[2])]
    elif type(op) is If and op.results and not op.then.ops and not op.orelse.ops:
        cond, pairs = op.cond, list(zip(op.then.yields, op.orelse.yields))
    else:
        return None
    if not all(_is_zero(a) != _is_zero(b) for a, b in pairs):
        return None
    found = comparisons(cond, maker)
    return MaskedOperands([b if _is_zero(a) else a for a, b in pairs], [_is_zero(b) for _, b in pairs], cond, found) if found else None


def _is_zero(x: Any) -> bool:
    return type(x) is Lit and type(x.value) in (int, float) and x.value == 0
