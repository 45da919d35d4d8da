"""Arrays that are None at first: loops run over them, and lists of what they were carry their cotangents."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import transgrad as tg
from tests import oracles
from transgrad.errors import UnsupportedSyntax

X = np.array([[0.21, 0.43, 0.58], [0.77, 1.04, 1.23], [1.37, 1.62, 1.83]])
Y = np.cos(X)


def rows(x, y):
    last, s = None, 0.0
    for k in range(3):
        if last is not None:
            for r in last:
                s = s + np.sum(r ** 2 * y[k])
        last = x * (k + 1.0) if k != 1 else None
    return s


def in_step(x, y):
    last, s = None, 0.0
    for k in range(3):
        if last is not None:
            for r, q in zip(last, y):
                s = s + np.sum(r ** 2 * q)
        last = x * (k + 1.0)
    return s


def elements(x, y):
    last, s = None, 0.0
    for _ in range(3):
        if last is not None:
            for i, r in enumerate(last[0]):
                s = s + i * r * r
            s += sum(last[2]) + sum(v * v for v in last[:, 1]) + max(last[0])
        last = x * y
    return s


def best(x, y):
    found, s = None, 0.0
    for k in range(3):
        v = np.sum(x[k] * y[k])
        if found is None or v > found:
            found = v
        else:
            s += v * found
    return found + s


def of_an_array(x, y):
    a, s = None, 0.0
    for k in range(3):
        if a is not None:
            s += np.sum(a * x[k])
        a = x[k] * y[k] if k < 1 else None
    return s


def of_a_dict(x, y):
    d: dict[str, Any] = {"a": None, "b": x * 1.0}
    s = 0.0
    for _ in range(3):
        if d["a"] is not None:
            s += np.sum(d["a"] * d["b"])
        d["a"] = d["b"] * y
        d["b"] = d["b"] + 1.0
    return s


def test_writes_are_refused():
    def scaled(x):
        found = None
        for k in range(3):
            if k == 1:
                found = x[k] * 1.0
        found[0] *= 2.0
        return np.sum(found ** 3)

    def replaced(x):
        found = None
        for k in range(3):
            if k == 1:
                found = x[k] * 1.0
        found[0] = 2.0
        return np.sum(found ** 3)

    for f in (scaled, replaced):
        with pytest.raises(UnsupportedSyntax, match="may be None"):
            tg.grad(f, fallback="error")(X)
        want = 3 * X[1] ** 2 * [8.0 if f is scaled else 0.0, 1.0, 1.0]
        with pytest.warns(tg.TapeFallbackWarning):
            np.testing.assert_allclose(tg.grad(f)(X), [0 * want, want, 0 * want], rtol=1e-12)


WAYS: dict[str, Any] = {
    "grad": lambda f: tg.grad(f, argnums=(0, 1), fallback="error")(X, Y),
    "plain": lambda f: tg.grad(f, argnums=(0, 1), fallback="error", optimize=False)(X, Y),
    "nested": lambda f: tg.grad(lambda x, y: tg.value_and_grad(f)(x, y)[0], argnums=(0, 1), fallback="error")(X, Y),
    "forward": lambda f: tg.jacfwd(f, argnums=(0, 1), fallback="error")(X, Y),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("f", [rows, in_step, elements, best, of_an_array, of_a_dict], ids=lambda f: f.__name__)
def test_gradients(f, way):
    problem = oracles.Problem(f, (X, Y), (0, 1))
    want, error = oracles.gradient(problem, problem.x)
    found = WAYS[way](f)
    np.testing.assert_allclose(np.concatenate([np.ravel(g) for g in found]), want, rtol=1e-6, atol=1e-7 + 10 * np.max(error))


def with_weights(x, y, w=None):
    if w is None:
        w = np.sin(y)
    return np.sum(w * x ** 3)


SECOND: dict[str, Any] = {
    "hessian": lambda f, v, **how: np.tensordot(tg.hessian(f, **how)(X, Y), v, 2),
    "hvp": lambda f, v, **how: tg.hvp(f, (X, Y), (v, np.zeros_like(Y)), **how)[0],
    "reverse": lambda f, v, **how: tg.grad(lambda x: np.sum(tg.grad(f)(x, Y) * v), **how)(X),
    "of_tangents": lambda f, v, **how: tg.grad(lambda x: tg.jvp(lambda z: f(z, Y), (x,), (v,))[1], **how)(X),
}


@pytest.mark.parametrize("optimize", [True, False])
@pytest.mark.parametrize("way", SECOND)
@pytest.mark.parametrize("f", [rows, in_step, elements, of_an_array, of_a_dict, with_weights], ids=lambda f: f.__name__)
def test_second_derivatives(f, way, optimize):
    v, step = np.cos(1.3 * np.arange(9.0)).reshape(3, 3), 1e-5
    g = tg.grad(f, fallback="error", optimize=optimize)
    want = (g(X + step * v, Y) - g(X - step * v, Y)) / (2 * step)
    np.testing.assert_allclose(SECOND[way](f, v, fallback="error", optimize=optimize), want, rtol=1e-6, atol=1e-7)
