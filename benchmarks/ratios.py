"""Gradient over primal: a scalar loop, dense array code, an in-place stencil."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import transgrad as tg

from .golden.dense_layer import loss
from .golden.stencil import heat
from .timing import compare


def scalar_loop(x, r, steps):
    """A logistic map with a running penalty: nothing but Python floats."""
    cost = 0.0
    for _ in range(steps):
        x = r * x * (1.0 - x)
        cost = cost + (x - 0.3) * (x - 0.3)
    return cost


def cases() -> list[tuple[str, float, Callable[..., Any], tuple[Any, ...], tuple[int, ...]]]:
    """Name, limit, function, arguments, what is differentiated."""
    rng = np.random.default_rng(0)
    return [
        ("scalar loop", 4.0, scalar_loop, (0.4, 3.7, 2000), (0, 1)),
        ("dense layer", 2.2, loss, (rng.normal(size=(128, 128)), rng.normal(size=(128, 128)) / 16, rng.normal(size=128)), (1, 2)),
        ("stencil", 3.3, heat, (rng.normal(size=1000), 0.2, 100), (0, 1)),
    ]


def main() -> bool:
    """Prints a row a case; whether all hold."""
    print("gradient over primal")
    good = True
    for name, limit, f, args, wrt in cases():
        gradient = tg.grad(f, wrt, fallback="error")
        gradient(*args)
        _, ratio = compare([lambda: f(*args), lambda: gradient(*args)])  # noqa: B023
        good &= ratio <= limit
        print(f"  {name:14s} {ratio:5.2f} x primal (limit {limit})   {'ok' if ratio <= limit else 'OVER'}")
    return good


if __name__ == "__main__":
    raise SystemExit(not main())
