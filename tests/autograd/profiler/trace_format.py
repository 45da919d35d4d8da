"""A reader of the Trace Event Format as strict as the viewers: says what Perfetto would drop or misread."""
from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Entry = dict[str, Any]

REQUIRED = {
    "X": {"name", "cat", "pid", "tid", "ts", "dur"},
    "M": {"name", "pid", "tid", "args"},
    "C": {"name", "pid", "ts", "args"},
    "s": {"name", "cat", "id", "pid", "tid", "ts"},
    "f": {"name", "cat", "id", "pid", "tid", "ts", "bp"},
    "b": {"name", "cat", "id", "pid", "tid", "ts"},
    "e": {"name", "cat", "id", "pid", "tid", "ts"},
}


def entries(path: Path) -> list[Entry]:
    """The entries of a trace, of which `problems` knows nothing bad."""
    trace = json.loads(path.read_text(encoding="utf-8"))
    found = trace["traceEvents"]
    assert list(problems(found)) == []
    return found


def problems(trace: list[Entry]) -> Iterator[str]:
    """What is wrong with the entries."""
    for entry in trace:
        missing = REQUIRED.get(entry["ph"], {f"a known phase, not {entry['ph']}"}) - entry.keys()
        if missing:
            yield f"{entry} lacks {missing}"
        for key in ("pid", "tid"):
            if key in entry and not (isinstance(entry[key], int) and 0 <= entry[key] < 2**32):
                yield f"{entry}: {key} must fit 32 bits"
        for key in ("ts", "dur"):
            if key in entry and not (isinstance(entry[key], (int, float)) and entry[key] >= 0):
                yield f"{entry}: {key} must be a number of microseconds"
        if entry["ph"] == "C" and not all(isinstance(value, (int, float)) for value in entry["args"].values()):
            yield f"{entry}: a counter counts numbers"
    yield from overlaps(trace)
    yield from loose_ends(trace)


def overlaps(trace: list[Entry]) -> Iterator[str]:
    """Slices of one thread must nest."""
    threads: dict[Any, list[Entry]] = defaultdict(list)
    for entry in trace:
        if entry["ph"] == "X":
            threads[entry["pid"], entry["tid"]].append(entry)
    for slices in threads.values():
        open_ends: list[float] = []
        for entry in sorted(slices, key=lambda entry: (entry["ts"], -entry["dur"])):
            while open_ends and open_ends[-1] <= entry["ts"]:
                open_ends.pop()
            end = entry["ts"] + entry["dur"]
            if open_ends and end > open_ends[-1] + 1e-6:
                yield f"{entry} overlaps the slice around it"
            open_ends.append(end)


def loose_ends(trace: list[Entry]) -> Iterator[str]:
    """An arrow, or a pair of begin and end, has both ends, the first one first, and an arrow starts and ends inside slices."""
    for first, last in (("s", "f"), ("b", "e")):
        ends: dict[Any, dict[str, list[Entry]]] = defaultdict(lambda: {first: [], last: []})
        for entry in trace:
            if entry["ph"] in (first, last):
                ends[entry["cat"], entry["name"], entry["id"]][entry["ph"]].append(entry)
        for key, pair in ends.items():
            if len(pair[first]) != 1 or len(pair[last]) != 1 or pair[first][0]["ts"] > pair[last][0]["ts"]:
                yield f"{key} has ends {pair}"
            for entry in pair["s"] + pair["f"] if first == "s" else []:
                if not any(holds(other, entry) for other in trace if other["ph"] == "X"):
                    yield f"{entry} is bound to no slice"


def holds(outer: Entry, point: Entry) -> bool:
    """Whether an entry's time lies in a slice of its thread."""
    return (outer["pid"], outer["tid"]) == (point["pid"], point["tid"]) and outer["ts"] <= point["ts"] <= outer["ts"] + outer["dur"]
