"""Instances: attributes, properties, methods and operator overloads, for instances made inside the function and passed in."""
from __future__ import annotations

import enum
import functools
import types
from typing import Any

import numpy as np

from ...ir.infer import type_of
from ...ir.observed import is_changing
from ...ir.ops import UNDEF, Lit, Value
from ...ir.types import UNKNOWN, Obj, RecordT, Type
from ...rules import view_of
from ..calls.dispatch import call_abstract, object_value
from ..calls.hooks import handler_of
from ..containers.displays import new_dict
from ..context import Attribute, InlineInstead, Lowering, Restart
from ..describe import describe
from ..domain import heap
from ..domain.abstract import UNBOUND, SBound, SClass, SConflict, SFunc, SObj, SSuper
from ..domain.external_state import changing_number, known_outside, known_to_have, look_again
from ..domain.implicit_arguments import held as implicit_argument
from ..domain.join import BOTTOM, join_types
from ..expressions.attributes import _missing
from ..expressions.operations import get_attr
from ..refusals import refuse
from ..source.find import may_change
from ..specialize.argument_types import _path, argument_type, is_static, remember
from ..specialize.static_arguments import is_setting
from .class_members import cached, guard_member
from .descriptors import get, is_data_descriptor, partial_method
from .members import class_of, find, special

__all__ = ["attribute", "attribute_of_class", "attribute_of_instance", "attribute_of_value", "class_attribute", "defaults",
           "field_of_record", "looks_up",
           "make_super", "own_variable"]


def attribute(ctx: Lowering, obj: Any, name: str, node: Any) -> Any:
    """An attribute of an instance or class made inside the function, or of super()."""
    if isinstance(obj, SSuper):
        owner, found = find(
            class_of(ctx, obj.self) if not isinstance(obj.self, Lit) or not isinstance(obj.self.value, type) else obj.self.value,
            name,
            obj.owner,
        )
        if found is UNBOUND:
            return _missing(ctx, "super", name, node)
        return bound(ctx, obj.self, owner, found, name, node)
    if isinstance(obj, SClass):
        held = ctx.state.get((obj, name), UNBOUND)
        if held is not UNBOUND:
            return held
        if name == "__name__":
            return Lit(obj.name)
        owner, found = find(obj, name)
        return _unbound_member(ctx, obj, owner, found, name, node)
    held = ctx.state.get((obj, name), UNBOUND)
    owner, found = find(obj.cls, name)
    if held is not UNBOUND and not is_data_descriptor(found):
        if ctx.asking and (obj, name) in ctx.partial and (site := heap.escaped(ctx, obj)) is not None:
            raise Restart([site])       # where it is seen when it runs
        ctx.looked_for((obj, name), node)
        if isinstance(held, SConflict) and (site := heap.escaped(ctx, obj)) is not None:
            raise Restart([site])       # what an attribute holds depends on the path: it is seen when it runs
        return ctx.conflict(held, node) if isinstance(held, SConflict) else held
    if found is UNBOUND or found is vars(object)["__class__"]:
        return _dynamic(ctx, obj, name, node)
    return bound(ctx, obj, owner, found, name, node)


def _dynamic(ctx: Lowering, obj: Any, name: str, node: Any) -> Any:
    if name == "__class__":
        return obj.cls if isinstance(obj.cls, SClass) else Lit(obj.cls, ctx.bind(obj.cls.__name__, obj.cls))
    if name == "__dict__":
        return new_dict(ctx, [(Lit(k[1]), v) for k, v in ctx.state.items() if k[0] is obj], node)
    if not name.startswith("__"):
        found = special(ctx, obj, "__getattr__", [Lit(name)], node)
        if found is not None:
            return found
    if (new := new_class_variable(ctx, obj.cls, name)) is not UNBOUND:
        return _as_attribute(ctx, new, name, node)
    return _missing(ctx, getattr(obj.cls, "__name__", None) or obj.cls.name, name, node)


