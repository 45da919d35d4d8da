"""What is added to elements that are named once each needs no ``np.add.at``."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import transgrad as tg

from .by_differences import MODES, Programs, check

once, again = Programs(), Programs()
X = np.array([0.3, -0.7, 1.1, 0.4, -0.2, 0.9])


@once
def read(x: Any) -> Any:
    return np.sum(x[[0, 3, 1]] ** 3) + np.sum(np.outer(x, x)[1:, [4, 2]] ** 2)


@once
def written(x: Any) -> Any:
    u = np.outer(x, x)
    for k in range(3):
        u[k + 1, [0, 3]] += u[k, :2] * x[k]
        u[k, [1, 2]] = x[:2]
    return np.sum(u ** 2)


@again
def twice(x: Any) -> Any:
    return np.sum(x[[0, 3, 0]] ** 3)


@again
def from_the_end(x: Any) -> Any:
    return np.sum(x[[0, -6]] ** 3)


@again
def beside_others(x: Any) -> Any:
    k = np.array([1, 1])
    return np.sum(np.outer(x, x)[[0, 1], k] ** 2) + np.sum(np.outer(x, x)[[[0, 1], [1, 0]]] ** 2)


@pytest.mark.parametrize("f", [*once, *again])
def test_derivatives_are_those_of_differences(f: Any) -> None:
    check(f, X)
    MODES["second"](f, X)


def test_text() -> None:
    for f in once:
        assert "add.at" not in tg.grad(f).source_for(X)
    for f in again:
        assert "add.at" in tg.grad(f).source_for(X)
