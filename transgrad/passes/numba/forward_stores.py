"""Recompute in a consumer loop the addends that another loop derives from values it stores anyway, so that no array of addends is
created."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...ir.memory import NOTHING, Memory
from ...ir.ops import Call
from ...ir.types import Arr
from .fusion_group import Group, Sink
from .stencil_rows import Item, same_shape
from .stencils import CHEAP, describe

__all__ = ["compute_from_stored"]

#: The maximum distance, in operations, over which a computation is moved.
_WINDOW = 20


def compute_from_stored(items: list[Item], memory: Memory, counts: Mapping[Any, int]) -> None:
    """Change the groups among ``items`` in place; ``counts`` is how often each value is read."""
    for at, item in enumerate(items):
        if item.group is None or item.group.gathered or len(item.group.members) != 1:
            continue
        sink, = item.group.members
        if not isinstance(sink, Sink) or sink.like is not None or counts[sink.value] != 1:
            continue
        between = NOTHING
        for other in reversed(items[max(at - _WINDOW, 0):at]):
            if sink.value in other.defines:
                if other.group is not None and not other.group.gathered and len(other.group.dims) == len(
                        item.group.dims) and same_shape(other.group, item.group):
                    found = _from_stored(other.group, sink, memory)
                    if found is not None and not any(between.conflicts(memory.effect(op)) for op in found):
                        other.group.members = [m for m in other.group.members if not isinstance(m, Call) or m.result is not sink.value]
                        item.group.members.insert(0, found[0])
                        describe(other, memory)
                        describe(item, memory)
                break
            between = between | other.effect
            if between.opaque:
                break


def _from_stored(group: Group, sink: Sink, memory: Memory) -> list[Call] | None:
    """The operations that compute the addend from values available after the loop of a group, and the writes to be done before."""
    made = next((m for m in group.members if isinstance(m, Call) and m.result is sink.value), None)
    if made is None or made.fn not in CHEAP or made.kwargs:
        return None
    stores = {m.value: m for m in group.members if isinstance(m, Sink) and m.fn is None and m.like is None and _keeps(m, group)}
    own = set(group.results())
    if not own.intersection(made.args) <= stores.keys():
        return None
    args = [stores[a].target if a in own else a for a in made.args]
    used = [stores[a] for a in made.args if a in own]
    for a in args:
        if memory.may_share(a, sink.target) or any(
                isinstance(m, Sink) and m not in used and memory.may_share(a, m.target) for m in group.members):
            return None
    again = Call(made.fn, args, {}, made.spelling, results=made.results, loc=made.loc, part=made.part)
    return [again, *(m.op for m in used)]


def _keeps(m: Sink, group: Group) -> bool:
    """Whether an array stores each written element without conversion."""
    t, v = m.target.type, m.value.type
    return isinstance(t, Arr) and isinstance(v, Arr) and t.dtype == v.dtype and len(t.dims) == len(v.dims) == len(group.dims) and not (
        group.stretches(m.target))
