"""Format a profile as a table."""
from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from .columns import Column, Layout, Row

_GAP = "  "


def build_table(
    events: Sequence[Row], layout: Layout, sort_by: str | None, row_limit: int, header: str | None, top_level_events_only: bool
) -> str:
    """The table, as `EventList.table` describes it; an empty text for no events."""
    if not events:
        return ""
    events = _sorted(events, sort_by)
    columns = layout.columns(events)
    rule = _GAP.join("-" * column.width for column in columns) + _GAP
    lines = []
    for note in (header, "This report only display top-level ops statistics" if top_level_events_only else None):
        if note is not None:
            lines += ["=" * len(rule.rstrip()), note]
    lines += [rule, _joined(columns, [column.heading for column in columns]), rule]
    shown = [event for event in events if not (top_level_events_only and event.cpu_parent is not None)]
    for event in shown if row_limit < 0 else shown[:row_limit]:
        lines += _lines(columns, event)
    lines += [rule, f"Self CPU time total: {layout.time(sum(event.self_cpu_time_total for event in events))}"]
    if any(event.self_device_time_total for event in events):
        lines.append(f"Self CUDA time total: {layout.time(sum(event.self_device_time_total for event in events))}")
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


def _lines(columns: Sequence[Column], event: Row) -> list[str]:
    """A line for the event, and more under it for the rest of its stack."""
    cells = [column.cell(event) for column in columns]
    return [_joined(columns, row) for row in zip_longest(*([cell] if isinstance(cell, str) else cell for cell in cells), fillvalue="")]


def _joined(columns: Sequence[Column], cells: Sequence[str]) -> str:
    return _GAP.join(column.padded(cell) for column, cell in zip(columns, cells, strict=True)) + _GAP
