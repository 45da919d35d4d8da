"""Differentiated arguments whose instances are written to: each instance is split into its fields where the function begins.

    def step(m):                b = m.b
        m.b = m.b * m.w    ->   b = b * m.w; m.b = b
        return m.b ** 2         return b ** 2

The instances are then like those made inside the function (`SObj`): derivatives follow the variables, and the fields of the caller's
instance are only written, so that they hold what an ordinary call leaves. An argument that is only read is not split.
"""
from __future__ import annotations

from typing import Any

from ...ir.ops import Lit, Value
from ...ir.types import RecordT, TupleT, holds_instance
from ..containers.displays import new_dict, new_list
from ..context import FIELDS, Lowering
from ..domain.abstract import SObj
from ..domain.heap import heap_site
from ..objects.access import field_of_record
from ..refusals import refuse
from ..specialize.argument_types import item

__all__ = ["split"]


def split(ctx: Lowering, value: Any, example: Any) -> Any:
    """A parameter in which each instance that is written to is treated as one created inside the function."""
    if FIELDS not in ctx.program.sites or not isinstance(value, Value) or not holds_instance(value.type):
        return value
    return _split(ctx, value, example, {})


def _split(ctx: Lowering, value: Any, example: Any, met: dict[int, Any]) -> Any:
    t = getattr(value, "type", None)
    if not isinstance(value, Value) or not isinstance(t, (RecordT, TupleT)) or not holds_instance(t):
        return value
    if id(example) in met:
        refuse("attribute_write", ctx.loc, f"a {type(example).__name__} that is in two places of a differentiated argument")
    met[id(example)] = example
    if isinstance(t, RecordT) and t.cls is not dict:
        if (site := heap_site(t.cls)) is not None and site in ctx.program.sites:
            refuse("attribute_write", ctx.loc, f"an instance of {t.cls.__name__} that is an argument and a value at run time")
        made = SObj(t.cls, ctx.block)
        made.outside = value
        for name, held in [(name, field_of_record(ctx, value, t, name, None)) for name in map(str, t.keys)]:
            ctx.state[made, name] = _split(ctx, held, getattr(example, name, None), met)
        return made
    if isinstance(t, RecordT):
        return new_dict(ctx, [(Lit(k), _split(ctx, item(ctx, value, Lit(k), None), example[k], met)) for k in t.keys], None)
    items = [_split(ctx, item(ctx, value, Lit(k), None), example[k], met) for k in range(len(t.elems))]
    return new_list(ctx, items, None) if t.cls is list else ctx.tuple(items, t.cls)
