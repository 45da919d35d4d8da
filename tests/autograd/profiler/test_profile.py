"""Profiles of programs on the tape."""
from __future__ import annotations

import threading
from pathlib import Path

import pytest

import transgrad as tg
from tests.autograd.profiler.trace_format import entries
from transgrad.autograd import profiler
from transgrad.autograd.state import STATE


def program() -> None:
    x, w = tg.ones(3, 4, requires_grad=True), tg.ones(4, 5, requires_grad=True)
    with profiler.record_function("block"):
        y = tg.mm(x, w)
    (y.exp() * y).sum().backward()


def counts(prof: profiler.profile) -> dict[str, int]:
    return {average.key: average.count for average in prof.key_averages()}


def test_documented_example() -> None:
    x = tg.randn((1, 1), requires_grad=True)
    with profiler.profile() as prof:
        for _ in range(100):
            y = x ** 2
            y.backward()
    assert {"aten::pow": 200, "aten::mul": 200, "PowBackward0": 100, "torch::autograd::AccumulateGrad": 100}.items() <= counts(prof).items()
    table = prof.key_averages().table(sort_by="self_cpu_time_total")
    assert "PowBackward0" in table and "Self CPU time total:" in table
    assert str(prof) == prof.table()


def test_same_operations_and_numbers_as_torch() -> None:
    torch = pytest.importorskip("torch")

    def seen(library: object) -> tuple[object, object]:
        t = library
        x, w = t.ones(3, 4, requires_grad=True), t.ones(4, 5, requires_grad=True)  # type: ignore[attr-defined]
        with t.autograd.profiler.profile(record_shapes=True) as prof:  # type: ignore[attr-defined]
            with t.autograd.profiler.record_function("block"):  # type: ignore[attr-defined]
                y = t.mm(x, w)  # type: ignore[attr-defined]
            (y.exp() * y).sum().backward()
        names = ("block", "aten::mm", "aten::exp", "MmBackward0", "ExpBackward0", "MulBackward0", "SumBackward0", "torch::autograd::AccumulateGrad")
        events = [event for event in prof.function_events if event.name in names]
        outer = [event for event in events if event.scope == 7 or event.sequence_nr >= 0]
        first = min(event.sequence_nr for event in outer if event.sequence_nr >= 0)
        numbered = [(event.name, event.scope, event.sequence_nr - first if event.sequence_nr >= 0 else -1) for event in outer]
        return numbered, [event.input_shapes for event in events if event.name in ("aten::mm", "aten::exp") and event.sequence_nr >= 0]

    assert seen(tg) == seen(torch)


def test_shapes_group() -> None:
    with profiler.profile(record_shapes=True) as prof:
        for shape in ((2, 3), (2, 3), (7,)):
            tg.ones(shape).exp()
    grouped = {str(average.input_shapes): average.count for average in prof.key_averages(group_by_input_shape=True) if average.key == "aten::exp"}
    assert grouped == {"[[2, 3]]": 2, "[[7]]": 1}
    assert counts(prof)["aten::exp"] == 3


def test_concrete_inputs() -> None:
    with profiler.profile(record_shapes=True) as prof:
        tg.ones(2) * 3.0
    [event] = [event for event in prof.function_events if event.name == "aten::mul"]
    assert (event.input_shapes, event.concrete_inputs) == ([[2], []], [None, 3.0])


def test_flops_are_torch_s() -> None:
    torch = pytest.importorskip("torch")

    def seen(t: object) -> dict[str, int]:
        with t.autograd.profiler.profile(with_flops=True) as prof:  # type: ignore[attr-defined]
            a, b, c = t.ones(3, 4), t.ones(4, 5), t.ones(2, 3, 4)  # type: ignore[attr-defined]
            t.mm(a, b), t.bmm(c, t.ones(2, 4, 2)), t.addmm(t.ones(3, 5), a, b), a + a, a * a, a.exp()  # type: ignore[attr-defined]
        return {average.key: average.flops for average in prof.key_averages() if average.flops}

    assert seen(tg) == seen(torch)


def test_memory_is_torch_s() -> None:
    torch = pytest.importorskip("torch")

    def seen(t: object) -> list[tuple[str, int]]:
        x = t.ones(3, 5)  # type: ignore[attr-defined]
        with t.autograd.profiler.profile(profile_memory=True) as prof:  # type: ignore[attr-defined]
            y = x.exp()
            z = y * y
            del y
            z.t()
            z.exp_()
        return [(event.name, event.cpu_memory_usage) for event in prof.function_events
                if event.name in ("aten::exp", "aten::mul", "aten::t", "aten::exp_", "[memory]")]

    assert [entry for entry in seen(tg) if entry[0] != "aten::t"] == [entry for entry in seen(torch) if entry[0] != "aten::t"]
    assert dict(seen(tg)).get("aten::t", 0) == 0


