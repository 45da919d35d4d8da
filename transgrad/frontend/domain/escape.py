"""Invalidate the known contents of lists, dicts and sets passed to unknown code.

Such code may store any object in them, also later, because it may retain a reference. Their items have an unknown type from then on.
"""
from __future__ import annotations

from typing import Any

from ...ir.ops import Call, CallValue, Op, Operand, Value, operands_of
from ...ir.types import ListT, disturbed
from ..context import Lowering
from ..refusals import refuse

__all__ = ["forget", "forget_contents"]

#: Functions of Python's and NumPy's libraries that permute the items of a list or remove one, and functions that add an item.
_REORDER = frozenset(("shuffle", "heapify", "heappop"))
_ADD = frozenset(("heappush", "heappushpop", "heapreplace", "insort", "insort_left", "insort_right"))
_LIBRARIES = frozenset(("random", "heapq", "_heapq", "bisect", "_bisect", "numpy"))


def forget(ctx: Lowering, op: Op) -> None:
    """Invalidate the contents of the containers passed to an unknown call."""
    name = _library_name(op)
    if name in _ADD and isinstance(op, Call) and len(op.args) > 1 and isinstance(op.args[0].type, ListT):
        ctx.sharing.widen(op.args[0], ListT(op.args[1].type))
        ctx.sharing.changed(op.args[0])
        ctx.sharing.contain(op.args[0], op.args[1])
    elif name not in _REORDER:
        for o in operands_of(op):
            forget_contents(ctx, o)


def forget_contents(ctx: Lowering, container: Operand) -> None:
    """Invalidate the contents of a container, and of those that share memory with it."""
    if not isinstance(container, Value):
        return
    for v in [*ctx.sharing.all(container)]:
        t = disturbed(v.type)
        if t != v.type:
            if v.varied and v in ctx.function.body.params:      # its derivative has the structure that is known
                refuse("given_away", ctx.loc, f"'{v.name}'")
            ctx.sharing.retype(v, t)
        ctx.sharing.given_away.add(v)


def _library_name(op: Op) -> str | None:
    """The name of a function of Python's or NumPy's that an operation calls."""
    if isinstance(op, CallValue):
        module = getattr(getattr(op.callee.type, "cls", None), "__module__", None)
        name: Any = op.method
    else:
        fn: Any = op.fn if isinstance(op, Call) else None
        module = getattr(fn, "__module__", None) or type(getattr(fn, "__self__", None)).__module__
        name = getattr(fn, "__name__", None)
    return name if (module or "").split(".")[0] in _LIBRARIES else None
