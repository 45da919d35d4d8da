"""Conversions that are the identity for the types at hand: float(), np.asarray(), list() and the like."""
from __future__ import annotations

from typing import Any

import numpy as np

from ...ir.ops import Lit, Value
from ...ir.types import Arr, DictT, Dim, ListT, Num, RecordT, TupleT
from ..containers.iterables import as_list, collect, resolve, static_items
from ..context import Lowering
from ..domain.abstract import SDict, SIter, SList, STuple, is_lit, is_none
from ..domain.contents import Contents
from ..objects.members import special
from .operations import call, strip
from .operators import truth

__all__ = ["HANDLERS"]


def _number(cls: type) -> Any:
    def handler(ctx: Lowering, args: list[Any], kwargs: Any, node: Any) -> Any:
        if not args:
            return Lit(cls())
        x = args[0]
        if (
            isinstance(x, Value)
            and x.type == Num(cls.__name__)
            or isinstance(x, Value)
            and isinstance(x.type, Num)
            and x.type.kind == cls.__name__
        ):
            return x
        if isinstance(x, Lit) and isinstance(x.value, (int, float, complex, str)) and len(args) == 1:
            if type(x.value) is cls:
                return x
            try:
                return Lit(cls(x.value))
            except (ValueError, TypeError, OverflowError):
                return NotImplemented
        found = special(ctx, x, f"__{cls.__name__}__", [], node) if not isinstance(x, Lit) else None
        if found is not None:
            return found
        return call(ctx, cls, args, kwargs, spelling=cls.__name__, type=Num(cls.__name__), node=node)
    return handler


def _bool(ctx: Lowering, args: list[Any], kwargs: Any, node: Any) -> Any:
    if not args:
        return Lit(False)
    found = truth(ctx, args[0], node)
    if isinstance(found, Lit) or isinstance(found, Value) and found.type == Num("bool"):
        return found
    return call(ctx, bool, [found], spelling="bool", type=Num("bool"), node=node)


def _asarray(fn: Any) -> Any:
    def handler(ctx: Lowering, args: list[Any], kwargs: Any, node: Any) -> Any:
        x = args[0]
        if isinstance(x, Value) and isinstance(x.type, Arr) and not x.type.scalar:
            dtype = args[1] if len(args) > 1 else kwargs.get("dtype")
            known = dtype is None or is_none(dtype) or is_lit(dtype) and _dtype_name(dtype.value) == x.type.dtype
            if known and len(args) <= 2 and not set(kwargs) - {"dtype"} and fn is not np.ascontiguousarray:
                return x
        return NotImplemented
    return handler


def _dtype_name(value: Any) -> str | None:
    try:
        return str(np.dtype(value).name)
    except TypeError:
        return None


def _array(ctx: Lowering, args: list[Any], kwargs: Any, node: Any) -> Any:
    """``np.array(x, copy=False)`` of an array of that dtype is the array."""
    if "copy" in kwargs and is_lit(kwargs["copy"]) and (kwargs["copy"].value is None or kwargs["copy"].value is False):
        return _asarray(np.array)(ctx, args, {k: v for k, v in kwargs.items() if k != "copy"}, node)
    t = _of_parts(ctx, args[0]) if len(args) == 1 and not kwargs and isinstance(args[0], (SList, STuple)) else None
    if t is not None and t.dtype == "complex128":
        return call(ctx, np.array, args, spelling=f"{ctx.bind('np', np)}.array", type=t, node=node)
    return NotImplemented


def _of_parts(ctx: Lowering, x: Any) -> Arr | None:
    """The type of the array that is made of a display, some numbers of which may be real and others complex."""
    if isinstance(x, (Value, Lit)):
        t = strip(x.type)
        return Arr(np.dtype(t.kind).name, ()) if isinstance(t, Num) else Arr(t.dtype, t.dims) if isinstance(t, Arr) else None
    items = static_items(ctx, x) if isinstance(x, (SList, STuple)) else None
    parts = [_of_parts(ctx, i) for i in items or ()]
    found = [p for p in parts if p is not None]
    if not found or len(found) < len(parts) or any(len(p.dims) != len(found[0].dims) for p in found):
        return None
    return Arr(np.result_type(*(p.dtype for p in found)).name, (Dim(len(found) == 1, ("<const>", len(found))), *found[0].dims))


