"""Mask derivatives of branches that were not selected, so that zero times an infinite derivative is zero and not NaN.

The cotangent that ``np.where`` passes to a branch is zero where the branch was not selected, and so is the tangent of ``np.maximum`` for
the smaller operand. Multiplied by the derivative of ``sqrt`` at 0, it would be NaN::

    y = np.where(x > 0, np.sqrt(x), 0.0)

    before:  s_bar = np.where(c, y_bar, 0.0); x_bar = s_bar * 0.5 / s
    after:   x_bar = np.where(c, y_bar * 0.5 / s, 0.0)

An operation whose derivative may be infinite or undefined is differentiated along the unselected cotangent, and the selection follows;
there is still only one. `support` finds the condition of the selection.
"""
from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from ...ir.ops import Call, Function, If, Invoke, Lit, Op, Value, walk
from ...ir.types import Arr, Num
from ...rules import lookup
from ..algebra.folding_builder import AlgebraBuilder, type_is_real
from ..analysis.support import (
    ADDS,
    PRODUCTS,
    QUOTIENTS,
    SIGNS,
    Both,
    Either,
    Mapped,
    Mask,
    Nonzero,
    Nowhere,
    Selection,
    Where,
    conditions,
    dims_of,
    is_zero,
    nonzero,
    selection_of,
    support,
)
from ..analysis.support_conditions import Comparison, MaskedOperands

if TYPE_CHECKING:
    from .forward.driver import Forward
    from .reverse.driver import Reverse

__all__ = ["forward_mask", "has_unsafe", "masked_entries", "masked_results", "masked_tangent", "reverse_mask", "unmasked",
           "unmasked_tangents"]

#: operations whose derivative is no product: that of what was not selected stays zero
_SAFE = ADDS | SIGNS | {
    np.where, np.real, np.imag, np.conj, np.maximum, np.minimum, np.clip, np.fmax, np.fmin, float, complex, np.float64, np.float32,
    np.complex128, np.complex64,
}
#: operations with finite results where their derivative is infinite or undefined
_ROOTS = frozenset((np.sqrt, np.cbrt, np.hypot, np.linalg.norm, np.std, np.arcsin, np.arccos, math.sqrt, math.cbrt, math.hypot, math.dist,
                    math.asin, math.acos))
_POWERS = frozenset((operator.pow, np.power, np.float_power, math.pow))
#: those, and operations with infinite results there
_SINGULAR = _ROOTS | QUOTIENTS | {
    np.reciprocal, np.log, np.log2, np.log10, np.log1p, np.arctanh, np.arccosh, np.arctan2, math.log, math.log2, math.log10, math.log1p,
    math.atanh, math.acosh, math.atan2,
}


def _relies_on(op: Call, of: Selection) -> bool:
    """Whether an operation should rely on a mask of elements that were selected in a certain way."""
    if op.fn in _POWERS:
        n = op.args[1]
        return of is Selection.CONDITION or not (isinstance(n, Lit) and type_is_real(n.value) and (
            n.value >= 1 or of is Selection.PLACES and n.value < 0))
    return of is Selection.CONDITION or op.fn in (_ROOTS if of is Selection.PLACES else _SINGULAR)


def _mask_for(d: "Forward | Reverse", op: Call, g: Any) -> Mask | None:
    """The support of a derivative, as far as an operation should rely on it."""
    mask = support(d, g)
    return None if mask is not None and not _relies_on(op, selection_of(mask)) else mask


def unmasked(r: "Forward | Reverse", op: Call, kind: str, g: Any) -> tuple[Any, Mask | None]:
    """The cotangent before a selection, along which an element-wise operation is reversed, and the mask of what comes of it."""
    if kind != "elementwise" or not _is_unsafe(op):
        return g, None
    mask = _mask_for(r, op, g)
    if mask is None:
        return g, None
    bare = _before_selection(r, g, g.type)
    return g if bare is None else bare, mask


def masked_entries(r: "Reverse", op: Call, kind: str, g: Any, mask: Mask | None, entries: list[Any]) -> list[Any]:
    """The cotangents that a rule gave, masked: those of a rule that is not element-wise each by its own support."""
    if mask is not None:
        return [_selected(r, mask, e) for e in entries]
    if kind in ("elementwise", "linear", "constant") or not _is_unsafe(op) or all(_mask_for(r, op, part) is None for part in (
            g if isinstance(g, (list, tuple)) else (g,))):
        return entries
    return [_selected(r, own, e) if type(e) is Value and (own := _mask_for(r, op, e)) is not None else e for e in entries]


def masked_results(d: "Forward | Reverse", call: Invoke, results: list[Any]) -> list[Any]:
    """The derivatives that a lowered function returned, masked where those that it was given were."""
    if not call.func.body.yields or all(support(d, a) is None for a in call.args if type(a) is Value and _has_elements(a)):
        return results
    masks = [support(d, v) if type(v) is Value else None for v in results]
    return [v if mask is None or selection_of(mask) is not Selection.CONDITION else _selected(d, mask, v)
            for v, mask in zip(results, masks)]


