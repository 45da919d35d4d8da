"""Forward derivatives, derived from the reverse rule if possible."""
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..ir.build import current
from ..ir.ops import Value
from ..ir.types import Arr, DictT, ListT, Num, RecordT, TupleT
from ..runtime import zeros_of
from .lists import gather, holds_values
from .static import NoDerivative, lifted
from .text import zero_entries

if TYPE_CHECKING:
    from .registry import Rule

__all__ = ["pushforward"]


def pushforward(rule: "Rule", y: Any, args: Sequence[Any], tangents: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """The tangent of ``fn(*args, **kwargs)``; see `Rule.pushforward`.

    The tangent of an element-wise function may have to be broadcast to the result (that of ``x + c`` is that of ``x``).
    """
    active = [k for k, t in enumerate(tangents) if _is_active(t)]
    if rule.kind == "constant" or not active:
        return None
    places = range(len(rule.jvp)) if rule.jvp else rule.linear_in
    if rule.kind != "elementwise":
        active = [k for k in active if k in places and (not rule.jvp or rule.jvp[k] is not None) or not _is_zero(rule, k)]
    square = _of_square(rule, args, tangents, kwargs)
    if square is not None:
        return square
    if rule.jvp:
        symbolic = holds_values(list(args)) or holds_values(y)
        plain = list(args) if rule.lists else [gather(a, symbolic) for a in args]
        parts = [rule.jvp[k](_tangent(rule, tangents[k], args[k]), y, *plain, **kwargs) for k in active]
    elif rule.kind == "elementwise" and rule.linear_in and set(rule.linear_in) <= set(active):
        parts = [lifted(rule.fn)(*[_tangent(rule, tangents[k], a) if k in rule.linear_in else a for k, a in enumerate(args)], **kwargs)]
    elif rule.kind == "elementwise":
        parts = [_elementwise(rule, k, y, args, tangents[k], kwargs) for k in active]
    elif rule.kind == "linear":
        kept = {k: v for k, v in kwargs.items() if k not in rule.drops}
        inputs = [_tangent_or_zero(rule, t, a) if k in rule.linear_in else a for k, (t, a) in enumerate(zip(tangents, args))]
        for k, p in enumerate(rule.parameters[:len(inputs)]):
            if p.name in rule.drops:        # an option left out that was passed by position
                inputs[k] = p.default
        parts = [lifted(rule.fn)(*inputs, **kept)] if active else []
    elif rule.kind == "general":
        raise NoDerivative(f"the rule of {getattr(rule.fn, '__name__', rule.fn)} has no source for its forward derivative")
    else:
        parts = [lifted(rule.fn)(*[_tangent(rule, tangents[k], a) if n == k else gather(a) for n, a in enumerate(args)], **kwargs)
                 for k in active]
    return _total(parts)


def _of_square(rule: "Rule", args: Sequence[Any], tangents: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """The tangent of a product of a value with itself, as that of ``x ** 2``; None for any other."""
    if not rule.symmetric or len(args) != 2 or args[0] is not args[1] or not isinstance(args[0], Value) or kwargs:
        return None
    x: Any = args[0]
    t = tangents[0]
    if rule.kind == "elementwise":
        return lifted(rule.fn)(2.0 * x, t)      # include the factor if there are few directions
    real_vector = isinstance(x.type, Arr) and len(x.type.dims) == 1 and x.type.dtype[0] == "f"
    return 2.0 * lifted(rule.fn)(x, t) if real_vector else None


def _is_zero(rule: "Rule", k: int) -> bool:
    """Whether the result does not change with argument ``k``; raises where it does but nothing says how."""
    assert rule.vjp is not None
    if k in zero_entries(rule.vjp):
        return True
    raise NoDerivative(f"no derivative of {getattr(rule.fn, '__name__', rule.fn)} with respect to its argument {k}")


def _elementwise(rule: "Rule", k: int, y: Any, args: Sequence[Any], t: Any, kwargs: dict[str, Any]) -> Any:
    """One entry of the reverse rule with the tangent in place of the cotangent."""
    plain = [gather(a) for a in args]
    return rule.pullback(_tangent(rule, t, args[k]), y, plain, kwargs, [n == k for n in range(len(args))])[k]


def _is_active(t: Any) -> bool:
    return any(map(_is_active, t)) if isinstance(t, (list, tuple)) else t is not None


def _tangent(rule: "Rule", t: Any, arg: Any) -> Any:
    full = _tangent_or_zero(rule, t, arg) if isinstance(arg, (list, tuple)) else t
    return full if rule.lists else gather(full)


def _tangent_or_zero(rule: "Rule", t: Any, arg: Any) -> Any:
    if isinstance(arg, (list, tuple)):
        parts = t if isinstance(t, (list, tuple)) else [None] * len(arg)
        return (list if isinstance(arg, list) else tuple)(_tangent_or_zero(rule, p, a) for p, a in zip(parts, arg))
    if t is not None:
        return t
    kind = getattr(arg, "type", None)
    if isinstance(arg, (int, float)) or isinstance(kind, Num) or isinstance(kind, Arr) and kind.scalar and kind.dtype == "float64":
        return 0.0
    if isinstance(kind, (DictT, ListT, RecordT, TupleT)):
        return current().call(zeros_of, arg, type=kind)
    return np.zeros_like(arg)


def _total(parts: Sequence[Any]) -> Any:
    parts = [p for p in parts if p is not None]
    if not parts:
        return None
    out = parts[0]
    for p in parts[1:]:
        out = tuple(a if b is None else b if a is None else a + b for a, b in zip(out, p)) if isinstance(out, tuple) else out + p
    return out
