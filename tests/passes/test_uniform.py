"""Cotangents that are one number at each entry are that number."""
from __future__ import annotations

import numpy as np
import pytest

import transgrad as tg

RNG = np.random.default_rng(6)


def factor_of_a_sum(x, a):
    y = np.sin(x)
    z = a * y
    return a * np.sum(y * x + z)


def powers(x, a):
    return a * np.sum(0.5 * a * x ** 2 + a ** 2 * x ** 4)


def rolled(x, a):
    return np.sqrt(np.sum(3.0 * x ** 2 + np.roll(x, 1) * x * a + np.roll(x, 2) * a + 20.0))


def shifted(x, a):
    return np.exp(np.sum(np.cos(x[1:] * a - x[:-1] / a)) / len(x)) * a


def of_rows(x, a):
    """A column of numbers, each stretched along its row, is not one number."""
    return np.sum(np.sum(np.outer(x, x) * a, axis=1) ** 2 * a) * a


def with_the_mean(x, a):
    y = a * x
    return np.log(1.0 + np.mean((y - np.mean(y)) ** 2)) * np.sum(y)


def in_place(x, a):
    y = a * x
    y *= a
    y[1:] += a * y[:-1]
    return a * np.sum(y)


PROGRAMS = [factor_of_a_sum, powers, rolled, shifted, of_rows, with_the_mean, in_place]


@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_gradients(f, backend):
    gradient = tg.grad(f, (0, 1), fallback="error", backend=backend)
    plain = tg.grad(f, (0, 1), fallback="error", optimize=False)
    for x in (RNG.normal(size=5), RNG.normal(size=1), RNG.normal(size=300)):
        for a in (0.7, -1.5):
            for got, want in zip(gradient(x, a), plain(x, a)):
                np.testing.assert_allclose(got, want, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_more_than_gradients(f):
    x, a = RNG.normal(size=5), 0.7
    np.testing.assert_allclose(tg.hessian(f)(x, a), tg.hessian(f, optimize=False)(x, a), rtol=1e-10, atol=1e-11)
    xs = RNG.normal(size=(3, 5))
    got = tg.vmap(tg.grad(f), in_axes=(0, None))(xs, a)
    np.testing.assert_allclose(got, [tg.grad(f, optimize=False)(row, a) for row in xs], rtol=1e-11, atol=1e-12)
    for number in (np.float64(0.7), np.array(0.7)):
        for got, want in zip(tg.grad(f, (0, 1))(x, number), tg.grad(f, (0, 1), optimize=False)(x, number)):
            np.testing.assert_allclose(got, want, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("number", [0.7, np.float32(0.7), np.float64(0.7)])
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_less_precision(f, number):
    x = RNG.normal(size=6).astype(np.float32)
    for got, want in zip(tg.grad(f, (0, 1))(x, number), tg.grad(f, (0, 1), optimize=False)(x, number)):
        assert np.asarray(got).dtype == np.asarray(want).dtype
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)


def test_the_texts():
    x = RNG.normal(size=5)
    for f in (factor_of_a_sum, powers, shifted):
        gradient = tg.grad(f, (0, 1), fallback="error")
        gradient(x, 0.7)
        assert "broadcast_to" not in gradient.source
    gradient = tg.grad(powers, (0, 1), fallback="error")
    gradient(x, 0.7)
    assert "a * np.sum(" in gradient.source


def test_gradients_may_be_written_to():
    def f(x, a):
        return a * np.sum(a * x)
    for got in (tg.grad(f)(np.ones(3), 2.0), tg.value_and_grad(f)(np.ones(3), 2.0)[1]):
        np.testing.assert_array_equal(got, 4.0)
        got += 1.0
