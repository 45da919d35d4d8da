"""Dataclasses, named tuples and containers of the standard library: what their helpers do, field by field."""
from __future__ import annotations

import collections
import contextlib
import dataclasses
import functools
import types
from typing import Any

from ...ir.ops import Lit, Value
from ...ir.types import DictT, Obj, RecordT
from ...runtime.fields import instance
from ..calls.builtins import python_class
from ..calls.dispatch import call_abstract
from ..containers.displays import new_dict
from ..context import Lowering
from ..domain.abstract import SClass, SDict, SList, SObj, STuple
from ..domain.contents import Contents
from ..expressions.attributes import read_attribute
from ..expressions.conversions import HANDLERS as conversions
from ..expressions.operations import strip
from ..library.standard_containers import ChainMap, Counter, DefaultDict, Deque, ExitStack
from ..refusals import refuse

__all__ = ["HANDLERS", "named_tuple_method"]


def _fields(ctx: Lowering, x: Any) -> tuple[Any, list[str]] | None:
    """The class and field names of a dataclass instance."""

    cls = (
        x.cls
        if isinstance(x, SObj)
        else getattr(strip(x.type), "cls", None)
        if isinstance(x, Value) and isinstance(strip(x.type), RecordT)
        else python_class(ctx, x)
    )
    if isinstance(cls, SClass) and cls.dataclass is not None:
        return cls, [n for n, _ in cls.dataclass]
    if isinstance(cls, type) and dataclasses.is_dataclass(cls):
        return cls, [f.name for f in dataclasses.fields(cls)]
    return None


def _replace(ctx: Lowering, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    found = _fields(ctx, args[0])
    if found is None:
        return NotImplemented
    cls, names = found
    initial = names if isinstance(cls, SClass) else [f.name for f in dataclasses.fields(cls) if f.init]
    values = {n: kwargs[n] if n in kwargs else read_attribute(ctx, args[0], n, node) for n in initial}
    func = cls if isinstance(cls, SClass) else Lit(cls, ctx.bind(cls.__name__, cls))
    return call_abstract(ctx, func, [], values, node)


def _converted(as_dict: bool) -> Any:
    def handler(ctx: Lowering, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
        found = _fields(ctx, args[0])
        if found is None or kwargs:
            return NotImplemented

        def convert(x: Any) -> Any:
            return handler(ctx, [x], {}, node) if isinstance(x, (SObj, Value)) and _fields(ctx, x) is not None else x
        values = [(n, convert(read_attribute(ctx, args[0], n, node))) for n in found[1]]
        return new_dict(ctx, [(Lit(n), v) for n, v in values], node) if as_dict else ctx.tuple([v for _, v in values])
    return handler


def _all_fields(ctx: Lowering, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    found = _fields(ctx, args[0]) if not (isinstance(args[0], Lit) and isinstance(args[0].value, type)) else (args[0].value, [])
    if found is None or isinstance(found[0], SClass):
        return NotImplemented
    return ctx.tuple([Lit(f, ctx.bind(f"field_{f.name}", f)) for f in dataclasses.fields(found[0])])


def _is_dataclass(ctx: Lowering, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    if isinstance(args[0], Lit):
        return Lit(dataclasses.is_dataclass(args[0].value))
    return Lit(_fields(ctx, args[0]) is not None)


def named_tuple_method(ctx: Lowering, x: Any, name: str, kwargs: dict[str, Any], node: Any) -> Any:
    """``_replace`` and ``_asdict``; NotImplemented for others."""
    cls: Any = x.cls if isinstance(x, STuple) else getattr(strip(x.type), "cls", None)
    if name == "_replace":
        if set(kwargs) - set(cls._fields):
            refuse("arguments", ctx.at(node), f"{cls.__name__} has no such field")
        return ctx.tuple([kwargs[n] if n in kwargs else read_attribute(ctx, x, n, node) for n in cls._fields], cls)
    if name == "_asdict":
        return new_dict(ctx, [(Lit(n), read_attribute(ctx, x, n, node)) for n in cls._fields], node)
    return NotImplemented


def _namespace(ctx: Lowering, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    made = SObj(types.SimpleNamespace)
    for name, value in kwargs.items():
        ctx.state[made, name] = value
    return made


def _instance(ctx: Lowering, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    """An instance by its fields, made without its initializer."""
    held = ctx.contents(args[1]) if len(args) == 2 and isinstance(args[1], SDict) else None
    if not isinstance(held, Contents) or not isinstance(args[0], Lit):
        return NotImplemented
    made = SObj(args[0].value, ctx.block)
    for key, value in held.items:
        ctx.state[made, key.value] = value
    return made


def _emulated(cls: type) -> Any:
    def handler(ctx: Lowering, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
        from .classes import _construct
        return _construct(ctx, cls, args, kwargs, node)
    return handler


def _counter(ctx: Lowering, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    from ..calls.dispatch import varied
    mapping = any(isinstance(a, (SDict, SObj)) or isinstance(a, Value) and isinstance(strip(a.type), (DictT, Obj, RecordT)) for a in args)
    if kwargs or mapping or varied(ctx, *args):
        return NotImplemented
    return _emulated(Counter)(ctx, args, kwargs, node)


def _ordered(ctx: Lowering, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    ctx.program.ordered = True
    made = conversions[dict](ctx, args, kwargs, node)
    if isinstance(made, SDict):
        made.cls = collections.OrderedDict
    return made


def _new_class(ctx: Lowering, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    """``namedtuple("P", ["x", "y"])`` inside a function: the class is made once, when compiling."""
    if len(args) != 2 or kwargs:
        return NotImplemented
    held = ctx.contents(args[1]) if isinstance(args[1], SList) else args[1]
    items = held.items if isinstance(held, (Contents, STuple)) else [held]
    words = [i.value for i in (args[0], *items) if isinstance(i, Lit)]
    if not all(isinstance(w, str) for w in words) or len(words) != 1 + len(items):
        return NotImplemented
    try:
        cls = _named(words[0], " ".join(words[1:]), ctx.frame.globals.get("__name__"))
    except ValueError:
        return NotImplemented       # it raises when it runs
    return Lit(cls, ctx.bind(cls.__name__, cls))


@functools.cache
def _named(name: str, fields: str, module: str | None) -> Any:
    return collections.namedtuple(name, fields, module=module)


HANDLERS: dict[Any, Any] = {
    dataclasses.replace: _replace,
    dataclasses.asdict: _converted(True),
    dataclasses.astuple: _converted(False),
    dataclasses.fields: _all_fields,
    dataclasses.is_dataclass: _is_dataclass,
    types.SimpleNamespace: _namespace,
    instance: _instance,
    collections.namedtuple: _new_class,
    collections.ChainMap: _emulated(ChainMap),
    contextlib.ExitStack: _emulated(ExitStack),
    collections.deque: _emulated(Deque),
    collections.defaultdict: _emulated(DefaultDict),
    collections.Counter: _counter,
    collections.OrderedDict: _ordered,
}
