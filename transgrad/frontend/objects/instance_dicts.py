"""The ``__dict__`` of an instance made inside the function: writes to it are writes to attributes, reads see the attributes."""
from __future__ import annotations

from typing import Any

from ...ir.ops import Lit, Value
from ..context import Lowering, Restart
from ..domain import heap
from ..domain.abstract import UNBOUND, SList, SNamespace, SObj, STuple, is_lit
from ..refusals import refuse
from .field_stores import store

__all__ = ["as_dict", "contains", "method", "namespace_of", "on_heap_if_undecided", "write_item"]


def namespace_of(ctx: Lowering, obj: Any) -> SNamespace | None:
    """The ``__dict__`` of an instance; None for objects that exist outside."""
    return SNamespace(obj) if isinstance(obj, SObj) or isinstance(obj, Value) and heap.reference_type(ctx, obj) is not None else None


def as_dict(ctx: Lowering, x: SNamespace, node: Any) -> Any:
    """The attributes as a separate dict. It is read-only, because writes to it would not reach the instance."""
    from ..containers.displays import new_dict
    from ..expressions.attributes import read_attribute
    if isinstance(x.obj, SObj):
        held = {k: v for k, v in ctx.state.items() if k[0] is x.obj and v is not UNBOUND}
        if not ctx.partial.isdisjoint(held):
            refuse("conflict", ctx.at(node), "the attributes that an instance has depend on the path taken")
        return new_dict(ctx, [(Lit(k[1]), v) for k, v in held.items()], node)
    names = heap.attribute_names(ctx, x.obj, node)
    return new_dict(ctx, [(Lit(name), read_attribute(ctx, x.obj, name, node)) for name in names], node)


def on_heap_if_undecided(ctx: Lowering, x: SObj, name: str) -> None:
    """Start again with a class on the heap, where it depends on the path or the iteration whether an instance has an attribute."""
    if (x, name) in ctx.partial or ctx.repeats and ctx.state.get((x, name), UNBOUND) is UNBOUND:
        site = heap.escaped(ctx, x)
        if site is not None:
            raise Restart([site])


def contains(ctx: Lowering, x: SNamespace, name: str, node: Any) -> Any:
    """``name in obj.__dict__``, which asks the instance alone."""
    if not isinstance(x.obj, SObj):
        return heap.has(ctx, x.obj, name, node, of_class=False)
    on_heap_if_undecided(ctx, x.obj, name)
    if (x.obj, name) in ctx.partial or ctx.repeats and ctx.state.get((x.obj, name), UNBOUND) is UNBOUND:
        refuse("conflict", ctx.at(node), f"whether there is a '{name}' depends on the path taken")
    return Lit(ctx.state.get((x.obj, name), UNBOUND) is not UNBOUND)


def write_item(ctx: Lowering, x: SNamespace, key: Any, value: Any, node: Any) -> None:
    """``obj.__dict__[key] = value``, which asks neither properties nor ``__setattr__``."""
    if not is_lit(key, str):
        refuse("attribute_write", ctx.at(node), "an attribute whose name is not known when compiling")
    if isinstance(x.obj, SObj):
        if x.obj.joined:
            refuse("conflict", ctx.at(node), "this instance is one of two, by the path taken; its __dict__ cannot be written")
        store(ctx, x.obj, key.value, value, node)
    else:
        heap.store(ctx, x.obj, key.value, value, node)


def method(ctx: Lowering, x: SNamespace, name: str, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    """A method of the ``__dict__``."""
    from ..calls.dispatch import call_abstract
    from ..containers.displays import new_dict
    from ..containers.iterables import _mapping_items, static_items
    from ..expressions.attributes import read_attribute
    if name == "update":
        given = [*args, new_dict(ctx, [(Lit(k), v) for k, v in kwargs.items()], node)]
        for other in given:
            if isinstance(other, SNamespace):
                other = as_dict(ctx, other, node)
            found = static_items(ctx, other) if isinstance(other, (SList, STuple)) else _mapping_items(ctx, "items", other)
            for pair in [None] if found is None else found:
                both = None if pair is None else static_items(ctx, pair)
                if both is None or len(both) != 2:
                    refuse("attribute_write", ctx.at(node), "an attribute whose name is not known when compiling")
                write_item(ctx, x, both[0], both[1], node)
        return Lit(None)
    if name in ("pop", "clear", "setdefault", "popitem", "__setitem__", "__delitem__"):
        refuse("attribute_write", ctx.at(node), f"__dict__.{name}: an attribute")
    return call_abstract(ctx, read_attribute(ctx, as_dict(ctx, x, node), name, node), args, kwargs, node)
