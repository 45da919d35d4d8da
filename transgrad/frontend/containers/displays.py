"""Lists, dicts and sets: displays, and the methods that change or read them while they are still known item by item."""
from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import gast

from ...ir.ops import Lit, Star, Value
from ...ir.types import ListT, Num, RecordT, SetT
from ..context import Lowering, join_all
from ..domain.abstract import SDict, SIter, SList, SNamespace, SObj, STuple, is_lit
from ..domain.contents import Contents
from ..expressions.conversions import tuple_of_list
from ..expressions.dispatch import expr
from ..expressions.operations import call, strip
from ..expressions.operators import equal, truth
from ..expressions.subscripts import item_key, same_key, write
from ..objects.builtin_bases import data_of, plain_data
from ..objects.instance_dicts import as_dict, contains
from ..objects.members import is_instance, special
from ..statements.assignments import unpacked
from ..statements.dispatch import negated
from ..statements.generators import assigned_outside
from .iterables import _mapping_items, as_list, collect, resolve, run_loop, static_items

__all__ = ["add_pairs", "delete_item", "dict_display", "dict_update", "list_display", "membership", "method_of_display", "new_dict",
           "new_list", "set_display", "tuple_display", "tuple_of"]


def new_list(ctx: Lowering, items: Any, node: Any) -> Any:
    """A list of known items; a run-time list where an earlier attempt found that it must be one."""
    return _new(ctx, SList, "list", list(items), node)


def new_dict(ctx: Lowering, pairs: Any, node: Any) -> Any:
    """A dict of known (key, value) pairs."""
    return _new(ctx, SDict, "dict", list(pairs), node)


def _new(ctx: Lowering, kind: type, name: str, items: list[Any], node: Any) -> Any:
    site = (ctx.frame.source.file, getattr(node, "lineno", 0) + ctx.frame.source.offset, getattr(node, "col_offset", 0), name)
    if site in ctx.program.sites:
        flat = [x for pair in items for x in pair] if kind is SDict else items
        return ctx.runtime_display(name, [ctx.escape(i, node) for i in flat])
    made = kind(site, ctx.at(node) if hasattr(node, "lineno") else ctx.loc)
    ctx.state[made, "items"] = ctx.make_contents(items)
    return made


def tuple_of(ctx: Lowering, items: list[Any], node: Any) -> Any:
    """A tuple of arguments, of which the last may be a starred list."""
    if not any(isinstance(i, Star) for i in items):
        return ctx.tuple(items)
    if len(items) == 1:
        return tuple_of_list(ctx, ctx.operand(items[0].value, node), node)
    return ctx.runtime_display("tuple", [Star(ctx.escape(i.value)) if isinstance(i, Star) else ctx.escape(i) for i in items])


def list_display(ctx: Lowering, node: Any) -> Any:
    """``[a, *b]``."""
    return _display(ctx, "list", node, new_list)


def tuple_display(ctx: Lowering, node: Any) -> Any:
    """``(a, *b)``."""
    return _display(ctx, "tuple", node, lambda ctx, items, node: ctx.tuple(items))


def set_display(ctx: Lowering, node: Any) -> Any:
    """``{a, *b}``."""
    return _display(ctx, "set", node, new_set)


def _display(ctx: Lowering, kind: str, node: Any, made: Callable[[Lowering, list[Any], Any], Any]) -> Any:
    """A display of known items, or, from the first starred item of unknown length on, one that is extended part by part."""
    items: list[Any] = []
    for k, n in enumerate(node.elts):
        if isinstance(n, gast.Starred):
            held = expr(ctx, n.value)
            known = static_items(ctx, held)
            if known is None:
                return _extended(ctx, kind, items, held, node.elts[k + 1:], node)
            items.extend(known)
        else:
            items.append(expr(ctx, n))
    return made(ctx, items, node)


def _extended(ctx: Lowering, kind: str, items: list[Any], held: Any, rest: list[Any], node: Any) -> Any:
    """``[*items, *held, *rest]`` after evaluating ``items`` and ``held``: evaluating ``rest`` may change the contents of ``held``."""
    out = ctx.runtime_display("list", [])
    for i in items:
        call(ctx, list.append, [out, i], node=node)
    call(ctx, list.extend, [out, as_list(ctx, held, node)], node=node)
    for n in rest:
        if isinstance(n, gast.Starred):
            call(ctx, list.extend, [out, as_list(ctx, expr(ctx, n.value), n)], node=node)
        else:
            call(ctx, list.append, [out, expr(ctx, n)], node=node)
    if kind == "set":
        return ctx.runtime_display("set", [Star(out)])
    return out if kind == "list" else call(ctx, tuple, [out], spelling="tuple", type=out.type, node=node)


