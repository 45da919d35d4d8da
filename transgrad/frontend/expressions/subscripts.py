"""Subscripts: items of tuples and displays are known when compiling, the rest are operations."""
from __future__ import annotations

import enum
import operator
import types
from typing import Any

import numpy as np

from ...ir.infer import type_of
from ...ir.observed import is_changing
from ...ir.ops import UNDEF, Lit, Value
from ...ir.types import Arr, DictT, Num, Obj, RecordT, TupleT, is_differentiable
from ...rules import view_of
from ..context import Lowering
from ..describe import describe
from ..domain.abstract import UNBOUND, SBound, SChoice, SClass, SDict, SIter, SList, SNamespace, SObj, SSlice, STuple, is_lit
from ..domain.contents import Contents
from ..domain.external_state import changing_number, known_outside
from ..domain.join import _callable, is_operand
from ..library.index_tricks import by_subscript
from ..objects import instance_dicts
from ..objects.builtin_bases import data_of, read_data, write_data
from ..objects.members import find, special
from ..refusals import refuse
from ..specialize import argument_types
from ..statements.control_flow import choose
from ..statements.dispatch import raised
from . import dispatch as expressions
from .operations import call, strip

__all__ = ["item_key", "read", "read_item", "write"]


def read(ctx: Lowering, node: Any) -> Any:
    """``value[index]``."""
    return read_item(ctx, expressions.expr(ctx, node.value), expressions.expr(ctx, node.slice), node)


def item_key(ctx: Lowering, obj: Any, index: Any) -> Any:
    """The position (list) or key (dict) of an item of a display, where both are known."""
    if not isinstance(index, Lit) and not (isinstance(index, STuple) and isinstance(obj, SDict)):
        return None
    held = ctx.contents(obj)
    if not isinstance(held, Contents):
        return None
    if isinstance(obj, SDict):
        key = ctx.operand(index)
        if not isinstance(key, Lit):
            return None
        return next((k for k, (name, _) in enumerate(held.items) if same_key(name, key)), None)
    if isinstance(index, Lit) and isinstance(index.value, (int, np.integer)) and -len(held.items) <= index.value < len(held.items):
        return int(index.value) % len(held.items)
    return None


def same_key(a: Any, b: Any) -> bool:
    """Whether two known keys are one key of a dict: 1, 1.0 and True are."""
    try:
        return a.value is b.value or bool(a.value == b.value)
    except Exception:
        return False


def read_item(ctx: Lowering, obj: Any, index: Any, node: Any) -> Any:
    """What ``obj[index]`` is."""
    if isinstance(obj, SNamespace):
        obj = instance_dicts.as_dict(ctx, obj, node)
    if isinstance(obj, STuple) and isinstance(index, Lit):
        found = _static_item(ctx, list(obj.items), index)
        if found is not None:
            return ctx.tuple(found) if isinstance(found, list) else found
    if isinstance(obj, SList):
        held = ctx.contents(obj)
        if isinstance(held, Contents) and isinstance(index, Lit):
            found = _static_item(ctx, list(held.items), index)
            if found is not None:
                from ..containers.displays import new_list
                return new_list(ctx, found, node) if isinstance(found, list) else found
    if isinstance(obj, SDict):
        at = item_key(ctx, obj, index)
        held = ctx.contents(obj)
        if at is not None and isinstance(held, Contents):
            return held.items[at][1]
        if isinstance(held, Contents) and isinstance(index, Lit):
            return _missing(ctx, index, node)
    if isinstance(obj, (STuple, SList, SDict)):
        chosen = _choose(ctx, obj, index, node)
        if chosen is not None:
            return chosen
    if isinstance(obj, SIter):
        from ..containers.iterables import collect
        obj = collect(ctx, obj, node)
        return read_item(ctx, obj, index, node)
    if isinstance(obj, SObj):
        found = special(ctx, obj, "__getitem__", [index], node)
        if found is not None:
            return found
        if (data := data_of(ctx, obj, node)) is not None:
            return read_data(ctx, obj, data, index, node)
    if isinstance(obj, SClass) or is_lit(obj, type) or is_lit(obj) and getattr(obj.value, "__module__", "") == "typing":
        return _of_class(ctx, obj, index, node)
    if isinstance(obj, Lit) and (obj.value is np.s_ or obj.value is np.index_exp):
        return index if obj.value is np.s_ or isinstance(index, STuple) else ctx.tuple([index])
    if isinstance(obj, Lit) and obj is not UNDEF and (found := by_subscript(ctx, obj, index, node)) is not None:
        return found
    if isinstance(obj, Lit) and isinstance(index, Lit) and obj is not UNDEF:
        return _literal_item(ctx, obj, index, node)
    if isinstance(obj, Lit):
        chosen = _choose_literal(ctx, obj, index, node)
        if chosen is not None:
            return chosen
    if isinstance(obj, SChoice):
        return choose(ctx, obj.cond, lambda: read_item(ctx, obj.then, index, node), lambda: read_item(ctx, obj.orelse, index, node))
    return _runtime_item(ctx, obj, index, node)


