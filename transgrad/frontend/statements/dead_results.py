"""Drop dead results of branches and loops, and the pure operations that this leaves without a reader."""
from __future__ import annotations

import operator
from typing import Any

from ...ir.effects import is_pure
from ...ir.ops import Block, Build, Call, For, Function, GetAttr, If, Op, Operand, Try, While, With, blocks_of, operands_of
from ...ir.prims import unpack

__all__ = ["prune"]


def prune(function: Function) -> None:
    """Remove unread results of regions, in place."""
    needed: set[Operand] = set(function.body.yields)
    _mark(function.body, needed)
    _sweep(function.body, needed)


def _mark(block: Block, needed: set[Operand]) -> None:
    for op in reversed(block.ops):
        if type(op) is Call:
            if _kept(op, needed):
                needed.update(operands_of(op))
            continue
        if isinstance(op, (For, While)):
            _mark_loop(op, needed)
            continue
        if isinstance(op, (If, Try, With)):
            arms = _arms(op)
            for k, r in enumerate(op.results):
                if r in needed:
                    needed.update(b.yields[k] for b in arms if k < len(b.yields))
        if _kept(op, needed):
            needed.update(operands_of(op))
        for inner in reversed(blocks_of(op)):
            _mark(inner, needed)


def _mark_loop(op: For | While, needed: set[Operand]) -> None:
    """Mark the live values of a loop, until an iteration needs no further values of the previous one."""
    lead = len(op.body.params) - len(op.inits)
    offset = int(op.stops)
    if op.stops:
        needed.add(op.body.yields[0])
    if isinstance(op, While):
        needed.update(op.cond.yields)
    else:
        needed.update([o for s in op.sources for o in s.operands])
    same = [op.results, op.body.params[lead:], *([op.cond.params] if isinstance(op, While) else [])]
    carried = dict(enumerate(zip(*same)))
    more = True
    while more:
        for k in [k for k, variable in carried.items() if not needed.isdisjoint(variable)]:
            needed.update(carried.pop(k), (op.inits[k], op.body.yields[k + offset]))
        for inner in reversed(blocks_of(op)):
            _mark(inner, needed)
        more = not all(map(needed.isdisjoint, carried.values()))


def _arms(op: Any) -> list[Block]:
    if isinstance(op, If):
        return [op.then, op.orelse]
    if isinstance(op, Try):
        return [op.body, *(h.body for h in op.handlers)]
    return [op.body]


def _kept(op: Op, needed: set[Operand]) -> bool:
    """Whether an operation stays: it does something, or a result of it is read, or the user wrote it as a statement."""
    if not needed.isdisjoint(op.results):
        return True
    if type(op) is Call:
        return not (op.fn in _INTERNAL and is_pure(op) and not any(r.name for r in op.results))
    if isinstance(op, If):
        return bool(op.then.ops or op.orelse.ops)
    return not isinstance(op, (Build, GetAttr))


#: calls of a kind that lowering itself makes
_INTERNAL = frozenset((operator.or_, operator.not_, operator.getitem, operator.is_, operator.is_not, operator.eq, unpack))


def _sweep(block: Block, needed: set[Operand]) -> None:
    kept: list[Op] = []
    for op in block.ops:
        if type(op) is Call:
            if _kept(op, needed):
                kept.append(op)
            continue
        if isinstance(op, (For, While)):
            _sweep_loop(op, needed)
        elif isinstance(op, (If, Try, With)):
            keep = [k for k, r in enumerate(op.results) if r in needed]
            for arm in _arms(op):
                if arm.yields:
                    arm.yields = [arm.yields[k] for k in keep]
            op.results = [op.results[k] for k in keep]
        if not _kept(op, needed):
            continue
        for inner in blocks_of(op):
            _sweep(inner, needed)
        if isinstance(op, If) and not op.results and not op.then.ops and not op.orelse.ops:
            continue
        kept.append(op)
    block.ops = kept


def _sweep_loop(op: Any, needed: set[Operand]) -> None:
    lead = len(op.body.params) - len(op.inits)
    offset = int(op.stops)
    keep = []
    for k, r in enumerate(op.results):
        param = op.body.params[lead + k]
        if r in needed or param in needed:
            keep.append(k)
    op.body.params = [*op.body.params[:lead], *(op.body.params[lead + k] for k in keep)]
    op.body.yields = [*op.body.yields[:offset], *(op.body.yields[offset + k] for k in keep)]
    if isinstance(op, While):
        op.cond.params = [op.cond.params[k] for k in keep]
    op.inits = [op.inits[k] for k in keep]
    op.results = [op.results[k] for k in keep]


