"""Profiles that nvprof wrote: an SQLite file with the ranges of emit_nvtx and the kernels launched inside them."""
from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from .event_list import EventList
from .events import FunctionEvent

_RANGES = """
SELECT opened.id, label.value, opened.timestamp, closed.timestamp
FROM CUPTI_ACTIVITY_KIND_MARKER AS opened
JOIN CUPTI_ACTIVITY_KIND_MARKER AS closed ON closed.id = opened.id AND closed.name = 0
JOIN StringTable AS label ON label._id_ = opened.name
ORDER BY opened.timestamp
"""

_KERNELS = """
SELECT label.value, kernel.deviceId, kernel.end - kernel.start
FROM CUPTI_ACTIVITY_KIND_RUNTIME AS launch
JOIN CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL AS kernel ON kernel.correlationId = launch.correlationId
JOIN StringTable AS label ON label._id_ = kernel.name
WHERE launch.start > ? AND launch.end < ?
ORDER BY kernel.start
"""


def load_nvprof(path: str | Path) -> EventList:
    """Read a profile that nvprof wrote (``nvprof --profile-from-start off -o trace.prof -- python program.py``).

    Times are the file's own, as in torch: nvprof counts nanoseconds, which stand where other profiles have microseconds.

    Returns
    -------
    EventList
        An event for each range of `emit_nvtx`, in order of start, with all kernels launched while it was open.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If it is not a profile of nvprof.
    RuntimeError
        If two ranges have one identifier.
    """
    return EventList(parse_nvprof_trace(path))


def parse_nvprof_trace(path: str | Path) -> list[FunctionEvent]:
    """The events of `load_nvprof`, as a plain list."""
    if not Path(path).is_file():
        raise FileNotFoundError(f"no nvprof profile at {path}")
    with closing(sqlite3.connect(f"{Path(path).resolve().as_uri()}?mode=ro", uri=True)) as database:
        try:
            return _events(database)
        except sqlite3.DatabaseError as error:
            raise ValueError(f"{path} is not a profile that nvprof wrote: {error}") from error


def _events(database: sqlite3.Connection) -> list[FunctionEvent]:
    events: dict[int, FunctionEvent] = {}
    for marker, name, start, end in database.execute(_RANGES).fetchall():
        if marker in events:
            raise RuntimeError(f"duplicate key: two ranges have the identifier {marker}")
        events[marker] = event = FunctionEvent(marker, name, thread=0, start_us=start, end_us=end)
        for kernel, device, duration in database.execute(_KERNELS, (start, end)):
            event.append_kernel(kernel, device, duration)
    return list(events.values())
