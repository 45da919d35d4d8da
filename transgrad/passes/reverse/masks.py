"""Keeps what `np.where` did not choose out of derivatives: zero times an infinite slope is zero there, not NaN.

The cotangent that ``np.where`` gives to a branch is zero where the branch was not taken.  Where such a cotangent runs into a
function whose slope may be infinite or undefined, as that of ``sqrt`` at 0, the result is masked again.
"""
from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from ...ir.ops import Call, GetAttr, Lit, Value
from ..algebra.builder import type_is_real

if TYPE_CHECKING:
    from .driver import Reverse

__all__ = ["masked_entries"]

#: element-wise functions whose slope is finite wherever their value is
_SMOOTH = frozenset((
    operator.add, operator.sub, operator.mul, operator.neg, operator.pos, np.add, np.subtract, np.multiply, np.negative, np.positive,
    np.sin, np.cos, np.exp, np.tanh, np.sinh, np.cosh, np.arctan, np.abs, operator.abs, abs, np.maximum, np.minimum, np.square, np.real,
    np.imag, np.conj, np.where,
))
#: what gives a cotangent the dtype of its value: it is zero where it was
_CASTS = frozenset((np.ndarray.astype, np.float16, np.float32, np.complex64))


def masked_entries(r: "Reverse", op: Call, g: Any, entries: list[Any]) -> list[Any]:
    """The cotangents an element-wise rule gave, masked like the cotangent ``g`` they came from."""
    mask = _mask_of(r, g)
    if mask is None:
        return entries
    out = []
    for e in entries:
        if isinstance(e, Value):
            if op.fn not in _SMOOTH:
                cond, chosen = mask
                e = r.builder.call(np.where, cond, e, Lit(0.0)) if chosen else r.builder.call(np.where, cond, Lit(0.0), e)
            r.masks[e] = mask
        out.append(e)
    return out


def _mask_of(r: "Reverse", g: Any) -> tuple[Any, bool] | None:
    """The condition a cotangent is masked with, and whether it is kept where the condition holds."""
    if type(g) is not Value or g in r.unmasked:
        return None
    if g in r.masks:
        return r.masks[g]
    made = r.builder.maker.get(g)
    if type(made) is GetAttr and made.name == "real":
        return _mask_of(r, made.obj)
    if type(made) is not Call:
        return None
    if made.fn in _CASTS:
        return _mask_of(r, made.args[0])
    if made.fn is np.where and len(made.args) == 3:
        cond, a, b = made.args
        if isinstance(b, Lit) and type_is_real(b.value) and b.value == 0:
            return cond, True
        if isinstance(a, Lit) and type_is_real(a.value) and a.value == 0:
            return cond, False
    return None
