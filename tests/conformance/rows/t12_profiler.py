"""T12: the profiler: which events there are, how they are grouped and printed, and the files it writes."""
from __future__ import annotations

import json
import tempfile
import threading
from pathlib import Path

from ..collect import each
from ..observe import normal, raises


def _profile(torch, program=None, **options):
    x = torch.ones(4, 3, requires_grad=True)
    with torch.autograd.profiler.profile(**options) as prof:
        for _ in range(3):
            (program or _program)(torch, x)
    return prof


def _program(torch, x):
    y = x.exp()
    y.sum().backward()


def _counts(prof, *words):
    return {e.key: e.count for e in prof.key_averages() if any(e.key.endswith(w) for w in words)}


def counts_of_operations(torch):
    prof = _profile(torch)
    return _counts(prof, "aten::exp", "aten::sum", "ExpBackward0", "SumBackward0", "AccumulateGrad")


def the_documented_example(torch):
    x = torch.randn((1, 1), requires_grad=True)
    with torch.autograd.profiler.profile() as prof:
        for _ in range(100):
            y = x**2
            y.backward()
    table = prof.key_averages().table(sort_by="self_cpu_time_total")
    return {e.key: e.count for e in prof.key_averages() if e.key in ("PowBackward0", "torch::autograd::AccumulateGrad")}, [
        word in table for word in ("Name", "Self CPU", "CPU total", "CPU time avg", "# of Calls", "Self CPU time total", "PowBackward0")
    ]


def disabled(torch):
    prof = _profile(torch, enabled=False)
    return raises(lambda: prof.key_averages())["raises"] in ("RuntimeError", "AttributeError"), prof is None


def entered_twice(torch):
    prof = torch.autograd.profiler.profile()
    with prof:
        pass
    return raises(lambda: prof.__enter__(), "Profiler context manager is not reentrant")


def a_table_and_its_columns(torch):
    prof = _profile(torch, record_shapes=True)
    averages = prof.key_averages()
    table = averages.table(sort_by="count", row_limit=2)
    lines = table.splitlines()
    return (
        lines[1].split("  ")[0] == "",
        [c for c in ("Name", "Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg", "# of Calls") if c in lines[1]],
        len(lines),
        lines[-1].startswith("Self CPU time total:"),
        type(averages).__name__,
        isinstance(averages, list),
    )


def table_options(torch):
    prof = _profile(torch)
    events = prof.key_averages()
    return (
        "HEADER" in events.table(header="HEADER"),
        len(events.table(row_limit=1).splitlines()) < len(events.table().splitlines()),
        [
            len(events.table(sort_by=key)) > 0
            for key in ("cpu_time", "cpu_time_total", "self_cpu_time_total", "count", "cpu_memory_usage", "self_cpu_memory_usage")
        ],
        len(prof.table(sort_by="cpu_time_total", top_level_events_only=True, max_src_column_width=20)) > 0,
        raises(lambda: events.table(sort_by="colour")),
    )


def sorting(torch):
    prof = _profile(torch)
    rows = [line.split() for line in prof.key_averages().table(sort_by="count").splitlines()[3:-3]]
    counts = [int(r[-1]) for r in rows if r and r[-1].isdigit()]
    return counts == sorted(counts, reverse=True), len(counts) > 3


def grouped_by_shape(torch):
    def program(torch, x):
        x.exp()
        x[0].exp()

    prof = _profile(torch, program, record_shapes=True)
    return (
        sorted((str(e.input_shapes), e.count) for e in prof.key_averages(group_by_input_shape=True) if e.key == "aten::exp"),
        [e.count for e in prof.key_averages() if e.key == "aten::exp"],
        sorted(str(e.input_shapes) for e in prof.function_events if e.name == "aten::exp"),
    )


def shapes_only_when_asked(torch):
    return [e.input_shapes for e in _profile(torch).function_events if e.name == "aten::exp"]


