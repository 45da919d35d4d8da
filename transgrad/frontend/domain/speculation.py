"""Lowering that can be taken back: an attempt that is refused, or turns out to be of no use, leaves nothing behind."""
from __future__ import annotations

from ..context import Lowering
from .contents import Contents

__all__ = ["Trial"]


class Trial:
    """The state of the lowering at the start of the speculation."""

    def __init__(self, ctx: Lowering):
        self.ctx, self.block, self.ops, self.state = ctx, ctx.block, list(ctx.block.ops), dict(ctx.state)
        self.place = ctx.frame, ctx.loc, ctx.exits, ctx.loops, list(ctx.inlining)

    def undo(self) -> None:
        """Undo the writes, also those between older operations; displays that became values since then are displays again."""
        ctx = self.ctx
        kept = set(map(id, self.ops))
        gone = {result for op in self.block.ops if id(op) not in kept for result in op.results}
        for held in (*self.state.values(), *ctx.tuples.values()):
            if isinstance(held, Contents) and held.value in gone:
                held.value = None
        self.block.ops[:] = self.ops
        ctx.state = self.state
        ctx.frame, ctx.loc, ctx.exits, ctx.loops, ctx.inlining = self.place
