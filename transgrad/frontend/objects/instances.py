"""Instances made inside the function where they become values at run time, are raised, shown or compared."""
from __future__ import annotations

import dataclasses
import operator
from typing import Any

from ...ir.ops import Lit, Operand
from ...ir.types import Obj, RecordT, holds_reference
from ..context import Lowering, Restart
from ..describe import describe
from ..domain.abstract import SClass, SObj, STuple
from ..domain.heap import escaped
from ..expressions.dispatch import expr
from ..expressions.operations import call
from ..refusals import refuse
from .members import generated, special

__all__ = ["build_object", "equal_dataclasses", "exception_operand", "formatted"]


def build_object(ctx: Lowering, x: SObj, node: Any) -> Operand:
    """An instance made inside the function as a value at run time: a dataclass as it is, others on the heap."""
    cls = x.cls
    if isinstance(cls, type) and dataclasses.is_dataclass(cls) and all(f.init for f in dataclasses.fields(cls)):
        names = [f.name for f in dataclasses.fields(cls)]
        if all((x, n) in ctx.state for n in names):
            held: Operand | None = ctx.state.get((x, "items"))
            if held is not None:
                return held
            ops = {n: ctx.escape(ctx.state[x, n], node) for n in names}
            site = escaped(ctx, x)
            if site is not None and any(o.varied or holds_reference(o.type) for o in ops.values()):
                raise Restart([site])
            t = RecordT(tuple(names), tuple(o.type for o in ops.values()), cls)
            out: Operand = call(ctx, cls, [], ops, spelling=ctx.bind(cls.__name__, cls), type=t, node=node)
            x.joined = True
            return out
    site = escaped(ctx, x)
    if site is not None:
        raise Restart([site])
    return refuse("static", ctx.at(node) if hasattr(node, "lineno") else ctx.loc,
                  f"{describe(x)} was made inside the function and cannot be a value at run time")


def exception_operand(ctx: Lowering, node: Any) -> Any:
    """The operand of a raise statement."""
    held = expr(ctx, node)
    if isinstance(held, SObj) and held in ctx.raised:
        cls, args, kwargs = ctx.raised[held]
        return call(ctx, cls, args, kwargs, spelling=ctx.bind(cls.__name__, cls), type=Obj(cls), node=node)
    if isinstance(held, (SObj, SClass)):
        refuse("class_body", ctx.at(node), "an exception class made inside the function is raised")
    return ctx.operand(held, node)


def formatted(ctx: Lowering, x: SObj, node: Any) -> Any:
    """An instance in an f-string."""
    for name in ("__format__", "__str__", "__repr__"):
        found = special(ctx, x, name, [Lit("")] if name == "__format__" else [], node)
        if found is not None:
            return found
    held = ctx.state.get((x, "args"))
    if x in ctx.raised and isinstance(held, STuple) and len(held.items) == 1:
        return call(ctx, str, [held.items[0]], spelling="str", type=Obj(str), node=node)
    return Lit(f"<{describe(x)}>")


def by_fields(ctx: Lowering, fn: Any, a: Any, b: Any, node: Any) -> Any:
    """A comparison of two instances of one dataclass by the method that the decorator has written; None for others."""
    from ..calls.builtins import python_class
    from ..expressions.attributes import read_attribute
    from ..expressions.operators import compare_op
    from ..statements.control_flow import choose
    cls = python_class(ctx, a)
    if cls is None or cls is not python_class(ctx, b) or not isinstance(cls, type) or not dataclasses.is_dataclass(cls):
        return None
    written: Any = getattr(cls, f"__{'eq' if fn is operator.ne else fn.__name__}__", None)
    if getattr(written, "__code__", None) is None or not generated(written):
        return None
    names = [f.name for f in dataclasses.fields(cls) if f.compare]
    pairs = [(read_attribute(ctx, a, n, node), read_attribute(ctx, b, n, node)) for n in names]
    ordered = fn not in (operator.eq, operator.ne)

    def among(rest: list[tuple[Any, Any]]) -> Any:
        if not rest:
            return Lit(fn in (operator.eq, operator.le, operator.ge))
        x, y = rest[0]
        if ordered and len(rest) == 1:
            return compare_op(ctx, fn, x, y, node)
        same = truth(ctx, compare_op(ctx, operator.eq, x, y, node), node)
        differ = (lambda: compare_op(ctx, fn, x, y, node)) if ordered else (lambda: Lit(fn is operator.ne))
        if isinstance(same, Lit):
            return among(rest[1:]) if same.value else differ()
        return choose(ctx, same, lambda: among(rest[1:]), differ)
    from ..expressions.operators import truth
    return among(pairs)


def equal_dataclasses(ctx: Lowering, fn: Any, a: SObj, b: SObj, node: Any) -> Any:
    """``==`` of two instances made inside."""
    if a.cls is b.cls and isinstance(a.cls, type) and dataclasses.is_dataclass(a.cls):
        names = [f.name for f in dataclasses.fields(a.cls) if f.compare]
        return call(ctx, fn, [ctx.tuple([ctx.state[a, n] for n in names]), ctx.tuple([ctx.state[b, n] for n in names])], node=node)
    return Lit((a is b) is (fn is operator.eq))
