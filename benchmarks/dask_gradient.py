"""The gradient of a logistic regression on Dask arrays, beside the same gradient written by hand: the ratio of their times.

``python -m benchmarks.dask_gradient [--rows N] [--repeats K]`` runs both by turns, on threads, and prints the ratio of the medians.
"""
from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import dask
import dask.array as da
import numpy as np

import transgrad as tg


def loss(w: Any, x: Any, y: Any) -> Any:
    """The mean logistic loss."""
    z = x @ w
    return np.mean(np.logaddexp(0.0, z) - y * z)


def by_hand(w: Any, x: Any, y: Any) -> Any:
    """Its gradient, as one writes it."""
    z = x @ w
    return x.T @ ((1.0 / (1.0 + np.exp(-z)) - y) / z.size)


def seconds(gradient: Callable[..., Any], *args: Any) -> float:
    """How long a gradient takes, from the call to the numbers."""
    start = time.perf_counter()
    gradient(*args).compute()
    return time.perf_counter() - start


def main() -> None:
    """Print the ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--columns", type=int, default=32)
    parser.add_argument("--chunk", type=int, default=250_000)
    parser.add_argument("--repeats", type=int, default=7)
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    x = da.from_array(rng.normal(size=(options.rows, options.columns)), chunks=(options.chunk, options.columns))
    y = da.from_array(rng.integers(0, 2, options.rows).astype(float), chunks=options.chunk)
    w = rng.normal(size=options.columns)
    gradient = tg.grad(loss)
    difference = float(np.abs((gradient(w, x, y) - by_hand(w, x, y)).compute()).max())
    times: dict[str, list[float]] = {"transgrad": [], "by hand": []}
    with dask.config.set(scheduler="threads"):
        for _ in range(options.repeats):
            times["transgrad"].append(seconds(gradient, w, x, y))
            times["by hand"].append(seconds(by_hand, w, x, y))
    medians = {name: statistics.median(found) for name, found in times.items()}
    for name, median in medians.items():
        print(f"{name:10} {median * 1e3:8.1f} ms")
    print(f"ratio {medians['transgrad'] / medians['by hand']:.3f} (largest difference of the gradients {difference:.1e})")


if __name__ == "__main__":
    main()
