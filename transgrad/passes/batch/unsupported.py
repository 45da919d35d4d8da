"""Reasons why an operation cannot work on a whole batch; it then runs example by example."""
from __future__ import annotations

from ...ir.ops import Loc

__all__ = ["CannotBatch"]


class CannotBatch(Exception):
    """Raised inside of the pass; whoever makes the batch falls back to a loop over it."""

    def __init__(self, reason: str, loc: Loc | None = None):
        super().__init__(reason)
        self.reason, self.loc = reason, loc

    def __str__(self) -> str:
        return f"{self.reason} (line {self.loc.line})" if self.loc else self.reason