def class_attribute(ctx: Lowering, cls: Any, obj: Any, name: str, node: Any) -> Any:
    """An attribute found in the class of ``obj``."""
    owner, found = find(cls, name)
    if found is UNBOUND:
        if (new := new_class_variable(ctx, cls, name)) is not UNBOUND:
            return new
        return _missing(ctx, getattr(cls, "__name__", "object"), name, node)
    return bound(ctx, obj, owner, found, name, node)


def bound(ctx: Lowering, obj: Any, owner: Any, found: Any, name: str, node: Any) -> Any:
    """What a class member is when read from an instance."""
    if isinstance(found, Lit):
        inner = found.value
        if isinstance(inner, (types.FunctionType, property, staticmethod, classmethod)):
            found = inner
    if isinstance(owner, type) and may_change(owner) and not isinstance(obj, SSuper):
        guard_member(ctx, obj, owner, name, found)
    if isinstance(found, (types.FunctionType, SFunc)):
        return SBound(obj, found, owner)
    if isinstance(found, _Property):
        return call_abstract(ctx, SBound(obj, found.get, owner), [], {}, node)
    if isinstance(found, _Static):
        return found.func if not found.with_class else SBound(class_literal(ctx, obj), found.func, owner)
    if isinstance(found, property):
        if not isinstance(found.fget, types.FunctionType):
            return get_attr(ctx, obj, name, UNKNOWN, node)
        return call_abstract(ctx, SBound(obj, found.fget, owner), [], {}, node)
    if isinstance(found, functools.cached_property):
        return cached(ctx, obj, SBound(obj, found.func, owner), name, node)
    if isinstance(found, staticmethod):
        return Lit(found.__func__, _spelled(ctx, owner, name))
    if isinstance(found, classmethod):
        return SBound(class_literal(ctx, obj), _of_class(ctx, found.__func__, name), owner)
    if isinstance(found, types.DynamicClassAttribute) and isinstance(obj, Lit) and isinstance(obj.value, enum.Enum):
        return object_value(ctx, getattr(obj.value, name), name)        # name or value, which stay what they are
    if isinstance(found, types.DynamicClassAttribute) and isinstance(obj, Value) and isinstance(cls := class_of(ctx, obj), enum.EnumMeta):
        members: list[Any] = list(cls.__members__.values())
        held = [type_of(getattr(member, name)) for member in members]
        return get_attr(ctx, obj, name, functools.reduce(join_types, held), node)     # one of several members
    if isinstance(found, functools.singledispatchmethod):
        return SBound(obj, Lit(found), owner)
    if isinstance(found, functools.partialmethod):
        return partial_method(ctx, obj, owner, found, name, node)
    if (got := get(ctx, obj, owner, found, name, node)) is not NotImplemented:
        return got
    if hasattr(type(found), "__get__") and hasattr(type(found), "__set__"):
        if isinstance(found, types.MemberDescriptorType):
            if isinstance(obj, Value):      # a slot
                return get_attr(ctx, obj, name, UNKNOWN, node)
            return _missing(ctx, describe(obj), name, node)
        refuse("metaclass", ctx.at(node), f"the attribute '{name}' is a descriptor")
    method = getattr(found, "__transgrad_method__", None)
    if method is not None:      # a derivative in a class
        return SBound(obj, Lit(method, _spelled(ctx, owner, name)), owner)
    inner = found.value if isinstance(found, Lit) else found
    if handler_of(inner) is not None:       # a function with a derivative of its own
        return SBound(obj, Lit(inner, _spelled(ctx, owner, name)), owner)
    wrapped = getattr(found, "__wrapped__", None)
    if isinstance(wrapped, types.FunctionType):
        return SBound(obj, wrapped, owner)
    if isinstance(found, (types.MethodDescriptorType, types.WrapperDescriptorType)):
        return SBound(obj, found, owner)
    if isinstance(found, types.BuiltinFunctionType):
        return Lit(found, _spelled(ctx, owner, name))
    if callable(found) and not isinstance(found, type) and hasattr(type(found), "__get__"):
        return SBound(obj, name, owner)     # a method of a compiled class
    return class_constant(ctx, obj, owner, name, found)


