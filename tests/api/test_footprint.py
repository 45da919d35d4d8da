"""The bytes that `explain` predicts, beside those that tracemalloc sees."""
from __future__ import annotations

import re
import tracemalloc
from typing import Any

import numpy as np
import pytest

import transgrad as tg


def logistic_map(x: Any, n: int) -> Any:
    for _ in range(n):
        x = 3.6 * x * (1.0 - x)
    return x


def heat(u0: Any, steps: int) -> Any:
    u = u0.copy()
    for _ in range(steps):
        u[1:-1] += 0.1 * u[1:-1] * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u ** 2)


def elementwise(x: Any, c: float) -> Any:
    return np.sum(np.exp(c * np.sin(x)) * x)


def recurrence(x: Any, c: float) -> Any:
    s = 0.0
    for i in range(1, len(x)):
        s = c * s + x[i] * x[i - 1] * s
    return s


CASES = [
    (logistic_map, (0.3, 100_000)), (heat, (np.linspace(0.0, 1.0, 2000), 200)),
    (elementwise, (np.linspace(0.0, 1.0, 200_000), 0.5)), (recurrence, (np.linspace(0.1, 0.9, 50_000), 0.5)),
]


@pytest.mark.parametrize("f, args", CASES, ids=[f.__name__ for f, _ in CASES])
def test_predicted_bytes_are_those_that_are_stored(f: Any, args: Any) -> None:
    df = tg.grad(f)
    df(*args)
    found = re.search(r"stores +([\d,]+) bytes", df.explain(*args))
    assert found is not None
    predicted = int(found[1].replace(",", ""))
    tracemalloc.start()
    df(*args)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert predicted <= 1.05 * peak         # stored at the same time
    large = max(a.nbytes for a in map(np.asarray, args))
    assert peak <= 2.5 * predicted + 2 * large + 10_000      # the rest are temporaries, the gradient and lists that grow


def test_kinds_are_told_apart() -> None:
    said = tg.grad(heat).explain(np.linspace(0.0, 1.0, 100), 10)
    lists, arrays, shadows = (int(n.replace(",", "")) for n in re.findall(r"([\d,]+) in (?:lists|arrays|shadows)", said))
    assert lists > 10 * 98 * 8 and arrays >= 800 and shadows < lists


def test_arguments_are_left_as_they_are() -> None:
    def f(x: Any, y: Any) -> Any:
        y[0] = 5.0
        return np.sum(x * y)

    y = np.ones(3)
    tg.grad(f).explain(np.ones(3), y)
    assert y[0] == 1.0