def test_memory_of_a_backward_comes_back() -> None:
    x = tg.ones(100, dtype=tg.float64, requires_grad=True)
    with profiler.profile(profile_memory=True) as prof:
        (x * 2).sum().backward()
        x.grad = None
    assert sum(event.cpu_memory_usage for event in prof.function_events if event.cpu_parent is None) == 0
    assert "CPU Mem" in prof.key_averages().table(sort_by="cpu_memory_usage")


def test_stacks_lead_to_the_user_and_back_from_nodes() -> None:
    with profiler.profile(with_stack=True) as prof:
        program()
    stacks = {event.name: event.stack for event in prof.function_events}
    assert stacks["aten::mm"][0].endswith(": program") and "test_profile.py" in stacks["aten::mm"][0]
    assert stacks["MmBackward0"] == stacks["aten::mm"]
    assert "Source Location" in prof.key_averages(group_by_stack_n=2).table(max_src_column_width=40)


def test_stacks_in_a_file(tmp_path: Path) -> None:
    with profiler.profile(with_stack=True) as prof:
        for _ in range(5):
            program()
    prof.export_stacks(tmp_path / "stacks")
    assert ":_program" in (tmp_path / "stacks").read_text()
    with profiler.profile() as prof:
        program()
    with pytest.raises(AssertionError, match="with_stack=True"):
        prof.export_stacks(tmp_path / "stacks")


def test_trace_of_a_program_opens(tmp_path: Path) -> None:
    with profiler.profile(record_shapes=True, profile_memory=True, with_stack=True, with_flops=True) as prof:
        program()
    prof.export_chrome_trace(tmp_path / "trace.json")
    written = entries(tmp_path / "trace.json")
    names = [entry["name"] for entry in written if entry["ph"] == "X"]
    assert {"block", "aten::mm", "MmBackward0", "torch::autograd::AccumulateGrad"} <= set(names)
    assert sum(entry["ph"] == "f" for entry in written) == sum(name.endswith("Backward0") and "::" not in name for name in names)
    assert any(entry["ph"] == "C" for entry in written)


def test_double_backward_correlates() -> None:
    x = tg.ones(3, requires_grad=True)
    with profiler.profile() as prof:
        gradient, = tg.autograd.grad((x ** 3).sum(), x, create_graph=True)
        gradient.sum().backward()
    forward = {event.sequence_nr for event in prof.function_events if event.scope == 0 and event.sequence_nr >= 0}
    assert {event.sequence_nr for event in prof.function_events if event.scope == 1 and event.sequence_nr >= 0} <= forward


def test_in_place_and_custom_functions() -> None:
    class Twice(tg.autograd.Function):
        @staticmethod
        def forward(ctx, x):  # type: ignore[no-untyped-def]
            return x * 2

        @staticmethod
        def backward(ctx, g):  # type: ignore[no-untyped-def]
            return g * 2

    x = tg.ones(3, requires_grad=True)
    with profiler.profile() as prof:
        y = Twice.apply(x)
        y.mul_(3).sum().backward()
    assert {"Twice", "TwiceBackward", "aten::mul_"} <= counts(prof).keys()


def test_numpy_functions_are_operations() -> None:
    import numpy as np
    with profiler.profile() as prof:
        np.sum(np.exp(tg.ones(3, requires_grad=True))).backward()
    assert {"aten::exp", "aten::sum", "ExpBackward0"} <= counts(prof).keys()


def test_decorator_nests_and_recurses() -> None:
    @profiler.record_function("fall")
    def fall(n: int) -> None:
        if n:
            fall(n - 1)

    with profiler.profile() as prof:
        fall(2)
    assert [event.cpu_parent is not None for event in prof.function_events] == [False]      # echoes of one name are one
    with profiler.profile() as prof, profiler.record_function("outer", "an argument"):
        fall(0)
        fall(0)
    outer = prof.function_events[0]
    assert isinstance(outer, profiler.FunctionEvent)
    assert [child.name for child in outer.cpu_children] == ["fall", "fall"]
    assert outer.is_user_annotation


def test_off_it_leaves_the_fast_path_alone() -> None:
    assert STATE.plain
    with profiler.profile():
        assert not STATE.plain
    assert STATE.plain
    with profiler.record_function("nobody listens"):
        assert STATE.plain


def test_disabled() -> None:
    with profiler.profile(enabled=False) as prof:
        assert prof is None
        assert STATE.plain


