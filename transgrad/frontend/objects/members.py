"""Looks names up in classes: the user's, and those defined inside the function; calls special methods."""
from __future__ import annotations

import types
from typing import Any

from ...ir.ops import UNDEF, Lit, Value
from ...ir.types import Obj, RecordT, TupleT
from ..context import Lowering
from ..domain import heap
from ..domain.abstract import UNBOUND, SBound, SChoice, SClass, SFunc, SObj, STuple
from ..expressions.operations import strip
from ..library.labelled import refuse_special
from ..statements.control_flow import choose

__all__ = ["class_of", "find", "generated", "has_special", "is_instance", "lookup_order", "special"]


def class_of(ctx: Lowering, x: Any) -> Any:
    """The class of an abstract value (a class, or an `SClass`), or None."""
    if isinstance(x, SObj):
        return x.cls
    if isinstance(x, STuple):
        return x.cls
    if isinstance(x, Lit):
        return None if x is UNDEF else type(x.value)
    if isinstance(x, Value):
        if (ref := heap.reference_type(ctx, x)) is not None:
            return ref.cls
        if x in ctx.examples:
            return type(ctx.examples[x][0])
        t = strip(x.type)
        if isinstance(t, (Obj, RecordT, TupleT)):
            return t.cls
    return None


def members(cls: Any, after: Any = None) -> Any:
    """The dictionaries of a class and its bases, in the order of lookup; with ``after``, those behind that class."""
    order: list[Any] = lookup_order(cls)
    if after is not None and after in order:
        order = order[order.index(after) + 1:]
    for c in order:
        yield c, (c.members if isinstance(c, SClass) else c.__dict__)


def lookup_order(cls: Any) -> list[Any]:
    if not isinstance(cls, SClass):
        return list(cls.__mro__)
    out: list[Any] = [cls]
    for base in cls.bases:
        out.extend(c for c in lookup_order(base) if c not in out)
    return [c for c in out if c is not object] + [object]


def find(cls: Any, name: str, after: Any = None) -> tuple[Any, Any]:
    """The class that defines a name, and the definition; (None, UNBOUND) if none does."""
    for c, table in members(cls, after):
        if name in table:
            return c, table[name]
    return None, UNBOUND


def is_instance(x: Any) -> bool:
    """Whether a value may be an instance of a user's class, also of one whose fields are the leaves of an argument."""
    if not isinstance(x, Value):
        return isinstance(x, SObj)
    t = strip(x.type)
    return isinstance(t, Obj) or isinstance(t, RecordT) and t.cls not in (None, dict)


def has_special(ctx: Lowering, x: Any, name: str) -> bool:
    cls = class_of(ctx, x)
    return cls is not None and isinstance(find(cls, name)[1], (types.FunctionType, SFunc))


def special(ctx: Lowering, x: Any, name: str, args: list[Any], node: Any, kwargs: dict[str, Any] | None = None) -> Any:
    """Call a special method of a user's class; None if there is none or it returns NotImplemented."""
    if isinstance(x, SChoice):

        return choose(
            ctx, x.cond, lambda: special(ctx, x.then, name, args, node, kwargs), lambda: special(ctx, x.orelse, name, args, node, kwargs)
        )
    if (ref := heap.reference_type(ctx, x)) is not None and len(ref.classes) != 1:
        return heap.by_class(ctx, x, node, lambda cls: special(ctx, x, name, args, node, kwargs))
    cls = class_of(ctx, x)
    if cls is None or isinstance(cls, type) and cls.__module__ in ("builtins", "numpy"):
        return None
    owner, found = find(cls, name)
    refuse_special(ctx, found, node)
    if not isinstance(found, (types.FunctionType, SFunc)) or isinstance(found, types.FunctionType) and generated(found):
        return None
    from ..calls.dispatch import call_abstract
    out = call_abstract(ctx, SBound(x, found, owner), args, kwargs or {}, node)
    return None if isinstance(out, Lit) and out.value is NotImplemented else out


def generated(func: Any) -> bool:
    """Whether a method was written by dataclasses."""
    return func.__code__.co_filename == "<string>" or (func.__module__ or "") == "dataclasses"
