"""Arrays that are None before a loop gives them a value, in a batch: they have the dimensions of the examples behind that of the batch."""
from __future__ import annotations

import numpy as np
import pytest

import transgrad as tg

X = np.random.default_rng(0).uniform(0.2, 1.8, (4, 3))
Y = np.array([1.0, 2.0, 0.5])
M = np.array([[2.0, 0.1, 0.3], [0.2, 3.0, 0.4], [0.5, 0.1, 2.5]])

USES = {
    "product": lambda a, y: np.sum(a * y),
    "array first": lambda a, y: np.sum(M * a),
    "power": lambda a, y: np.sum((a - y) ** 2),
    "sum": lambda a, y: np.sum(a),
    "method": lambda a, y: a.sum() * a.max(),
    "inner": lambda a, y: a @ y + np.dot(M, a)[0],
    "outer": lambda a, y: np.sum(np.outer(a, y) * M),
    "element": lambda a, y: a[1] * y[0] + a[-1],
    "part": lambda a, y: np.sum(a[1:] * y[:-1]),
    "axis": lambda a, y: np.sum(a[:, None] * M),
    "where": lambda a, y: np.sum(np.where(y > 0.7, a, y) * M),
    "maximum": lambda a, y: np.sum(np.maximum(a, M)),
    "stack": lambda a, y: np.sum(np.stack([a, y]) * np.array([[1.0], [2.0]])),
    "clip": lambda a, y: np.sum(np.clip(a, 0.5, y + 1)),
    "norm": lambda a, y: np.linalg.norm(a),
    "length": lambda a, y: len(a) * a.size * np.sum(a) + a.shape[0],
    "sort": lambda a, y: np.sort(a)[0],
    "shape": lambda a, y: np.sum(a.reshape(3, 1) * M),
    "broadcast": lambda a, y: np.sum(np.broadcast_to(a, (3, 3)) * M.T),
    "negative": lambda a, y: np.sum(-a * np.exp(a)),
    "items": lambda a, y: sum(v * w for v, w in zip(a, y)),
}


@pytest.mark.filterwarnings("ignore::transgrad.BatchLoopWarning", "ignore::transgrad.TapeFallbackWarning")
@pytest.mark.parametrize("name", USES)
def test_uses(name):
    use = USES[name]

    def f(x, y):
        last, s = None, 0.0
        for k in range(4):
            if last is not None:
                s = s + use(last, y) * (k + 1.0)
            last = x * (k + 1.0) if k != 1 else None
        return s

    def g(x, y):
        total = None
        for k in range(3):
            total = x * y if total is None else total + x ** k
        return use(total, y)

    for h in (f, g):
        np.testing.assert_allclose(tg.vmap(h, (0, None))(X, Y), [h(x, Y) for x in X], rtol=1e-12)
        np.testing.assert_allclose(tg.vmap(h, (None, 1))(Y, X.T), [h(Y, x) for x in X], rtol=1e-12)
        want = tg.grad(h)(X[0], Y)
        np.testing.assert_allclose(tg.jacfwd(h)(X[0], Y), want, rtol=1e-10)


def test_written_into_an_array():
    def f(x, y):
        z, last = np.zeros((3, 3)), None
        for k in range(3):
            if last is not None:
                z[k] = last
                z[:, k] += last
            last = x * y[k]
        return z

    np.testing.assert_allclose(tg.vmap(f, (0, None))(X, Y), [f(x, Y) for x in X], rtol=1e-12)
    np.testing.assert_allclose(tg.jacfwd(f)(X[0], Y), tg.jacrev(f)(X[0], Y), rtol=1e-12)


def test_a_hessian_with_a_result_that_one_branch_does_not_compute_is_well_typed(monkeypatch):
    """The placeholder of such a result has the rank of the result, so that eliminating common subexpressions confuses no two."""
    monkeypatch.setenv("TRANSGRAD_VERIFY", "types")

    def norm(x, order):
        if order == 1:
            return np.sum(np.abs(x))
        return np.sum(np.abs(x) ** order) ** (1.0 / order)

    x = np.array([0.6, -1.2, 0.3])
    found = tg.hessian(norm, fallback="error")(x, 2)
    r = np.sqrt(x @ x)
    np.testing.assert_allclose(found, np.eye(3) / r - np.outer(x, x) / r ** 3, atol=1e-12)


@pytest.mark.parametrize("k", [1.0, -1.0])
def test_an_array_that_only_one_branch_computes_is_well_typed(monkeypatch, k):
    monkeypatch.setenv("TRANSGRAD_VERIFY", "types")

    def f(x, k):
        if k > 0:
            s = x * 2
        r = 0.0
        if k > 0:
            r = np.sum(s)
        return r + np.sum(x)

    np.testing.assert_allclose(tg.vmap(f, in_axes=(0, None), fallback="error")(X, k), [f(x, k) for x in X])
