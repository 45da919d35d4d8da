"""Classes: instances made inside the function, of classes of some module or of classes defined here."""
from __future__ import annotations

import dataclasses
import sys
import types
from typing import Any

import gast

from ...ir.ops import Lit
from ...ir.types import Obj
from ..calls.dispatch import call_abstract
from ..calls.functions import closure, default_value
from ..context import Lowering, Restart
from ..domain.abstract import UNBOUND, SBound, SClass, SFunc, SObj
from ..domain.heap import is_on_heap, new_instance, reference_type, store
from ..domain.speculation import Trial
from ..expressions.dispatch import expr
from ..expressions.operations import call
from ..refusals import refuse
from ..statements.assignments import store_name
from .access import _Property, _Static, defaults
from .builtin_bases import BASES, has_data, make_data, method_of_base
from .members import class_of, find, generated, lookup_order, special

__all__ = ["construct_class", "construct_local", "define_class", "inherited_init", "object_new"]


def construct_class(ctx: Lowering, func: Lit, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    """``cls(*args, **kwargs)`` for a class of some module; NotImplemented where its instances must be run-time objects."""
    cls = func.value
    if issubclass(cls, BaseException):
        return call(ctx, cls, args, kwargs, spelling=func.text or ctx.bind(cls.__name__, cls), type=Obj(cls), node=node)
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        return _named_tuple(ctx, cls, args, kwargs, node)
    if not _plain_class(cls):
        return NotImplemented
    return _construct(ctx, cls, args, kwargs, node)


#: the module of classes that were defined inside a function
_LOCAL = "transgrad.frontend.local_classes"


def _plain_class(cls: type) -> bool:
    """Whether making an instance is nothing but running its __init__."""
    if cls.__module__ == _LOCAL:
        return True
    if cls.__module__.startswith(("transgrad.frontend.library.standard_containers", "transgrad.frontend.library.iterators",
                                  "transgrad.rules.")):
        return True
    if cls.__module__.split(".")[0] in ("builtins", "numpy", "scipy", "transgrad") or getattr(cls, "_is_protocol", False):
        return False
    meta: Any = type(cls)
    if any("__call__" in c.__dict__ for c in meta.__mro__ if c not in (type, object)):
        return False
    if cls.__module__.split(".")[0] in sys.stdlib_module_names and cls.__module__ != "__main__":
        return False
    owner, new = find(cls, "__new__")
    if owner is not object and owner not in BASES and _own_new(cls) is None and not (
        owner is not None and owner.__module__ in ("typing", "builtins") and owner.__name__ in ("Generic", "object")
    ):
        return False
    return all(c.__module__ not in ("builtins", "numpy") or c in (object, *BASES) for c in cls.__mro__)


def _named_tuple(ctx: Lowering, cls: Any, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    values = dict(zip(cls._fields, args))
    values.update(kwargs)
    for name, default in getattr(cls, "_field_defaults", {}).items():       # SciPy's classes of results have none
        if name not in values:
            ctx.program.guard("item", cls._field_defaults, name, default)
            values[name] = Lit(default)
    if set(values) != set(cls._fields) or len(args) > len(cls._fields):
        refuse("arguments", ctx.at(node), f"{cls.__name__}() does not fit its fields")
    return ctx.tuple([values[n] for n in cls._fields], cls)


def _own_new(cls: Any) -> types.FunctionType | None:
    """The ``__new__`` that a class, or a base of it, defines in Python."""
    new = find(cls, "__new__")[1] if isinstance(cls, type) else None
    return new.__func__ if isinstance(new, staticmethod) and isinstance(new.__func__, types.FunctionType) else None


def _construct(ctx: Lowering, cls: Any, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    new = _own_new(cls)
    if new is None:
        made = _new(ctx, cls, node)
    else:
        trial = Trial(ctx)
        made = call_abstract(ctx, Lit(new, ctx.bind(new.__name__, new)), [Lit(cls, ctx.bind(cls.__name__, cls)), *args], kwargs, node)
        if not isinstance(made, SObj) and reference_type(ctx, made) is None:
            trial.undo()        # it may return an instance that exists already
            return NotImplemented
        if not issubclass(class_of(ctx, made), cls) or find(cls, "__init__")[0] is object:
            return made
    owner, init = find(cls, "__init__")
    fields = getattr(cls, "__dataclass_fields__", None) if isinstance(cls, type) else None
    if (
        isinstance(init, types.FunctionType)
        and generated(init)
        and fields is not None
        or isinstance(cls, SClass)
        and cls.dataclass is not None
        and (owner is object or owner is None)
    ):
        _dataclass_init(ctx, made, args, kwargs, node)
        return made
    if isinstance(init, (types.FunctionType, SFunc)):
        call_abstract(ctx, SBound(made, init, owner), args, kwargs, node)
        return made
    if has_data(cls) and owner in BASES:
        method_of_base(ctx, made, init, args, kwargs, node)
        return made
    if args or kwargs:
        refuse("arguments", ctx.at(node), f"{getattr(cls, '__name__', None) or cls.name}() takes no arguments")
    return made


def _new(ctx: Lowering, cls: Any, node: Any) -> Any:
    """An instance before its ``__init__`` has run."""
    made: Any = SObj(cls, ctx.block)
    if is_on_heap(ctx, cls):
        made = new_instance(ctx, cls, node)
    else:
        defaults(ctx, made)
    if has_data(cls):
        make_data(ctx, made, cls, node)
    return made


def object_new(ctx: Lowering, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    """``object.__new__(cls)``, also as ``cls.__new__(cls)``: an instance without attributes."""
    cls = args[0].value if len(args) == 1 and not kwargs and isinstance(args[0], Lit) else None
    if not isinstance(cls, type) or not _plain_class(cls) or getattr(cls, "__abstractmethods__", None):
        return NotImplemented
    return _new(ctx, cls, node)


def inherited_init(ctx: Lowering, func: types.FunctionType, args: list[Any], kwargs: dict[str, Any], node: Any) -> bool:
    """Calls the __init__ that dataclasses have written for a base class, which has no text; whether ``func`` is one."""
    if func.__name__ != "__init__" or not args or not generated(func):
        return False
    if not isinstance(args[0], SObj) and reference_type(ctx, args[0]) is None:
        return False
    for cls in lookup_order(class_of(ctx, args[0])):
        if isinstance(cls, type) and cls.__dict__.get("__init__") is func and dataclasses.is_dataclass(cls):
            _dataclass_init(ctx, args[0], args[1:], kwargs, node, cls)
            return True
    return False


def _dataclass_init(ctx: Lowering, made: Any, args: list[Any], kwargs: dict[str, Any], node: Any, base: Any = None) -> None:
    """What the __init__ that dataclasses write for the class of ``made``, or for a base of it, does."""
    cls = base or class_of(ctx, made)
    rest = dict(kwargs)
    given = list(args)
    extra: list[Any] = []
    fields: list[tuple[str, Any, Any, bool, bool, bool]] = []
    if isinstance(cls, SClass):
        for name, default in cls.dataclass or []:
            fields.append((name, default, None, True, False, False))
    else:
        for f in cls.__dataclass_fields__.values():
            if f._field_type is dataclasses._FIELD_CLASSVAR:       # type: ignore[attr-defined]
                continue
            default = UNBOUND if f.default is dataclasses.MISSING else _default(ctx, cls, f)
            factory = None if f.default_factory is dataclasses.MISSING else f.default_factory
            fields.append((f.name, default, factory, f.init, bool(f.kw_only), f._field_type is dataclasses._FIELD_INITVAR))   # type: ignore[attr-defined]
    for name, default, factory, init, kw_only, only_init in fields:
        if init and given and not kw_only:
            value = given.pop(0)
        elif init and name in rest:
            value = rest.pop(name)
        elif default is not UNBOUND:
            value = default
        elif factory is not None:
            value = call_abstract(ctx, Lit(factory, getattr(factory, "__name__", None) if factory in (list, dict, set)
                                           else ctx.bind(getattr(factory, "__name__", "factory"), factory)), [], {}, node)
        elif init:
            refuse("arguments", ctx.at(node), f"{getattr(cls, '__name__', None) or cls.name}() is missing the argument '{name}'")
        else:
            continue
        if only_init:
            extra.append(value)
        else:
            ctx.keep(value)
            if isinstance(made, SObj):
                ctx.state[made, name] = value
            else:
                store(ctx, made, name, value, node)
    if given or rest:
        refuse("arguments", ctx.at(node), f"{getattr(cls, '__name__', None) or cls.name}() got arguments it does not take")
    if find(cls, "__post_init__")[1] is not UNBOUND:     # of the class of the instance, if that has one of its own
        special(ctx, made, "__post_init__", extra, node)


def _default(ctx: Lowering, cls: Any, f: Any) -> Any:
    ctx.program.guard("attr", f, "default", f.default)
    return default_value(ctx, f.default, f.name)


def construct_local(ctx: Lowering, cls: SClass, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    """An instance of a class defined inside the function."""
    return _construct(ctx, cls, args, kwargs, node)


def define_class(ctx: Lowering, node: Any) -> None:
    """A class statement inside a function."""
    bases: list[Any] = []
    for b in node.bases:
        held = expr(ctx, b)
        base = held if isinstance(held, SClass) else held.value if isinstance(held, Lit) and isinstance(held.value, type) else None
        if base is None or isinstance(base, type) and base is not object and not _plain_class(base):
            refuse("class_body", ctx.at(b), "the base class of a class defined inside the function is not a plain class")
        bases.append(base)
    if node.keywords:
        refuse("class_body", ctx.at(node), "a class defined inside the function has a metaclass or keyword arguments")
    made = SClass(node.name, tuple(bases) or (object,), {}, node)
    fields: list[tuple[str, Any]] = []
    for stmt in node.body:
        ctx.loc = ctx.frame.source.loc(stmt, statement=True)
        if isinstance(stmt, gast.FunctionDef):
            func: Any = closure(ctx, stmt, stmt.name)
            func.owner = made
            for d in reversed(stmt.decorator_list):
                if isinstance(d, gast.Attribute) and d.attr == "setter":
                    prop = made.members[stmt.name]
                    prop.set = func
                    func = prop
                    continue
                mark = expr(ctx, d)
                kind = mark.value if isinstance(mark, Lit) else None
                if kind is property:
                    func = _Property(func)
                elif kind in (staticmethod, classmethod):
                    func = _Static(func, kind is classmethod)
                else:
                    func = call_abstract(ctx, mark, [func], {}, d)
            made.members[stmt.name] = func
        elif isinstance(stmt, gast.Assign) and len(stmt.targets) == 1 and isinstance(stmt.targets[0], gast.Name):
            made.members[stmt.targets[0].id] = expr(ctx, stmt.value)
        elif isinstance(stmt, gast.AnnAssign) and isinstance(stmt.target, gast.Name):
            default = UNBOUND
            if stmt.value is not None:
                default = made.members[stmt.target.id] = expr(ctx, stmt.value)
            fields.append((stmt.target.id, default))
        elif not isinstance(stmt, gast.Pass) and not (isinstance(stmt, gast.Expr) and isinstance(stmt.value, gast.Constant)):
            refuse("class_body", ctx.loc, "the body of a class defined inside the function holds more than functions and constants")
    result: Any = made
    for d in node.decorator_list:
        mark = expr(ctx, d.func if isinstance(d, gast.Call) else d)
        if isinstance(mark, Lit) and mark.value is dataclasses.dataclass:
            made.dataclass = [*(f for b in bases if isinstance(b, SClass) for f in b.dataclass or []), *fields]
        else:
            refuse("class_body", ctx.at(d), "a class defined inside the function is decorated")
    if ("#class", node) in ctx.program.sites:
        result = _as_class(ctx, made, node)
    store_name(ctx, node.name, result, node)


def _as_class(ctx: Lowering, made: SClass, node: Any) -> Lit:
    """A class defined inside the function as a class of Python, whose instances may be on the heap; the same in each attempt."""
    bases = made.bases
    for base in bases:
        if isinstance(base, SClass):
            if ("#class", base.node) not in ctx.program.sites:
                raise Restart([("#class", base.node)])
            refuse("class_body", ctx.at(node), "a class defined inside the function has such a base")
    cls = ctx.program.function_classes.get(("class", node))
    if cls is None:
        cls = ctx.program.function_classes["class", node] = type(made.name, bases, {"__module__": _LOCAL})
    if cls in ctx.program.local_classes:        # each time with other closures
        refuse("class_body", ctx.at(node), "a class that is defined several times, and whose instances are values at run time,")
    ctx.program.local_classes.add(cls)
    for name, member in made.members.items():
        for func in (member, getattr(member, "get", None), getattr(member, "set", None), getattr(member, "func", None)):
            if isinstance(func, SFunc):
                func.owner = cls
        if isinstance(member, Lit):
            member = member.value
        elif not isinstance(member, (SFunc, _Property, _Static)):
            refuse("class_body", ctx.at(node), f"the class attribute '{name}', which is computed inside the function,")
        setattr(cls, name, member)
    return Lit(cls, ctx.bind(made.name, cls))
