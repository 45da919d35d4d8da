"""Assignments to attributes of instances, classes and objects from outside."""
from __future__ import annotations

import types
from typing import Any

from ...ir.ops import Lit, Value
from ..calls.dispatch import call_abstract
from ..context import Attribute, InlineInstead, Lowering, Restart
from ..describe import describe
from ..domain import heap
from ..domain.abstract import UNBOUND, SBound, SClass, SFunc, SObj, SSuper
from ..domain.join import BOTTOM, join_types
from ..expressions.operations import set_attr
from ..objects.access import _default_site, _is_constant, _Property
from ..objects.descriptors import set_by_descriptor
from ..objects.field_stores import store
from ..objects.members import class_of, find, generated
from ..refusals import refuse
from ..source.find import may_change

__all__ = ["is_written", "set_by_hook", "set_variable", "write_attribute", "write_variable"]


def is_written(cls: type) -> bool:
    """Whether attributes of a class may be assigned in the function: those of a class in Python without a metaclass of its own."""
    return type(cls) is type and may_change(cls)


def _has_hook(cls: Any) -> bool:
    """Whether a class has a ``__setattr__`` of its own."""
    hook = find(cls, "__setattr__")[1]
    return isinstance(hook, SFunc) or isinstance(hook, types.FunctionType) and not generated(hook)


def set_by_hook(ctx: Lowering, obj: Any, cls: Any, name: str, value: Any, node: Any) -> bool:
    """Call the ``__setattr__`` of a class; return whether it has one of its own."""
    if not _has_hook(cls):
        return False
    owner, hook = find(cls, "__setattr__")
    call_abstract(ctx, SBound(obj, hook, owner), [Lit(name), value], {}, node)
    return True


def write_attribute(ctx: Lowering, obj: Any, name: str, value: Any, node: Any, raw: bool = False) -> None:
    """``obj.name = value``; with ``raw`` as ``object.__setattr__`` does it."""
    if isinstance(obj, Value) and obj.type == BOTTOM:
        return      # an item of a list that is still empty, as far as is known
    if heap.reference_type(ctx, obj) is not None:
        heap.write(ctx, obj, name, value, node, raw)
        return
    of_class = isinstance(obj, Lit) and isinstance(obj.value, type)
    cls = class_of(ctx, obj) if not isinstance(obj, SClass) and not of_class else None
    of_module = isinstance(obj, Lit) and (isinstance(obj.value, types.ModuleType) or isinstance(obj.value, type) and not is_written(
        obj.value))
    if isinstance(obj, (SSuper, SClass)) or of_module:
        refuse("attribute_write", ctx.at(node), describe(obj) if not isinstance(obj, SSuper) else "super()")
    if cls is not None:
        owner, found = find(cls, name)
        if isinstance(found, property) and isinstance(found.fset, types.FunctionType) and not _has_hook(cls):
            call_abstract(ctx, SBound(obj, found.fset, owner), [value], {}, node)
            return
        if isinstance(found, _Property) and found.set is not None:
            call_abstract(ctx, SBound(obj, found.set, owner), [value], {}, node)
            return
        if not raw and set_by_hook(ctx, obj, cls, name, value, node) or set_by_descriptor(ctx, obj, found, name, value, node):
            return
        if found is not UNBOUND and hasattr(type(found), "__set__") and not isinstance(found, types.MemberDescriptorType):
            refuse("metaclass", ctx.at(node), f"the attribute '{name}' is a descriptor")
    if isinstance(obj, SObj):
        if obj.joined:
            if (escaped := heap.escaped(ctx, obj)) is not None:
                raise Restart([escaped])
            refuse(
                "conflict",
                ctx.at(node),
                "this instance is one of two, by the path taken, or has been passed on; its attribute cannot be written",
            )
        if isinstance(value, Value) and value.name is None:
            value.name = name
        if ctx.state.get((obj, name), UNBOUND) is UNBOUND and obj.block is not ctx.block and _is_constant(find(obj.cls, name)[1]):
            site = _default_site(obj.cls, name)
            if site in ctx.program.sites:
                refuse("conflict", ctx.at(node), f"whether '{name}' is that of the class or of the instance depends on the path taken")
            raise Restart([site])       # on other paths, and before, it has the value of the class attribute
        store(ctx, obj, name, value, node)
        return
    if isinstance(obj, Lit):
        set_variable(ctx, obj.value, name, value)
    set_attr(ctx, obj, name, value, node)
    if isinstance(obj, Value):
        example = ctx.examples.get(obj)
        key = (id(example[0]) if example is not None else obj, name)
        t = ctx.operand(value).type
        old = ctx.program.fields.get(key)
        new = t if old is None else join_types(old, t)
        if new != old:
            ctx.program.fields[key] = new
            ctx.program.revision += 1


def set_variable(ctx: Lowering, obj: Any, name: str, value: Any) -> None:
    """Set the variable that stands for an attribute of an object from outside."""
    variable = (Attribute(obj), name)
    if variable not in ctx.program.sites:
        raise Restart([variable])
    if variable not in ctx.state:
        raise InlineInstead(ctx.variant and ctx.variant.func)
    if isinstance(value, Value) and value.name is None:
        value.name = name
    ctx.state[variable] = value


def write_variable(ctx: Lowering, obj: Any, name: str, value: Any, node: Any) -> None:
    """Assign a global variable, an attribute of its module, or a closure variable, the contents of its cell."""
    set_variable(ctx, obj, name, value)
    root = obj.__name__.rpartition(".")[2] if isinstance(obj, types.ModuleType) else "cell"
    set_attr(ctx, Lit(obj, ctx.bind(root, obj)), name, value, node)