def unmasked_tangents(f: "Forward", op: Call, kind: str, dots: list[Any]) -> tuple[list[Any], Mask | None]:
    """The tangents before a selection, along which an element-wise operation of one variable is differentiated, and its mask."""
    given = [k for k, t in enumerate(dots) if t is not None and not is_zero(t)]
    if len(given) != 1 or f.classes.is_written(op.result):
        return dots, None
    bare, mask = unmasked(f, op, kind, dots[given[0]])
    if mask is None or bare is dots[given[0]] or not _is_visible(f, mask):
        return dots, None
    return [bare if k in given else t for k, t in enumerate(dots)], mask


def masked_tangent(f: "Forward", op: Call, kind: str, t: Any, mask: Mask | None = None) -> Any:
    """The tangent that a rule gave, masked where those of all arguments are; ``mask`` is that of a tangent before its selection."""
    if mask is not None:
        return _selected(f, mask, t)
    if type(t) is not Value or kind in ("linear", "constant") or f.classes.is_written(op.result) or not _is_unsafe(op):
        return t
    mask = _mask_for(f, op, t)
    return t if mask is None else _selected(f, mask, t)


def reverse_mask(r: "Reverse", op: Op, masked: MaskedOperands) -> None:
    """Append the adjoint of a mask that compares derivatives with zero: its operand has the cotangent of its result.

    What is multiplied by such a derivative is zero wherever the derivative is, now and in the reverse part.
    """
    for result, operand, holds in zip(op.results, masked.operands, masked.holds):
        _note_support(r, operand, Nonzero(masked.cond, holds, Selection.OVERWRITTEN), {c.derivative for c in masked.comparisons})
        if r.is_active(result) and (g := r.take(result)) is not None:
            r.add(operand, g, broadcasts=True)
    for c in masked.comparisons:
        r.masks.setdefault(c.derivative, Nonzero(c.cond, c.holds, Selection.OVERWRITTEN))


def _note_support(r: "Reverse", x: Any, mask: Mask, derivatives: set[Value], depth: int = 8) -> bool:
    """Note the support of a value and of those of its factors that derivatives are factors of; whether there are any."""
    if type(x) is not Value or depth == 0:
        return False
    made = r.layout.maker.get(x)
    found = x in derivatives
    if type(made) is Call and (made.fn in PRODUCTS or made.fn in QUOTIENTS or made.fn in SIGNS):
        factors = made.args if made.fn in PRODUCTS else made.args[:1]
        for a in factors:
            if type(a) is Value and dims_of(a) == dims_of(x):
                found |= _note_support(r, a, mask, derivatives, depth - 1)
    if found:
        r.masks.setdefault(x, mask)
    return found


def forward_mask(f: "Forward", op: Op, masked: MaskedOperands) -> None:
    """Append a mask that compares derivatives with zero, and the tangent of its result: that of its operand.

    It is masked where both the derivatives and their tangents are zero.
    """
    f.builder.block.ops.append(op)
    cond: Any = None
    for result, operand, holds in zip(op.results, masked.operands, masked.holds):
        t = f.dot(operand) if f.varied(result) and isinstance(operand, Value) else None
        if t is None:
            continue
        if type(t) is Value:
            cond = cond if cond is not None else _with_tangents(f, masked.cond, {c.cond: c for c in masked.comparisons})
            t = _where(f.builder, cond, t, holds)
        f.set(result, f.whole(t, result))


def _with_tangents(f: "Forward", cond: Any, compared: dict[Value, Comparison]) -> Any:
    """A condition that compares derivatives with zero, which compares their tangents, too."""
    b = f.builder
    if cond in compared:
        c = compared[cond]
        t = f.dot(c.derivative)
        if type(t) is not Value:
            return cond
        mask = nonzero(f, t, Selection.OVERWRITTEN)
        assert isinstance(mask, Nonzero) and mask.holds is c.holds
        numbers = isinstance(cond.type, Num)
        join = (operator.or_ if numbers else np.logical_or) if c.holds else (operator.and_ if numbers else np.logical_and)
        return b.call(join, cond, mask.cond)
    made = f.maker(cond) if type(cond) is Value else None
    if not isinstance(made, Call) or not any(c in compared or f.maker(c) is not None for c in made.args if type(c) is Value):
        return cond
    args = [_with_tangents(f, a, compared) for a in made.args]
    return cond if args == made.args else b.append(made.fn, args, made.kwargs, None, cond.type)


def _either_of(b: AlgebraBuilder, cond: Any, first: Any, second: Any) -> Any:
    numbers = all(isinstance(x.type, Num) or isinstance(x.type, Arr) and x.type.scalar for x in (cond, first, second))
    return np.where(cond, first, second) if numbers else b.call(np.where, cond, first, second)      # of numbers, a conditional expression


