"""Sums over the events that share a name, and by choice shapes and source lines."""
from __future__ import annotations

from collections.abc import Iterable

from .events import FunctionEvent, Times


class FunctionEventAvg(Times):
    """Totals over a group of events; ``cpu_time`` is their average.

    Events are added with ``+=``; the first one gives the key, the shapes and the stack.
    """

    def __init__(self) -> None:
        self.key: str | None = None
        self.count = 0
        self.cpu_time_total = 0.0
        self.self_cpu_time_total = 0.0
        self.device_time_total = 0.0
        self.self_device_time_total = 0.0
        self.cpu_memory_usage = 0
        self.self_cpu_memory_usage = 0
        self.device_memory_usage = 0
        self.self_device_memory_usage = 0
        self.flops = 0
        self.input_shapes: list[list[int]] | str | None = None
        self.stack: list[str] = []
        self.scope = 0
        self.is_async = False
        self.is_user_annotation = False
        self.cpu_parent: FunctionEvent | None = None
        self.cpu_children: list[FunctionEvent] = []

    def add(self, other: FunctionEvent | FunctionEventAvg) -> FunctionEventAvg:
        """Add an event, or another average of the same key.

        Raises
        ------
        ValueError
            If the keys differ.
        """
        if self.key is None:
            for name in ("key", "input_shapes", "stack", "scope", "is_async", "is_user_annotation", "cpu_parent", "cpu_children"):
                setattr(self, name, getattr(other, name))
        if other.key != self.key:
            raise ValueError(f"an event named {other.key!r} does not belong to the average of {self.key!r}")
        for name in _TOTALS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.flops += other.flops or 0
        return self

    def __iadd__(self, other: FunctionEvent | FunctionEventAvg) -> FunctionEventAvg:
        return self.add(other)

    def __repr__(self) -> str:
        return (
            f"<FunctionEventAvg key={self.key} self_cpu_time={self.self_cpu_time_total_str} cpu_time={self.cpu_time_str} "
            f" self_cuda_time={self.self_device_time_total_str} cuda_time={self.device_time_str} input_shapes={self.input_shapes} "
            f"cpu_memory_usage={self.cpu_memory_usage} cuda_memory_usage={self.device_memory_usage}>"
        )


_TOTALS = (
    "count", "cpu_time_total", "self_cpu_time_total", "device_time_total", "self_device_time_total", "cpu_memory_usage",
    "self_cpu_memory_usage", "device_memory_usage", "self_device_memory_usage",
)


def grouped(events: Iterable[FunctionEvent | FunctionEventAvg], by_shapes: bool, by_stack: int) -> list[FunctionEventAvg]:
    """Averages in the order in which their first events came.

    Parameters
    ----------
    by_shapes : bool
        Whether calls with other shapes of arguments are other groups.
    by_stack : int
        How many innermost entries of the stack tell groups apart.
    """
    groups: dict[tuple[object, ...], FunctionEventAvg] = {}
    for event in events:
        key = (event.key, event.is_user_annotation, str(event.input_shapes) if by_shapes else "", *event.stack[:by_stack])
        groups.setdefault(key, FunctionEventAvg()).add(event)
    averages = list(groups.values())
    for average in averages:
        average.stack = average.stack[:by_stack]
        if not by_shapes:
            average.input_shapes = ""
    return averages


def total(events: Iterable[FunctionEvent | FunctionEventAvg]) -> FunctionEventAvg:
    """Sum over all events, with the key ``Total``."""
    result = FunctionEventAvg()
    for event in events:
        result.key = event.key if result.count else None
        result.add(event)
    result.key = "Total"
    return result