def _of_class(ctx: Lowering, obj: Any, index: Any, node: Any) -> Any:
    """``Class[index]``: an item by the metaclass (such as a member of an Enum) or by the class; else the class, as in ``list[int]``."""
    from ..calls.dispatch import call_abstract
    cls = obj if isinstance(obj, SClass) else obj.value
    if isinstance(cls, type) and (owner_found := find(type(cls), "__getitem__"))[1] is not UNBOUND:
        if isinstance(cls, enum.EnumMeta) and isinstance(index, Lit) and isinstance(index.value, str):
            from .attributes import read_attribute
            return read_attribute(ctx, obj, index.value, node) if index.value in cls.__members__ else _missing(ctx, index, node)
        owner, method = owner_found
        if isinstance(method, types.FunctionType) and not isinstance(cls, enum.EnumMeta):
            return call_abstract(ctx, SBound(obj, method, owner), [index], {}, node)
        return call(ctx, operator.getitem, [obj, index], node=node)
    owner, method = find(cls, "__class_getitem__") if isinstance(cls, (type, SClass)) else (None, UNBOUND)
    inner = getattr(method, "__func__", method)
    if isinstance(owner, SClass):
        refuse("class_body", ctx.at(node), "a class made inside the function has a __class_getitem__")
    if isinstance(inner, types.FunctionType) and inner.__module__ != "typing":
        return call_abstract(ctx, SBound(obj, inner, owner), [index], {}, node)
    return obj      # list[int], Generic[T]


def _runtime_item(ctx: Lowering, obj: Any, index: Any, node: Any) -> Any:
    held = ctx.shared(obj, node)
    if isinstance(strip(held.type), Num):
        return _raised(ctx, TypeError, f"'{_scalar_kind(held)}' object is not subscriptable", node)
    if _scalar_kind(held) is not None and _is_place(index):
        return _raised(ctx, IndexError, "invalid index to scalar variable.", node)
    if isinstance(held, Value):
        found = argument_types.item(ctx, held, index, node)
        if found is not None:
            return found
        t = strip(held.type)
        if isinstance(t, (Obj, RecordT)) and t.cls not in (None, dict, str):
            found = special(ctx, held, "__getitem__", [index], node)
            if found is not None:
                return found
        if isinstance(t, TupleT) and isinstance(index, Lit) and type(index.value) is int:
            if not -len(t.elems) <= index.value < len(t.elems):     # on a path that is not taken, or it raises
                ctx.bind("IndexError", IndexError)
                raised(ctx, call(ctx, IndexError, [Lit("tuple index out of range")], spelling="IndexError", node=node))
                return UNDEF
            elem = t.elems[index.value]
            if isinstance(elem, Num) and elem.dim is not None and elem.dim.one:
                return Lit(1)
        if isinstance(t, TupleT) and is_lit(index, slice) and is_differentiable(t):
            # a tuple or list of its own, whose items are known to be the items of this one
            from ..containers.displays import new_list
            items = [read_item(ctx, held, Lit(k), node) for k in range(len(t.elems))[index.value]]
            return new_list(ctx, items, node) if t.cls is list else ctx.tuple(items)
    if type(strip(held.type)) is Obj and strip(held.type) != Obj(str) and _is_varied(index):
        refuse("opaque_value", ctx.at(node), f"{describe(obj)}.__getitem__()")
    return call(ctx, operator.getitem, [held, index], node=node)