def has_unsafe(fn: Function, of: Selection, within: tuple[Function, ...] = ()) -> bool:
    """Whether the derivative of a function, or of one that it calls, may multiply by something that is infinite or NaN, and so relies on
    a mask of elements that were selected in a certain way."""
    return any(
        isinstance(op, Invoke) and op.func not in within and has_unsafe(op.func, of, (*within, fn))
        or type(op) is Call and _is_unsafe(op) and _is_nonlinear(op) and _relies_on(op, of)
        for op in walk(fn.body))


def _is_nonlinear(op: Call) -> bool:
    rule = lookup(op.fn)
    return rule is not None and rule.kind not in ("linear", "constant")


def _before_selection(d: "Forward | Reverse", g: Any, t: Any, depth: int = 8) -> Any:
    """The derivative that a selection was made of, in the same type; None where there is none."""
    made = d.builder.maker.get(g) if type(g) is Value and not d.builder.is_written(g) else None
    if type(made) is Call and (made.fn in SIGNS or made.fn in PRODUCTS and type(made.args[0]) is Lit and _is_finite(made.args[0])):
        scaled = _before_selection(d, made.args[-1], made.args[-1].type, depth - 1) if depth else None
        return None if scaled is None else d.builder.call(made.fn, *made.args[:-1], scaled)
    if type(made) is If:
        k = made.results.index(g)
        a, b, blocks = made.then.yields[k], made.orelse.yields[k], (made.then, made.orelse)
    elif type(made) is Call and made.fn is np.where and len(made.args) == 3:
        (_, a, b), blocks = made.args, ()      # type: ignore[assignment]
    else:
        return None
    if depth == 0 or is_zero(a) is is_zero(b):
        return None
    found = a if is_zero(b) else b
    if any(found in op.results for block in blocks for op in block.ops) or d.builder.is_written(found) or not d.is_readable(found):
        return None
    inner = _before_selection(d, found, t, depth - 1)
    found = found if inner is None else inner
    return found if type(found) is Lit or dims_of(found) == () or found.type == t else None


def _selected(d: "Forward | Reverse", mask: Mask, e: Any) -> Any:
    """A derivative where a mask holds, and zero elsewhere."""
    if type(e) is not Value or isinstance(e.type, Num) and e.type.kind == "bool":
        return e
    if not _is_visible(d, mask):
        return e
    chosen = _chosen(d.builder, mask, e) if not isinstance(mask, Nowhere) else d.builder.call(np.zeros_like, e)
    if chosen is not e and type(chosen) is Value:
        d.masks[chosen] = mask
    return chosen


def _is_visible(d: "Forward | Reverse", mask: Mask) -> bool:
    """Whether the conditions of a mask can be read here."""
    return all(d.is_readable(cond) for cond in conditions(mask))


def _chosen(b: AlgebraBuilder, mask: Mask, e: Any) -> Any:
    if isinstance(mask, Both):
        return _chosen(b, mask.one, _chosen(b, mask.other, e))
    if isinstance(mask, Where):
        return _where(b, mask.cond, e, mask.holds)
    return _where(b, _condition(b, mask), e, True)


def _where(b: AlgebraBuilder, cond: Any, e: Any, holds: bool) -> Any:
    first: Any
    second: Any
    first, second = (e, Lit(0.0)) if holds else (Lit(0.0), e)
    return _either_of(b, cond, first, second)


def _condition(b: AlgebraBuilder, mask: Mask) -> Any:
    """A mask as an array of truth values."""
    if isinstance(mask, Where):
        if mask.holds:
            return mask.cond
        return b.call(operator.not_ if isinstance(mask.cond.type, Num) else np.logical_not, mask.cond)
    if isinstance(mask, (Both, Either)):
        fn = np.logical_and if isinstance(mask, Both) else np.logical_or
        return b.call(fn, _condition(b, mask.one), _condition(b, mask.other))
    assert isinstance(mask, Mapped)
    cond = _condition(b, mask.mask)
    if dims_of(cond) != dims_of(mask.of):
        cond = b.call(np.broadcast_to, cond, b.attr(mask.of, "shape"), type=Arr("bool", dims_of(mask.of) or ()))
    return mask.to(b, cond)


def _is_unsafe(op: Call) -> bool:
    """Whether the derivative of an operation multiplies by something that may be infinite or NaN."""
    if op.fn in _SAFE:
        return False
    if op.fn in PRODUCTS and any(map(_is_finite, op.args)):
        return False
    return not (op.fn in QUOTIENTS and _is_finite(op.args[1]))


def _is_finite(x: Any) -> bool:
    return type(x) is Lit and type_is_real(x.value) and abs(x.value) < np.inf


def _has_elements(x: Value) -> bool:
    return isinstance(x.type, (Num, Arr))
