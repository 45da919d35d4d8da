"""What a loop carries in the reverse part is one of NumPy's numbers where one flows into it: then all of it becomes Python floats."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import transgrad as tg

from .by_differences import MODES, Programs, check

programs = Programs()
X = np.array([0.4, 0.1, 0.3, 0.8, 0.2, 0.6])
DATA = np.array([0.3, 0.5, 0.2, 0.9])


def fit(rate: Any, loss: Any, start: Any, data: Any) -> Any:
    a, b = 1.0 - start, start
    total = 0.0
    for k in range(len(data)):
        for _ in range(3):
            new = rate * a * b
            a, b = a - 0.1 * new, b + 0.1 * (new - loss * b)
        total += (b - data[k]) ** 2
    return total


@programs
def nested(x: Any) -> Any:
    return fit(float(x[0]), float(x[1]), float(x[2]), x[3:])


@programs
def with_branches(x: Any) -> Any:
    a, b = 1.0, 0.5
    total = 0.0
    for k in range(len(x)):
        if a > b:
            a = a - 0.3 * b * x[0]
        else:
            b = b - 0.2 * a
        total += (a * b - x[k]) ** 2
    return total


@programs
def until(x: Any) -> Any:
    s, v, k = 1.0, 0.0, 0
    while k < 5:
        s, v = s + 0.1 * v, v - 0.1 * s
        if k % 2:
            v = v + (s - x[k]) ** 2
        k += 1
    return s * v


@pytest.mark.parametrize("f", programs)
def test_derivatives_are_those_of_differences(f: Any) -> None:
    check(f, X)
    MODES["second"](f, X)


def test_text() -> None:
    found = tg.grad(fit, (0, 1, 2)).source_for(0.4, 0.1, 0.3, DATA)
    assert "np.float64" not in found and "data_list = data.tolist()" in found
    assert all(type(g) is float for g in tg.grad(fit, (0, 1, 2))(0.4, 0.1, 0.3, DATA))
