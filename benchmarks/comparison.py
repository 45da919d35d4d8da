"""Compare tools on five small functions that are written in plain NumPy: ``python -m benchmarks.comparison``.

Each tool differentiates the same source, with its own module called ``np``.  A tool that refuses a function, or whose gradient
differs from central differences, has that outcome in its cell.  Times are multiples of transgrad's, from
interleaved calls.  For larger programs and rewritten versions, see `benchmarks.gradients`.
"""
from __future__ import annotations

import argparse
import importlib
import importlib.metadata
import platform
import statistics
import sys
import time
import types
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy

SOURCES = {
    "element-wise, 1,000": ("""
def f(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)
""", lambda: numpy.linspace(-1.0, 1.0, 1000)),
    "dense layer, 1,000 x 50": ("""
def f(w):
    return np.mean((np.tanh(data @ w) - 0.5) ** 2)
""", lambda: numpy.linspace(-0.2, 0.3, 50)),
    "scalar loop, 1,000 steps": ("""
def f(x):
    s = 0.0
    for i in range(1000):
        s = 0.5 * s + np.sin(x * s + x)
    return s
""", lambda: 0.3),
    "while loop": ("""
def f(a):
    x = a
    while abs(x * x - a) > 1e-12:
        x = 0.5 * (x + a / x)
    return x
""", lambda: 9.0),
    "in-place stencil, 30 x 25": ("""
def f(u0):
    u = u0.copy()
    for _ in range(25):
        u[1:-1] += 0.2 * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u ** 2)
""", lambda: numpy.linspace(0.0, 1.0, 30) ** 2),
}
TOOLS = ("transgrad", "transgrad, Numba", "jax", "jax, jitted", "autograd", "mygrad", "advect", "tangent")


def _function(source: str, np: Any, tool: str) -> Callable[..., Any]:
    """The function, with a module for ``np``; in a module of its own, where tools look for its source."""
    import linecache
    module = types.ModuleType(f"compared_{abs(hash((source, tool)))}")
    file = f"<{module.__name__}>"
    linecache.cache[file] = len(source), None, source.splitlines(True), file
    module.__dict__.update(np=np, data=numpy.sin(numpy.arange(50_000.0)).reshape(1000, 50))
    sys.modules[module.__name__] = module
    exec(compile(source, file, "exec"), module.__dict__)
    found: Callable[..., Any] = module.__dict__["f"]
    return found


def gradient(tool: str, source: str) -> Callable[[Any], Any]:
    """The gradient of a function by a tool."""
    name = tool.split(",")[0]
    module = importlib.import_module(name)
    if name == "jax":
        module.config.update("jax_enable_x64", True)
        found = module.grad(_function(source, importlib.import_module("jax.numpy"), tool))
        return (lambda jitted: lambda x: jitted(x).block_until_ready())(module.jit(found) if "jitted" in tool else found)
    if name == "autograd":
        return module.grad(_function(source, importlib.import_module("autograd.numpy"), tool))
    if name == "mygrad":
        f = _function(source, module, tool)

        def run(x: Any) -> Any:
            t = module.tensor(x)
            f(t).backward()
            return t.grad
        return run
    f = _function(source, numpy, tool)
    return module.grad(f, backend="numba") if "Numba" in tool else module.grad(f)


def _differences(f: Callable[..., Any], x: Any) -> Any:
    step = 1e-6
    if not isinstance(x, numpy.ndarray):
        return (f(x + step) - f(x - step)) / (2 * step)
    units = numpy.eye(len(x)) * step
    return numpy.array([(f(x + u) - f(x - u)) / (2 * step) for u in units])


def usable(tool: str, source: str, x: Any, want: Any) -> Callable[[], Any] | str:
    """The gradient as a call without arguments, or why there is none."""
    try:
        call = gradient(tool, source)
        got = call(x)
    except ImportError:
        return "not installed"
    except Exception as error:
        print(f"{tool}: {type(error).__name__}: {str(error).strip().splitlines()[0] if str(error).strip() else ''}"[:160], file=sys.stderr)
        return "refused"
    if got is None:
        return "no gradient"
    if not numpy.allclose(numpy.asarray(got, dtype=float), want, rtol=1e-4, atol=1e-4 * float(numpy.max(numpy.abs(want)))):
        return "wrong"
    return lambda: call(x)


def _timed(call: Callable[[], Any], count: int) -> float:
    start = time.process_time()
    for _ in range(count):
        call()
    return (time.process_time() - start) / count


def interleaved(calls: Mapping[str, Callable[[], Any]], rounds: int) -> dict[str, list[float]]:
    """The processor times of calls, one of each in turn, so that a busy machine slows all of them."""
    counts = {}
    for tool, call in calls.items():
        call()
        counts[tool] = max(1, int(0.01 / max(_timed(call, 1), 1e-6)))
    times: dict[str, list[float]] = {tool: [] for tool in calls}
    for _ in range(rounds):
        for tool, call in calls.items():
            times[tool].append(_timed(call, counts[tool]))
    return times


def row(source: str, x: Any, rounds: int) -> list[str]:
    """The time of transgrad in microseconds, and that of each other tool as a multiple of it: the median over the rounds."""
    want = _differences(_function(source, numpy, "oracle"), x)
    found = {tool: usable(tool, source, x, want) for tool in TOOLS}
    times = interleaved({tool: call for tool, call in found.items() if not isinstance(call, str)}, rounds)
    ours = times[TOOLS[0]]
    cells = []
    for tool in TOOLS:
        if tool not in times:
            cells.append(str(found[tool]))
        elif tool == TOOLS[0]:
            cells.append(f"{1e6 * statistics.median(ours):,.0f} µs")
        else:
            ratio = statistics.median(a / b for a, b in zip(times[tool], ours))
            cells.append(f"{ratio:,.2f}" if ratio < 10 else f"{ratio:,.0f}")
    return cells


def main() -> None:
    """Print a table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print("| gradient | " + " | ".join(TOOLS) + " |\n|---" + "|--:" * len(TOOLS) + "|")
    for name, (source, make) in SOURCES.items():
        print(f"| {name} | " + " | ".join(row(source, make(), options.rounds)) + " |", flush=True)
    versions = ", ".join(f"{name} {_version(name)}" for name in ("numpy", "numba", "jax", "autograd", "mygrad", "advect", "tangent-ad"))
    print(f"\nPython {platform.python_version()}, {versions}")


def _version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "—"


if __name__ == "__main__":
    main()
