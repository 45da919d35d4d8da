"""Attributes of instances that are split into their fields, as they are assigned."""
from __future__ import annotations

from typing import Any

from ...ir.ops import Lit, Value
from ..context import Lowering
from ..domain.abstract import SObj
from ..expressions.operations import set_attr

__all__ = ["store"]


def store(ctx: Lowering, obj: SObj, name: str, value: Any, node: Any) -> None:
    """Assign an attribute of an instance that is split into its fields, and of the caller's instance that it stands for."""
    if obj.outside is not None:
        if not isinstance(value, (Value, Lit)):
            value = ctx.escape(value, node)     # one object, which both hold
        set_attr(ctx, obj.outside, name, value, node, outside=True)
    ctx.keep(value)
    ctx.state[obj, name] = value
