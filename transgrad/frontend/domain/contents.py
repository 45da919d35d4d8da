"""Items of lists, tuples and dicts that are known one by one."""
from __future__ import annotations

from typing import Any

from ...ir.ops import Block, Loc, Op, Operand, Value, operands_of

__all__ = ["Contents"]


class Contents:
    """Items of a display, and where in the program they came to be, so that the display can still be built there."""

    __slots__ = ("block", "after", "inner", "items", "late", "left", "loc", "value")

    def __init__(self, items: tuple[Any, ...], block: Block, loc: Loc | None):
        self.items = items
        #: The displays among the items, with their contents at that point: if these have changed, the display cannot be materialized there.
        self.inner: tuple[tuple[Any, Any], ...] = ()
        #: Flags that say whether that place was left by an exit, and the items never came to be.
        self.left: tuple[Value, ...] = ()
        #: Whether the items exist only on paths with an exit: then the display is materialized at its use.
        self.late = False
        self.block = block
        self.after = block.ops[-1] if block.ops else None
        self.loc = loc
        self.value: Operand | None = None

    def insert(self, op: Op) -> None:
        """Put an operation there, but behind those that its operands come from."""
        ops = self.block.ops
        at = 0 if self.after is None else next((k + 1 for k, o in enumerate(ops) if o is self.after), len(ops))
        needed = {o for o in operands_of(op) if isinstance(o, Value)}
        for k in range(len(ops) - 1, at - 1, -1):
            if not needed.isdisjoint(ops[k].results):
                at = k + 1
                break
        ops.insert(at, op)