def dict_display(ctx: Lowering, node: Any) -> Any:
    """``{k: v, **d}``."""
    out: Any = None
    pairs: list[Any] = []
    for k, v in zip(node.keys, node.values):
        if k is not None:
            key = expr(ctx, k)
            pairs.append((key, expr(ctx, v)))
            continue
        held = expr(ctx, v)
        if out is None:
            out, pairs = _dict_of(ctx, pairs, node), []
        for key, value in pairs:
            write(ctx, out, key, value, node)
        dict_update(ctx, out, held, node)       # now: the following items may change it
        pairs = []
    if out is None:
        return _dict_of(ctx, pairs, node)
    for key, value in pairs:
        write(ctx, out, key, value, node)
    return out


def _dict_of(ctx: Lowering, pairs: list[Any], node: Any) -> Any:
    keys = [ctx.operand(k) if isinstance(k, STuple) else k for k, _ in pairs]
    if all(isinstance(k, Lit) for k in keys):
        out: list[Any] = []
        for key, (_, value) in zip(keys, pairs):
            at = next((n for n, (other, _) in enumerate(out) if same_key(other, key)), None)
            if at is None:
                out.append((key, value))
            else:
                out[at] = (out[at][0], value)
        return new_dict(ctx, out, node)
    return ctx.runtime_display("dict", [ctx.escape(x, node) for key, (_, value) in zip(keys, pairs) for x in (key, value)])


def merge_dicts(ctx: Lowering, parts: list[Any], node: Any) -> Any:
    """One dict of several, later ones winning."""
    out = new_dict(ctx, [], node)
    for part in parts:
        dict_update(ctx, out, part, node)
    return out


def dict_update(ctx: Lowering, d: Any, other: Any, node: Any) -> None:
    """``d.update(other)``, of a mapping or of pairs of a key and a value."""
    if isinstance(other, SNamespace):
        other = as_dict(ctx, other, node)
    if (data := plain_data(ctx, other, node, "keys")) is not None:
        other = data
    pairs = _pairs(ctx, d, other)
    if pairs is not None:
        for key, value in pairs:
            write(ctx, d, key, value, node)
    elif isinstance(other, (SIter, SList, STuple)) or isinstance(other, Value) and isinstance(strip(other.type), ListT):
        add_pairs(ctx, ctx.escape(d), other, node)
    else:
        call(ctx, dict.update, [ctx.escape(d), ctx.operand(other, node)], node=node)


def _pairs(ctx: Lowering, d: Any, other: Any) -> list[tuple[Any, Any]] | None:
    """The items that update a dict, if they are known individually."""
    if isinstance(other, SDict):
        held = ctx.contents(other)
        return list(held.items) if isinstance(held, Contents) else None
    if isinstance(other, Lit) and isinstance(other.value, dict) or isinstance(other, Value) and isinstance(strip(other.type), RecordT):
        known = _mapping_items(ctx, "items", other) if isinstance(d, SDict) and isinstance(ctx.contents(d), Contents) else None
    else:
        known = static_items(ctx, other)
    pairs = [static_items(ctx, pair) for pair in known or ()]
    return [tuple(p) for p in pairs if p] if known is not None and all(p is not None and len(p) == 2 for p in pairs) else None


def add_pairs(ctx: Lowering, d: Any, pairs: Any, node: Any) -> None:
    """Put the pairs of a key and a value that something runs over into a dict at run time."""

    def one(pair: Any) -> None:
        key, value = static_items(ctx, pair) or unpacked(ctx, pair, 2, node)
        call(ctx, operator.setitem, [d, key, value], node=node)
    run_loop(ctx, pairs, one, node, assigned_outside(ctx))


def new_set(ctx: Lowering, items: list[Any], node: Any) -> Any:
    ops = [ctx.operand(i, node) for i in items]
    out = ctx.runtime_display("set", ops)
    out.type = SetT(join_all(o.type for o in ops))
    return out


