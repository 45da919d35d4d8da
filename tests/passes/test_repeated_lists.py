"""``[x] * n``, where n may be zero: what is in the list has a cotangent of zero then."""
from __future__ import annotations

import numpy as np
import pytest

import transgrad as tg
from tests.oracles import gradient

X = np.array([0.3, 0.4])


def numbers(x, n):
    return sum([x[0] * 2, x[1]] * n) + x[1]


def arrays(x, n):
    total = x[0]
    for t in [x, 2 * x] * n:
        total = total + np.sum(t ** 2)
    return total


def pairs(x, n):
    total = x[1]
    for t, u in [(x, x[0])] * n:
        total = total + np.sum(t ** 2) * u
    return total


def in_a_loop(x, n):
    total = x[0] * x[1]
    for k in range(3):
        rows = [x * (k + 1)] * (n - k)
        rows.append(x)
        total = total + np.sum(rows[0]) * len(rows)
    return total


@pytest.mark.parametrize("n", (0, 1, 3))
@pytest.mark.parametrize("f", (numbers, arrays, pairs, in_a_loop), ids=lambda f: f.__name__)
def test_gradients(f, n):
    want, _ = gradient(lambda x: f(x, n), X)
    np.testing.assert_allclose(tg.grad(f, fallback="error")(X, n), want, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(tg.vjp(lambda x: f(x, n), X, fallback="error")[1](1.0)[0], want, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(tg.linearize(lambda x: f(x, n), X, fallback="error")[1](X), want @ X, rtol=1e-6, atol=1e-9)