def _of_class(ctx: Lowering, func: Any, name: str) -> Any:
    """The function of a class method: a plain one as it is, a derivative as a method, any other callable as an object to call."""
    if isinstance(func, types.FunctionType) or not callable(func):
        return func
    held = getattr(func, "__transgrad_method__", func)
    return Lit(held, ctx.bind(name, held))


def class_literal(ctx: Lowering, obj: Any) -> Any:
    cls = class_of(ctx, obj)
    if isinstance(obj, Lit) and isinstance(obj.value, type) or isinstance(obj, SClass):
        return obj
    return cls if isinstance(cls, SClass) else Lit(cls, ctx.bind(cls.__name__, cls))


def _spelled(ctx: Lowering, owner: Any, name: str) -> str | None:
    return f"{ctx.bind(owner.__name__, owner)}.{name}" if isinstance(owner, type) else None


def class_constant(ctx: Lowering, obj: Any, owner: Any, name: str, found: Any) -> Any:
    """A plain object kept in a class, which is ``obj`` or that of ``obj`` or of a base of it; nothing in front of it has the name."""
    if not isinstance(owner, type):
        return found
    written = of_class_variable(ctx, obj, owner, name)
    if written is not UNBOUND:
        return written
    example, path = ctx.examples.get(obj, (None, None)) if isinstance(obj, Value) else (None, None)
    read = obj.value if isinstance(obj, Lit) and isinstance(obj.value, type) else class_of(ctx, obj)
    if path is not None and instance_dict(example, name, found) is UNBOUND and find(read, name)[1] is found:
        ctx.program.guard("argattr", _path(path, name), None, found)
        ctx.program.guard("attr", owner, name, found)       # the generated code reads it there
        look_again(ctx, found, lambda: get_attr(ctx, obj, name, UNKNOWN))
    else:       # super() looks behind a class
        place = read if isinstance(read, type) and find(read, name)[1] is found else owner
        if type(found) in (int, float, complex) and any(is_changing("attr", cls, name) for cls in (place, owner)):
            return changing_number(ctx, "attr", place, name, found, None)
        known_outside(ctx, "attr", read if isinstance(read, type) and find(read, name)[1] is found else owner, name, found)
    if found is None or isinstance(found, (bool, str)):
        return Lit(found)
    if (held := implicit_argument(ctx, found)) is not None:
        return held
    return Lit(found, _spelled(ctx, owner, name))


def of_class_variable(ctx: Lowering, obj: Any, owner: type, name: str) -> Any:
    """What the function has written to an attribute of the class of ``obj``, or of a base of it in front of ``owner``; else UNBOUND."""
    cls = obj.value if isinstance(obj, Lit) and isinstance(obj.value, type) else class_of(ctx, obj)
    for c in cls.__mro__ if isinstance(cls, type) and issubclass(cls, owner) else (owner,):
        held = own_variable(ctx, c, name)
        if held is not UNBOUND:
            ctx.looked_for((Attribute(c), name), None)
            return held
        if c is owner:
            break
    return UNBOUND


class _Property:
    """A property of a class made inside the function."""

    def __init__(self, get: Any):
        self.get = get
        self.set: Any = None


class _Static:
    """A static or class method of a class made inside the function."""

    def __init__(self, func: Any, with_class: bool):
        self.func, self.with_class = func, with_class


def attribute_of_class(ctx: Lowering, obj: Lit, name: str, node: Any) -> Any:
    """``Class.name``."""
    cls = obj.value
    if name in ("__name__", "__qualname__", "__module__", "__doc__"):
        return Lit(getattr(cls, name))
    owner, found = find(cls, name)
    if found is UNBOUND:
        if (new := new_class_variable(ctx, cls, name)) is not UNBOUND:
            return new
        owner, found = find(type(cls), name)
        if found is UNBOUND:
            known_to_have(ctx, obj, name, False)
            return _missing(ctx, f"type object '{cls.__name__}'", name, node)
        value = getattr(cls, name, UNDEF)
        return Lit(value, f"{obj.text}.{name}" if obj.text else None)
    return _unbound_member(ctx, obj, owner, found, name, node)


