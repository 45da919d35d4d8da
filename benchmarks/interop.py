"""The overhead of a call through `transgrad.interop`, beside the bare NumPy function and its derivative.

``python -m benchmarks.interop`` prints a row for each framework that is installed: microseconds of the bare function and gradient, and
of the wrapped ones, for an array of 10 and of 100,000 numbers: medians of processor time over rounds in which all calls take turns, and
medians of the differences within a round. It also prints the times of advect where that is installed.
"""
from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable, Iterator
from statistics import median
from typing import Any

import numpy as np

import transgrad as tg


def energy(x):
    """A function whose own time is a few microseconds for a small array."""
    return np.sum(np.cos(x) * x ** 2)


def torch_calls(f: Callable[..., Any], x: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Calls of the wrapped function and its gradient."""
    import torch
    g = tg.interop.torch.wrap(f)
    t = torch.from_numpy(x.copy())
    r = torch.from_numpy(x.copy()).requires_grad_()
    yield "torch value", lambda: g(t)
    yield "torch value and gradient", lambda: torch.autograd.grad(g(r), r)
    yield "torch.func.grad", lambda: torch.func.grad(g)(t)
    if importlib.util.find_spec("advect") is not None:
        import advect.interop.torch
        import advect.numpy as anp
        other = advect.interop.torch.wrap(lambda x: anp.sum(anp.cos(x) * x ** 2))
        yield "advect: torch value and gradient", lambda: torch.autograd.grad(other(r), r)


def jax_calls(f: Callable[..., Any], x: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Calls of the wrapped function and its gradient, compiled and not."""
    import jax
    jax.config.update("jax_enable_x64", True)
    g = tg.interop.jax.wrap(f)
    a = jax.numpy.asarray(x)
    compiled, gradient = jax.jit(g), jax.jit(jax.value_and_grad(g))
    yield "jax value", lambda: jax.block_until_ready(g(a))
    yield "jax.jit value", lambda: jax.block_until_ready(compiled(a))
    yield "jax.jit value and gradient", lambda: jax.block_until_ready(gradient(a))
    if importlib.util.find_spec("advect") is not None:
        import advect.interop.jax
        import advect.numpy as anp
        other = jax.jit(jax.value_and_grad(advect.interop.jax.wrap(lambda x: anp.sum(anp.cos(x) * x ** 2))))
        yield "advect: jax.jit value and gradient", lambda: jax.block_until_ready(other(a))


def pytensor_calls(f: Callable[..., Any], x: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Calls of compiled functions around the operation."""
    import pytensor
    import pytensor.tensor as pt
    v = pt.dvector("v")
    out = tg.interop.pytensor.op(f)(v)
    with pytensor.config.change_flags(mode="FAST_COMPILE", cxx=""):
        value = pytensor.function([v], out)
        gradient = pytensor.function([v], [out, pytensor.grad(out, v)])
    yield "pytensor value", lambda: value(x)
    yield "pytensor value and gradient", lambda: gradient(x)


def scipy_calls(f: Callable[..., Any], x: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    """The call that a solver makes."""
    from transgrad.interop.vectors import VectorFunction
    from transgrad.transforms.options import Options
    function = VectorFunction(f, x, (), {}, Options())
    yield "scipy value and gradient", lambda: function.value_and_grad(x)


def interleaved(calls: list[Callable[[], Any]], rounds: int = 31, seconds: float = 0.002) -> list[list[float]]:
    """The processor time of each call in each round, in which all calls take turns."""
    counts = []
    for call in calls:
        call()
        start = time.process_time()
        call()
        counts.append(max(1, min(200, int(seconds / max(time.process_time() - start, 1e-7)))))
    found: list[list[float]] = [[] for _ in calls]
    for _ in range(rounds):
        for call, count, times in zip(calls, counts, found):
            start = time.process_time()
            for _ in range(count):
                call()
            times.append((time.process_time() - start) / count)
    return found


def main() -> int:
    """Print the table."""
    for size in (10, 100_000):
        x = np.random.default_rng(0).normal(size=size)
        gradient = tg.value_and_grad(energy)
        rows: list[tuple[str, Callable[[], Any]]] = [("bare function", lambda x=x: energy(x)),
                                                     ("bare gradient", lambda x=x, gradient=gradient: gradient(x))]
        for package, calls in (("torch", torch_calls), ("jax", jax_calls), ("pytensor", pytensor_calls), ("scipy", scipy_calls)):
            if importlib.util.find_spec(package) is not None:
                rows += calls(energy, x)
        found = interleaved([call for _, call in rows])
        value, both = (1e6 * median(times) for times in found[:2])
        print(f"array of {size:,} numbers: bare function {value:.1f} us, value and gradient {both:.1f} us")
        for (name, _), times in zip(rows[2:], found[2:]):
            bare = found[0 if name.endswith(" value") else 1]
            over = median(t - b for t, b in zip(times, bare))
            ratio = median(t / b for t, b in zip(times, bare))
            print(f"  {name:36s} {1e6 * median(times):9.1f} us, {1e6 * over:8.1f} us more than the bare one, ratio {ratio:6.2f}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
