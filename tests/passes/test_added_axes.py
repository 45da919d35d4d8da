"""Indices that do nothing but add dimensions: the adjoint is summed without them, in no buffer of its own."""
from __future__ import annotations

import numpy as np
import pytest

import transgrad as tg


def pairs(x, w):
    d = x[:, None] - x[None, :]
    return np.sum(np.sin(x)[:, None] * x[None] * np.exp(-0.5 * d ** 2)) * w[0]


def points(x, w):
    r = np.outer(x, w)
    d = r[:, None, :] - r[None, :, :]
    return np.sum(np.sqrt(np.sum(d * d, axis=2) + 0.1)) * 3.0


def used_twice(x, w):
    a = x[:, None]
    return np.sum(a * w) + np.sum(a[1:] * 2.0 * w) + np.sum(x ** 2) + a[0, 0]


def written(x, w):
    y = x.copy()
    z = y[:, None]
    z[1:] *= w[0]
    return np.sum(y * x) + np.sum(z ** 2)


def in_a_loop(x, w):
    total = 0.0
    for k in range(3):
        total += np.sum(x[:, None] * w[None] ** (k + 1)) + np.sum(w[None, :, None])
    return total


def uniform(x, w):
    return np.sum(x[:, None]) + np.mean(w[None, :, None]) + np.max(x[None])


def both_ends(x, w):
    y = x * 2.0
    return np.sum(y[None, :, None] * w[:, None, None] * np.ones((3, 5, 4)))


def factors(x, w):
    return np.sum(5.0 * (x[:, None] * 0.3 / w) ** 2) + np.sum(0.7 * (np.expand_dims(w / 3.0, 0) * x[:, None]) ** 3)


X, W = np.array([0.3, -0.7, 1.1, 0.4, 0.9]), np.array([0.5, 1.3, 0.8])
ALL = [pairs, points, used_twice, written, in_a_loop, uniform, factors]


def differences(f, k):
    given = [X, W]
    found = []
    for e in np.eye(len(given[k])):
        moved = [[a + s * 1e-6 * e if n == k else a for n, a in enumerate(given)] for s in (1, -1)]
        found.append((f(*moved[0]) - f(*moved[1])) / 2e-6)
    return np.array(found)


@pytest.mark.parametrize("f", [*ALL, both_ends])
@pytest.mark.parametrize("optimize", [True, False])
def test_gradients(f, optimize):
    found = tg.grad(f, (0, 1), fallback="error", optimize=optimize)(X, W)
    for k in range(2):
        np.testing.assert_allclose(found[k], differences(f, k), rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("f", ALL)
def test_second_derivatives(f):
    df = tg.grad(f)
    expected = np.array([(df(X + 1e-6 * e, W) - df(X - 1e-6 * e, W)) / 2e-6 for e in np.eye(5)])
    np.testing.assert_allclose(tg.hessian(f, fallback="error")(X, W), expected, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(tg.jacrev(df, fallback="error")(X, W), expected, rtol=1e-5, atol=1e-7)


def test_no_buffer():
    text = tg.grad(pairs).source_for(X, W)
    assert "zeros" not in text and "keepdims" not in text
