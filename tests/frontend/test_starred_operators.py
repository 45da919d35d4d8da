"""Functions of `operator` with starred arguments whose number is not known when compiling."""
from __future__ import annotations

import operator
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import transgrad as tg

TWO: dict[str, Callable[[Any], Any]] = {
    "mul": lambda p: np.sum(operator.mul(*p) ** 2),
    "sub": lambda p: np.sum(operator.sub(*p) ** 2),
    "truediv": lambda p: np.sum(operator.truediv(*p)),
    "matmul": lambda p: operator.matmul(*p),
}


@pytest.mark.parametrize("name", TWO)
def test_starred(name: str) -> None:
    f = TWO[name]
    p = [np.array([1.0, 2.0, 0.5]), np.array([0.5, -1.0, 3.0])]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tg.TapeFallbackWarning)
        found = tg.grad(f)(p)
    for k in range(2):
        for i in range(3):
            up, down = ([a + h * (j == k) * np.eye(3)[i] for j, a in enumerate(p)] for h in (1e-6, -1e-6))
            np.testing.assert_allclose(found[k][i], (f(up) - f(down)) / 2e-6, rtol=1e-6, atol=1e-8)


def test_starred_unary() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tg.TapeFallbackWarning)
        assert tg.grad(lambda p: operator.neg(*p))([2.0]) == [-1.0]
