"""Which event ran inside which."""
from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from ..observer import BACKWARD_FUNCTION
from .events import FunctionEvent


def nest(events: Sequence[FunctionEvent]) -> list[FunctionEvent]:
    """Set parents and children from the intervals on each thread; returns the events that remain.

    An event whose only child has its own name is that child seen from another layer, and swallows it.  Intervals that overlap in part are
    siblings, and events that changed threads belong to none.
    """
    threads: dict[int, list[FunctionEvent]] = defaultdict(list)
    for event in events:
        if not event.is_async:
            threads[event.thread].append(event)
    for members in threads.values():
        parents: list[FunctionEvent] = []
        for event in sorted(members, key=lambda event: (event.time_range.start, -event.time_range.end)):
            while parents and not _holds(parents[-1], event):
                parents.pop()
            if parents:
                event.cpu_parent = parents[-1]
                parents[-1].cpu_children.append(event)
            parents.append(event)
    return _without_echoes(events)


def _holds(outer: FunctionEvent, inner: FunctionEvent) -> bool:
    return inner.time_range.start < outer.time_range.end and inner.time_range.end <= outer.time_range.end


def _without_echoes(events: Sequence[FunctionEvent]) -> list[FunctionEvent]:
    kept = []
    for event in events:
        parent = event.cpu_parent
        if parent is not None and parent.name == event.name and parent.cpu_children == [event]:
            parent.cpu_children = event.cpu_children
            parent.kernels = event.kernels
            for child in event.cpu_children:
                child.cpu_parent = parent
        else:
            kept.append(event)
    return kept


def give_forward_stacks(events: Sequence[FunctionEvent]) -> None:
    """Give the nodes of the backward pass, and the operations inside them, the stack of their forward operation.

    Operations and nodes are matched by sequence number; without the operation's event in the profile a node has no stack.
    """
    forward: dict[int, list[str]] = {}
    for event in events:
        if event.sequence_nr >= 0 and _node(event) is None:
            forward.setdefault(event.sequence_nr, event.stack)
    for event in events:
        node = _node(event)
        if node is not None:
            event.stack = forward.get(node.sequence_nr, [])


def _node(event: FunctionEvent) -> FunctionEvent | None:
    current: FunctionEvent | None = event
    while current is not None and current.scope != BACKWARD_FUNCTION:
        current = current.cpu_parent
    return current
