"""Methods and properties of classes: guards that they are those that were compiled, and cached properties."""
from __future__ import annotations

import functools
import types
from typing import Any

from ...ir.effects import writes_anything
from ...ir.ops import UNDEF, Block, Lit, Value
from ...ir.types import RecordT
from ..calls.dispatch import call_abstract
from ..context import InlineInstead, Lowering, Restart
from ..domain import heap
from ..domain.abstract import UNBOUND, SBound, SConflict, SObj
from ..expressions.operations import set_attr, strip
from ..refusals import refuse
from .field_stores import store
from .members import class_of, find

__all__ = ["cached", "guard_member"]

#: Class members with a method that is compiled.
_MEMBERS = (types.FunctionType, property, staticmethod, classmethod, functools.cached_property)


def guard_member(ctx: Lowering, obj: Any, owner: type, name: str, found: Any) -> None:
    """Record that a method or property of a class is the compiled one, and that no attribute of the instance hides it."""
    if not isinstance(found, _MEMBERS):
        return
    cls = obj.value if isinstance(obj, Lit) and isinstance(obj.value, type) else class_of(ctx, obj)
    if not isinstance(cls, type) or find(cls, name)[1] is not found:
        cls = owner     # super() looks behind a class
    ctx.program.guard("attr", cls, name, getattr(cls, name))
    example, path = ctx.examples.get(obj, (None, None)) if isinstance(obj, Value) else (getattr(obj, "value", None), None)
    instance = isinstance(getattr(example, "__dict__", None), dict) and not isinstance(example, type)
    in_front = not isinstance(found, (property, functools.cached_property))
    if instance and in_front and (isinstance(obj, Lit) or isinstance(path, (str, tuple))):
        ctx.program.guard("uncached", example if path is None else path, name, True)


def cached(ctx: Lowering, obj: Any, method: SBound, name: str, node: Any) -> Any:
    """A cached property that has not been read before: its value becomes an attribute of the instance."""
    if isinstance(obj, SObj):
        before, block, start = dict(ctx.state), ctx.block, len(ctx.block.ops)
        value = call_abstract(ctx, method, [], {}, node)
        changed = any(ctx.state.get(key) is not held for key, held in before.items())
        if ctx.repeats and (changed or writes_anything(Block([], block.ops[start:]))):
            # whether an earlier iteration has read it, only the instance at run time can tell
            site = heap.escaped(ctx, obj)
            if site is not None:
                raise Restart([site])
            refuse("conflict", ctx.at(node), f"whether the cached property '{name}', whose function has effects, has been read depends "
                   "on the iteration")
        store(ctx, obj, name, value, node)
        return value
    key = (obj.value if isinstance(obj, Lit) else obj, "#cached", name)
    held = ctx.state.get(key, UNBOUND)
    if isinstance(held, SConflict) or key in ctx.partial:
        refuse("conflict", ctx.at(node), f"whether the cached property '{name}' has been read depends on the path taken")
    if held is UNBOUND:
        held = _first_read(ctx, obj, method, name, node)
        if held is not UNDEF:
            ctx.state[key] = held
    return held


def _first_read(ctx: Lowering, obj: Any, method: SBound, name: str, node: Any) -> Any:
    """Call the function of a cached property, and leave its value in the instance, as Python does."""
    if ctx.variant is not None:     # whether it has been read before, the caller knows
        raise InlineInstead(ctx.variant.func)
    example, path = ctx.examples.get(obj, (None, None)) if isinstance(obj, Value) else (obj.value, None)
    if isinstance(getattr(example, "__dict__", None), dict) and (path is not None or isinstance(obj, Lit)):
        ctx.program.guard("uncached", example if path is None else path, name, True)
    block, start = ctx.block, len(ctx.block.ops)
    value = call_abstract(ctx, method, [], {}, node)
    if ctx.repeats and writes_anything(Block([], block.ops[start:])):
        refuse("conflict", ctx.at(node), f"whether the cached property '{name}', whose function has effects, has been read depends on the "
               "iteration")
    if value is not UNDEF and not ctx.repeats and not (isinstance(obj, Value) and isinstance(strip(obj.type), RecordT)):
        set_attr(ctx, obj, name, value, node)
    return value
