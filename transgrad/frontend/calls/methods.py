"""Methods of built-in types that are rewritten, or answered at compile time."""
from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ...ir.effects import is_mutable
from ...ir.ops import Lit, Value
from ...ir.types import Arr, Num, Obj, RecordT
from ..containers.displays import dict_update, membership
from ..containers.iterables import as_list, run_loop, static_items
from ..context import Lowering
from ..domain.abstract import SIter, is_lit
from ..expressions.dispatch import _printable
from ..expressions.operations import call, strip
from ..expressions.operators import truth
from ..expressions.subscripts import read_item, write
from ..library.namespaces import array_namespace
from ..refusals import refuse
from ..statements.control_flow import choose
from ..statements.generators import assigned_outside
from .dispatch import varied
from .higher_order import holds_instances, sorted_

__all__ = ["HANDLERS"]


def _view(kind: str) -> Any:
    def handler(ctx: Lowering, args: list[Any], kwargs: Any, node: Any) -> Any:
        return SIter(kind, args[0])
    return handler


def _get(ctx: Lowering, args: list[Any], kwargs: Any, node: Any) -> Any:
    """``d.get(key, default)`` of a dict with known keys."""
    d, key = args[0], args[1]
    default = args[2] if len(args) > 2 else Lit(None)
    t = strip(d.type) if isinstance(d, (Value, Lit)) else None
    if isinstance(key, Lit):
        if isinstance(t, RecordT):
            return read_item(ctx, d, key, node) if key.value in t.keys else default
        if isinstance(d, Lit) and isinstance(d.value, dict) and id(d.value) not in ctx.program.stale:
            ctx.program.guard("contains", d.value, key.value, key.value in d.value)
            return read_item(ctx, d, key, node) if key.value in d.value else default
    # an array is one of two then, as after a conditional expression
    if not isinstance(default, (Value, Lit)) or (callable(default.value) if isinstance(default, Lit) else is_mutable(default.type)):
        return _if_there(ctx, d, key, lambda: read_item(ctx, d, key, node), default, node)
    return NotImplemented


def _pop(ctx: Lowering, args: list[Any], kwargs: Any, node: Any) -> Any:
    """``d.pop(key, default)``."""
    if len(args) < 3:
        return NotImplemented
    d, key, default = args
    return _if_there(ctx, d, key, lambda: call(ctx, dict.pop, [d, key], node=node), default, node)


def _popitem(ctx: Lowering, args: list[Any], kwargs: Any, node: Any) -> Any:
    if len(args) > 1 or kwargs:
        refuse("internal", ctx.at(node), "OrderedDict.popitem with last=")
    return NotImplemented


def _if_there(ctx: Lowering, d: Any, key: Any, then: Callable[[], Any], default: Any, node: Any) -> Any:
    found = truth(ctx, membership(ctx, operator.contains, key, d, node), node)
    if isinstance(found, Lit):
        return then() if found.value else default
    return choose(ctx, found, then, lambda: default)


def _setdefault(ctx: Lowering, args: list[Any], kwargs: Any, node: Any) -> Any:
    """``d.setdefault(key, default)``: store the default if the key is missing, then read the entry."""
    d, key = args[:2]
    default = args[2] if len(args) > 2 else Lit(None)

    def absent() -> Lit:
        write(ctx, d, key, default, node)
        return Lit(None)
    found = truth(ctx, membership(ctx, operator.contains, key, d, node), node)
    if not isinstance(found, Lit):
        choose(ctx, found, lambda: Lit(None), absent)
    elif not found.value:
        absent()
    return read_item(ctx, d, key, node)


