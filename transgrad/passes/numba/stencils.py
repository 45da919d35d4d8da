"""Gather the additions to shifted parts of one array, as in the adjoint of a stencil, so that each element is written once.

The additions are in several loops, because an iteration would otherwise depend on the previous one. The pass takes them out of these loops,
together with arithmetic that nothing else reads, and places one loop after the last of them.
"""
from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from ...ir.memory import NOTHING, Effect, Memory
from ...ir.ops import Call, Lit, Value
from .fusion_group import Group, Member, Sink, operands_of_member
from .stencil_rows import COMMUTE, Item, same_shape

__all__ = ["CHEAP", "collect_stencils", "describe"]

#: How many operations an addition may be moved over.
_WINDOW = 40
#: Operations cheap enough to be duplicated for the interior of an array and each of its borders.
CHEAP = frozenset((operator.add, operator.sub, operator.mul, operator.neg, np.add, np.subtract, np.multiply, np.negative))
Base = tuple[Value, tuple[int, ...]]


def collect_stencils(items: list[Item], memory: Memory, base_of: Callable[[Value], Base | None], counts: Mapping[Any, int]) -> bool:
    """Collect the additions of a stencil in ``items``, in place.

    Parameters
    ----------
    items : list of Item
        The operations and groups of a block, in order.
    memory : Memory
        The values that may share memory.
    base_of : callable
        From a part of an array to the array and the start of the part; None for other values.
    counts : mapping of Value to int
        The number of reads of each value in the function.

    Returns
    -------
    bool
        Whether there are such additions.
    """
    at, changed = len(items) - 1, False
    while at >= 0:
        found = _Stencil(items, at, memory, base_of, counts).item() if items[at].group is not None else None
        if found is not None:
            items.insert(at + 1, found)
            items[:] = [item for item in items if item.group is None or item.group.members]
            at, changed = items.index(found), True
        at -= 1
    return changed


class _Stencil:
    """The additions to parts of one array, of which the last is in the group at one place."""

    def __init__(self, items: list[Item], at: int, memory: Memory, base_of: Callable[[Value], Base | None], counts: Mapping[Any, int]):
        self.items, self.at, self.memory, self.base_of, self.counts = items, at, memory, base_of, counts
        self.array: Value | None = None

    def item(self) -> Item | None:
        """The item to run after that group, if it is more than one addition; it is removed from the groups."""
        last = self.items[self.at].group
        assert last is not None
        for m in reversed(last.members):
            start = self._start(m, last)
            if start is not None and start[0] is not self.array:
                self.array = start[0]
                found = self._collected(last)
                if found is not None:
                    return found
        return None

    def _collected(self, last: Group) -> Item | None:
        lines: list[list[Member]] = []
        places: set[tuple[int, ...]] = set()
        kept: dict[Item, list[Member]] = {}
        between = NOTHING
        for item, group in self._backwards(last):
            if group is not None:
                left, taken = self._taken(group, between)
                if taken:
                    lines[:0] = ([m] for m in taken)
                    places.update(start[1] for m in taken if (start := self._start(m, group)) is not None)
                    kept[item] = left
            between = self._passed(between, item, kept)
            if between.opaque:
                break
        if len(places) < 2:
            return None
        self._with_arithmetic(lines, kept, last)
        for item, left in kept.items():
            assert item.group is not None
            item.group.members = left
            describe(item, self.memory)
        group = Group(last.dims, [m for line in lines for m in line], lines, gathered=True)
        found = Item(None, group, set(), set(), NOTHING)
        describe(found, self.memory)
        return found

    def _backwards(self, last: Group) -> Iterator[tuple[Item, Group | None]]:
        """The items before the position, last first; with the group if it has the shape of the last one."""
        for item in reversed(self.items[max(self.at - _WINDOW, 0):self.at + 1]):
            group = item.group
            fits = group is not None and (group is last or len(group.dims) == len(last.dims) and same_shape(group, last))
            yield item, group if fits else None

    def _passed(self, between: Effect, item: Item, kept: dict[Item, list[Member]]) -> Effect:
        """An operation moved after an item also moves past the kept ones."""
        if item not in kept:
            return between | item.effect
        for m in kept[item]:
            between = between | self.memory.effect(_op(m))
        return between

    def _start(self, m: Member, group: Group) -> Base | None:
        """The array to a part of which a member adds, and where the part begins."""
        if not isinstance(m, Sink) or m.fn not in COMMUTE or m.like is not None or group.stretches(m.target):
            return None
        found = self.base_of(m.target)
        return found if found is not None and min(found[1]) >= 0 else None

    def _taken(self, group: Group, between: Effect) -> tuple[list[Member], list[Sink]]:
        """The members that a group keeps, and its additions that may be done later."""
        kept, taken = list(group.members), list[Sink]()
        for m in reversed(group.members):
            start = self._start(m, group)
            if start is None or start[0] is not self.array or not self._may_wait(m, kept[kept.index(m) + 1:], between):
                continue
            assert isinstance(m, Sink)
            if not isinstance(m.value, Value) or not self.memory.may_share(m.target, m.value):
                kept.remove(m)
                taken.insert(0, m)
        return kept, taken

    def _with_arithmetic(self, lines: list[list[Member]], kept: dict[Item, list[Member]], last: Group) -> None:
        """Let lines compute values with no other reader, if at most one further array has to be saved for that."""
        line_of: dict[Any, list[Member]] = {line[-1].value: line for line in lines if isinstance(line[-1], Sink)}
        between = NOTHING
        for item, group in self._backwards(last):
            if group is not None:
                left, own = list(kept.get(item, group.members)), set(group.results())
                for m in reversed(left):
                    if isinstance(m, Call) and m.result in line_of and self._is_for_one(m, own) and self._may_wait(
                            m, left[left.index(m) + 1:], between):
                        left = kept[item] = [k for k in left if k is not m]
                        line = line_of[m.result]
                        line.insert(0, m)
                        line_of.update((a, line) for a in m.args)
            between = self._passed(between, item, kept)
            if between.opaque:
                break

    def _is_for_one(self, m: Call, own: set[Value]) -> bool:
        """Whether an operation is cheap, has one use, and reads neither the target of an addition nor several results of its group."""
        assert self.array is not None
        return m.fn in CHEAP and not m.kwargs and self.counts[m.result] == 1 and len(own.intersection(m.args)) < 2 and not any(
            self.memory.may_share(self.array, a) for a in m.args)

    def _may_wait(self, m: Member, later: list[Member], between: Effect) -> bool:
        """Whether a member may be done after the later ones of its group, and after the items in between."""
        if between.conflicts(self.memory.effect(_op(m))):
            return False
        if isinstance(m, Sink) and any(self.memory.may_share(v, m.target) for k in later for v in operands_of_member(k)):
            return False
        return not any(self.memory.may_share(k.target, v) for k in later if isinstance(k, Sink) for v in operands_of_member(m))


def describe(item: Item, memory: Memory) -> None:
    """Derive the facts about a group from its members."""
    assert item.group is not None
    own = set(item.group.results())
    item.reads = {v for m in item.group.members for v in operands_of_member(m) if not isinstance(v, Lit)}
    item.defines = own
    item.effect = NOTHING
    for m in item.group.members:
        item.effect = item.effect | memory.effect(_op(m))
        if isinstance(m, Sink) and m.like is not None:
            item.reads.add(m.like)


def _op(m: Member) -> Call:
    return m if isinstance(m, Call) else m.op
