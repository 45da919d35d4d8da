"""Large arrays are computed just before they are read."""
from __future__ import annotations

import numpy as np
import pytest

import transgrad as tg

RNG = np.random.default_rng(8)
X, Y = RNG.normal(size=20_000), RNG.normal(size=20_000)


def two_chains(x, y):
    a = np.exp(-x * x) * y
    b = np.tanh(x * y) + 1.0
    return np.sum(np.sqrt(a * a + b * b))


def written_between(x, y):
    z = x * 1.0
    a = np.sin(z) * y
    z[1:] *= y[:-1]
    b = np.cos(z) * y
    z += a
    return np.sum(a * b * z)


def views(x, y):
    a = np.exp(x * y)
    part = a[::2]
    b = np.log(1.0 + a * a)
    part = part * b[1::2]
    return np.sum(part) + np.sum(b * x)


def in_a_loop(x, y):
    total = 0.0
    for k in range(3):
        a = np.sin(x * k)
        b = a * y
        x = x + 0.1 * np.cos(b)
        total = total + np.sum(a * b)
    return total


@pytest.mark.parametrize("f", [two_chains, written_between, views, in_a_loop])
def test_derivatives(f):
    for transform in (tg.grad, tg.value_and_grad):
        got, want = (transform(f, (0, 1), fallback="error", optimize=o)(X, Y) for o in (True, {"reuse": False}))
        for p, q in zip(_leaves(got), _leaves(want)):
            np.testing.assert_allclose(p, q, rtol=1e-13, atol=1e-14)
    (tangent, *_), (wanted, *_) = (tg.hvp(f, (X, Y), (Y, X), fallback="error", optimize=o) for o in (True, {"reuse": False}))
    np.testing.assert_allclose(tangent, wanted, rtol=1e-12, atol=1e-12)


def _leaves(x):
    return [leaf for part in x for leaf in _leaves(part)] if isinstance(x, tuple) else [x]


def test_the_text():
    def f(x, y):
        a = np.sin(x)
        b = np.cos(y)
        return np.sum(np.exp(b) * b) + np.sum(np.exp(a) * a)
    code = [line.strip() for line in tg.grad(f, (0, 1), fallback="error").source_for(X, Y).splitlines() if "#" not in line]
    assert code.index("a = np.sin(x)") < code.index("del a, s") < code.index("b = np.cos(y)")
