"""The columns of a table of events."""
from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from .averages import FunctionEventAvg
from .events import FunctionEvent
from .units import flops_scale, format_memory, format_share, format_time_in

Row = FunctionEvent | FunctionEventAvg

_STACK_DEPTH = 5


@dataclass(frozen=True)
class Column:
    """A heading, and its entry for an event: a string, or lines."""

    heading: str
    cell: Callable[[Row], str | Sequence[str]]
    width: int = 12
    align: str = ">"

    def padded(self, text: str) -> str:
        """Pad the string to the width of the column."""
        return f"{text:{self.align}{self.width}}"


@dataclass(frozen=True)
class Layout:
    """The columns of a table, its unit of time, and the maximum width of entries (None for no limit)."""

    source_width: int | None
    name_width: int | None
    shapes_width: int | None
    memory: bool
    flops: bool
    unit: str | None

    def columns(self, events: Sequence[Row]) -> list[Column]:
        """Those that say something of the events."""
        return [
            self._names(events),
            *self._cpu_times(sum(event.self_cpu_time_total for event in events)),
            *self._device_times(sum(event.self_device_time_total for event in events)),
            *(_MEMORY if self.memory else ()),
            Column("# of Calls", lambda event: str(event.count)),
            *self._shapes(events),
            *self._sources(events),
            *(_flops(events) if self.flops else ()),
        ]

    def _names(self, events: Sequence[Row]) -> Column:
        width = _fitting((event.key or "" for event in events), self.name_width)
        return Column("Name", lambda event: _clipped(event.key or "", self.name_width), width)

    def time(self, microseconds: float) -> str:
        """A time in the unit of the table."""
        return format_time_in(microseconds, self.unit)

    def _cpu_times(self, total: float) -> list[Column]:
        return [
            Column("Self CPU %", lambda event: format_share(event.self_cpu_time_total, total)),
            Column("Self CPU", lambda event: self.time(event.self_cpu_time_total)),
            Column("CPU total %", lambda event: format_share(event.cpu_time_total, total)),
            Column("CPU total", lambda event: self.time(event.cpu_time_total)),
            Column("CPU time avg", lambda event: self.time(event.cpu_time)),
        ]

    def _device_times(self, total: float) -> list[Column]:
        if not total:
            return []
        return [
            Column("Self CUDA", lambda event: self.time(event.self_device_time_total)),
            Column("Self CUDA %", lambda event: format_share(event.self_device_time_total, total)),
            Column("CUDA total", lambda event: self.time(event.device_time_total)),
            Column("CUDA time avg", lambda event: self.time(event.device_time)),
        ]

    def _shapes(self, events: Sequence[Row]) -> list[Column]:
        if not any(event.input_shapes for event in events):
            return []
        width = _fitting((str(event.input_shapes) for event in events), self.shapes_width)
        return [Column("Input Shapes", lambda event: str(event.input_shapes)[:width], width)]

    def _sources(self, events: Sequence[Row]) -> list[Column]:
        if not any(event.stack for event in events):
            return []
        width = _fitting((entry for event in events for entry in event.stack), self.source_width)
        return [Column("Source Location", lambda event: [*_lines_of_stack(event, width), ""], width, "<")]


_MEMORY = (
    Column("CPU Mem", lambda event: format_memory(event.cpu_memory_usage)),
    Column("Self CPU Mem", lambda event: format_memory(event.self_cpu_memory_usage)),
)


def _flops(events: Sequence[Row]) -> list[Column]:
    known = [event.flops for event in events if event.flops]
    if not known:
        return []
    heading, scale = flops_scale(min(known))
    return [Column(heading, lambda event: f"{event.flops / scale:.3f}" if event.flops else "--")]


def _fitting(texts: Iterable[str], limit: int | None) -> int:
    width = max(map(len, texts), default=0) + 4
    return width if limit is None else min(width, limit)


def _clipped(name: str, limit: int | None) -> str:
    return name if limit is None or len(name) < limit - 3 else name[: limit - 3] + "..."


def _lines_of_stack(event: Row, width: int) -> list[str]:
    return [entry if len(entry) <= width else "..." + entry[len(entry) - width + 3 :] for entry in event.stack[:_STACK_DEPTH]] or [""]