def _is_varied(index: Any) -> bool:
    """Whether a subscript has a number in it that is differentiated."""
    if isinstance(index, (SSlice, STuple)):
        return any(map(_is_varied, index.items if isinstance(index, STuple) else (index.start, index.stop, index.step)))
    return isinstance(index, Value) and index.varied and is_differentiable(index.type)


def _static_item(ctx: Lowering, items: list[Any], index: Lit) -> Any:
    value = index.value
    if isinstance(value, slice) and all(p is None or isinstance(p, (int, np.integer)) for p in (value.start, value.stop, value.step)):
        return items[value]
    if isinstance(value, (int, np.integer)) and -len(items) <= value < len(items):
        return items[value]
    return None


def _missing(ctx: Lowering, key: Lit, node: Any) -> Any:
    return _raised(ctx, KeyError, key, node)


def _choose(ctx: Lowering, obj: Any, index: Any, node: Any) -> Any:
    """An item, by an index not known, of a display that holds functions or other things that cannot be values."""
    held = ctx.contents(obj) if not isinstance(obj, STuple) else obj
    items = getattr(held, "items", None)
    if not items or isinstance(index, (SSlice, STuple)) and not isinstance(obj, SDict) or len(items) > 32:
        return None
    if is_lit(index):
        return None
    values = [i[1] if isinstance(obj, SDict) else i for i in items]
    if all(is_operand(v) or isinstance(v, (STuple, SList, SDict)) for v in values) or not all(map(_callable, values)):
        return None
    keys = [i[0] for i in items] if isinstance(obj, SDict) else [Lit(k) for k in range(len(items))]
    out = values[-1]
    for key, value in reversed(list(zip(keys[:-1], values[:-1]))):
        out = SChoice(call(ctx, operator.eq, [index, key], node=node), value, out)
    return out


def _literal_item(ctx: Lowering, obj: Lit, index: Lit, node: Any) -> Any:
    """An item of an object known when compiling: tuples and strings at once, tables with a guard, arrays when running."""
    value = obj.value
    if isinstance(value, (str, bytes, tuple, range)):
        try:
            found = value[index.value]
        except Exception:
            return call(ctx, operator.getitem, [obj, index], node=node)
        return known_item(ctx, obj, index, found, node)
    if (
        isinstance(value, (list, dict))
        and type(value) in (list, dict)
        and not isinstance(index.value, slice)
        and id(value) not in ctx.program.stale
    ):
        try:
            found = value[index.value]
        except Exception:
            return call(ctx, operator.getitem, [obj, index], node=node)
        if type(found) in (int, float, complex) and is_changing("item", value, index.value):
            return changing_number(ctx, "item", value, index.value, found, node)
        known_outside(ctx, "item", value, index.value, found)
        return known_item(ctx, obj, index, found, node)
    return call(ctx, operator.getitem, [obj, index], node=node)


def known_item(ctx: Lowering, obj: Lit, index: Lit, found: Any, node: Any) -> Any:
    """An object read out of another one that is known when compiling."""
    container = isinstance(found, (tuple, list, dict)) and not isinstance(found, (int, float, complex))
    known = found is None or isinstance(found, (bool, str, bytes, type, types.ModuleType)) or callable(found)
    if known or container or view_of(found) is not None:
        if isinstance(found, (bool, str, bytes, type(None))):
            return Lit(found)
        text = f"{obj.text or ctx.bind('table', obj.value)}[{index.value!r}]"
        return Lit(found, text)
    if isinstance(found, int) and obj.text is None:
        return Lit(found)
    if obj.text is None and isinstance(found, (float, complex)):
        return Lit(found)
    return call(ctx, operator.getitem, [obj, index], type=type_of(found), node=node)


