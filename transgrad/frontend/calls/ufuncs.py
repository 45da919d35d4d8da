"""NumPy's manner of writing into arguments: ``out=``, ``where=`` and the methods of ufuncs, as plain operations."""
from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ...ir.ops import Lit
from ...ir.types import Arr, Num
from ...rules.outs import named_out
from ..context import Lowering
from ..domain.abstract import STuple, is_none
from ..expressions.operations import call, rule_kind
from ..refusals import refuse

__all__ = ["by_name", "normalise", "ufunc_call"]

#: Where a ufunc is not evaluated (``where=``), it is given this instead, so that no derivative is infinite there.
_NEUTRAL: dict[Any, float] = {np.arcsin: 0.5, np.arccos: 0.5, np.arctanh: 0.5, np.arccosh: 2.0}
_REDUCTIONS: dict[Any, Any] = {
    (np.add, "reduce"): np.sum, (np.multiply, "reduce"): np.prod, (np.maximum, "reduce"): np.max, (np.minimum, "reduce"): np.min,
    (np.logical_and, "reduce"): np.all, (np.logical_or, "reduce"): np.any, (np.add, "accumulate"): np.cumsum,
    (np.multiply, "accumulate"): np.cumprod,
}
#: Functions whose out= is something else, or that keep it.
_OWN_OUT = frozenset((np.copyto,))


def normalise(ctx: Lowering, fn: Any, args: list[Any], kwargs: dict[str, Any], node: Any, spelling: str | None) -> Any:
    """Write a call with ``out=`` or (for ufuncs) ``where=`` as a call without and an assignment; NotImplemented for others."""
    is_ufunc = isinstance(fn, np.ufunc)
    out = kwargs.get("out")
    rest = {k: v for k, v in kwargs.items() if k != "out"}
    if isinstance(out, STuple) and len(out.items) == 1:
        out = out.items[0]
    if out is not None and is_none(out):
        return call_again(ctx, fn, args, rest, node, spelling)
    where = rest.get("where") if is_ufunc else None
    if where is not None and isinstance(where, Lit) and where.value is True:
        rest.pop("where")
        where = None
        if out is None:
            return call_again(ctx, fn, args, rest, node, spelling)
    if out is None and where is None or fn in _OWN_OUT or isinstance(out, STuple):
        return NotImplemented
    from .dispatch import varied
    if not varied(ctx, *args, *kwargs.values(), out):
        return NotImplemented
    if where is not None:
        rest.pop("where")
        np_name = ctx.bind("np", np)
        neutral = Lit(_NEUTRAL.get(fn, 1))
        args = [call(ctx, np.where, [where, a, neutral], spelling=f"{np_name}.where", node=node) for a in args]
        value = call(ctx, fn, args, rest, spelling=spelling, node=node)
        other = out if out is not None else Lit(0.0)
        value = call(ctx, np.where, [where, value, other], spelling=f"{np_name}.where", node=node)
    else:
        value = call(ctx, fn, args, rest, spelling=spelling, node=node)
    if out is None:
        return value
    call(ctx, operator.setitem, [out, Lit(Ellipsis), value], node=node)
    return out


def by_name(ctx: Lowering, fn: Any, args: list[Any], kwargs: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """A call with ``out`` given by keyword, also if the call passes it by position."""
    args, kwargs = named_out(fn, args, kwargs)
    if isinstance(out := kwargs.get("out"), tuple):
        kwargs = {**kwargs, "out": ctx.tuple(list(out))}
    return args, kwargs


def call_again(ctx: Lowering, fn: Any, args: list[Any], kwargs: dict[str, Any], node: Any, spelling: str | None) -> Any:
    """The call without the argument that says nothing."""
    from .dispatch import operation
    return operation(ctx, fn, args, kwargs, node, spelling)


def ufunc_call(ctx: Lowering, func: Lit, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    """A ufunc without a rule, or a method of one."""
    from .dispatch import operation, varied
    from .unknown_calls import opaque
    obj = func.value
    ufunc, name = getattr(obj, "__self__", None), getattr(obj, "__name__", "")
    if isinstance(obj, np.ufunc):
        ufunc, name = obj, "__call__"
    if not varied(ctx, *args, *kwargs.values()):
        return opaque(ctx, func, args, kwargs, node)
    if (ufunc, name) in _REDUCTIONS and rule_kind(obj) is None:
        target = _REDUCTIONS[ufunc, name]
        axis = args[1] if len(args) > 1 else kwargs.get("axis", Lit(0))
        rest = {k: v for k, v in kwargs.items() if k != "axis"}
        return operation(ctx, target, [args[0]], {"axis": axis, **rest}, node, f"{ctx.bind('np', np)}.{target.__name__}")
    if name == "outer" and rule_kind(ufunc) is not None:
        a, b = (ctx.operand(x, node) for x in args)
        if isinstance(a.type, (Arr, Num)) and isinstance(b.type, (Arr, Num)):
            n = len(b.type.dims) if isinstance(b.type, Arr) else 0
            if n and isinstance(a.type, Arr) and a.type.dims:
                a = call(ctx, operator.getitem, [a, Lit((Ellipsis, *[None] * n))], node=node)
            return operation(ctx, ufunc, [a, b], kwargs, node, f"{ctx.bind('np', np)}.{ufunc.__name__}")     # type: ignore[union-attr]
    refuse("ufunc", ctx.at(node), func.text or f"np.{getattr(ufunc, '__name__', '?')}.{name}")