def _list(ctx: Lowering, args: list[Any], kwargs: Any, node: Any) -> Any:
    from ..containers.displays import new_list
    if not args:
        return new_list(ctx, [], node)
    x = resolve(ctx, args[0], node)
    if isinstance(x, SIter):
        return collect(ctx, x, node)
    items = static_items(ctx, x) if not isinstance(x, Lit) or isinstance(x.value, (tuple, str)) else None
    if items is not None:
        return new_list(ctx, items, node)
    return call(ctx, list, [x], spelling="list", node=node)


def _tuple(ctx: Lowering, args: list[Any], kwargs: Any, node: Any) -> Any:
    if not args:
        return ctx.tuple([])
    x = resolve(ctx, args[0], node)
    if isinstance(x, STuple) and x.cls is None or isinstance(x, Value) and isinstance(x.type, TupleT) and x.type.cls is None:
        return x
    items = static_items(ctx, x)
    if items is None and isinstance(x, SIter):
        x = collect(ctx, x, node)
        items = static_items(ctx, x)
    if items is not None:
        return ctx.tuple(items)
    return tuple_of_list(ctx, ctx.operand(x, node), node)


def tuple_of_list(ctx: Lowering, held: Any, node: Any) -> Any:
    """A tuple of as many items as a list or an array has."""
    t = strip(held.type)
    if held.varied and (isinstance(t, ListT) or isinstance(t, Arr) and t.dims):     # a list is a tuple of unknown length that has a type
        made = call(ctx, list, [held], spelling="list", node=node)
        ctx.program.tuples.add(made)
        return made
    return call(ctx, tuple, [held], spelling="tuple", type=t if isinstance(t, ListT) else None, node=node)


def _dict(ctx: Lowering, args: list[Any], kwargs: Any, node: Any) -> Any:
    from ..containers.displays import add_pairs, dict_update, new_dict
    named = [(Lit(k), v) for k, v in kwargs.items()]
    if not args:
        return new_dict(ctx, named, node)
    x = args[0]
    if isinstance(x, SDict) and isinstance(ctx.contents(x), Contents) or isinstance(x, Value) and isinstance(x.type, RecordT) or \
            isinstance(x, Lit) and isinstance(x.value, dict):
        out = new_dict(ctx, [], node)
        dict_update(ctx, out, x, node)
    else:
        items = static_items(ctx, x) if not isinstance(x, Value) else None
        pairs = [static_items(ctx, i) for i in items] if items is not None else [None]
        if all(p is not None and len(p) == 2 for p in pairs):
            from ..containers.displays import _dict_of
            out = _dict_of(ctx, [tuple(p) for p in pairs if p is not None], node)
        else:
            t = strip(x.type) if isinstance(x, Value) else None
            if isinstance(x, SIter) or isinstance(t, ListT):
                out = ctx.runtime_display("dict", [])
                out.type = DictT(None, None)
                add_pairs(ctx, out, x, node)
            else:
                out = call(ctx, dict, [x], spelling="dict", type=t if isinstance(t, DictT) else None, node=node)
    if named:
        dict_update(ctx, out, new_dict(ctx, named, None), node)
    return out


def _set(cls: Any) -> Any:
    def handler(ctx: Lowering, args: list[Any], kwargs: Any, node: Any) -> Any:
        from ..containers.displays import new_set
        if not args:
            return new_set(ctx, [], node)
        items = static_items(ctx, args[0])
        if cls is set and items is not None and all(isinstance(i, Lit) for i in items):
            return new_set(ctx, items, node)
        return call(ctx, cls, [as_list(ctx, args[0], node)], spelling=cls.__name__, node=node)
    return handler


HANDLERS: dict[Any, Any] = {
    float: _number(float), int: _number(int), complex: _number(complex), bool: _bool, np.asarray: _asarray(np.asarray),
    np.asanyarray: _asarray(np.asanyarray), np.array: _array, list: _list, tuple: _tuple, dict: _dict, set: _set(set),
    frozenset: _set(frozenset),
}
