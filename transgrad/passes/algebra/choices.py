"""Cotangents of maxima, minima and `np.where` are masked by their bits: `np.where` branches at each element."""
from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ...ir.attributes import Guard
from ...ir.ops import Block, Call, Function, Lit, Op, Operand, Value, blocks_of, calls, operands_of
from ...ir.types import Arr
from ...runtime import kept_where, share_of_larger, share_of_smaller
from ..manager import Property, Stage, optimization
from ..substitute import uses_of
from ..switches import is_on

__all__ = ["mask_by_bits"]

#: for so few elements, calling three functions takes longer
_SMALL = 1024
_LESS = (operator.lt, np.less)
_MORE = (operator.gt, np.greater)
_SAME = (operator.eq, np.equal)
_TIMES = (operator.mul, np.multiply)


@optimization(Stage.LOWER_NUMPY, "choices", requires=(Property.FINAL,))
def mask_by_bits(fn: Function) -> None:
    """Rewrites the adjoint part of a finished function in place."""
    if calls(fn.body, np.where) and is_on("choices"):
        shapes: dict[Any, tuple[int, ...]] = fn.attrs.shapes
        state = _Choices({(name, k): n for name, shape in shapes.items() for k, n in enumerate(shape)})
        state.block(fn.body, {})
        if state.guards:
            fn.attrs.add_guards(state.guards.values())


class _Choices:
    def __init__(self, lengths: dict[Any, int]):
        self.lengths = lengths
        #: a text for few elements checks that there are no more
        self.guards: dict[Any, Guard] = {}

    def block(self, block: Block, makers: dict[Value, Op]) -> None:
        makers = {**makers, **{v: op for op in block.ops for v in op.results}}
        touched: set[Any] = set()
        for k, op in enumerate(block.ops):
            for inner in blocks_of(op):
                self.block(inner, makers)
            if isinstance(op, Call) and op.fn is np.where and op.part == "adjoint" and not op.kwargs and len(op.args) == 3:
                found = self.written(op, makers)
                if found is not None:
                    touched.update(operands_of(op))
                    block.ops[k] = Call(found[0], found[1], results=op.results, loc=op.loc, part=op.part)
        for _ in range(3 if touched else 0):        # conditions and halves that nothing reads any more
            used = uses_of(block)
            gone = [op for op in block.ops if isinstance(op, Call) and op.results and op.results[0] in touched and op.results[0] not in used
                    and op.fn in (np.where, *_LESS, *_MORE, *_SAME, *_TIMES)]
            touched.update(o for op in gone for o in operands_of(op))
            block.ops = [op for op in block.ops if not any(op is g for g in gone)]

    def written(self, op: Call, makers: dict[Value, Op]) -> tuple[Any, list[Operand]] | None:
        """What stands for ``np.where``: a function and its arguments; None where it stays."""
        condition, first, second = op.args
        if not self.is_many(op.result):
            return None
        if _is_zero(second) and _alike(first, op.result) and _alike(condition, op.result, "bool"):
            return kept_where, [condition, first]
        made, inner = makers.get(condition), makers.get(second)
        if not _is_zero(first) or not isinstance(made, Call) or not isinstance(inner, Call) or inner.fn is not np.where or inner.kwargs:
            return None
        tie, half, g = inner.args
        same, halved = makers.get(tie), makers.get(half)
        if not _alike(g, op.result) or not _alike(condition, op.result, "bool") or not isinstance(same, Call) or same.fn not in _SAME:
            return None
        a, b = made.args
        if not all(x is y or isinstance(x, Lit) and isinstance(y, Lit) and x.value == y.value for x, y in zip(same.args, (a, b))):
            return None
        if not isinstance(halved, Call) or halved.fn not in _TIMES or halved.args[1] is not g or getattr(halved.args[0], "value", 0) != 0.5:
            return None
        share = share_of_larger if made.fn in _LESS else share_of_smaller if made.fn in _MORE else None
        return (share, [a, b, g]) if share is not None else None

    def is_many(self, v: Value) -> bool:
        """Whether an array is not known to be small."""
        t = v.type
        if not isinstance(t, Arr) or not t.dims or t.dtype != "float64":
            return False
        size = 1
        for d in t.dims:
            known = d.known if d.known is not None else self.lengths.get(d.sym)
            if known is None:
                return True
            size *= known + d.off
        found: list[Any] = [d.sym for d in t.dims if d.sym in self.lengths]
        if 0 < size < _SMALL and found:
            longest = max(found, key=self.lengths.__getitem__)
            most = int(self.lengths[longest] * (_SMALL / size) ** (1.0 / found.count(longest)))
            self.guards[longest] = Guard("narrow", longest[0], longest[1], most)
        return size >= _SMALL


def _is_zero(x: Operand) -> bool:
    return isinstance(x, Lit) and type(x.value) in (int, float) and x.value == 0


def _alike(x: Operand, y: Value, dtype: str = "float64") -> bool:
    """Whether an array has the dimensions of another one."""
    a, b = x.type, y.type
    return isinstance(a, Arr) and isinstance(b, Arr) and not a.scalar and a.dtype == dtype and len(a.dims) == len(b.dims) and all(
        d == e or d.one is e.one is False for d, e in zip(a.dims, b.dims))
