"""Unroll short loops with control flow that depends on the iteration number, so that the bounds of narrow tangents are constants and zero
tangents are not computed.
"""
from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ....ir.clone import clone_block
from ....ir.ops import Block, Call, For, Function, If, Lit, Op, Operand, Value, blocks_of, walk
from ....ir.types import Num
from ...analysis.def_use import definitions_in
from ...batch.batched_values import Facts
from ...rewriting.substitute import substitute, substitute_op
from ...switches import is_on
from ...vectorize.accumulate_matmul import turns_of
from ..reverse.unbroadcast import is_as_large
from .loop_accumulators import ADDS, sums_of
from .narrow_tangents import zeros_made_by

__all__ = ["write_out_turns"]

#: how many turns are written out at most, and how many operations
_TURNS, _LENGTH = 6, 400
_COMPARISONS = frozenset((operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge))
_FOLDED = frozenset((*_COMPARISONS, operator.add, operator.sub, operator.mul))
_LINEAR = frozenset((operator.matmul, np.matmul, operator.mul, np.multiply, operator.neg, np.negative))
_NEUTRAL = {operator.add: 0, operator.mul: 1}


def write_out_turns(fn: Function, seed: Value) -> bool:
    """Rewrite a function in place; return whether there was anything to do."""
    found = [op for op in fn.body.ops if isinstance(op, For) and _is_short(op)]
    if not found or not is_on("unrolled"):
        return False
    facts, sums, done = Facts(fn, [seed]), sums_of(fn.body), False
    makers = definitions_in(fn.body.ops)
    for loop in found:
        carried = loop.body.params[1:]
        own = [*carried, *(r for op in walk(loop.body) for r in op.results)]
        if any(map(facts.written, own)) or any(p in sums for p in carried):     # a sum is wide, its terms are not
            continue
        run = _Turns({x for x, p in zip(loop.inits, carried) if isinstance(x, Value) and facts.batched(p) and not facts.batched(x)
                      and not facts.written(x) and zeros_made_by(makers, x) is not None})
        values = list(loop.inits)
        for k in range(turns_of(loop) or 0):
            values = run.turn(loop, k, values)
        at = next(n for n, op in enumerate(fn.body.ops) if op is loop)
        fn.body.ops[at:at + 1] = run.ops
        done = True
        substitute(fn.body, dict(zip(loop.results, values)))
    return done


def _is_short(loop: For) -> bool:
    """Whether a loop has few turns, which branch by their number, and no loop in it."""
    count, number = turns_of(loop), loop.body.params[0]
    ops = list(walk(loop.body))
    if count is None or count > _TURNS or count * len(ops) > _LENGTH or any(blocks_of(op) and not isinstance(op, If) for op in ops):
        return False
    asked = {op.result for op in ops if isinstance(op, Call) and op.fn in _COMPARISONS and number in op.args
             and any(isinstance(a, Lit) for a in op.args)}
    return any(isinstance(op, If) and op.cond in asked for op in loop.body.ops)


class _Turns:
    """The iterations unrolled so far."""

    def __init__(self, zeros: set[Any]):
        self.ops: list[Op] = []
        #: tangents of values that do not depend on the seed so far
        self.zeros = zeros
        self.fresh: set[Operand] = set()

    def turn(self, loop: For, number: int, values: list[Operand]) -> list[Operand]:
        """Append an iteration; return its loop-carried values."""
        mapping: dict[Value, Any] = dict(zip(loop.body.params, [Lit(number), *values]))
        block = clone_block(Block([], loop.body.ops, loop.body.yields), mapping)
        now: dict[Value, Operand] = {}
        self.block(block, now)
        return [_through(y, now) for y in block.yields]

    def block(self, block: Block, now: dict[Value, Operand]) -> None:
        for op in block.ops:
            substitute_op(op, now)
            if isinstance(op, If) and isinstance(op.cond, Lit):
                taken = op.then if op.cond.value else op.orelse
                self.block(taken, now)
                now.update((r, _through(y, now)) for r, y in zip(op.results, taken.yields))
                continue
            if isinstance(op, If):
                substitute(op.then, now)
                substitute(op.orelse, now)
            found = self.known(op)
            if found is None:
                self.ops.append(op)
            else:
                now[op.results[0]] = found

    def known(self, op: Op) -> Any:
        """The result of an operation, as far as it is known; zero tangents are recorded."""
        if not isinstance(op, Call) or op.kwargs:
            return None
        if op.fn in _FOLDED and all(isinstance(a, Lit) and type(a.value) is int and a.text is None for a in op.args):
            return Lit(op.fn(*(a.value for a in op.args)))
        if op.fn in _NEUTRAL and _is_integer(op.result):
            for a, other in (op.args, op.args[::-1]):
                if isinstance(a, Lit) and a.value == _NEUTRAL[op.fn]:
                    return other
                if isinstance(a, Lit) and a.value == 0:
                    return a
        still = [a for a in op.args if a in self.zeros]
        if op.fn is operator.setitem and op.args[2] in self.zeros:
            op.args[2] = Lit(0.0)
        elif still and (op.fn in _LINEAR or op.fn is operator.getitem and op.args[0] in self.zeros):
            self.zeros.add(op.result)
        elif op.fn in ADDS and len(still) == 2:
            self.zeros.add(op.result)
        elif op.fn in ADDS and len(still) == 1:
            other = op.args[op.args[0] in self.zeros]
            same = getattr(other.type, "dtype", None) == getattr(op.result.type, "dtype", None)
            if same and is_as_large(other.type, op.result.type) and other in self.fresh:
                return other
        elif op.fn in _LINEAR:
            self.fresh.add(op.result)
        return None


def _is_integer(v: Value) -> bool:
    return isinstance(v.type, Num) and v.type.kind == "int"


def _through(y: Operand, now: dict[Value, Operand]) -> Operand:
    return now.get(y, y) if isinstance(y, Value) else y
