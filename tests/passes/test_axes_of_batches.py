"""Functions along an axis in a batch: the axis counts from that of the examples, by whichever place it is given."""
from __future__ import annotations

import numpy as np
import pytest

import transgrad as tg

X = np.random.default_rng(3).uniform(0.2, 1.8, (3, 3, 3))
AT = np.array([0.0, 0.5, 2.0])
GRID = np.array([[0.0, 0.2, 0.5], [0.1, 0.4, 0.9], [0.3, 0.5, 2.0]])

FUNCTIONS = {
    "place": lambda x: np.trapezoid(x * x, AT, 1.0, 0) ** 2,
    "name": lambda x: np.trapezoid(x * x, AT, axis=1) ** 2,
    "steps": lambda x: np.trapezoid(x * x, dx=0.5, axis=0) ** 2,
    "grid": lambda x: np.trapezoid(x * x, GRID, axis=0) ** 2,
    "grid at a place": lambda x: np.trapezoid(x * x, GRID, 1.0, -1) ** 2,
    "angles": lambda x: np.unwrap(x * 4.0, 3.0, 0) ** 2,
    "differences": lambda x: np.diff(x * x, 1, 0) ** 2,
    "behind others": lambda x: np.diff(x * x, prepend=GRID, axis=0) ** 2,
    "sorted": lambda x: np.sort(x * x, 0) ** 2,
    "all sorted": lambda x: np.sort(x * x, axis=None) ** 2,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_examples_and_columns(name):
    f = FUNCTIONS[name]
    np.testing.assert_allclose(tg.vmap(f)(X), np.stack([f(x) for x in X]), rtol=1e-12)
    np.testing.assert_allclose(tg.vmap(f, 1)(X), np.stack([f(x) for x in X.swapaxes(0, 1)]), rtol=1e-12)
    np.testing.assert_allclose(tg.jacfwd(f, fallback="error")(X[0]), tg.jacrev(f, fallback="error")(X[0]), rtol=1e-10, atol=1e-12)


@pytest.mark.filterwarnings("ignore::transgrad.BatchLoopWarning")
def test_an_order_at_its_place():
    np.testing.assert_array_equal(tg.vmap(lambda x: np.reshape(x, (1, 9), "F"))(X), np.stack([np.reshape(x, (1, 9), "F") for x in X]))
