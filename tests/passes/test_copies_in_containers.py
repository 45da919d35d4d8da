"""Arrays added to in place what loops take out of containers: the cotangent that goes back into the container is a copy."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import transgrad as tg
from tests import oracles

X = np.array([[0.21, 0.43, 0.58], [0.77, 1.04, 1.23], [1.37, 1.62, 1.83]])
Y = np.cos(X)


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
WAYS: dict[str, Any] = {
    "grad": lambda f: tg.grad(f, argnums=(0, 1), fallback="error")(X, Y),
    "plain": lambda f: tg.grad(f, argnums=(0, 1), fallback="error", optimize=False)(X, Y),
    "nested": lambda f: tg.grad(lambda x, y: tg.value_and_grad(f)(x, y)[0], argnums=(0, 1), fallback="error")(X, Y),
    "pullback": lambda f: tg.vjp(f, X, Y)[1](1.0),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_gradients(f, way):
    problem = oracles.Problem(f, (X, Y), (0, 1))
    want, error = oracles.gradient(problem, problem.x)
    found = WAYS[way](f)
    np.testing.assert_allclose(np.concatenate([np.ravel(g) for g in found]), want, rtol=1e-6, atol=1e-7 + 10 * np.max(error))


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_gradients_of_gradients(f):
    df, step, along = tg.grad(f), 1e-6, np.cos(np.arange(9.0)).reshape(3, 3)
    want = (df(X + step * along, Y) - df(X - step * along, Y)) / (2 * step)
    found = tg.grad(lambda x: np.sum(tg.grad(f)(x, Y) * along), fallback="error")(X)
    np.testing.assert_allclose(found, want, rtol=1e-5, atol=1e-6 * np.max(np.abs(want)))
