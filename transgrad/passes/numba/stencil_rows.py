"""Share the outer loops of additions to overlapping parts of one array, and add row by row.

In one innermost loop, each iteration would depend on the one before. Row by row, the accumulator is still in cache for the next addition.
"""
from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

from ...ir.memory import NOTHING, Effect, Memory
from ...ir.ops import Call, Op, Value
from ...ir.types import Arr
from .fusion_group import Group, Sink

__all__ = ["COMMUTE", "Item", "same_shape", "share_outer_loops"]

#: Writes that do the same in any order.
COMMUTE = frozenset((operator.add, operator.sub))
#: How many operations a group may be moved over.
_WINDOW = 20


@dataclass(eq=False, slots=True)
class Item:
    """An operation or a group, and the facts needed to move it."""

    op: Op | None
    group: Group | None
    reads: set[Any]
    defines: set[Value]
    effect: Effect


def share_outer_loops(items: list[Item], memory: Memory) -> None:
    """Sink groups that only add to arrays into a later one of the same shape; ``items`` is changed in place."""
    at = len(items) - 1
    while at > 0:
        item = items[at]
        if item.group is not None and _only_adds(item.group):
            between = Item(None, None, set(), set(), NOTHING)
            for k in range(at - 1, max(at - _WINDOW, -1), -1):
                other = items[k]
                if other.group is not None and _only_adds(other.group) and _may_take_turns(other.group, item.group, memory) and not (
                        other.reads & between.defines) and not between.effect.conflicts(other.effect):
                    _join(other, item)
                    del items[k]
                    at -= 1
                    continue
                between.defines |= other.defines
                between.effect = between.effect | other.effect
                if between.effect.opaque:
                    break
        at -= 1


def _only_adds(group: Group) -> bool:
    """Whether a group of several dimensions only adds existing values to arrays."""
    return len(group.dims) > 1 and not group.gathered and all(
        isinstance(m, Sink) and m.fn in COMMUTE and m.like is None for m in group.members)


def _may_take_turns(one: Group, other: Group, memory: Memory) -> bool:
    """Whether two such groups may be interleaved row by row: they have the same shape, and neither reads the other's targets."""
    if len(one.dims) != len(other.dims) or not same_shape(one, other):
        return False
    added = [*one.read(), *other.read()]
    return not any(isinstance(m, Sink) and isinstance(v.type, Arr) and memory.may_share(m.target, v)
                   for m in (*one.members, *other.members) for v in added)


def _join(first: Item, second: Item) -> None:
    """Put a group before another one, in loops of its own along the last dimension."""
    assert first.group is not None and second.group is not None
    second.group.lines = [*(first.group.lines or [first.group.members]), *(second.group.lines or [second.group.members])]
    second.group.members = [m for line in second.group.lines for m in line]
    second.reads |= first.reads
    second.effect = first.effect | second.effect


def same_shape(one: Group, other: Group) -> bool:
    """Whether the loops of two groups run over the same lengths: by type, or because they share an array of that length."""
    shared = _arrays(one) & _arrays(other)
    for k, (d, e) in enumerate(zip(one.dims, other.dims)):
        if d.one and e.one or d.sym is not None and (d.sym, d.off) == (e.sym, e.off) and d.one == e.one:
            continue
        if not any(len(v.type.dims) >= len(one.dims) - k and not v.type.dims[k - len(one.dims)].one for v in shared):  # type: ignore[union-attr]
            return False
        if not (d.one is False and e.one is False):
            return False
    return True


def _arrays(group: Group) -> set[Value]:
    """The arrays whose elements the members of a group read or compute (sums are not among them)."""
    found = {v for v in group.inputs() if isinstance(v.type, Arr) and v.type.dims}
    return found | {m.result for m in group.members if isinstance(m, Call)}
