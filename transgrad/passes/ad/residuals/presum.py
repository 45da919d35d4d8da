"""Save the sum of two residuals that are multiplied by the same cotangent and added to the same accumulator."""
from __future__ import annotations

import operator
from collections import Counter
from dataclasses import dataclass
from typing import TypeGuard

from ....ir.build import Builder
from ....ir.ops import Block, Call, Lit, Op, Operand, Value, blocks_of, operands_of, walk
from ....ir.types import Arr, Num
from ...analysis.def_use import definitions_in
from ...analysis.program_order import Layout
from ...switches import is_on
from ..reverse.result import Pair

__all__ = ["keep_sums"]

_SUMS = {operator.add: 1.0, operator.sub: -1.0}


def keep_sums(pair: Pair, stored: list[Value], layout: Layout) -> list[Value]:
    """Rewrite a loop iteration and its reverse in place; ``stored`` are the residuals before, the result those after."""
    kept = list(stored)
    if len(stored) < 2:
        return kept
    read: Counter[Operand] = Counter(o for op in walk(pair.backward) for o in operands_of(op))
    read.update(y for op in walk(pair.backward) for block in blocks_of(op) for y in block.yields)
    read.update(pair.backward.yields)
    makers: dict[Operand, Op] = dict(definitions_in(pair.backward.ops).items())
    for op in list(pair.backward.ops):
        first = makers.get(op.args[0]) if _is_sum(op) else None
        if not _is_sum(op) or not _is_sum(first) or read[first.result] != 1:
            continue
        one, other = (_term(total, makers, read, kept) for total in (first, op))
        if one is None or other is None or one.cotangent is not other.cotangent or one.factor is other.factor:
            continue
        if not is_on("sums"):
            break
        together = _add_up(pair.forward, one, other, layout)
        if together is None:
            continue
        made: list[Op] = []
        with Builder(Block([], made), op.part, op.loc) as builder:
            product = builder.call(operator.mul, one.cotangent, together)
        sign = operator.add if one.times > 0.0 or other.times > 0.0 else operator.sub
        made.append(Call(sign, [first.args[0], product], results=op.results, loc=op.loc, part=op.part))
        at = pair.backward.ops.index(op)
        gone = {*map(id, one.made), *map(id, other.made), id(first), id(op)}
        pair.backward.ops = [o for o in [*pair.backward.ops[:at], *made, *pair.backward.ops[at:]] if id(o) not in gone]
        makers.update((r, o) for o in made for r in o.results)
        kept = [v for v in kept if v is not one.factor and v is not other.factor] + [together]
    return kept


@dataclass(frozen=True)
class _Term:
    """A term of a sum: a number times a cotangent times a residual without other uses, and the operations that compute it."""

    times: float
    cotangent: Value
    factor: Value
    made: tuple[Op, ...]


def _is_sum(op: Op | None) -> TypeGuard[Call]:
    """Whether an operation adds a number to a number."""
    return isinstance(op, Call) and op.fn in _SUMS and op.part == "adjoint" and all(isinstance(a, Value) and _is_number(a) for a in op.args)


def _is_number(v: Value) -> bool:
    return v.type == Num("float") or isinstance(v.type, Arr) and v.type.scalar and v.type.dtype == "float64"


def _term(total: Call, makers: dict[Operand, Op], read: Counter[Operand], stored: list[Value]) -> _Term | None:
    """The last term of a sum; None if the sum has another form."""
    times, product = _SUMS[total.fn], makers.get(total.args[1])
    made: tuple[Op, ...] = ()
    if _is_product(product, read) and isinstance(c := product.args[0], Lit) and type(c.value) is float:
        times, made, product = times * c.value, (product,), makers.get(product.args[1])
    if not times or not _is_product(product, read):
        return None
    for cotangent, factor in (product.args, product.args[::-1]):
        if isinstance(cotangent, Value) and isinstance(factor, Value) and factor in stored and cotangent not in stored and (
                read[factor] == 1 and _is_number(factor)):
            return _Term(times, cotangent, factor, (*made, product))
    return None


def _is_product(op: Op | None, read: Counter[Operand]) -> TypeGuard[Call]:
    """Whether an operation makes a product that one operation reads."""
    return isinstance(op, Call) and op.fn is operator.mul and read[op.result] == 1


def _add_up(turn: Block, one: _Term, other: _Term, layout: Layout) -> Value | None:
    """The factor of the cotangent, computed at the position of the later of the two numbers; None if that is not known."""
    places = [k for k, op in enumerate(turn.ops) if one.factor in op.results or other.factor in op.results]
    if not any(one.factor in turn.ops[k].results for k in places) or not any(other.factor in turn.ops[k].results for k in places):
        return None
    first, last = (other, one) if one.times < 0.0 < other.times else (one, other)
    fn = operator.sub if last.times < 0.0 < first.times else operator.add
    ops: list[Op] = []
    with Builder(Block([], ops), "primal", turn.ops[places[-1]].loc) as b:
        scaled = [t.factor if abs(t.times) == 1.0 else b.call(operator.mul, Lit(abs(t.times)), t.factor) for t in (first, last)]
        together: Value = b.call(fn, *scaled)
    turn.ops[places[-1] + 1:places[-1] + 1] = ops
    for op in ops:
        for r in op.results:
            layout.home[r], layout.maker[r] = turn, op
    return together
