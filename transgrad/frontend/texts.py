"""Follows the text of numbers that are differentiated: it may be printed, but no number may be made of it again."""
from __future__ import annotations

import operator
from typing import TYPE_CHECKING

from ..ir.ops import Build, Call, CallValue, If, Invoke, Op, Value, operands_of
from ..ir.prims import unpack
from ..ir.types import UNKNOWN, Arr, Num, Obj
from .refusals import refuse

if TYPE_CHECKING:
    from .context import Lowering

__all__ = ["check_results", "follow_text"]


#: what hands out a text that stands beside numbers in a container
_READS = frozenset((unpack, operator.getitem, list.pop, dict.get, dict.pop, dict.popitem, min, max, next))


def check_results(ctx: Lowering) -> None:
    """Refuses a function that returns what was read from such text."""
    if any(y in ctx.program.texts and y.type == UNKNOWN for y in ctx.function.body.yields if isinstance(y, Value)):
        refuse("text", ctx.loc)


def follow_text(ctx: Lowering, op: Op) -> None:
    """Notes text that an operation makes of what is differentiated; refuses numbers that are made of such text."""
    texts = ctx.program.texts
    if isinstance(op, If):
        for k, result in enumerate(op.results):
            if texts and not texts.isdisjoint(block.yields[k] for block in (op.then, op.orelse) if isinstance(block.yields[k], Value)):
                texts.add(result)
        return
    if not isinstance(op, (Build, Call, CallValue, Invoke)):
        return
    reads = isinstance(op, Call) and op.fn in _READS
    if any(r.type == Obj(str) for r in op.results) and any(o.varied for o in operands_of(op)) and not reads:
        texts.update(op.results)
    elif texts and not texts.isdisjoint(o for o in operands_of(op) if isinstance(o, Value)):
        for r in op.results:
            if isinstance(r.type, Num) and r.type.kind in ("float", "complex") or isinstance(r.type, Arr) and r.type.dtype[0] in "fc":
                refuse("text", ctx.loc)
            if not isinstance(r.type, (Num, Arr)):
                texts.add(r)