def _unbound_member(ctx: Lowering, obj: Any, owner: Any, found: Any, name: str, node: Any) -> Any:
    if found is UNBOUND:
        return _missing(ctx, describe(obj), name, node)
    if isinstance(found, _Static):
        return SBound(obj, found.func, owner) if found.with_class else found.func
    if isinstance(found, SFunc):
        return found
    if isinstance(found, classmethod):
        return SBound(obj, _of_class(ctx, found.__func__, name), owner)
    text = f"{obj.text}.{name}" if isinstance(obj, Lit) and obj.text else None
    if isinstance(found, staticmethod):
        return Lit(found.__func__, text)
    if isinstance(found, (types.FunctionType, types.BuiltinFunctionType, types.MethodDescriptorType, types.WrapperDescriptorType,
                          types.ClassMethodDescriptorType)):
        return Lit(getattr(obj.value, name), text) if isinstance(obj, Lit) else Lit(found)
    if isinstance(owner, type) and owner.__module__.split(".")[0] in ("numpy", "builtins"):
        return Lit(getattr(obj.value, name), text)
    return class_constant(ctx, obj, owner, name, found)


def attribute_of_instance(ctx: Lowering, obj: Lit, value: Any, name: str, node: Any) -> Any:
    """An attribute of an object of the user's module."""
    held = own_variable(ctx, value, name)
    if held is UNBOUND:
        return _outside_attribute(ctx, obj, value, name, node)
    ctx.looked_for((Attribute(value), name), node)
    return held


def own_variable(ctx: Lowering, value: Any, name: str) -> Any:
    """What the function has written to an attribute of an object from outside; UNBOUND where it writes nothing, or has not yet."""
    variable = (Attribute(value), name)
    if variable not in ctx.program.sites:
        return UNBOUND
    if variable not in ctx.state:
        raise InlineInstead(ctx.variant and ctx.variant.func)
    return ctx.state[variable]


def new_class_variable(ctx: Lowering, cls: Any, name: str) -> Any:
    """An attribute that the class has not, but that the function gave to it or to one of its bases; UNBOUND if there is none."""
    found = (own_variable(ctx, base, name) for base in getattr(cls, "__mro__", ()))
    return next((held for held in found if held is not UNBOUND), UNBOUND)


def _as_attribute(ctx: Lowering, new: Any, name: str, node: Any) -> Any:
    """An attribute that the function gave to a class, as one of its instances has it."""
    if isinstance(new, SFunc) or isinstance(new, Lit) and callable(new.value):
        refuse("attribute_write", ctx.at(node), f"the method '{name}' of a class")
    return new


def _outside_attribute(ctx: Lowering, obj: Lit, value: Any, name: str, node: Any) -> Any:
    owner, found = find(type(value), name)
    if not isinstance(found, functools.cached_property) and not is_data_descriptor(found):
        held = instance_dict(value, name, found)
        if held is not UNBOUND and (argument := implicit_argument(ctx, held)) is not None:
            known_outside(ctx, "attr", value, name, held)
            return argument
        if held is not UNBOUND:
            known_outside(ctx, "attr", value, name, held if is_static(held) or view_of(held) is not None else type_of(held))
            if is_static(held):
                text = f"{obj.text}.{name}" if obj.text else None
                return Lit(held) if isinstance(held, (bool, str, bytes, type(None))) else Lit(held, text)
            t = argument_type(held, None)
            if isinstance(t, Obj):
                return Lit(held, f"{obj.text}.{name}" if obj.text else ctx.bind(name, held))
            out = get_attr(ctx, obj, name, t, node)
            remember(ctx, out, held, (obj.text, name))
            return out
    if found is UNBOUND:
        hook = special(ctx, obj, "__getattr__", [Lit(name)], node)
        if hook is not None:
            return hook
        if looks_up(type(value)) or type(value).__module__.split(".")[0] in ("numpy", "scipy"):
            return get_attr(ctx, obj, name, UNKNOWN, node)
        known_to_have(ctx, obj, name, False)
        if (new := new_class_variable(ctx, type(value), name)) is not UNBOUND:
            return _as_attribute(ctx, new, name, node)
        return _missing(ctx, type(value).__name__, name, node)
    if type(found) in (int, float, complex) and is_changing("attr", value, name):
        return changing_number(ctx, "attr", value, name, found, node)
    if not callable(found) and not hasattr(found, "__get__"):
        known_outside(ctx, "attr", value, name, found)      # the instance has no attribute of its own in front of the class's
    return bound(ctx, obj, owner, found, name, node)


