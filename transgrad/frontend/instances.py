"""Instances made inside the function where they become values at run time, are raised, shown or compared."""
from __future__ import annotations

import dataclasses
import operator
from typing import Any

from ..ir.ops import Lit, Operand
from ..ir.types import RecordT
from .abstract import SClass, SObj
from .context import Lowering, Restart
from .describe import describe
from .expressions import expr
from .heap import escaped
from .members import special
from .operations import call
from .refusals import refuse

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
    """What is raised."""
    held = expr(ctx, node)
    if isinstance(held, (SObj, SClass)):
        refuse("class_body", ctx.at(node), "an exception class made inside the function is raised")
    return ctx.operand(held, node)


def formatted(ctx: Lowering, x: SObj, node: Any) -> Any:
    """An instance in an f-string."""
    for name in ("__format__", "__str__", "__repr__"):
        found = special(ctx, x, name, [Lit("")] if name == "__format__" else [], node)
        if found is not None:
            return found
    return Lit(f"<{describe(x)}>")


def equal_dataclasses(ctx: Lowering, fn: Any, a: SObj, b: SObj, node: Any) -> Any:
    """``==`` of two instances made inside."""
    if a.cls is b.cls and isinstance(a.cls, type) and dataclasses.is_dataclass(a.cls):
        names = [f.name for f in dataclasses.fields(a.cls) if f.compare]
        return call(ctx, fn, [ctx.tuple([ctx.state[a, n] for n in names]), ctx.tuple([ctx.state[b, n] for n in names])], node=node)
    return Lit((a is b) is (fn is operator.eq))