def total_average(torch):
    prof = _profile(torch)
    total = prof.total_average()
    return type(total).__name__, total.key, total.count == len(prof.function_events) or total.count > 0, total.self_cpu_time_total > 0


def self_cpu_time_total(torch):
    prof = _profile(torch)
    return prof.self_cpu_time_total > 0, abs(
        prof.self_cpu_time_total - sum(e.self_cpu_time_total for e in prof.key_averages())
    ) < 0.01 * prof.self_cpu_time_total


def times_of_events(torch):
    prof = _profile(torch)
    return (
        all(e.cpu_time_total >= e.self_cpu_time_total >= 0 for e in prof.function_events),
        all(e.time_range.start <= e.time_range.end for e in prof.function_events),
        all(abs(e.cpu_time - e.cpu_time_total / e.count) < 1e-6 for e in prof.key_averages()),
    )


def record_function(torch):
    def program(torch, x):
        with torch.autograd.profiler.record_function("my label"):
            x.exp()

    prof = _profile(torch, program)
    label = [e for e in prof.function_events if e.name == "my label"]
    return len(label), sorted({c.name for c in label[0].cpu_children}), _counts(prof, "my label")


def record_function_as_decorator(torch):
    @torch.autograd.profiler.record_function("decorated")
    def f(torch, x):
        return x.exp()

    return _counts(_profile(torch, f), "decorated")


def record_function_without_a_profiler(torch):
    with torch.autograd.profiler.record_function("nobody listens"):
        return torch.ones(1) * 2


def sequence_numbers_correlate(torch):
    """The number of a forward event is that of its node's event in backward."""
    prof = _profile(torch)
    forward = [e.sequence_nr for e in prof.function_events if e.name == "aten::exp" and e.sequence_nr >= 0]
    backward = [e.sequence_nr for e in prof.function_events if e.name == "ExpBackward0"]
    return len(forward), sorted(forward) == sorted(backward), len(set(forward))


def custom_functions(torch):
    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    return _counts(_profile(torch, lambda torch, x: Twice.apply(x).sum().backward()), "TwiceBackward", "Twice")


def chrome_trace(torch):
    prof = _profile(torch)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.json"
        prof.export_chrome_trace(str(path))
        trace = json.loads(path.read_text())
    events = trace["traceEvents"] if isinstance(trace, dict) else trace
    complete = [e for e in events if e.get("ph") == "X"]
    return (
        all({"name", "ts", "dur", "pid", "tid"} <= set(e) for e in complete),
        sum(e["name"] == "aten::exp" for e in complete),
        sum(e["name"] == "ExpBackward0" for e in complete),
    )


def memory(torch):
    prof = _profile(torch, profile_memory=True)
    table = prof.key_averages().table(sort_by="self_cpu_memory_usage")
    return (
        "CPU Mem" in table,
        "Self CPU Mem" in table,
        max(e.cpu_memory_usage for e in prof.function_events if e.name == "aten::exp"),
        "CPU Mem" in _profile(torch).key_averages().table(),
    )


def flops(torch):
    def program(torch, x):
        x.detach().mm(torch.ones(3, 5))

    prof = _profile(torch, program, with_flops=True)
    return [e.flops for e in prof.key_averages() if e.key == "aten::mm"], "FLOPs" in prof.key_averages().table()


def stacks(torch):
    prof = _profile(torch, with_stack=True)
    return len(prof.key_averages(group_by_stack_n=3).table(max_src_column_width=50)) > 0, len(
        list(prof.key_averages(group_by_stack_n=5))
    ) > 0


def threads(torch):
    """Events of a thread that is started inside are not those of the profiled one, as in PyTorch."""

    def program(torch, x):
        thread = threading.Thread(target=lambda: x.detach().exp())
        thread.start()
        thread.join()
        x.detach().cos()

    return _counts(_profile(torch, program), "aten::cos")


