"""Schedule other reads of a large array before the operation that may reuse its buffer."""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ...ir.effects import is_pure
from ...ir.ops import Block, Call, Op, Value, operands_of
from .destination_passing import alike
from .in_place_accumulation import collect_uses, makes_own, only_reads

__all__ = ["read_before_written_over"]

#: how many operations are moved for one
_FEW = 2


def read_before_written_over(block: Block, candidates: Sequence[Op], makers: Mapping[Value, Op], is_large: Callable[[Value], bool]) -> None:
    """Move operations of the adjoint part of a block, none of which makes a large array, but by writing over another one.

    Parameters
    ----------
    block : Block
        Of a finished function.
    candidates : sequence of Op
        Element-wise operations, in the order of the block.
    makers : mapping of Value to Op
        The operations that compute the values of the block.
    is_large : callable
        Whether a value is an array worth writing over.
    """
    uses = collect_uses(block.ops, {a for op in candidates for a in operands_of(op)})
    kept = set(block.yields)

    def own_operands(op: Op) -> list[Value]:
        return [a for a in operands_of(op) if isinstance(a, Value) and makes_own(makers.get(a), a) and alike(a.type, op.results[0].type)]

    def ends(v: Value, op: Op) -> bool:
        """Whether an operation is the last of those that read an array."""
        users = uses[v] if v in uses else collect_uses(block.ops, {v})[v]
        return users[-1] is op and all(map(only_reads, users))

    for op in candidates:
        if op.part != "adjoint" or not is_large(op.result):
            continue
        own = own_operands(op)
        if any(uses[a][-1] is op for a in own):
            continue        # one of them is free as it is
        for a in own:
            later = uses[a][[user is op for user in uses[a]].index(True) + 1:]
            if a not in kept and len(later) <= _FEW and _move(block, op, later, lambda o: is_large(o.results[0]) and not any(
                    b is not a and b not in kept and ends(b, o) for b in own_operands(o))):     # noqa: B023
                break


def _move(block: Block, op: Op, later: list[Op], takes_room: Callable[[Op], bool]) -> bool:
    """Move operations, none of which ``takes_room``, to where another one stands; return whether that can be."""
    where = {id(o): k for k, o in enumerate(block.ops)}
    start = where[id(op)]
    between = block.ops[start:max(where[id(o)] for o in later)]
    made = {v for o in between for v in o.results}
    if not all(type(o) is Call and o.part == "adjoint" and only_reads(o) and is_pure(o) and not takes_room(o) and made.isdisjoint(
            operands_of(o)) for o in later) or not all(map(is_pure, between)):
        return False
    moved = set(map(id, later))
    rest = [o for o in block.ops if id(o) not in moved]
    at = next(k for k, o in enumerate(rest) if o is op)
    block.ops = [*rest[:at], *later, *rest[at:]]
    return True
