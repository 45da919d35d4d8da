"""Push the negation of a large product down to its small factor: rewrite ``-(a @ x + y[:, None])`` to ``-a @ x - y[:, None]``, where
``a`` is a matrix of known size, such as a rotation.

This serves Jacobians of residuals such as ``points - model``, which negate the tangents of all directions. Negation is exact, so results
do not change.
"""
from __future__ import annotations

import math
import operator
from collections import Counter
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from ...ir.build import Builder
from ...ir.ops import Block, Call, Function, Op, Operand, Value, blocks_of, count_reads
from ...ir.types import Arr
from ..ad.reverse.unbroadcast import is_as_large
from ..analysis.def_use import definitions_in
from ..rewriting.substitute import substitute
from ..switches import is_on
from .batched_values import Facts

__all__ = ["move_signs"]

#: how many numbers are few
_FEW = 64
_NEGATIONS = frozenset((operator.neg, np.negative))
_PRODUCTS = frozenset((operator.matmul, np.matmul))
_OPPOSITE: dict[Any, Callable[..., Any]] = {operator.add: operator.sub, operator.sub: operator.add, np.add: np.subtract,
                                            np.subtract: np.add}
_SUMS = frozenset((operator.add, np.add))


def move_signs(fn: Function, seed: Value) -> None:
    """Rewrite in place the values that a forward derivative computes from its parameter ``seed``."""
    if not is_on("directions") and not is_on("spans"):
        return
    state = _Signs(fn, seed)
    state.block(fn.body)
    if state.now:
        substitute(fn.body, state.now)


class _Signs:
    def __init__(self, fn: Function, seed: Value):
        self.fn, self.seed = fn, seed
        #: negation → the value with its sign
        self.now: dict[Value, Operand] = {}

    @cached_property
    def reads(self) -> Counter[Operand]:
        return count_reads(self.fn)

    @cached_property
    def facts(self) -> Facts:
        return Facts(self.fn, [self.seed])      # not kept on the function, which will be another one

    def block(self, block: Block) -> None:
        for op in block.ops:
            for inner in blocks_of(op):
                self.block(inner)
        signs = [op for op in block.ops if type(op) is Call and op.fn in _NEGATIONS and not op.kwargs and _is_of_floats(op.args[0])]
        if not signs:
            return
        makers = definitions_in(block.ops)
        for op in signs:
            x = op.args[0]
            if self.takes(x, makers):
                assert isinstance(x, Value)
                self.give(x, makers, block)
                x.name = op.result.name
                self.now[op.result] = x
                block.ops.remove(op)

    def takes(self, x: Operand, makers: dict[Value, Op]) -> bool:
        """Whether a value can have the other sign at next to no cost."""
        made = makers.get(x) if isinstance(x, Value) else None
        if not isinstance(made, Call) or made.kwargs or not isinstance(x, Value) or self.reads[x] != 1 or not _is_of_floats(x):
            return False
        if made.fn in _PRODUCTS:
            return not _is_few(x) and any(map(_is_few, made.args)) and self.facts.batched(x)
        if made.fn not in _OPPOSITE:
            return False
        large = [is_as_large(a.type, x.type) for a in made.args]
        return any(large) and all(self.takes(a, makers) for k, (a, flag) in enumerate(zip(made.args, large))
                                  if flag and (k == 0 or made.fn in _SUMS))

    def give(self, x: Value, makers: dict[Value, Op], block: Block) -> None:
        """Negate a value."""
        made = makers[x]
        assert isinstance(made, Call)
        x.name = None
        if made.fn in _PRODUCTS:
            k = next(k for k, a in enumerate(made.args) if _is_few(a))
            new = Block()
            with Builder(new, made.part, made.loc) as b:
                made.args[k] = b.call(operator.neg, made.args[k], type=made.args[k].type)
            at = block.ops.index(made)
            block.ops[at:at] = new.ops
            return
        first, second = made.args
        if made.fn not in _SUMS:
            if is_as_large(first.type, x.type):     # -(a - b) is -a + b
                self.give(first, makers, block)
                made.fn = _OPPOSITE[made.fn]
            else:
                made.args.reverse()
            return
        large = [a for a in made.args if is_as_large(a.type, x.type)]
        for a in large:
            self.give(a, makers, block)
        if len(large) == 1:
            made.args, made.fn = [*large, second if large[0] is first else first], _OPPOSITE[made.fn]


def _is_of_floats(x: Operand) -> bool:
    return isinstance(x.type, Arr) and bool(x.type.dims) and x.type.dtype[0] in "fc"


def _is_few(x: Operand) -> bool:
    """Whether an array is known to have few entries."""
    if not _is_of_floats(x):
        return False
    assert isinstance(x.type, Arr)
    lengths = [d.known or 0 for d in x.type.dims]
    return all(lengths) and math.prod(lengths) <= _FEW
