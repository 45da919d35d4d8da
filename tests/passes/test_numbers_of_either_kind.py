"""Cotangents of numbers that only running tells from arrays are numbers; an axis of a number, which NumPy lets pass, has no others."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import transgrad as tg


def an_array_at_last(c: Any) -> Any:
    first, second, _ = c
    kept = second
    for _ in range(2):
        second = c
    return np.sum(second) + kept * first


def a_number_at_last(c: Any) -> Any:
    t = c
    for _ in range(2):
        t = 0.5
    _, second, _ = c
    return t + second / 2.0 + second


def product_of_a_number(c: Any) -> Any:
    return np.prod(c[0], axis=0) * np.prod(c[1] * c[2], axis=-1)


@pytest.mark.parametrize("optimize", [True, False])
@pytest.mark.parametrize("f, slope", [
    (an_array_at_last, lambda c: [1.0 + c[1], 1.0 + c[0], 1.0]),
    (a_number_at_last, lambda c: [0.0, 1.5, 0.0]),
    (product_of_a_number, lambda c: [c[1] * c[2], c[0] * c[2], c[0] * c[1]]),
])
def test_gradients(f: Any, slope: Any, optimize: bool) -> None:
    c = np.array([0.3, -1.2, 0.8])
    np.testing.assert_allclose(tg.grad(f, fallback="error", optimize=optimize)(c), slope(c), rtol=1e-13)


def test_twice() -> None:
    c = np.array([0.3, -1.2, 0.8])
    np.testing.assert_allclose(tg.hessian(product_of_a_number)(c), [[0.0, 0.8, -1.2], [0.8, 0.0, 0.3], [-1.2, 0.3, 0.0]], rtol=1e-13)