def looks_up(cls: type) -> bool:
    """Whether the class has a way of its own to look an attribute up, so that only asking tells what is there."""
    plain: Any = object.__getattribute__
    return hasattr(cls, "__getattr__") or cls.__getattribute__ is not plain


def instance_dict(value: Any, name: str, found: Any) -> Any:
    """What an instance itself holds under a name (its dict or a slot), or UNBOUND; runs nothing of the user's."""
    table = getattr(value, "__dict__", None)
    if isinstance(table, dict) and name in table:
        return table[name]
    if isinstance(found, types.MemberDescriptorType):
        try:
            return found.__get__(value)
        except AttributeError:
            return UNBOUND
    return UNBOUND


def attribute_of_value(ctx: Lowering, obj: Value, t: Type, name: str, node: Any) -> Any:
    """An attribute of an instance that was passed in, or of a record."""
    if t == BOTTOM and not _called(node):
        return get_attr(ctx, obj, name, BOTTOM, node)
    if heap.reference_type(ctx, obj) is not None:
        return heap.read(ctx, obj, name, node)
    example, path = ctx.examples.get(obj, (None, None))
    cls = class_of(ctx, obj)
    key = (id(example) if obj in ctx.examples else obj, name)
    written = ctx.program.fields.get(key)
    owner, found = find(cls, name) if cls is not None else (None, UNBOUND)
    if isinstance(t, RecordT) and name in t.keys and not (is_data_descriptor(found) and not isinstance(found, types.MemberDescriptorType)):
        return field_of_record(ctx, obj, t, name, node)
    if obj in ctx.examples and not is_data_descriptor(found):
        of_member = isinstance(example, enum.Enum) and isinstance(found, types.DynamicClassAttribute)       # its name or value
        held = getattr(example, name) if of_member else instance_dict(example, name, found)
        if held is not UNBOUND:
            return _held(ctx, obj, name, held, path, written, node)
    if written is not None:
        return _items(ctx, obj, get_attr(ctx, obj, name, written, node))
    if found is not UNBOUND:
        if (
            isinstance(found, types.GetSetDescriptorType)
            or cls is not None
            and cls.__module__.split(".")[0] in ("numpy", "builtins")
            and not callable(found)
        ):
            return get_attr(ctx, obj, name, UNKNOWN, node)
        if not callable(found) and not hasattr(found, "__get__") and (obj not in ctx.examples or _may_be_another(ctx, name)):
            return get_attr(ctx, obj, name, UNKNOWN, node)      # the instance may have one of its own
        return bound(ctx, obj, owner, found, name, node)
    if cls is not None and obj in ctx.examples:
        hook = special(ctx, obj, "__getattr__", [Lit(name)], node)
        if hook is not None:
            return hook
        if looks_up(cls):
            return get_attr(ctx, obj, name, UNKNOWN, node)
        known_to_have(ctx, obj, name, False)
        if (new := new_class_variable(ctx, cls, name)) is not UNBOUND:
            return _as_attribute(ctx, new, name, node)
        return _missing(ctx, cls.__name__, name, node)
    if t == UNKNOWN or cls is None:
        if _called(node):
            return SBound(obj, getattr(np.ndarray, name) if obj.varied and name in _ARRAY_METHODS else name)
        return get_attr(ctx, obj, name, UNKNOWN, node)
    return get_attr(ctx, obj, name, UNKNOWN, node)


def _may_be_another(ctx: Lowering, name: str) -> bool:
    """Whether the function writes an attribute of this name to an object of which it is not known which one it is."""
    return any(isinstance(owner, Value) and attribute == name for owner, attribute in ctx.program.fields)