def membership(ctx: Lowering, fn: Any, item: Any, container: Any, node: Any) -> Any:
    """``item in container``."""
    if isinstance(container, SNamespace) and is_lit(item, str):
        there = contains(ctx, container, item.value, node)
        return there if fn is operator.contains else Lit(not there.value) if isinstance(there, Lit) else negated(ctx, there)
    if isinstance(container, SNamespace):
        container = as_dict(ctx, container, node)
    if (data := plain_data(ctx, container, node, "__contains__")) is not None:
        container = data
    if is_instance(container):
        found = special(ctx, container, "__contains__", [item], node)
        if found is not None:
            cond = truth(ctx, found, node)
            return cond if fn is operator.contains else Lit(not cond.value) if isinstance(cond, Lit) else negated(ctx, cond)
    if isinstance(container, Lit) and isinstance(item, Lit) and id(container.value) not in ctx.program.stale and \
            isinstance(container.value, (str, tuple, dict, list, set, frozenset, range)):
        try:
            if isinstance(container.value, (list, set, dict)):
                ctx.program.guard("contains", container.value, item.value, item.value in container.value)
            return Lit((item.value in container.value) is (fn is operator.contains))
        except Exception:
            pass
    if isinstance(item, Lit) and not isinstance(container, (Lit, SIter)):
        if isinstance(container, Value) and container in ctx.examples and isinstance(container.type, RecordT) and \
                id(ctx.examples[container][0]) not in ctx.program.stale:
            return Lit((item.value in container.type.keys) is (fn is operator.contains))
    items = static_items(ctx, container) if not isinstance(container, (Lit, Value, SIter)) else None
    if items is not None:
        known = [equal(ctx, item, i) for i in items]
        if any(k is True for k in known):
            return Lit(fn is operator.contains)
        if all(k is False for k in known):
            return Lit(fn is not operator.contains)
    held = resolve(ctx, container, node)
    if isinstance(held, SIter):
        held = collect(ctx, held, node)
    return call(ctx, fn, [held, item] if fn is operator.contains else [item, held], type=Num("bool"), node=node)


def delete_item(ctx: Lowering, obj: Any, index: Any, node: Any) -> None:
    """``del obj[index]``."""
    if isinstance(obj, (SList, SDict)):
        at = item_key(ctx, obj, index)
        if at is not None:
            items = list(ctx.contents(obj).items)
            del items[at]
            ctx.state[obj, "items"] = ctx.make_contents(items)
            return
    if isinstance(obj, SObj):
        if special(ctx, obj, "__delitem__", [index], node) is not None:
            return
        if (data := data_of(ctx, obj, node)) is not None:
            delete_item(ctx, data, index, node)
            return
    call(ctx, operator.delitem, [ctx.escape(obj, node), index], node=node)


def method_of_display(ctx: Lowering, obj: Any, name: str, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    """A method of a list or dict whose items are known; None if it has to become a run-time call."""
    held = ctx.contents(obj)
    if not isinstance(held, Contents) or kwargs and name not in ("update",):
        return None
    if isinstance(obj, SDict):
        return _dict_method(ctx, obj, held, name, args, kwargs, node)
    items = list(held.items)
    if name == "append" and len(args) == 1:
        return _set(ctx, obj, [*items, args[0]])
    if name == "extend" and len(args) == 1:
        more = static_items(ctx, args[0])
        return None if more is None else _set(ctx, obj, [*items, *more])
    if name == "insert" and isinstance(args[0], Lit):
        items.insert(args[0].value, args[1])
        return _set(ctx, obj, items)
    if name == "pop" and items and (not args or isinstance(args[0], Lit)):
        at = args[0].value if args else -1
        if -len(items) <= at < len(items):
            out = items.pop(at)
            _set(ctx, obj, items)
            return out
    if name == "copy":
        return new_list(ctx, items, node)
    if name == "reverse":
        return _set(ctx, obj, items[::-1])
    if name == "clear":
        return _set(ctx, obj, [])
    if name == "index" and args and isinstance(args[0], Lit) and all(isinstance(i, Lit) for i in items):
        return next((Lit(k) for k, i in enumerate(items) if same_key(i, args[0])), None)
    return None


def _set(ctx: Lowering, obj: Any, items: list[Any]) -> Lit:
    ctx.state[obj, "items"] = ctx.make_contents(items)
    return Lit(None)


def _dict_method(ctx: Lowering, obj: SDict, held: Contents, name: str, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    if name in ("items", "keys", "values"):
        return SIter(name, obj)
    if name == "copy":
        return new_dict(ctx, held.items, node)
    if name == "update":
        if args:
            dict_update(ctx, obj, args[0], node)
        if kwargs:
            dict_update(ctx, obj, new_dict(ctx, [(Lit(k), v) for k, v in kwargs.items()], None), node)
        return Lit(None)
    if name == "clear":
        return _set(ctx, obj, [])
    if name in ("get", "pop", "setdefault") and isinstance(args[0], (Lit, STuple)):
        at = item_key(ctx, obj, args[0])
        if at is not None:
            value = held.items[at][1]
            if name == "pop":
                _set(ctx, obj, [i for k, i in enumerate(held.items) if k != at])
            return value
        if name == "setdefault":
            value = args[1] if len(args) > 1 else Lit(None)
            _set(ctx, obj, [*held.items, (args[0], value)])
            return value
        if name == "get" or len(args) > 1:
            return args[1] if len(args) > 1 else Lit(None)
    return None


