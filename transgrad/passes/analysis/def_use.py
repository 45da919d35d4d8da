"""Analyses: definitions and uses of values."""
from __future__ import annotations

from collections.abc import Iterable

from ...ir.ops import Function, Op, Value, walk

__all__ = ["definitions", "definitions_in"]


def definitions(fn: Function) -> dict[Value, Op]:
    """Map each value of a function to the operation that defines it; parameters of blocks have none."""
    return definitions_in(walk(fn.body))


def definitions_in(ops: Iterable[Op]) -> dict[Value, Op]:
    """Map the results of operations to the operations; those inside their blocks are not included."""
    return {v: op for op in ops for v in op.results}