def field_of_record(ctx: Lowering, obj: Value, t: RecordT, name: str, node: Any) -> Any:
    """A field of an instance whose class and fields are known."""
    example, path = ctx.examples.get(obj, (None, None))
    written = ctx.program.fields.get((id(example) if obj in ctx.examples else obj, name))
    inner = t.elems[t.keys.index(name)]
    held = getattr(example, name, UNBOUND) if obj in ctx.examples else UNBOUND
    if held is not UNBOUND and is_static(held) and written is None:
        ctx.program.guard("argattr", _path(path, name), None, held)
        look_again(ctx, held, lambda: get_attr(ctx, obj, name, UNKNOWN, node))
        return Lit(held)
    out = get_attr(ctx, obj, name, inner if written is None else join_types(inner, written), node)
    if held is not UNBOUND:
        remember(ctx, out, held, _path(path, name))
    ctx.sharing.contain(obj, out, name)
    return out


#: Methods that arrays and NumPy's scalars have, and no container of Python's.
_ARRAY_METHODS = frozenset((
    "sum", "mean", "std", "var", "prod", "min", "max", "argmin", "argmax", "reshape", "ravel", "flatten", "transpose", "swapaxes",
    "squeeze", "dot", "trace", "diagonal", "cumsum", "cumprod", "clip", "round", "conj", "astype", "item", "tolist", "repeat", "take",
    "any", "all",
))


def _called(node: Any) -> bool:
    return bool(getattr(node, "is_callee", False))


def _held(ctx: Lowering, obj: Value, name: str, held: Any, path: Any, written: Any, node: Any) -> Any:
    if (is_static(held) or is_setting(ctx, _path(path, name), held)) and written is None:
        ctx.program.guard("argattr", _path(path, name), None, held)
        look_again(ctx, held, lambda: get_attr(ctx, obj, name, UNKNOWN, node))
        if held is None or isinstance(held, (bool, str, bytes, int, tuple)):
            return Lit(held)
        return Lit(held, ctx.bind(getattr(held, "__name__", None) or name, held))
    t = argument_type(held, _path(path, name))
    ctx.program.guard("argattr", _path(path, name), None, argument_type(held, None))
    if written is not None:
        t = join_types(type_of(held) if held is None else t, written)
    out = get_attr(ctx, obj, name, t, node)
    if written is None:
        remember(ctx, out, held, _path(path, name))
    return _items(ctx, obj, out)


def _items(ctx: Lowering, obj: Value, out: Value) -> Any:
    ctx.sharing.link(obj, out)
    return out


def _is_constant(member: Any) -> bool:
    """Whether a member of a class is a plain object, which its instances have until they get one of their own."""
    if isinstance(member, Lit):
        member = member.value
    return member is not UNBOUND and not isinstance(member, (SFunc, _Property, _Static)) and not hasattr(type(member), "__get__")


def _default_site(cls: Any, name: str) -> tuple[str, Any, str]:
    """What stands among the sites of a program where new instances have an attribute of their own in front of that of the class."""
    return "#default", cls.name if isinstance(cls, SClass) else cls, name


def defaults(ctx: Lowering, made: SObj) -> None:
    """Gives a new instance what its class holds under the names that get something else on some paths only."""
    for site in ctx.program.sites:
        if isinstance(site, tuple) and site == _default_site(made.cls, site[-1]):
            owner, found = find(made.cls, site[-1])
            if _is_constant(found):
                ctx.state[made, site[-1]] = class_constant(ctx, made, owner, site[-1], found)


def make_super(ctx: Lowering, node: Any) -> Any:
    """``super()``."""
    frame: Any = ctx.frame
    while frame is not None and frame.owner is None:
        frame = frame.outer
    if frame is None:
        refuse("syntax", ctx.at(node), "super() outside of a method")
    self_ = frame.self
    if self_ is None:
        first = next(iter(frame.scope.locals))
        self_ = ctx.state.get((frame, first))
    return SSuper(frame.owner, self_)