def options_are_keywords(torch):
    _profile(torch, enabled=True, use_cuda=False, use_cpu=True, with_modules=False)
    _profile(torch, use_kineto=False)
    _profile(torch, record_shapes=True, with_flops=True, profile_memory=True, with_stack=True)
    return torch.autograd.profiler.profile(True).enabled, raises(lambda: torch.autograd.profiler.profile(colour=1))


def results_of_the_program_are_the_same(torch):
    x = torch.ones(3, requires_grad=True)
    with torch.autograd.profiler.profile(record_shapes=True, with_stack=True):
        y = (x * 2).exp().sum()
        y.backward()
    return y, x


def an_error_passes_through(torch):
    def fails():
        with torch.autograd.profiler.profile():
            raise ValueError("inside")

    return raises(fails, "inside"), len(_profile(torch).function_events) > 0


def emit_nvtx_when_disabled(torch):
    with torch.autograd.profiler.emit_nvtx(enabled=False, record_shapes=True):
        a = torch.ones(1) * 2
    with torch.autograd.profiler.emit_itt(enabled=False, record_shapes=True):
        b = torch.ones(1) * 2
    return a, b


def names_of_the_module(torch):
    return [
        hasattr(torch.autograd.profiler, n)
        for n in ("profile", "record_function", "emit_nvtx", "emit_itt", "load_nvprof", "EventList", "FunctionEvent", "parse_nvprof_trace")
    ]


@each("x @ x.t()", "x.matmul(x.t())", "x.reshape(-1)", "x.flatten()", "x.double()", "x.to(torch.float64)", "x.t().contiguous()", "x > 0", "x == x",
      "x.ne(1)", "torch.zeros(2)", "torch.ones_like(x)", "torch.randn(2)", "torch.eye(2)", "torch.arange(3)", "x.chunk(2)", "torch.outer(x[0], x[0])",
      "torch.linalg.norm(x)", "torch.linalg.inv(x[:3] + 2)", "torch.einsum('ij,kj->ik', x, x)", "F.linear(x, x)", "F.mse_loss(x, x * 2)",
      "F.cross_entropy(x, k)", "F.layer_norm(x, (3,))", "F.gelu(x)", "F.silu(x)", "F.dropout(x, 0.5)", "x.argmax()", "torch.stack([x, x])", "x.mean()",
      "torch.where(x > 0, x, x)", "x.narrow(0, 0, 2)", "torch.fft.fft(x)", "x.var()", "x.softmax(0)", "x.cumsum(0)", "x[0]", "x.clone().add_(1)", "-x", "x / 2",
      "2 - x", "x ** 2", "torch.matmul(x, x[0])", "x.norm()", "torch.allclose(x, x)", "F.conv1d(x[None], x[None])", "torch.cat([x, x])")
def outermost_events(torch, text):
    """The operations that a program calls, by torch's names, whatever they are composed of."""
    x, k = torch.rand(4, 3, requires_grad=True), torch.tensor([0, 1, 2, 0])
    names = {"torch": torch, "F": torch.nn.functional, "x": x, "k": k}
    with torch.autograd.profiler.profile() as prof:
        eval(text, names)
    return [e.name for e in prof.function_events if e.cpu_parent is None]


@each("(x @ x.t()).sum()", "F.mse_loss(x, x.detach() * 2)", "F.cross_entropy(x, k)", "F.gelu(x).mean()", "x.reshape(-1).exp().sum()", "(x * 2 + 1).max()",
      "x.double().pow(2).sum()", "F.linear(x, x.detach()).relu().sum()", "x[0].sum()", "x.clone().mul_(2).sum()")
def nodes_in_the_order_they_ran(torch, text):
    x, k = torch.rand(4, 3, requires_grad=True), torch.tensor([0, 1, 2, 0])
    y = eval(text, {"torch": torch, "F": torch.nn.functional, "x": x, "k": k})
    with torch.autograd.profiler.profile() as prof:
        y.backward()
    return [normal(e.name) for e in prof.function_events if "Backward" in e.name or "Accumulate" in e.name]
