"""How often the values of a function are read."""
from __future__ import annotations

from collections import Counter
from functools import cached_property

from ..ir.ops import Function, If, Operand, blocks_of, count_reads, walk

__all__ = ["Uses"]


class Uses:
    """How often each value of a function is read, by operations and by the ends of blocks; counted once somebody asks."""

    def __init__(self, fn: Function):
        self._fn = fn

    def __getitem__(self, value: Operand) -> int:
        return self._counts[value]

    @cached_property
    def _counts(self) -> Counter[Operand]:
        counts = count_reads(self._fn)
        for op in walk(self._fn.body):
            if type(op) is If and len(op.results) == 1:     # `a and b` is an If that yields its own condition
                counts.subtract(y for block in blocks_of(op) for y in block.yields if y is op.cond)
        return counts