def test_unfinished_and_twice() -> None:
    prof = profiler.profile()
    assert repr(prof) == str(prof) == "<unfinished transgrad.autograd.profile>"
    with prof:
        assert prof.table() == ""
        with pytest.raises(RuntimeError, match="not reentrant"):
            prof.__enter__()
        tg.ones(1).exp()
    assert counts(prof) == {"aten::ones": 1, "aten::exp": 1}
    with pytest.raises(RuntimeError, match="not reentrant"):
        prof.__enter__()


def test_accumulated_over_openings() -> None:
    prof = profiler.profile(acc_events=True)
    for _ in range(3):
        with prof:
            tg.ones(2).exp()
    assert counts(prof)["aten::exp"] == 3


def test_each_opening_nests_its_own_events() -> None:
    prof = profiler.profile(acc_events=True)
    for _ in range(3):
        with prof, profiler.record_function("part"), profiler.record_function("part"):
            tg.ones(2).exp()
    parts = [event for event in prof.function_events if event.name == "part"]
    assert [[child.name for child in event.cpu_children] for event in parts] == [["aten::ones", "aten::exp"]] * 3
    assert counts(prof)["part"] == 3


def test_profiles_nest() -> None:
    with profiler.profile() as outer:
        tg.ones(2).exp()
        with profiler.profile() as inner:
            tg.ones(2).sin()
        tg.ones(2).cos()
    assert {"aten::exp", "aten::sin", "aten::cos"} <= counts(outer).keys()
    assert {name for name in counts(inner) if name in ("aten::exp", "aten::sin", "aten::cos")} == {"aten::sin"}


def test_an_error_ends_the_events_and_the_profile() -> None:
    with pytest.raises(RuntimeError), profiler.profile() as prof:
        tg.ones(2, 3).mm(tg.ones(2, 3))
    assert STATE.plain
    assert prof is not None


def test_options_of_devices() -> None:
    with pytest.warns(FutureWarning, match="use_device"), pytest.warns(UserWarning, match="CUDA is not available, disabling CUDA profiling"):
        profiler.profile(use_cuda=True)
    with pytest.warns(UserWarning, match="The abacus is not a valid device option"):
        profiler.profile(use_device="abacus")
    with pytest.raises(AssertionError, match="use_kineto"):
        profiler.profile(use_cpu=False)
    with profiler.profile(use_cpu=False, use_kineto=True) as prof:
        tg.ones(2).exp()
    assert prof is not None and len(prof.function_events) == 0


def in_threads(*targets: object) -> None:
    threads = [threading.Thread(target=target) for target in targets]  # type: ignore[arg-type]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_other_threads_are_their_own() -> None:
    with profiler.profile() as prof:
        in_threads(program, program)
        tg.ones(2).cos()
    assert set(counts(prof)) <= {"aten::cos", "aten::ones", "aten::fill_"}


def test_each_thread_has_its_own_profile() -> None:
    found: dict[str, dict[str, int]] = {}

    def run(name: str) -> None:
        with profiler.profile() as prof:
            for _ in range(20):
                getattr(tg.ones(3), name)()
        found[name] = counts(prof)

    in_threads(lambda: run("exp"), lambda: run("sin"))
    assert found["exp"]["aten::exp"] == found["sin"]["aten::sin"] == 20
    assert "aten::sin" not in found["exp"]


def test_all_threads_in_one_profile(tmp_path: Path) -> None:
    go, done = threading.Event(), threading.Event()

    def running_before() -> None:
        go.wait(20)
        program()
        done.set()

    early = threading.Thread(target=running_before, daemon=True)
    early.start()
    x = tg.ones(3, requires_grad=True)
    with profiler.profile(experimental_config=profiler._ExperimentalConfig(profile_all_threads=True), with_stack=True) as prof:
        y = x * 2
        go.set()
        assert done.wait(20)
        in_threads(program, lambda: y.sum().backward())
    early.join()
    events = [event for event in prof.function_events if isinstance(event, profiler.FunctionEvent)]
    assert counts(prof)["MmBackward0"] == 2
    assert len({event.thread for event in events}) == 4
    [product] = [event for event in events if event.name == "aten::mul" and event.thread == 1]
    [node] = [event for event in events if event.name == "MulBackward0" and event.sequence_nr == product.sequence_nr]
    assert (node.fwd_thread, node.thread == 1, node.stack) == (1, False, product.stack)
    prof.export_chrome_trace(tmp_path / "trace.json")
    entries(tmp_path / "trace.json")
    assert STATE.plain


def test_a_range_that_ends_on_another_thread_is_asynchronous() -> None:
    opened = profiler.record_function("request")
    with profiler.profile(experimental_config=profiler._ExperimentalConfig(profile_all_threads=True)) as prof:
        opened.__enter__()
        in_threads(lambda: opened.__exit__(None, None, None))
    assert [(event.name, event.is_async, event.cpu_time_total) for event in prof.function_events] == [("request", True, 0.0)]
