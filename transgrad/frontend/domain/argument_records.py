"""Instances that are arguments, where they have to be split into their fields."""
from __future__ import annotations

from typing import Any

from ...ir.ops import Value
from ...ir.types import is_instance
from ..context import FIELDS, Lowering, Restart

__all__ = ["split_record"]


def split_record(ctx: Lowering, x: Any) -> None:
    """Start again with the instances in arguments split into their fields, where ``x`` is one as a value at run time."""
    if isinstance(x, Value) and x.varied and is_instance(x.type) and FIELDS not in ctx.program.sites:
        raise Restart([FIELDS])
