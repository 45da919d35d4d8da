"""Representation of one element: a scalar in compiled code, or a column with that element of each example."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from ....ir.build import Builder
from ....ir.ops import Block, Call, If, Operand, Value

__all__ = ["Lane"]


class Lane(Protocol):
    """How operations on such numbers are written."""

    def call(self, b: Builder, fn: Callable[..., object], args: Sequence[Operand], dtype: str) -> Operand:
        """An operation that NumPy does element by element; its result has the dtype."""

    def plain(self, b: Builder, op: Call, args: Sequence[Operand], kwargs: dict[str, Operand]) -> Operand:
        """An operation on numbers that are no elements of arrays."""

    def either(self, b: Builder, test: Operand, x: Operand, y: Operand, dtype: str) -> Operand:
        """``x`` where a test holds, else ``y``."""

    def parts(self, op: If) -> bool:
        """Whether the code diverges at a branch, instead of computing both sides."""

    def part(self, b: Builder, test: Value, then: Block, orelse: Block) -> None:
        """Write two ways, of which a test says which one is taken; each of them ends with the results."""