def _choose_literal(ctx: Lowering, obj: Lit, index: Any, node: Any) -> Any:
    """An entry of a module's table of functions, by a key not known."""
    value = obj.value
    if id(value) in ctx.program.stale:
        return None
    if isinstance(value, dict) and value and len(value) <= 32 and all(callable(v) for v in value.values()):
        entries = [(Lit(k), Lit(v, f"{obj.text}[{k!r}]" if obj.text else None)) for k, v in value.items()]
        for k, v in value.items():
            known_outside(ctx, "item", value, k, v)
    elif isinstance(value, (list, tuple)) and value and len(value) <= 32 and all(callable(v) for v in value):
        entries = [(Lit(k), Lit(v, f"{obj.text}[{k}]" if obj.text else None)) for k, v in enumerate(value)]
    else:
        return None
    out: Any = entries[-1][1]
    for key, v in reversed(entries[:-1]):
        out = SChoice(call(ctx, operator.eq, [index, key], node=node), v, out)
    return out


def write(ctx: Lowering, obj: Any, index: Any, value: Any, node: Any) -> None:
    """``obj[index] = value``."""
    if isinstance(obj, SNamespace):
        instance_dicts.write_item(ctx, obj, index, value, node)
        return
    if isinstance(obj, (SList, SDict)):
        held = ctx.contents(obj)
        if isinstance(held, Contents):
            at = item_key(ctx, obj, index)
            if at is not None:
                items = list(held.items)
                items[at] = (items[at][0], value) if isinstance(obj, SDict) else value
                ctx.state[obj, "items"] = ctx.make_contents(items)
                return
            if isinstance(obj, SDict) and isinstance(index, Lit):
                ctx.state[obj, "items"] = ctx.make_contents([*held.items, (index, value)])
                return
    if isinstance(obj, (SObj, Value)):
        t = strip(obj.type) if isinstance(obj, Value) else None
        if isinstance(obj, SObj) or isinstance(t, (Obj, RecordT)) and t.cls not in (None, dict):
            found = special(ctx, obj, "__setitem__", [index, value], node)
            if found is not None:
                return
            if (data := data_of(ctx, obj, node)) is not None:
                write_data(ctx, data, index, value, node)
                return
    held = ctx.escape(obj, node)
    if isinstance(held, Value) and isinstance(held.type, DictT) and isinstance(index, STuple):
        index = ctx.operand(index, node)
    if (kind := _scalar_kind(held)) is not None:
        _raised(ctx, TypeError, f"'{kind}' object does not support item assignment", node)
        return
    call(ctx, operator.setitem, [held, index, value], node=node)


def _scalar_kind(x: Any) -> str | None:
    """The name of the class of a number, which has no items; None for other values."""
    t = strip(x.type)
    if isinstance(t, Arr):
        return f"numpy.{t.dtype}" if t.scalar else None
    return t.kind if isinstance(t, Num) else None


def _is_place(index: Any) -> bool:
    """Whether an index is an integer or a slice, or has one for an axis."""
    if isinstance(index, STuple):
        return any(map(_is_place, index.items))
    if isinstance(index, (SSlice, Lit)):
        return isinstance(index, SSlice) or type(index.value) in (int, slice)
    return isinstance(index, Value) and index.type == Num("int")


def _raised(ctx: Lowering, cls: type, reason: Any, node: Any) -> Any:
    """Raise an exception with a message, or with the literal ``reason``."""
    raised(ctx, call(ctx, cls, [reason if isinstance(reason, Lit) else Lit(reason)], spelling=ctx.bind(cls.__name__, cls), node=node))
    return UNDEF
