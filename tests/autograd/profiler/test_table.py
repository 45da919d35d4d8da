"""Tables, averages and nesting against PyTorch's, on a profile made up by hand."""
from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

from tests.autograd.profiler.made_up import calls
from transgrad.autograd import profiler

OPTIONS: list[dict[str, Any]] = [
    {},
    {"sort_by": "self_cpu_time_total"},
    {"sort_by": "cpu_time_total", "row_limit": 3},
    {"sort_by": "cpu_time", "row_limit": -1, "header": "A header"},
    {"sort_by": "count", "top_level_events_only": True},
    {"sort_by": "cpu_memory_usage", "max_name_column_width": 15, "max_shapes_column_width": 10},
    {"sort_by": "self_cpu_memory_usage", "max_src_column_width": 30, "max_name_column_width": None},
    {"time_unit": "ms", "header": "In milliseconds", "top_level_events_only": True, "row_limit": 2},
    {"time_unit": "s"},
]


@pytest.fixture(params=["plain", "memory", "flops", "stacks"])
def lists(request: pytest.FixtureRequest) -> tuple[Any, Any]:
    torch_profiler = pytest.importorskip("torch").autograd.profiler
    shown = {"profile_memory": request.param == "memory", "with_flops": request.param == "flops"}
    made = {"stacks": request.param == "stacks", "flops": request.param == "flops"}
    theirs = torch_profiler.EventList(calls(torch_profiler, **made), **shown)
    theirs._build_tree()
    return profiler.EventList.of_calls(calls(profiler, **made), **shown), theirs


@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: ",".join(options) or "default")
def test_table_is_torch_s(lists: tuple[Any, Any], options: dict[str, Any]) -> None:
    ours, theirs = lists
    assert ours.table(**options) == theirs.table(**options)


@pytest.mark.parametrize("shapes", [False, True])
@pytest.mark.parametrize("stack", [0, 1, 5])
def test_averages_are_torch_s(lists: tuple[Any, Any], shapes: bool, stack: int) -> None:
    ours, theirs = (events.key_averages(shapes, stack) for events in lists)
    assert ours.table() == theirs.table()
    assert [repr(average) for average in ours] == [repr(average) for average in theirs]
    assert [average.stack for average in ours] == [average.stack for average in theirs]


def test_total_is_torch_s(lists: tuple[Any, Any]) -> None:
    ours, theirs = lists
    assert repr(ours.total_average()) == repr(theirs.total_average())
    assert ours.self_cpu_time_total == theirs.self_cpu_time_total


def test_parents_and_stacks_are_torch_s(lists: tuple[Any, Any]) -> None:
    def seen(event: Any) -> Any:
        parent = event.cpu_parent and event.cpu_parent.id
        times = event.cpu_time_total, event.self_cpu_time_total, event.cpu_memory_usage, event.self_cpu_memory_usage
        return event.id, parent, [child.id for child in event.cpu_children], event.stack, times, event.key

    ours, theirs = lists
    assert [seen(event) for event in ours] == [seen(event) for event in theirs]


def test_folded_stacks_are_torch_s(lists: tuple[Any, Any], tmp_path: Any) -> None:
    for name, events in zip(("ours", "theirs"), lists):
        events.export_stacks(str(tmp_path / name), "self_cpu_time_total")
    assert (tmp_path / "ours").read_text() == (tmp_path / "theirs").read_text()


@pytest.mark.parametrize("value", [0.0, 0.25, 999.9, 1000.0, 12345.0, 999999.0, 1e6, 2.5e7])
def test_times_read_as_torch_s(value: float) -> None:
    util = pytest.importorskip("torch.autograd.profiler_util")
    assert import_module("transgrad.autograd.profiler.units").format_time(value) == util._format_time(value)


@pytest.mark.parametrize("value", [0, 1, 1023, 1024, 2_000_000, 3 * 1024**3, -4, -5000])
def test_sizes_read_as_torch_s(value: int) -> None:
    util = pytest.importorskip("torch.autograd.profiler_util")
    assert import_module("transgrad.autograd.profiler.units").format_memory(value) == util._format_memory(value)


@pytest.mark.parametrize("least, heading", [(1, "Total FLOPs"), (1234, "Total KFLOPs"), (5e6, "Total MFLOPs"), (2e9, "Total GFLOPs")])
def test_flops_are_scaled(least: float, heading: str) -> None:
    event = profiler.FunctionEvent(1, "aten::mm", 1, 0.0, 1.0, flops=int(least))
    assert heading in profiler.EventList([event], with_flops=True).table()


def test_unknown_sort_key_names_the_valid_ones() -> None:
    events = profiler.EventList.of_calls(calls(profiler))
    with pytest.raises(AttributeError, match="'bogus'.*self_cpu_time_total"):
        events.table(sort_by="bogus")


def test_unknown_time_unit() -> None:
    with pytest.raises(ValueError, match="'s', 'ms', 'us'"):
        profiler.EventList.of_calls(calls(profiler)).table(time_unit="h")


def test_unknown_stack_metric(tmp_path: Any) -> None:
    with pytest.raises(ValueError, match="metric should be one of"):
        profiler.EventList().export_stacks(tmp_path / "stacks", "bogus")


def test_no_events_no_table() -> None:
    assert profiler.EventList().table() == ""


def test_average_of_another_key() -> None:
    average = profiler.FunctionEventAvg()
    first, *_, last = calls(profiler)
    average += first
    with pytest.raises(ValueError, match="does not belong"):
        average += last
