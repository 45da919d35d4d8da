"""Exported traces: what is in them, and that viewers can read them."""
from __future__ import annotations

from pathlib import Path

import pytest

from tests.autograd.profiler.made_up import EVENTS, calls
from tests.autograd.profiler.trace_format import entries, problems
from transgrad.autograd import profiler


def exported(events: list[profiler.FunctionEvent], tmp_path: Path) -> list[dict[str, object]]:
    profiler.EventList.of_calls(events).export_chrome_trace(tmp_path / "trace.json")
    return entries(tmp_path / "trace.json")


def test_a_slice_for_each_event(tmp_path: Path) -> None:
    slices = [entry for entry in exported(calls(profiler, stacks=True), tmp_path) if entry["ph"] == "X"]
    expected = [(event["name"], event["start_us"], event["end_us"] - event["start_us"], event["thread"]) for event in EVENTS if event["id"] != 7]
    assert [(entry["name"], entry["ts"], entry["dur"], entry["tid"]) for entry in slices] == expected
    assert {entry["cat"] for entry in slices} == {"cpu_op", "backward", "user_annotation"}
    arguments = slices[1]["args"]
    assert isinstance(arguments, dict)
    assert arguments["Input Dims"] == [[2, 3], [3]]
    assert arguments["Sequence number"] == 1


def test_an_arrow_from_the_operation_to_its_node(tmp_path: Path) -> None:
    arrows = [(entry["ph"], entry["ts"], entry["tid"]) for entry in exported(calls(profiler), tmp_path) if entry["ph"] in "sf"]
    assert arrows == [("s", 10.0, 1), ("f", 200.0, 2)]


def test_memory_is_counted_up_and_down(tmp_path: Path) -> None:
    events = [
        profiler.FunctionEvent(1, "aten::exp", 1, 0.0, 5.0, cpu_memory_usage=800),
        profiler.FunctionEvent(2, "[memory]", 1, 9.0, 9.0, cpu_memory_usage=-300),
    ]
    counts = [(entry["ts"], entry["args"]) for entry in exported(events, tmp_path) if entry["ph"] == "C"]
    assert counts == [(5.0, {"bytes": 800}), (9.0, {"bytes": 500})]


def test_a_range_that_ends_on_another_thread_is_a_pair(tmp_path: Path) -> None:
    written = exported([profiler.FunctionEvent(1, "request", 1, 0.0, 5.0, is_async=True)], tmp_path)
    assert [(entry["ph"], entry["ts"]) for entry in written if entry["ph"] != "M"] == [("b", 0.0), ("e", 5.0)]


def test_names_of_any_letters(tmp_path: Path) -> None:
    written = exported([profiler.FunctionEvent(1, 'a "quoted" name \\ ∂\n', 1, 0.0, 5.0)], tmp_path)
    assert written[-1]["name"] == 'a "quoted" name \\ ∂\n'


def test_no_events(tmp_path: Path) -> None:
    assert [entry["ph"] for entry in exported([], tmp_path)] == ["M"]


def test_averages_have_no_trace(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="averages have no start"):
        profiler.EventList.of_calls(calls(profiler)).key_averages().export_chrome_trace(tmp_path / "trace.json")


@pytest.mark.parametrize("bad, complaint", [
    ({"ph": "X", "name": "a", "cat": "c", "pid": 1, "tid": 1, "ts": 0}, "lacks"),
    ({"ph": "X", "name": "a", "cat": "c", "pid": 1, "tid": 2**40, "ts": 0, "dur": 1}, "32 bits"),
    ({"ph": "X", "name": "a", "cat": "c", "pid": 1, "tid": 1, "ts": -1, "dur": 1}, "microseconds"),
    ({"ph": "X", "name": "a", "cat": "c", "pid": 1, "tid": 9, "ts": 5, "dur": 10}, "overlaps"),
    ({"ph": "f", "name": "a", "cat": "c", "id": 1, "bp": "e", "pid": 1, "tid": 9, "ts": 5}, "has ends"),
])
def test_the_reader_is_strict(bad: dict[str, object], complaint: str) -> None:
    good = {"ph": "X", "name": "outer", "cat": "c", "pid": 1, "tid": 9, "ts": 0, "dur": 10}
    assert list(problems([good])) == []  # type: ignore[list-item]
    assert any(complaint in problem for problem in problems([good, bad]))  # type: ignore[list-item]
