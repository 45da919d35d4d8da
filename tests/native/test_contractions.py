"""Outer products, alone and added up."""
import numpy as np
import pytest

import transgrad as tg

RNG = np.random.default_rng(0)


def added_up(w, x, steps):
    total = np.zeros_like(w)
    for _ in range(steps):
        x = np.tanh(w @ x)
        total += np.outer(x, x * 2.0)
    return np.sum(total * w)


def grows(x, y):
    """Newton's method whose steps are kept, in a loop: what a turn has left is no part of the next."""
    total = 0.0
    for k in range(len(x)):
        z = x[k]
        while abs(z * z - y[k]) > 1e-10:
            z = 0.5 * (z + y[k] / z)
        total += z * x[k]
    return total


@pytest.mark.parametrize("dtype", [float, np.float32, int])
@pytest.mark.parametrize("n, m", [(3, 4), (1, 4), (3, 1), (0, 2), (1, 1)])
def test_outer(dtype, n, m):
    x, y = RNG.normal(size=n) * 5, RNG.normal(size=m) * 5
    x, y = x.astype(dtype), y.astype(dtype)
    got = tg.compile(lambda x, y: np.outer(x, y), backend="numba")(x, y)
    assert got.dtype == np.outer(x, y).dtype
    np.testing.assert_allclose(got, np.outer(x, y), rtol=1e-6)


def test_outer_products_that_are_added_up():
    w, x = RNG.normal(size=(4, 4)) / 2, RNG.normal(size=4)
    for got, want in zip(tg.grad(added_up, (0, 1), backend="numba")(w, x, 3), tg.grad(added_up, (0, 1))(w, x, 3)):
        np.testing.assert_allclose(got, want, rtol=1e-11, atol=1e-13)


def test_arrays_that_grow_are_kept_from_turn_to_turn():
    y = np.array([2.0, 1e12, 3.0, 1e-12, 1e40, 4.0])    # steps of very different number, first few and then more than there is room for
    x = np.array([2.0, 1e-30, 3.0, 1e30, 1.0, 2.0])
    derivative = tg.grad(grows, (0, 1), backend="numba")
    for got, want in zip(derivative(x, y), tg.grad(grows, (0, 1))(x, y)):
        np.testing.assert_allclose(got, want, rtol=1e-9)
    for got in derivative(x[:0], y[:0]):
        assert got.shape == (0,)


def test_rows_that_are_summed_are_summed_before_the_product():
    def f(a, b):
        return np.sum(np.tanh((np.sin(a)[None, :] - b[:, None, :]) @ np.swapaxes(b[:, None, :] * a[:, :, None][:3, :3], 1, 2)) ** 2)
    a, b = np.random.default_rng(1).normal(size=(5, 3)), np.random.default_rng(2).normal(size=(3, 3))
    plain = tg.grad(f, (0, 1), fallback="error", optimize=False)(a, b)
    for got, expected in zip(tg.grad(f, (0, 1), fallback="error", backend="numba")(a, b), plain):
        np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-13)
