"""A profile in the Trace Event Format, as Perfetto and chrome://tracing read it."""
from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from ..observer import BACKWARD_FUNCTION, USER_SCOPE
from .events import FunctionEvent
from .memory import MEMORY_EVENT_NAME

_CATEGORIES = {BACKWARD_FUNCTION: "backward", USER_SCOPE: "user_annotation"}


def write_chrome_trace(path: str | Path, events: Sequence[FunctionEvent]) -> None:
    """Write the events, one line each; times are microseconds since the start of the profile."""
    with open(path, "w", encoding="utf-8") as file:
        file.write('{"schemaVersion": 1, "displayTimeUnit": "ms", "traceEvents": [\n')
        file.write(",\n".join(json.dumps(entry) for entry in _entries(events)))
        file.write("\n]}\n")


def _entries(events: Sequence[FunctionEvent]) -> Iterator[dict[str, object]]:
    pid = os.getpid()
    yield {"ph": "M", "name": "process_name", "pid": pid, "tid": 0, "ts": 0, "args": {"name": Path(sys.executable).name}}
    for thread in dict.fromkeys(event.thread for event in events):
        yield {"ph": "M", "name": "thread_name", "pid": pid, "tid": thread, "ts": 0, "args": {"name": f"thread {thread}"}}
    makers: dict[int, FunctionEvent] = {}
    allocated = 0
    for event in sorted(events, key=lambda event: event.time_range.start):
        place: dict[str, object] = {"pid": pid, "tid": event.thread, "ts": event.time_range.start}
        if event.name == MEMORY_EVENT_NAME or (event.cpu_parent is None and event.cpu_memory_usage):
            allocated += event.cpu_memory_usage
            yield {"ph": "C", "name": MEMORY_EVENT_NAME, **place, "ts": event.time_range.end, "args": {"bytes": allocated}}
        if event.name == MEMORY_EVENT_NAME:
            continue
        if event.is_async:
            yield from _asynchronous(event, place)
            continue
        yield {
            "ph": "X", "cat": _CATEGORIES.get(event.scope, "cpu_op"), "name": event.name, **place,
            "dur": event.time_range.elapsed_us(), "args": _arguments(event),
        }
        if event.sequence_nr < 0:
            continue
        arrow = {"cat": "fwdbwd", "name": "fwdbwd", "id": event.sequence_nr}
        if event.scope != BACKWARD_FUNCTION:
            makers.setdefault(event.sequence_nr, event)
        elif (maker := makers.get(event.sequence_nr)) is not None:
            yield {"ph": "s", **arrow, "pid": pid, "tid": maker.thread, "ts": maker.time_range.start}
            yield {"ph": "f", "bp": "e", **arrow, **place}


def _asynchronous(event: FunctionEvent, place: dict[str, object]) -> Iterator[dict[str, object]]:
    """A pair of begin and end, since a slice of a thread cannot end on another."""
    name = {"cat": "async", "name": event.name, "id": event.id}
    yield {"ph": "b", **name, **place, "args": _arguments(event)}
    yield {"ph": "e", **name, **place, "ts": event.time_range.end}


def _arguments(event: FunctionEvent) -> dict[str, object]:
    arguments: dict[str, object] = {"External id": event.id}
    if event.sequence_nr >= 0:
        arguments["Sequence number"] = event.sequence_nr
    if event.fwd_thread:
        arguments["Fwd thread id"] = event.fwd_thread
    if event.input_shapes:
        arguments["Input Dims"] = event.input_shapes
        arguments["Concrete Inputs"] = ["" if value is None else str(value) for value in event.concrete_inputs]
    if event.stack:
        arguments["Call stack"] = ";".join(event.stack)
    if event.flops:
        arguments["flops"] = event.flops
    return arguments
