"""What is computed from what is stored, in the loop that adds it."""
import numpy as np
import pytest

import transgrad as tg
from tests.oracles import complex_step

N = np.random.default_rng(9).normal


def stored(u, c):
    z, rows = u.copy(), np.zeros((3, len(u) - 2), dtype=u.dtype)
    for k in range(3):
        w = z[2:] - z[:-2]
        rows[k] = w
        z[1:-1] += c * w
    return np.sum(z ** 3) + np.sum(rows * rows)


def changed_between(u, c):
    z, rows = u.copy(), np.zeros((3, len(u) - 2), dtype=u.dtype)
    for k in range(3):
        w = z[2:] - z[:-2]
        rows[k] = w
        p = c * w
        rows[k, :2] = 0.5
        z[1:-1] += p
    return np.sum(z ** 3) + np.sum(rows * rows)


def factor_changed(u, c):
    z, rows, d = u.copy(), np.zeros((3, len(u) - 2), dtype=u.dtype), c * u[1:-1]
    for k in range(3):
        w = z[2:] - z[:-2]
        rows[k] = w
        p = d * w
        d[:2] = z[:2]
        z[1:-1] += p
        z[:-2] -= rows[k]
    return np.sum(z ** 3) + np.sum(rows * rows) + np.sum(d)


@pytest.mark.parametrize("f", [stored, changed_between, factor_changed], ids=lambda f: f.__name__)
def test_the_gradient_is_that_of_complex_steps(f):
    g = tg.value_and_grad(f, fallback="error", backend="numba")
    for n in (4, 5, 9):
        u, c = N(size=n), N(size=n - 2) * 0.5
        value, got = g(u, c)
        np.testing.assert_allclose(value, f(u, c), rtol=1e-13)
        np.testing.assert_allclose(got, complex_step(lambda x, c=c: f(x, c), u), rtol=1e-10, atol=1e-11)


def test_nothing_is_kept_for_the_addition():
    g = tg.grad(stored, fallback="error", backend="numba")
    g(N(size=9), N(size=7))
    assert "buffer" not in g.source.partition("# return")[0]
