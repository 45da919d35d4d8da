"""Cost model of a batch of small arrays on NumPy, stored by rows or by columns: a cost per operation and a cost per example."""
from __future__ import annotations

import math
import operator
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....ir.ops import Block, Call, For, If
from ....runtime import unbroadcast
from .elementwise import ELEMENTARY, is_known
from .interpreter import Step

__all__ = ["Cost", "least", "of_rows", "ways"]


@dataclass(frozen=True, slots=True)
class Cost:
    """Microseconds, of which some are for each example."""

    once: float
    each: float

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.once + other.once, self.each + other.each)

    def of(self, count: int) -> float:
        """With so many examples."""
        return self.once + self.each * count


#: per operation and per element: contiguous elements, strided elements, and elementary functions
_PLAIN, _APART, _FUNCTION = (0.22, 0.0002), (0.25, 0.0004), (0.25, 0.005)
#: for each operation, for each run of numbers that the innermost loop does alone, for each such run of arrays with three dimensions,
#: and for each number
_ONCE, _RUN, _DEEP, _NUMBER = 0.9, 0.0035, 0.009, 0.0004
#: of products of matrices, for each operation, for each product and for each multiplication; and where all examples' rows are one matrix
_PRODUCT, _ONE_PRODUCT = (1.2, 0.025, 0.00025), (1.2, 0.0015, 0.00004)
_SUMS: frozenset[Any] = frozenset((np.sum, np.ndarray.sum, np.mean, np.ndarray.mean, np.prod, np.ndarray.prod, np.trace, np.cumsum,
                                   np.ndarray.cumsum, np.linalg.norm))
_DOTS: frozenset[Any] = frozenset((np.dot, np.ndarray.dot, np.vdot, np.inner, np.einsum))
_PRODUCTS: frozenset[Any] = frozenset((np.matmul, operator.matmul, np.dot, np.ndarray.dot))
#: operations that take longer on columns
_COLUMN: dict[Any, tuple[float, float]] = {operator.getitem: _APART, np.where: (0.7, 0.0005), np.all: (1.4, 0.0), np.any: (1.6, 0.0)}
#: the cost of a store to a separate cache line, and the number of elements in a line
_LINE, _IN_LINE = 0.0012, 8
#: the cost of a branch, and of each of its results, if the affected examples are gathered and scattered
_BRANCH, _PICKED = 6.0, (0.7, 0.001)


def of_rows(steps: Iterable[Step]) -> Cost:
    """Of operations on arrays that each do the same to a row for each example."""
    total = Cost(0.0, 0.0)
    for step in steps:
        cost = _of_step(step)
        total += cost if step.differs else Cost(cost.once, 0.0)
    return total


def _of_step(step: Step) -> Cost:
    given, made = [math.prod(s) for s in step.given], sum(math.prod(s) for s in step.made)
    fn, largest = step.fn, max(given, default=0)
    if fn is None:
        return Cost(_BRANCH + _PICKED[0] * len(step.made), _PICKED[1] * len(step.made))
    if is_known(fn):
        if fn in ELEMENTARY:
            return Cost(_FUNCTION[0], _FUNCTION[1] * made)
        return _by_runs(step.made[0], made) if _has_runs(step) else Cost(_PLAIN[0], _PLAIN[1] * made)
    if fn is np.outer:
        return _by_runs(tuple(given), math.prod(given))
    if fn in (operator.getitem, unbroadcast, len):     # a read of a part of each row visits row by row
        return Cost(0.1, 0.0006 * made if 1 < made < largest else 0.0)
    if fn is operator.setitem:
        return Cost(_APART[0], _APART[1] * (given[-1] if given else 1))
    if fn in _PRODUCTS and max(map(len, step.given), default=0) > 1:
        return _product(step, made)
    if fn in _SUMS:
        return Cost(1.0, 0.0018 * largest)
    if fn in _DOTS:
        return Cost(1.2, 0.0019 * largest)
    if fn is np.cross:
        return Cost(3.7, 0.0014 * largest)
    return Cost(1.0, 0.0006 * max(made, largest))


def _has_runs(step: Step) -> bool:
    """Whether an operand is repeated, along a row or for all examples, or is a part of each row, so that no loop is over all numbers."""
    operands = {(shape, varied) for shape, varied in zip(step.given, step.varied) if shape or varied}
    return len(operands) > 1 or any(step.parts) and step.made[0] != ()


def _by_runs(shape: tuple[int, ...], made: int) -> Cost:
    runs = math.prod(shape[:-1])
    return Cost(_ONCE, (_DEEP if len(shape) > 1 else _RUN) * runs + _NUMBER * made)


def _product(step: Step, made: int) -> Cost:
    """The cost of a matrix product in which one operand is the same for all examples and the other is a row of each."""
    inner = step.given[0][-1] if step.given[0] else 1
    one = any(len(shape) == 1 and varied for shape, varied in zip(step.given, step.varied)) and not all(step.varied)
    once, each, number = _ONE_PRODUCT if one else _PRODUCT
    return Cost(once, each + number * made * inner)


def ways(block: Block) -> list[Cost]:
    """Of each way through a block of operations on columns."""
    total, sides = Cost(0.0, 0.0), [Cost(0.0, 0.0)]
    for op in block.ops:
        if isinstance(op, Call):
            once, each = _written(op) if op.fn is operator.setitem else _COLUMN.get(
                op.fn, _FUNCTION if is_known(op.fn) and op.fn in ELEMENTARY else _PLAIN)
            alike = bool(op.results) and op.fn is not operator.setitem and not getattr(op.result.type, "dims", ())
            total += Cost(once / 2, 0.0) if alike else Cost(once, each)
        elif isinstance(op, If):        # the loop is over the sides, where examples go both ways
            sides = [cost for side in (op.then, op.orelse) if not any(isinstance(o, For) for o in side.ops) for cost in ways(side)]
    return [total + side for side in sides]


def _written(op: Call) -> tuple[float, float]:
    """Of a column that is written between those of others."""
    width = math.prod(d.known or 1 for d in getattr(op.args[0].type, "dims", ()))
    return _APART[0], _APART[1] + _LINE * min(width / _IN_LINE, 1.0)


def least(columns: Cost, rows: Cost, share: float) -> float:
    """The number of examples from which on columns take at most a share of the time of rows; infinity if they never do."""
    once, each = columns.once - share * rows.once, share * rows.each - columns.each
    return 0.0 if once <= 0.0 <= each else math.inf if each <= 0.0 else max(once / each, 0.0)
