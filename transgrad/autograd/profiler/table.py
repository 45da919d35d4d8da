"""A profile as a table of text."""
from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from .averages import FunctionEventAvg
from .events import FunctionEvent
from .units import flops_scale, format_memory, format_share, format_time_in

Row = FunctionEvent | FunctionEventAvg

_WIDTH = 12
_GAP = "  "
_STACK_DEPTH = 5


@dataclass(frozen=True)
class _Column:
    heading: str
    cell: Callable[[Row], str | Sequence[str]]
    width: int = _WIDTH
    align: str = ">"

    def line(self, text: str) -> str:
        return f"{text:{self.align}{self.width}}"


def build_table(
    events: Sequence[Row],
    *,
    sort_by: str | None,
    row_limit: int,
    max_src_column_width: int | None,
    max_name_column_width: int | None,
    max_shapes_column_width: int | None,
    header: str | None,
    profile_memory: bool,
    with_flops: bool,
    top_level_events_only: bool,
    time_unit: str | None,
) -> str:
    """The table; an empty text for no events.  The parameters are those of `EventList.table`."""
    if not events:
        return ""
    events = _sorted(events, sort_by)
    columns = _columns(events, max_src_column_width, max_name_column_width, max_shapes_column_width, profile_memory, with_flops, time_unit)
    rule = _GAP.join("-" * column.width for column in columns) + _GAP
    lines = []
    for note in (header, "This report only display top-level ops statistics" if top_level_events_only else None):
        if note is not None:
            lines += ["=" * len(rule.rstrip()), note]
    lines += [rule, _join(columns, [column.heading for column in columns]), rule]
    shown = [event for event in events if not (top_level_events_only and event.cpu_parent is not None)]
    for event in shown if row_limit < 0 else shown[:row_limit]:
        lines += _lines(columns, event)
    lines += [rule, f"Self CPU time total: {format_time_in(sum(event.self_cpu_time_total for event in events), time_unit)}"]
    if any(event.self_device_time_total for event in events):
        lines.append(f"Self CUDA time total: {format_time_in(sum(event.self_device_time_total for event in events), time_unit)}")
    return "\n".join(lines) + "\n"


def _sorted(events: Sequence[Row], sort_by: str | None) -> Sequence[Row]:
    if sort_by is None:
        return events
    try:
        return sorted(events, key=lambda event: getattr(event, sort_by), reverse=True)
    except (AttributeError, TypeError):
        raise AttributeError(
            f"events cannot be sorted by {sort_by!r}; sort_by takes cpu_time, cpu_time_total, self_cpu_time_total, cpu_memory_usage, "
            "self_cpu_memory_usage, count, flops, and cuda in place of cpu"
        ) from None


def _columns(
    events: Sequence[Row],
    max_src: int | None,
    max_name: int | None,
    max_shapes: int | None,
    profile_memory: bool,
    with_flops: bool,
    unit: str | None,
) -> list[_Column]:
    cpu_total = sum(event.self_cpu_time_total for event in events)
    device_total = sum(event.self_device_time_total for event in events)
    columns = [
        _Column("Name", lambda event: _clipped(event.key or "", max_name), _fitting((event.key or "" for event in events), max_name)),
        _Column("Self CPU %", lambda event: format_share(event.self_cpu_time_total, cpu_total)),
        _Column("Self CPU", lambda event: format_time_in(event.self_cpu_time_total, unit)),
        _Column("CPU total %", lambda event: format_share(event.cpu_time_total, cpu_total) if not event.is_async else "0.00%"),
        _Column("CPU total", lambda event: format_time_in(event.cpu_time_total, unit)),
        _Column("CPU time avg", lambda event: format_time_in(event.cpu_time, unit)),
    ]
    if device_total:
        columns += [
            _Column("Self CUDA", lambda event: format_time_in(event.self_device_time_total, unit)),
            _Column("Self CUDA %", lambda event: format_share(event.self_device_time_total, device_total)),
            _Column("CUDA total", lambda event: format_time_in(event.device_time_total, unit)),
            _Column("CUDA time avg", lambda event: format_time_in(event.device_time, unit)),
        ]
    if profile_memory:
        columns += [
            _Column("CPU Mem", lambda event: format_memory(event.cpu_memory_usage)),
            _Column("Self CPU Mem", lambda event: format_memory(event.self_cpu_memory_usage)),
        ]
    columns.append(_Column("# of Calls", lambda event: str(event.count)))
    if any(event.input_shapes for event in events):
        width = _fitting((str(event.input_shapes) for event in events), max_shapes)
        columns.append(_Column("Input Shapes", lambda event: str(event.input_shapes)[:width], width))
    if any(event.stack for event in events):
        src_width = _fitting((entry for event in events for entry in event.stack), max_src)
        columns.append(_Column("Source Location", lambda event: [*_sources(event, src_width), ""], src_width, "<"))
    flops = [event.flops for event in events if event.flops]
    if with_flops and flops:
        heading, scale = flops_scale(min(flops))
        columns.append(_Column(heading, lambda event: f"{event.flops / scale:.3f}" if event.flops else "--"))
    return columns


def _fitting(texts: Iterable[str], limit: int | None) -> int:
    width = max(map(len, texts), default=0) + 4
    return width if limit is None else min(width, limit)


def _clipped(name: str, limit: int | None) -> str:
    return name if limit is None or len(name) < limit - 3 else name[: limit - 3] + "..."


def _sources(event: Row, width: int) -> list[str]:
    return [entry if len(entry) <= width else "..." + entry[len(entry) - width + 3 :] for entry in event.stack[:_STACK_DEPTH]] or [""]


def _join(columns: Sequence[_Column], cells: Sequence[str]) -> str:
    return _GAP.join(column.line(cell) for column, cell in zip(columns, cells, strict=True)) + _GAP


def _lines(columns: Sequence[_Column], event: Row) -> list[str]:
    """A line for the event, and more under it for the rest of its stack."""
    cells = [column.cell(event) for column in columns]
    return [_join(columns, row) for row in zip_longest(*([cell] if isinstance(cell, str) else cell for cell in cells), fillvalue="")]
