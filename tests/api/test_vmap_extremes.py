"""Python's max and min of a list, for a batch: the first of equals, and what NaN is not less than."""
from __future__ import annotations

import numpy as np

import transgrad as tg


def f(x):
    return max([x[0] * 2, x[1], x[2] ** 2]) * x[0] - min([v * v for v in x])


def test_items_of_a_list() -> None:
    x = np.random.default_rng(0).normal(size=(7, 3))
    x[2, 1] = np.nan
    x[3] = 0.0      # equals
    v = tg.vmap(f)
    np.testing.assert_array_equal(v(x), [f(row) for row in x])
    np.testing.assert_array_equal(tg.vmap(tg.grad(f))(x), [tg.grad(f)(row) for row in x])
    np.testing.assert_allclose(tg.jvp(v, (x,), (x,))[1], [tg.jvp(f, (row,), (row,))[1] for row in x])
    np.testing.assert_allclose(tg.grad(lambda x: np.sum(v(x)))(x), [tg.grad(f)(row) for row in x])
