"""Keeps what was not chosen out of derivatives: zero times an infinite slope is zero there, not NaN.

The cotangent that ``np.where`` gives to a branch is zero where the branch was not taken, and so is the tangent of ``np.maximum`` where
that is the other argument.  Where such a derivative runs into a function whose slope may be infinite or undefined, as that of ``sqrt``
at 0, the result is masked again.
"""
from __future__ import annotations

import operator
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import numpy as np

from ..ir.effects import VIEWS
from ..ir.ops import Call, GetAttr, If, Lit, Value
from ..ir.types import Arr, Num
from .algebra.builder import AlgebraBuilder, type_is_real

if TYPE_CHECKING:
    from .forward.driver import Forward
    from .reverse.driver import Reverse

__all__ = ["Mask", "mask_of_choice", "masked_entries", "masked_tangent", "transposed_tangent"]

#: Conditions, and whether each holds where there may be something: where none of them is as it says, there is zero.
Mask = tuple[tuple[Any, bool], ...]

#: element-wise functions whose slope is finite wherever their value is
_SMOOTH = frozenset((
    operator.add, operator.sub, operator.mul, operator.neg, operator.pos, np.add, np.subtract, np.multiply, np.negative, np.positive,
    np.sin, np.cos, np.exp, np.tanh, np.sinh, np.cosh, np.arctan, np.abs, operator.abs, abs, np.maximum, np.minimum, np.square, np.real,
    np.imag, np.conj, np.where,
))
#: what gives a cotangent the dtype of its value: it is zero where it was
_CASTS = frozenset((np.ndarray.astype, np.float16, np.float32, np.complex64))
_PRODUCTS = frozenset((operator.mul, np.multiply))
#: what has the elements of its first argument, whatever they are, in other places
_MOVES = (VIEWS | {operator.getitem}) - {np.ndarray.view, np.real, np.imag}
#: how many conditions are looked at for one value
_MOST = 3


def masked_entries(r: "Reverse", op: Call, g: Any, entries: list[Any]) -> list[Any]:
    """The cotangents an element-wise rule gave, masked like the cotangent ``g`` they came from."""
    mask = _mask_of(r, g, r.unmasked)
    if mask is None:
        if type(g) is Value:
            r.unmasked.add(g)       # a chain of products is not gone up again from each of its links
        return entries
    return [_masked(r, op, mask, e) for e in entries]


def masked_tangent(f: "Forward", op: Call, kind: str, dots: list[Any], t: Any) -> Any:
    """The tangent that a rule gave, an element-wise one masked like the tangents of the arguments where all of these are."""
    if not isinstance(t, Value) or f.classes.is_written(op.result):
        return t
    given = [d for d in dots if isinstance(d, Value)]
    masks = [f.masks.get(d) for d in given]
    mask: Any = tuple(dict.fromkeys(pair for m in masks for pair in m or ()))
    if None not in masks and 0 < len(mask) <= _MOST:
        if kind == "elementwise":
            return _masked(f, op, mask, t)
        if op.fn in _MOVES and given == dots[:1] and not f.classes.any_written(op.args[1:]):
            _move(f, op, op.args[0], given[0], t)
    elif (mask := _mask_of(f, t, given)) is not None and not any(map(f.classes.is_written, (cond for cond, _ in mask))):
        f.masks[t] = mask
    return t


def transposed_tangent(f: "Forward", op: GetAttr, dot: Any, t: Any) -> None:
    """Masks the tangent of a transpose like that of the array."""
    if dot in f.masks and op.name in ("T", "mT") and not f.classes.is_written(op.result):
        _move(f, op, op.obj, dot, t)


def _move(f: "Forward", op: Call | GetAttr, x: Any, dot: Any, t: Value) -> None:
    if all(_shape(cond) in (_shape(dot), _shape(x)) for cond, _ in f.masks[dot]):
        f.masks[t] = tuple((_Moved(cond, op), holds) for cond, holds in f.masks[dot])


class _Moved:
    """A condition whose elements are moved as those of the value are, once it is asked for."""

    def __init__(self, cond: Any, op: Call | GetAttr):
        self.cond, self.op = cond, op

    @property
    def type(self) -> Any:
        return self.op.result.type

    def place(self, builder: AlgebraBuilder) -> Any:
        cond = self.cond.place(builder) if isinstance(self.cond, _Moved) else self.cond
        if isinstance(self.op, GetAttr):
            return builder.attr(cond, self.op.name)
        return builder.append(self.op.fn, [cond, *self.op.args[1:]], self.op.kwargs)


def _shape(x: Any) -> Any:
    return getattr(x.type, "dims", None)


def _masked(d: "Forward | Reverse", op: Call, mask: Mask, e: Any) -> Any:
    if isinstance(e, Value):
        if op.fn not in _SMOOTH:
            e = _chosen(d.builder, mask, e)
        d.masks[e] = mask
    return e


def _chosen(builder: AlgebraBuilder, mask: Mask, e: Any) -> Any:
    """``e`` where one of the conditions of a mask is as it says, and zero elsewhere."""
    if not mask:
        return Lit(0.0)
    (cond, holds), *rest = mask
    if isinstance(cond, _Moved):
        cond = cond.place(builder)
    other = _chosen(builder, tuple(rest), e)
    a, b = (e, other) if holds else (other, e)
    numbers = all(isinstance(x.type, Num) or isinstance(x.type, Arr) and x.type.scalar for x in (cond, e))
    return np.where(cond, a, b) if numbers else builder.call(np.where, cond, a, b)      # of numbers, an expression of Python's


def mask_of_choice(cond: Any, a: Any, b: Any) -> Mask | None:
    """The mask of what is ``a`` where a condition holds, and else ``b``."""
    return ((cond, True),) if _is_zero(b) else ((cond, False),) if _is_zero(a) else None


def _mask_of(d: "Forward | Reverse", g: Any, unmasked: Collection[Value] = ()) -> Mask | None:
    """The mask of a derivative, by how it was computed; ``unmasked`` are those known to have none."""
    if type(g) is not Value or g in unmasked:
        return None
    if g in d.masks:
        return d.masks[g]
    made = d.builder.maker.get(g)
    if type(made) is GetAttr and made.name == "real":
        return _mask_of(d, made.obj, unmasked)
    if type(made) is If:
        k = made.results.index(g)
        return mask_of_choice(made.cond, made.then.yields[k], made.orelse.yields[k])
    if type(made) is not Call:
        return None
    if made.fn in _CASTS:
        return _mask_of(d, made.args[0], unmasked)
    if made.fn in _PRODUCTS:
        return _mask_of(d, made.args[0], unmasked) or _mask_of(d, made.args[1], unmasked)
    return mask_of_choice(*made.args) if made.fn is np.where and len(made.args) == 3 else None


def _is_zero(x: Any) -> bool:
    return isinstance(x, Lit) and type_is_real(x.value) and x.value == 0
