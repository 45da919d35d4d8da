"""The records of an open profile."""
from __future__ import annotations

import threading
from bisect import bisect
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from operator import attrgetter
from time import perf_counter_ns

from ..callers import user_frames
from ..observer import BACKWARD_FUNCTION, FUNCTION, USER_SCOPE
from .events import FunctionEvent
from .flops import estimate
from .memory import MEMORY_EVENT_NAME, Change, MemoryWatch


@dataclass(slots=True)
class Record:
    """A call that began; times in nanoseconds."""

    name: str
    scope: int
    sequence_nr: int
    thread: int
    inputs: Sequence[object] | None
    shapes: list[list[int]] | None
    concrete: list[object]
    stack: list[str]
    start: int = 0
    end: int = 0
    last_thread: int = 0
    nbytes: int = 0


@dataclass
class Recorder:
    """An observer that keeps a record of each call.

    Parameters
    ----------
    shapes, flops, memory, stack : bool
        What to note beside names and times.
    """

    shapes: bool
    flops: bool
    memory: bool
    stack: bool
    records: list[Record] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.origin = perf_counter_ns()
        self.watch = MemoryWatch()

    def begin(self, name: str, scope: int, sequence_nr: int, inputs: Sequence[object]) -> Record:
        shapes = [shape_of(value) for value in inputs] if self.shapes or self.flops else None
        concrete = [_concrete(value) for value in inputs] if self.shapes else []
        stack = _source_lines() if self.stack else []
        kept = inputs if self.memory else None
        record = Record(name, scope, sequence_nr, threading.get_native_id(), kept, shapes, concrete, stack)
        self.records.append(record)
        record.start = perf_counter_ns()
        return record

    def end(self, token: Record, outputs: Sequence[object]) -> None:
        if token.inputs is not None:
            self.watch.returned(token.inputs, outputs)
            token.inputs = None
        if token.scope == FUNCTION:
            token.sequence_nr = _number_of_node(outputs, token.sequence_nr)
        token.last_thread = threading.get_native_id()
        token.end = perf_counter_ns()

    def events(self) -> list[FunctionEvent]:
        """Ends the recording: the calls that ended, and the memory allocated or freed outside them, in order of time."""
        self.watch.stop()
        ended = [record for record in self.records if record.end]
        outside = _attribute(self.watch.changes, ended)
        numbers: dict[int, int] = {}
        for ident in (*(record.thread for record in ended), *(change.thread for change in outside)):
            numbers.setdefault(ident, len(numbers) + 1)
        makers = {record.sequence_nr: numbers[record.thread] for record in ended if record.sequence_nr >= 0 and record.scope == FUNCTION}
        events = [self._event(number, record, numbers, makers) for number, record in enumerate(ended, 1)]
        for number, change in enumerate(outside, len(events) + 1):
            time = (change.time - self.origin) / 1e3
            events.append(FunctionEvent(number, MEMORY_EVENT_NAME, numbers[change.thread], time, time, cpu_memory_usage=change.nbytes))
        return sorted(events, key=lambda event: event.time_range.start)

    def _event(self, number: int, record: Record, numbers: dict[int, int], makers: dict[int, int]) -> FunctionEvent:
        return FunctionEvent(
            number,
            record.name,
            numbers[record.thread],
            (record.start - self.origin) / 1e3,
            (record.end - self.origin) / 1e3,
            fwd_thread=makers.get(record.sequence_nr, 0) if record.scope == BACKWARD_FUNCTION else 0,
            input_shapes=record.shapes if self.shapes and record.shapes is not None else [],
            concrete_inputs=record.concrete,
            stack=record.stack,
            scope=record.scope,
            cpu_memory_usage=record.nbytes,
            is_async=record.last_thread != record.thread,
            sequence_nr=record.sequence_nr,
            flops=estimate(record.name, record.shapes) if self.flops and record.shapes is not None else None,
            is_user_annotation=record.scope == USER_SCOPE,
        )


def shape_of(value: object) -> list[int]:
    """Shape of a Tensor or an array; ``[]`` for anything else."""
    return list(getattr(value, "shape", ()))


def _number_of_node(outputs: Sequence[object], at_least: int) -> int:
    """The sequence number of the node behind the outputs, if the call made it; -1 otherwise."""
    for output in outputs:
        edge = getattr(output, "_edge", None)
        if type(edge) is tuple and edge[0]._seq >= at_least >= 0:
            return int(edge[0]._seq)
    return -1


def _source_lines() -> list[str]:
    """``file(line): function`` for each of the user's frames, innermost first."""
    return [f"{frame.f_code.co_filename}({frame.f_lineno}): {frame.f_code.co_name}" for frame in user_frames()]


def _concrete(value: object) -> object:
    return value if isinstance(value, (bool, int, float, complex, str)) else None


def _attribute(changes: Sequence[Change], records: Sequence[Record]) -> list[Change]:
    """Add each change of memory to the calls that were running on its thread; returns those outside any call."""
    outside = []
    for thread in {change.thread for change in changes}:
        there = sorted(change for change in changes if change.thread == thread)
        calls = sorted((record for record in records if record.thread == thread), key=lambda record: record.start)
        sums = list(accumulate((change.nbytes for change in there), initial=0))
        for record in calls:
            record.nbytes = sums[bisect(there, record.end, key=_time)] - sums[bisect(there, record.start, key=_time)]
        latest = list(accumulate((record.end for record in calls), max, initial=0))
        starts = [record.start for record in calls]
        outside += [change for change in there if latest[bisect(starts, change.time)] < change.time]
    return outside


_time = attrgetter("time")
