"""Jacobians of many directions at once are those of one direction after the other, and where that is done."""
from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import transgrad as tg

RNG = np.random.default_rng(5)
V, W, B = RNG.normal(size=4), RNG.normal(size=(3, 4)), RNG.normal(size=3)
SQUARE = RNG.normal(size=(4, 4)) + 5.0 * np.eye(4)


def layer(params, x):
    w, b = params
    h = np.tanh(w @ x + b)
    return h * h, np.sum(h)


def outer(x, y):
    return np.outer(x, y) * np.sin(x[0])


def branch(x):
    return np.exp(x) * x if np.sum(x) > 0.0 else -x


def mixed(x):
    return x * 2.0, np.ones(2), np.sum(x), 3.0


def grows(x):
    while np.sum(x * x) < 50.0:
        x = x * 1.3 + np.roll(x, 1)
    return x


def rows(x):
    out = []
    for i in range(len(x)):
        out.append(x[i] * x[::-1])
    return np.array(out)


def solution(a, b):
    return np.linalg.solve(a, b)


def written(x):
    y = np.zeros((2, len(x)))
    y[0] = x
    y[1, 1:] = x[:-1] ** 2
    return y


def turned(x):
    c, s = np.cos(x[0]), np.sin(x[1])
    return np.array([[c, -s, 0.0], [s, c, x[2]], [0.0, 0.0, 1.0]]) @ x[:3]


def sums(x):
    return np.cumsum(x) * x


def recurrence(x):
    z = x.copy()
    for i in range(1, len(z)):
        z[i] = z[i] * z[i - 1] + np.sin(z[i])
    return z


ARRAYS = [
    (layer, ((W, B), V), 0), (layer, ((W, B), V), (0, 1)), (outer, (V, B), (0, 1)), (branch, (V,), 0), (branch, (-abs(V),), 0),
    (mixed, (V,), 0), (grows, (V,), 0), (rows, (V,), 0), (solution, (SQUARE, V), (0, 1)), (written, (V,), 0), (turned, (V,), 0),
    (sums, (V,), 0), (sums, (V.astype(np.float32),), 0), (sums, (V[:0],), 0), (sums, (V[:1],), 0),
]


def _leaves(found: Any) -> list[np.ndarray]:
    return [x for part in found for x in _leaves(part)] if isinstance(found, (tuple, list)) else [np.asarray(found)]


@pytest.mark.parametrize("transform", [tg.jacfwd, tg.jacrev, tg.hessian])
@pytest.mark.parametrize("f, args, argnums", [*ARRAYS, (recurrence, (V,), 0)], ids=lambda x: getattr(x, "__name__", ""))
def test_one_after_the_other(transform, f, args, argnums):
    at_once = transform(f, argnums, fallback="error")
    plain = transform(f, argnums, fallback="error", optimize={"directions": False})
    for found, expected in zip(_leaves(at_once(*args)), _leaves(plain(*args)), strict=True):
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found, expected, rtol=1e-5 if found.dtype == np.float32 else 1e-11, atol=1e-12)


@pytest.mark.parametrize("f, args, argnums", ARRAYS, ids=lambda x: getattr(x, "__name__", ""))
def test_done_at_once(f, args, argnums):
    df = tg.jacfwd(f, argnums, fallback="error")
    assert "np.eye(" in df.source_for(*args)


def test_numbers_one_by_one():
    assert "np.eye(" not in tg.jacrev(recurrence).source_for(V)


def test_in_parts():
    n = 700      # more than fit in one part
    x = np.linspace(0.1, 1.0, n)
    np.testing.assert_allclose(tg.jacfwd(lambda x: np.sin(x) * x[::-1])(x), np.diag(np.cos(x) * x[::-1]) + np.diag(np.sin(x))[:, ::-1])
    np.testing.assert_allclose(tg.jacrev(lambda x: np.sin(x) * x[::-1])(x), np.diag(np.cos(x) * x[::-1]) + np.diag(np.sin(x))[:, ::-1])


def test_hessian_of_a_matrix():
    found, step = tg.hessian(written)(V), 1e-6
    jacobian = tg.jacrev(written)
    expected = np.stack([(jacobian(V + step * e) - jacobian(V - step * e)) / (2.0 * step) for e in np.eye(4)], axis=-1)
    np.testing.assert_allclose(found, expected, atol=1e-8)
    np.testing.assert_allclose(tg.hessian(written, optimize=False)(V), expected, atol=1e-8)


def test_displays_of_a_batch(recwarn):
    def rotation(t, scale):
        return np.array([[scale * np.cos(t), -np.sin(t), 0], [np.sin(t), np.cos(t), t], [0.0, 0.0, scale]])
    found = tg.vmap(rotation, in_axes=(0, None))(V, 2.0)
    np.testing.assert_array_equal(found, np.stack([rotation(t, 2.0) for t in V]))
    assert not recwarn.list


def test_rows_and_a_matrix_joined():
    def joined(x, m):
        return np.sum(np.vstack((m, x))[1:] ** 2) + np.sum(np.hstack([x[0], x]) ** 3)

    m = np.arange(8.0).reshape(2, 4)
    for found, expected in zip(tg.jacfwd(joined, (0, 1))(V, m), tg.grad(joined, (0, 1))(V, m)):
        np.testing.assert_allclose(found, expected)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tg.BatchLoopWarning)
        np.testing.assert_allclose(tg.vmap(joined, in_axes=(0, None))(np.stack([V, 2.0 * V]), m), [joined(V, m), joined(2.0 * V, m)])
