"""Save values that the reverse of an iteration would recompute, if the iteration saves a tuple anyway: one more item costs less than two
operations.
"""
from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any

from ....ir.ops import Block, Call, Lit, Op, Operand, Value, blocks_of, operands_of
from ....ir.types import Num

__all__ = ["kept_besides"]

_ARITHMETIC = frozenset((operator.add, operator.sub, operator.mul, operator.truediv, operator.neg))
#: so many operations are saved by a number that is kept, or more
_LEAST = 2


def kept_besides(turn: Block, back: Block, kept: Mapping[Value, Operand]) -> list[tuple[Value, Value]]:
    """Remove recomputations from the reverse of a loop iteration.

    Parameters
    ----------
    turn, back : Block
        An iteration and its reverse, which is rewritten in place.
    kept : mapping of Value to Operand
        The residuals, from the names in the reverse to those in the iteration.

    Returns
    -------
    list of (Value, Value)
        The additional residuals and their names in the reverse, which no operation defines any more.
    """
    made = {key: op for op in turn.ops if (key := _formula(op, {})) is not None}
    known: dict[Value, Operand] = dict(kept)
    again: dict[Value, tuple[Op, Value]] = {}
    for op in back.ops:
        found = made.get(_formula(op, known))
        if found is not None:
            known[op.result] = found.result
            again[op.result] = op, found.result
    if len(again) < _LEAST:
        return []
    users = _users(back)
    besides: list[tuple[Value, Value]] = []
    gone: set[int] = set()
    for v in reversed(again):
        op, in_turn = again[v]
        if id(op) in gone:
            continue
        saved = _saved(v, again, users)
        if len(saved) >= _LEAST:
            in_turn.name = v.name = in_turn.name or "s"
            besides.append((in_turn, v))
            gone |= saved
    back.ops = [op for op in back.ops if id(op) not in gone]
    return besides


def _saved(v: Value, again: Mapping[Value, tuple[Op, Value]], users: Mapping[Value, set[int]]) -> set[int]:
    """The operations that are needed for nothing but ``v``."""
    saved = {id(again[v][0])}
    todo = list(operands_of(again[v][0]))
    while todo:
        o = todo.pop()
        if isinstance(o, Value) and o in again and users[o] <= saved:
            saved.add(id(again[o][0]))
            todo += operands_of(again[o][0])
    return saved


def _users(block: Block) -> dict[Value, set[int]]:
    """The operations of a block that read each value, those inside of other blocks among them; its end is one, too."""
    users: dict[Value, set[int]] = {}

    def note(op: Op) -> None:
        for o in operands_of(op):
            if isinstance(o, Value):
                users.setdefault(o, set()).add(id(op))
        for inner in blocks_of(op):
            for y in inner.yields:
                if isinstance(y, Value):
                    users.setdefault(y, set()).add(id(op))
            for other in inner.ops:
                note(other)

    for op in block.ops:
        note(op)
    for y in block.yields:
        if isinstance(y, Value):
            users.setdefault(y, set()).add(id(block))
    return users


def _formula(op: Op, known: Mapping[Value, Operand]) -> Any:
    """The operation on floats and its operands, in the names of the iteration."""
    if type(op) is not Call or op.fn not in _ARITHMETIC or op.result.type != Num("float"):
        return None
    operands = [known.get(a, a) if isinstance(a, Value) else a for a in op.args]
    if any(not isinstance(a.type, Num) for a in operands):
        return None
    return op.fn, *((type(a.value), repr(a.value)) if isinstance(a, Lit) else a for a in operands)
