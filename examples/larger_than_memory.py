"""Logistic regression on data that are larger than the memory of the workers, on a Dask cluster.

The data are generated chunk by chunk, and no process ever holds more than a few chunks. With ``--kill``, a worker is killed half-way: Dask
runs its tasks again, and the parameters are the same to the last bit. The full version, with 12 GB of data and 1.5 GB for each worker:

    python examples/larger_than_memory.py --rows 75000000 --chunk 500000 --memory-limit 1.5GB --kill --report report.md

``--gradients`` limits the number of passes over the data.
"""
from __future__ import annotations

import argparse
import json
import os
import pathlib
import resource
import signal
import threading
import time
from typing import Any

import numpy as np
from scipy.optimize import minimize

import transgrad as tg

FEATURES = 20


def loss(params, x, y):
    """Negative log-likelihood of the rows of x, summed."""
    score = x @ params["weights"] + params["intercept"]
    return np.sum(np.logaddexp(0.0, score) - y * score)


def truth() -> Any:
    """The weights behind the data."""
    return np.linspace(-1.0, 1.0, FEATURES)


def features(k: int, rows: int) -> Any:
    """Chunk k of the features: the same in every process, so a lost chunk can be generated again."""
    return np.random.default_rng(k).random((rows, FEATURES)) - 0.5


def labels(k: int, x: Any) -> Any:
    """Labels for a chunk of features."""
    return (np.random.default_rng([k, 1]).random(len(x)) < 1.0 / (1.0 + np.exp(-x @ truth() - 0.3))).astype(float)


def chunks(rows: int, size: int) -> tuple[list[Any], list[Any]]:
    """The data as delayed chunks."""
    from dask import delayed
    sizes = [min(size, rows - start) for start in range(0, rows, size)]
    xs = [delayed(features, pure=True)(k, n) for k, n in enumerate(sizes)]
    return xs, [delayed(labels, pure=True)(k, x) for k, x in enumerate(xs)]


def fit(client: Any, rows: int, size: int, ridge: float = 1e-3, kill_at: int | None = None, gradients: int = 15000) -> dict[str, Any]:
    """Minimize the mean loss with a penalty, with about so many gradients; kill a worker during evaluation number ``kill_at``."""
    x, y = chunks(rows, size)
    value_and_grad = tg.distributed.value_and_grad(loss, over=("x", "y"), client=client)
    seen: dict[str, Any] = {"evaluations": 0, "killed": None}

    def mean(theta: Any) -> tuple[float, Any]:
        seen["evaluations"] += 1
        if seen["evaluations"] == kill_at:
            threading.Thread(target=_kill_one, args=(client, seen, len(x)), daemon=True).start()
        value, gradient = value_and_grad({"weights": theta[:-1], "intercept": theta[-1]}, x, y)
        penalty = np.append(ridge * theta[:-1], 0.0)        # outside of the loss: chunks would add it several times
        return value / rows + 0.5 * theta @ penalty, np.append(gradient["weights"], gradient["intercept"]) / rows + penalty

    start = time.perf_counter()
    found = minimize(mean, np.zeros(FEATURES + 1), jac=True, method="L-BFGS-B", options={"gtol": 1e-5, "maxfun": gradients})
    peaks = client.run(peak)
    return {"theta": found.x.tolist(), "loss": float(found.fun), "evaluations": seen["evaluations"], "killed": seen["killed"],
            "seconds": time.perf_counter() - start, "peak_mb": [round(peaks[name]) for name in sorted(peaks)]}


def peak() -> float:
    """The largest resident size of this process, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _kill_one(client: Any, seen: dict[str, Any], count: int) -> None:
    """Kill a worker once it has computed some of the chunks."""
    time.sleep(min(2.0, 0.005 * count))
    name, process = sorted(client.run(os.getpid).items())[0]
    os.kill(process, signal.SIGKILL)
    seen["killed"] = name


def run(rows: int, size: int, workers: int, memory_limit: str, kill: bool, gradients: int = 15000) -> dict[str, Any]:
    """Fit on a cluster of processes on this machine; with ``kill`` a second time, with a worker that is killed."""
    from distributed import Client, LocalCluster
    results: dict[str, Any] = {"rows": rows, "chunk": size, "workers": workers, "memory_limit": memory_limit,
                               "gigabytes": rows * (FEATURES + 1) * 8 / 1e9}
    for name in ("undisturbed", "disturbed") if kill else ("undisturbed",):
        with LocalCluster(n_workers=workers, threads_per_worker=1, memory_limit=memory_limit, dashboard_address=":0") as cluster, \
                Client(cluster) as client:
            half = max(2, results["undisturbed"]["evaluations"] // 2) if name == "disturbed" else None
            results[name] = fit(client, rows, size, kill_at=half, gradients=gradients)
    if kill:
        results["same_parameters"] = results["undisturbed"]["theta"] == results["disturbed"]["theta"]
    return results


def report(results: dict[str, Any]) -> str:
    """The results as text."""
    lines = [f"{results['gigabytes']:.2f} GB of data in chunks of {results['chunk']} rows, {results['workers']} workers with "
             f"{results['memory_limit']} each"]
    for name in ("undisturbed", "disturbed"):
        if name in results:
            r = results[name]
            killed = f", worker {r['killed']} killed" if r["killed"] else ""
            lines.append(f"{name}: loss {r['loss']:.6f} after {r['evaluations']} gradients in {r['seconds']:.0f} s{killed}; "
                         f"peak memory of the workers {', '.join(f'{m} MB' for m in r['peak_mb'])}")
    error = np.max(np.abs(np.array(results["undisturbed"]["theta"][:-1]) - truth()))
    lines.append(f"largest error of a weight: {error:.4f}")
    if "same_parameters" in results:
        lines.append(f"the same parameters with and without the killed worker: {results['same_parameters']}")
    return "\n".join(lines)


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--chunk", type=int, default=50_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--memory-limit", default="400MB")
    parser.add_argument("--kill", action="store_true", help="run again, and kill a worker half-way")
    parser.add_argument("--gradients", type=int, default=15000, help="stop after about so many gradients, each a pass over the data")
    parser.add_argument("--report", type=pathlib.Path, help="write the results to a file, as text and as JSON")
    given = parser.parse_args(argv)
    results = run(given.rows, given.chunk, given.workers, given.memory_limit, given.kill, given.gradients)
    text = report(results)
    print(text)
    if given.report:
        given.report.write_text(f"```text\n{text}\n```\n\n```json\n{json.dumps(results, indent=1)}\n```\n", encoding="utf-8")
    return 0 if results.get("same_parameters", True) else 1


if __name__ == "__main__":
    raise SystemExit(main())