def _sort(ctx: Lowering, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    """``xs.sort(key=…)``: sorted, written back."""
    xs = args[0]
    if "key" not in kwargs and not varied(ctx, xs) and not holds_instances(ctx, xs):
        return NotImplemented
    out = sorted_(ctx, [xs], kwargs, node)
    call(ctx, operator.setitem, [xs, Lit(slice(None)), out], node=node)
    return Lit(None)


def _extend(ctx: Lowering, args: list[Any], kwargs: Any, node: Any) -> Any:
    xs, more = args
    if isinstance(more, SIter):
        items = static_items(ctx, more)
        if items is None:
            run_loop(ctx, more, lambda item: _none(call(ctx, list.append, [xs, item], node=node)), node, assigned_outside(ctx))
            return Lit(None)
        for item in items:
            call(ctx, list.append, [xs, item], node=node)
        return Lit(None)
    return NotImplemented


def _none(_: Any) -> None:
    """Drop a result."""


def _join(ctx: Lowering, args: list[Any], kwargs: Any, node: Any) -> Any:
    items = static_items(ctx, args[1])
    if items is not None and all(is_lit(i, str) for i in items) and is_lit(args[0]):
        return Lit(args[0].value.join(i.value for i in items))
    return call(ctx, str.join, [args[0], as_list(ctx, args[1], node)], type=Obj(str), node=node)


def _format(ctx: Lowering, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    return call(ctx, str.format, [_printable(ctx, a, node) for a in args], {k: _printable(ctx, v, node) for k, v in kwargs.items()},
                type=Obj(str), node=node)


def _in_place(fn: Any, spelling: str) -> Any:
    """An array method that works in place on an array with a derivative: the function, written back."""
    def handler(ctx: Lowering, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
        if not varied(ctx, args[0]):
            return NotImplemented
        value = call(ctx, fn, args, kwargs, spelling=f"{ctx.bind('np', np)}.{spelling}", node=node)
        call(ctx, operator.setitem, [args[0], Lit(Ellipsis), value], node=node)
        return Lit(None)
    return handler


def _fill(ctx: Lowering, args: list[Any], kwargs: Any, node: Any) -> Any:
    call(ctx, operator.setitem, [args[0], Lit(Ellipsis), args[1]], node=node)
    return Lit(None)


def _scalar(name: str) -> Any:
    """A method of an array, called on a NumPy scalar."""
    def handler(ctx: Lowering, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
        t = strip(args[0].type)
        fn = getattr(np, name, None)
        if getattr(t, "scalar", False) and fn is not None:
            if name in ("reshape", "transpose") and len(args) > 2:      # a shape or axes, one by one
                args = [args[0], ctx.tuple(args[1:])]
            return call(ctx, fn, args, kwargs, spelling=f"{ctx.bind('np', np)}.{name}", node=node)
        return NotImplemented
    return handler


def _item(ctx: Lowering, args: list[Any], kwargs: Any, node: Any) -> Any:
    t = strip(args[0].type)
    if getattr(t, "scalar", False) and len(args) == 1:
        kind = {"f": float, "i": int, "u": int, "b": bool, "c": complex}[t.dtype[0]]      # type: ignore[union-attr]
        return call(ctx, kind, args, spelling=kind.__name__, type=Num(kind.__name__), node=node)
    if len(args) > 1 and isinstance(t, Arr):
        a, where = args[0], args[1] if len(args) == 2 else ctx.tuple(tuple(args[1:]))
        if len(t.dims) > 1 and isinstance(getattr(where, "type", None), Num):     # a number counts through all dimensions
            a = call(ctx, np.ravel, [a], spelling=f"{ctx.bind('np', np)}.ravel", node=node)
        return _item(ctx, [read_item(ctx, a, where, node)], kwargs, node)
    return NotImplemented


def _scalar_astype(ctx: Lowering, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    t = strip(args[0].type)
    dtype = args[1] if len(args) > 1 else kwargs.get("dtype")
    if getattr(t, "scalar", False) and isinstance(dtype, Lit):
        cls = np.dtype(dtype.value).type
        return call(ctx, cls, [args[0]], spelling=f"{ctx.bind('np', np)}.{cls.__name__}", node=node)
    return NotImplemented


def _copy(ctx: Lowering, args: list[Any], kwargs: Any, node: Any) -> Any:
    t = strip(args[0].type)
    return args[0] if getattr(t, "scalar", False) else NotImplemented


def _update(ctx: Lowering, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    d = args[0]
    for other in args[1:]:
        dict_update(ctx, d, other, node)
    if kwargs:
        for k, v in kwargs.items():
            write(ctx, d, Lit(k), v, node)
    return Lit(None)


HANDLERS: dict[Any, Any] = {
    dict.items: _view("items"), dict.keys: _view("keys"), dict.values: _view("values"), dict.get: _get, dict.update: _update,
    dict.setdefault: _setdefault, dict.pop: _pop, dict.popitem: _popitem,
    list.sort: _sort, list.extend: _extend, str.join: _join, str.format: _format, np.ndarray.fill: _fill,
    np.ndarray.sort: _in_place(np.sort, "sort"), np.ndarray.partition: _in_place(np.partition, "partition"),
    np.ndarray.__array_namespace__: array_namespace, np.ndarray.item: _item, np.ndarray.astype: _scalar_astype, np.ndarray.copy: _copy,
}
for _name in (
    "sum",
    "mean",
    "min",
    "max",
    "prod",
    "reshape",
    "ravel",
    "conj",
    "conjugate",
    "clip",
    "round",
    "squeeze",
    "any",
    "all",
    "argmax",
    "argmin",
    "std",
    "var",
    "cumsum",
    "transpose",
    "dot",
    "repeat",
    "cumprod",
    "take",
):
    HANDLERS[getattr(np.ndarray, _name)] = _scalar(_name)
