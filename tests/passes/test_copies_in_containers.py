"""Arrays added to in place what loops take out of containers: the cotangent that goes back into the container is a copy."""
from __future__ import annotations

import numpy as np
import pytest

import transgrad as tg

from .of_two_matrices import WAYS, X, Y, check


def popped(x, y):
    items, q = [x[0] * 1.0, x[1] * y[1], x[2] ** 2], np.zeros(3)
    for k in range(3):
        q += items.pop()
        q *= y[k]
        q += q ** 3 * 0.1
    return np.sum(q ** 2)


def popped_first(x, y):
    items, q = [x[0] * 0.5, x[1] * y[1], x[2] * 0.3], x[1].copy()
    while items:
        q *= 0.1 * q + 1
        v = items.pop(0)
        q += v
    return np.sum(q ** 2)


def popped_from_a_dict(x, y):
    items, q = {k: x[k] * y[k] for k in range(3)}, np.ones(3)
    for k in range(3):
        q *= 1 + q * 0.1
        q += items.pop(k)
    return np.sum(q ** 2)


def history(x, y):
    q, p, path = x[0].copy(), y[0].copy(), []
    for _ in range(5):
        p -= 0.1 * q ** 3
        q += 0.1 * p
        path.append(q.copy())
        p *= 0.9
    return np.sum(np.array(path) ** 2)


FUNCTIONS = [popped, popped_first, popped_from_a_dict, history]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_gradients(f, way):
    check(f, way)


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_gradients_of_gradients(f):
    df, step, along = tg.grad(f), 1e-6, np.cos(np.arange(9.0)).reshape(3, 3)
    want = (df(X + step * along, Y) - df(X - step * along, Y)) / (2 * step)
    found = tg.grad(lambda x: np.sum(tg.grad(f)(x, Y) * along), fallback="error")(X)
    np.testing.assert_allclose(found, want, rtol=1e-5, atol=1e-6 * np.max(np.abs(want)))
