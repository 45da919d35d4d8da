"""Analysis: loop-carried sums that are not read inside their loop."""
from __future__ import annotations

import operator
from collections import Counter
from typing import Any

import numpy as np

from ....ir.ops import Block, Call, For, Op, Value, blocks_of, operands_of

__all__ = ["ADDS", "sums_of", "uses"]

ADDS = frozenset((operator.add, np.add))


def uses(block: Block) -> Counter[Any]:
    """How often each value is read in a block and in the blocks inside it."""
    found: Counter[Any] = Counter(block.yields)
    for op in block.ops:
        found.update(operands_of(op))
        for inner in blocks_of(op):
            found += uses(inner)
    return found


def sums_of(block: Block) -> dict[Value, Call]:
    """The accumulators of a loop, also those passed through an inner loop: the parameter, and the sum of it and a term."""
    count = uses(block)
    found: dict[Value, Call] = {}

    def visit(block: Block) -> None:
        for op in block.ops:
            if isinstance(op, For):
                first = len(op.body.params) - len(op.inits)
                for k, p in enumerate(op.body.params[first:]):
                    chain = _chain(op, k, count)
                    if chain is not None:
                        found.setdefault(p, chain)
            for inner in blocks_of(op):
                visit(inner)
    visit(block)
    return found


def _chain(loop: For, k: int, count: Counter[Any]) -> Call | None:
    """The sum that a loop adds its carried value ``k`` up in; None if it does anything else with it."""
    p, y = loop.body.params[len(loop.body.params) - len(loop.inits) + k], loop.body.yields[loop.stops + k]
    if count[p] != 1 or count[y] != 1:
        return None
    made: Op | None = next((op for op in loop.body.ops if y in op.results), None)
    if isinstance(made, Call) and made.fn in ADDS and not made.kwargs and p in made.args:
        return made
    if isinstance(made, For):
        at = made.results.index(y)  # type: ignore[arg-type]
        return _chain(made, at, count) if made.inits[at] is p else None
    return None
