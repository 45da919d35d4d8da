"""Gradients with and without a buffer of the caller: ``python -m benchmarks.buffers``."""
from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import transgrad as tg


def misfit(x: Any, c: Any) -> Any:
    return np.sum(c * x ** 3 + np.sin(x))


def _seconds(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def main() -> None:
    """Prints the ratio of times for each size, interleaved."""
    df = tg.grad(misfit)
    for n in (100, 10_000, 100_000, 1_000_000, 10_000_000):
        x = np.linspace(0.0, 1.0, n)
        out = np.empty_like(x)
        df(x, 2.0), df(x, 2.0, out=out)
        found = [_seconds(lambda: df(x, 2.0, out=out)) / _seconds(lambda: df(x, 2.0))      # noqa: B023
                 for _ in range(7 if n > 1_000_000 else 31)]
        print(f"{n:>10,} entries   {statistics.median(found):.2f} of the time without a buffer")


if __name__ == "__main__":
    main()
