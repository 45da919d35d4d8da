"""Time of the derivative over the primal, per GradBench module: ``python -m benchmarks.gradbench.ratios [BACKEND …]``."""
from __future__ import annotations

import functools
import sys
import time
from typing import Any

import numpy as np

from ..timing import compare
from .entry import BACKENDS
from .protocol import functions

__all__ = ["INPUTS", "main"]


def _rng() -> np.random.Generator:
    return np.random.default_rng(31337)


def _gmm(d: int, k: int, n: int) -> dict[str, Any]:
    rng = _rng()
    return {"d": d, "k": k, "n": n, "m": 0, "gamma": 1.0, "alpha": rng.normal(size=k), "mu": rng.random((k, d)),
            "q": 0.3 * rng.normal(size=(k, d)), "l": 0.3 * rng.normal(size=(k, d * (d - 1) // 2)), "x": rng.normal(size=(n, d))}


def _kmeans(k: int, n: int, d: int) -> dict[str, Any]:
    points = _rng().random((n, d))
    return {"points": points, "centroids": points[-k:]}


def _lstm(layers: int, length: int, size: int) -> dict[str, Any]:
    rng = _rng()
    return {"main_params": rng.normal(size=(2 * layers, 4 * size)), "extra_params": rng.normal(size=(3, size)),
            "state": rng.normal(size=(2 * layers, size)), "sequence": np.eye(size)[rng.integers(0, size, length)]}


def _ba(n: int, m: int, p: int) -> dict[str, Any]:
    return {"n": n, "m": m, "p": p, "cam": [0.1, -0.2, 0.3, 0.4, 0.5, -0.6, 1.1, 0.02, 0.03, 0.04, -0.01], "x": [0.5, -0.3, 6.0],
            "w": 0.7, "feat": [0.1, 0.2]}


def _ht(vertices: int, points: int) -> dict[str, Any]:
    rng, bones = _rng(), 22
    frames = np.tile(np.eye(4), (bones, 1, 1))
    frames[:, :3] += 0.1 * rng.normal(size=(bones, 3, 4))
    parents = [-1, 0] + [bone for finger in range(5) for bone in (0, *range(2 + 4 * finger, 5 + 4 * finger))]
    model = {"parents": parents, "base_relatives": frames, "inverse_base_absolutes": frames, "is_mirrored": False, "triangles": [],
             "base_positions": np.column_stack([rng.normal(size=(vertices, 3)), np.ones(vertices)]),
             "weights": rng.random((vertices, bones))}
    return {"theta": 0.3 * rng.normal(size=26), "us": [],
            "data": {"model": model, "correspondences": rng.integers(0, vertices, points), "points": rng.normal(size=(points, 3))}}


#: Primal, derivative and input of each module that has both.
INPUTS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "llsq": ("primal", "gradient", {"x": _rng().normal(size=16), "n": 4096}),
    "lse": ("primal", "gradient", {"x": _rng().normal(size=100_000)}),
    "det": ("primal", "gradient", {"A": _rng().normal(size=25), "ell": 5}),
    "ode": ("primal", "gradient", {"x": _rng().uniform(0.5, 1.5, 1000), "s": 40}),
    "kmeans": ("cost", "dir", _kmeans(50, 2000, 8)),
    "gmm": ("objective", "jacobian", _gmm(10, 25, 1000)),
    "lstm": ("objective", "jacobian", _lstm(2, 256, 14)),
    "ba": ("objective", "jacobian", _ba(21, 1000, 3000)),
    "ht": ("objective", "jacobian", _ht(544, 100)),
}


def main(backends: list[str]) -> None:
    """Print one line per module and back end: the time of the derivative, and its ratio to that of the primal on the same back end."""
    for module, (primal, derivative, given) in INPUTS.items():
        for backend in backends:
            known = functions(module, backend)
            args = known[primal].prepare(given)
            thunks = [functools.partial(known[name].run, *args) for name in (primal, derivative)]
            try:
                thunks[1]()
                start = time.perf_counter()
                thunks[1]()
                seconds = time.perf_counter() - start
                ratio = compare(thunks, rounds=11, target=0.01)[1]
            except Exception as error:
                print(f"{module:8} {backend:6} {type(error).__name__}: {str(error).splitlines()[0]}", flush=True)
                continue
            print(f"{module:8} {backend:6} {1e3 * seconds:9.3f} ms, {ratio:6.2f} primals", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or list(BACKENDS[:2]))
