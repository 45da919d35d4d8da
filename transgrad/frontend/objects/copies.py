"""``copy.copy`` and ``copy.deepcopy`` of instances made inside the function."""
from __future__ import annotations

import copy
from typing import Any

from ...ir.ops import Lit, Value
from ...ir.types import Arr, DictT, ListT, OptT, SetT, holds_reference
from ..context import Lowering
from ..domain import heap
from ..domain.abstract import UNBOUND, SDict, SList, SObj, STuple
from ..domain.argument_records import split_record
from ..domain.contents import Contents
from ..expressions.operations import strip
from ..refusals import refuse
from .members import class_of, find, special

__all__ = ["HANDLERS"]


def _copy(deep: bool) -> Any:
    def handler(ctx: Lowering, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
        if len(args) == 1:
            split_record(ctx, args[0])
        if len(args) != 1 or kwargs or not _has_instance(ctx, args[0], set()):
            return NotImplemented
        return _copied(ctx, args[0], deep, {}, node)
    return handler


def _has_instance(ctx: Lowering, x: Any, met: set[int]) -> bool:
    """Whether something is, or holds, an instance made inside the function."""
    if isinstance(x, SObj) or heap.reference_type(ctx, x) is not None:
        return True
    if id(x) in met:
        return False
    met.add(id(x))
    if isinstance(x, STuple):
        return any(_has_instance(ctx, i, met) for i in x.items)
    if isinstance(x, (SList, SDict)):
        held = ctx.contents(x)
        items = held.items if isinstance(held, Contents) else [held]
        return any(_has_instance(ctx, i[1] if isinstance(i, tuple) else i, met) for i in items)
    return isinstance(x, Value) and holds_reference(x.type)


def _copied(ctx: Lowering, x: Any, deep: bool, memo: dict[int, Any], node: Any) -> Any:
    """A copy; ``memo`` has the earlier copies, by the identity of the abstract value."""
    if id(x) in memo:
        return memo[id(x)]
    if isinstance(x, SObj) or heap.reference_type(ctx, x) is not None:
        return _of_instance(ctx, x, deep, memo, node)
    if not deep:
        return _shallow(ctx, x, node)
    from ..containers.displays import new_dict, new_list
    if isinstance(x, STuple):
        return ctx.tuple([_copied(ctx, i, deep, memo, node) for i in x.items], x.cls)
    if isinstance(x, (SList, SDict)) and isinstance(held := ctx.contents(x), Contents):
        if isinstance(x, SList):
            made = memo[id(x)] = new_list(ctx, [], node)
            items: Any = [_copied(ctx, i, deep, memo, node) for i in held.items]
        else:
            made = memo[id(x)] = new_dict(ctx, [], node)
            items = [(k, _copied(ctx, v, deep, memo, node)) for k, v in held.items]
        if not isinstance(made, (SList, SDict)):
            refuse("static", ctx.at(node), "a deep copy of instances in a container that is a value at run time")
        ctx.state[made, "items"] = ctx.make_contents(items)
        return made
    o = ctx.operand(x, node)
    if isinstance(o, Lit):
        return o
    if holds_reference(o.type):
        refuse("static", ctx.at(node), "a deep copy of instances in a container of unknown length")
    return _shallow(ctx, o, node, copy.deepcopy)


def _shallow(ctx: Lowering, x: Any, node: Any, fn: Any = copy.copy) -> Any:
    """A copy of a container or an array; numbers are returned unchanged."""
    from ..calls.dispatch import call_object
    if isinstance(x, Value) and not isinstance(strip(x.type), (Arr, ListT, DictT, SetT)) and not isinstance(x.type, OptT):
        return x
    return call_object(ctx, Lit(fn, f"{ctx.bind('copy', copy)}.{fn.__name__}"), [x], {}, node)


def _of_instance(ctx: Lowering, x: Any, deep: bool, memo: dict[int, Any], node: Any) -> Any:
    hook = "__deepcopy__" if deep else "__copy__"
    cls = class_of(ctx, x)
    if find(cls, hook)[1] is not UNBOUND:
        found = special(ctx, x, hook, [Lit({}, "{}")] if deep else [], node)
        if found is not None:
            return found
    if any(find(cls, name)[1] is not UNBOUND for name in ("__reduce__", "__getstate__", "__setstate__") if name not in vars(object)):
        refuse("static", ctx.at(node), "a copy of an instance that says itself how it is pickled")
    made: Any
    if isinstance(x, SObj):
        made = memo[id(x)] = SObj(x.cls, ctx.block)
        for key, value in [(k, v) for k, v in ctx.state.items() if k[0] is x]:
            ctx.state[made, key[1]] = _copied(ctx, value, deep, memo, node) if deep else value
        return made
    names = heap.attribute_names(ctx, x, node)
    made = memo[id(x)] = heap.new_instance(ctx, cls, node)
    for name in names:
        value = heap.read_stored(ctx, x, name, node)
        heap.store(ctx, made, name, _copied(ctx, value, deep, memo, node) if deep else value, node)
    return made


def _new(ctx: Lowering, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    """``object.__new__(cls)``."""
    from .classes import object_new
    return object_new(ctx, args, kwargs, node)


HANDLERS: dict[Any, Any] = {copy.copy: _copy(False), copy.deepcopy: _copy(True), object.__new__: _new}
