"""The cost of a gradient on one core, on threads, and on Dask: ``python -m benchmarks.scaling [--rows N]``.

The ways run alternately; each time is the median of wall-clock times. The result of each is checked against the first.
"""
from __future__ import annotations

import argparse
import contextlib
import os
import pickle
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

import transgrad as tg

WORKERS = 2
FIRST_CALL = """
import pickle, sys, time
import numpy as np
import transgrad as tg, benchmarks.scaling
data = sys.stdin.buffer.read()
start = time.perf_counter()
gradient = pickle.loads(data)
read = time.perf_counter()
gradient(np.zeros(20), np.ones((10, 20)), np.ones(10))
print(read - start, time.perf_counter() - read)
"""


def loss(w, x, y):
    score = x @ w
    return np.sum(np.logaddexp(0.0, score) - y * score)


def ways(x: Any, y: Any, client: Any) -> dict[str, Callable[[Any], Any]]:
    """The gradient of all rows, in chunks if several workers share it."""
    import dask
    count = 4 * WORKERS
    xs, ys = np.array_split(x, count), np.array_split(y, count)
    gradient = tg.value_and_grad(loss)
    pool = ThreadPoolExecutor(WORKERS)
    here = tg.distributed.value_and_grad(loss, over=("x", "y"))
    there = tg.distributed.value_and_grad(loss, over=("x", "y"), client=client)
    left, right = client.scatter(xs, hash=False), client.scatter(ys, hash=False)

    def threads(w: Any) -> Any:
        parts = list(pool.map(lambda part: gradient(w, *part), zip(xs, ys)))
        return sum(v for v, _ in parts), sum(g for _, g in parts)

    def dask_threads(w: Any) -> Any:
        with dask.config.set(scheduler="threads", num_workers=WORKERS):
            return dask.compute(here.delayed(w, xs, ys))[0]

    found = {"one call": lambda w: gradient(w, x, y), f"{WORKERS} threads": threads, "Dask, threads": dask_threads,
             f"Dask, {WORKERS} processes": lambda w: there(w, left, right)}
    with contextlib.suppress(ModuleNotFoundError):
        found["Numba, one call"] = _checked(tg.value_and_grad(loss, backend="numba"), x, y)
    return found


def _checked(gradient: Any, x: Any, y: Any) -> Callable[[Any], Any]:
    return lambda w: gradient(w, x, y)


def main() -> None:
    from distributed import Client, LocalCluster
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="*", default=[1000, 100_000, 1_000_000])
    parser.add_argument("--rounds", type=int, default=7)
    given = parser.parse_args()
    data = pickle.dumps(tg.value_and_grad(loss))
    print(f"a pickled derivative: {len(data)} bytes")
    for _ in range(2):      # the second time, the code is in the cache
        out = subprocess.run([sys.executable, "-c", FIRST_CALL], input=data, capture_output=True, check=True, env=dict(os.environ)).stdout
        read, first = map(float, out.split())
        print(f"in a new process: read in {1e3 * read:.1f} ms, first call in {1e3 * first:.1f} ms")
    with LocalCluster(n_workers=WORKERS, threads_per_worker=1, dashboard_address=":0") as cluster, Client(cluster) as client:
        for rows in given.rows:
            r = np.random.default_rng(0)
            x, y, w = r.random((rows, 20)), r.random(rows).round(), r.random(20)
            table = ways(x, y, client)
            expected = table["one call"](w)
            times: dict[str, list[float]] = {name: [] for name in table}
            for _ in range(given.rounds):
                for name, way in table.items():
                    start = time.perf_counter()
                    found = way(w)
                    times[name].append(time.perf_counter() - start)
                    np.testing.assert_allclose(found[1], expected[1], rtol=1e-9)
            print(f"{rows} rows of 20: " + ", ".join(f"{name} {1e3 * statistics.median(t):.2f} ms" for name, t in times.items()))


if __name__ == "__main__":
    from benchmarks import scaling  # other processes import the loss by this name
    scaling.main()
