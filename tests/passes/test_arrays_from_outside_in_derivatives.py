"""Arrays from outside that a function writes to, where helpers read them, or derivatives are taken inside of functions."""
from __future__ import annotations

import numpy as np
import pytest

import transgrad as tg
from tests import oracles

X = np.array([[0.21, 0.43, 0.58], [0.77, 1.04, 1.23], [1.37, 1.62, 1.83]])
Y = np.cos(X)
WEIGHTS = np.ones((3, 3))


def weighed(x, y):
    WEIGHTS[:] = 1.0
    s = np.sum(WEIGHTS * x ** 2)
    WEIGHTS[0] = 2.0
    s *= np.sum(WEIGHTS * x * y)
    WEIGHTS[1] = 3.0
    return s


def read(x, y):
    return np.sum(WEIGHTS * x ** 2 * y)


def by_gradient(x, y):
    return np.sum(tg.grad(weighed)(x, y) * y)


def by_value(x, y):
    return tg.value_and_grad(weighed)(x, y)[0]


def written_around(x, y):
    WEIGHTS[:] = 0.5
    s = np.sum(tg.grad(read)(x, y) ** 2)
    WEIGHTS[0] = 2.0
    return s


def along(x, y):
    return tg.jvp(weighed, (x, y), (y, x))[1]


def turns(x, y):
    s = 0.0
    for k in range(3):
        for j in range(3):
            s += np.sum(WEIGHTS[k] * x[j] ** 2 * y[k])
            if s > 100:
                s *= 0.5
    return s


def again_and_again(x, k):
    return np.sum(WEIGHTS * x ** 2) if k == 0 else again_and_again(x * 1.1, k - 1) * 0.5 + np.sum(WEIGHTS * x)


def by_helper(x, y):
    WEIGHTS[:] = 0.5
    s = turns(x, y)
    WEIGHTS[0] = 2.0
    s *= turns(y, x)
    WEIGHTS[1] = 0.1
    return s


def by_recursion(x, y):
    WEIGHTS[:] = 0.5
    s = again_and_again(x, 2)
    WEIGHTS[0] = 2.0
    return s * np.sum(y)


def by_helper_of_helper(x, y):
    def outer(x, y):
        return turns(x, y) * np.sum(x) + again_and_again(y, 1)
    WEIGHTS[:] = 0.5
    s = 0.0
    for k in range(3):
        s += outer(x, y)
        WEIGHTS[k] *= 1.5
    return s


@tg.checkpoint
def weighed_again(x, y):
    s = 0.0
    for k in range(3):
        s = s + np.sum(WEIGHTS[k] * x ** 2 * y) * s
    return s + np.sum(WEIGHTS * x)


def by_checkpoint(x, y):
    WEIGHTS[:] = 0.5
    s = weighed_again(x, y)
    WEIGHTS[0] = 2.0
    return s * weighed_again(y, x)


READING = [by_helper, by_recursion, by_helper_of_helper, by_checkpoint]


@pytest.mark.parametrize("f", [*READING, weighed, by_gradient, by_value, written_around, along], ids=lambda f: f.__name__)
def test_gradients(f):
    problem = oracles.Problem(f, (X, Y), (0, 1))
    want, error = oracles.gradient(problem, problem.x)
    for optimize in (True, False):
        found = tg.grad(f, argnums=(0, 1), fallback="error", optimize=optimize)(X, Y)
        np.testing.assert_allclose(np.concatenate([np.ravel(g) for g in found]), want, rtol=1e-6, atol=1e-7 + 10 * np.max(error))
