"""An array whose elements two loops access, and that is read as a whole between them."""
from __future__ import annotations

import numpy as np
import pytest

import transgrad as tg


def read_then_written(x, b):
    vec = np.zeros(len(b))
    total = 0.0
    for i in range(len(x)):
        for j in range(3):
            total += x[i, j] * vec[i]
    total += np.sum((vec + b) * vec)
    p = 0.0
    for i in range(len(b)):
        p = np.sin(p + b[i])
        vec[i] = p
    return total + np.sum(vec * b)


def written_then_read(x, b):
    vec = np.ones(len(b))
    p = 0.0
    for i in range(len(b)):
        p = np.sin(p + b[i])
        vec[i] = p
    total = np.sum(vec * vec)
    q = 1.0
    for i in range(len(b)):
        q = np.cos(q * vec[i]) + x[i, 0]
        vec[i] += q
    return total + np.sum(vec * b)


@pytest.mark.parametrize("f", [read_then_written, written_then_read])
def test_derivatives(f) -> None:
    rng = np.random.default_rng(0)
    x, b, u, v = rng.normal(size=(9, 3)), rng.normal(size=9), rng.normal(size=(9, 3)), rng.normal(size=9)
    want = (f(x + 1e-6 * u, b + 1e-6 * v) - f(x - 1e-6 * u, b - 1e-6 * v)) / 2e-6
    value, (x_bar, b_bar) = tg.value_and_grad(f, (0, 1), fallback="error")(x, b)
    assert value == pytest.approx(f(x, b))
    assert np.vdot(x_bar, u) + b_bar @ v == pytest.approx(want, rel=1e-6)
    assert tg.jvp(f, (x, b), (u, v), fallback="error")[1] == pytest.approx(want, rel=1e-6)
