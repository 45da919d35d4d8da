"""A large array of zeros is filled where it is first written to; and what NumPy does in Python is asked of its machine code."""
from __future__ import annotations

import numpy as np
import pytest

import transgrad as tg
from transgrad.transforms.derivative import Derivative
from transgrad.transforms.options import Options
from transgrad.transforms.transformations import Product

RNG = np.random.default_rng(3)
LARGE = 40_000


def chain(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def shifted(x):
    return np.sum(x[3:] ** 3) + np.sum(x ** 2)


def between(x):
    return np.sum((1.0 - x[:-1]) ** 2 + x[1:] * x[:-1] ** 2)


def twice(x):
    left = 2.0 * x[:-1]
    return np.sum(left * np.sin(x[1:])) + np.sum(np.exp(left) * x[:-1])


def mean_of_rows(x):
    return np.sum(np.mean(x, axis=1) ** 2)


def product(f, n, **options):
    """The text and the Hessian's product."""
    derivative = Derivative(Product(), f, 0, None, Options(fallback="error", **options))
    x, v = RNG.normal(size=n), RNG.normal(size=n)
    return derivative, x, v


def test_the_text():
    derivative, x, v = product(chain, LARGE)
    derivative(x, v)
    text = derivative.source
    assert "x_bar_dot = np.empty(len(x))\n" in text and "v = x_bar_dot[:-1]\n    np.multiply(2.0, s, out=v)" in text
    assert "np.subtract(v, w, out=v)" in text
    assert "x_bar_dot[-1:] = 0.0" in derivative.source
    derivative, x, v = product(chain, 2_000)       # memory of which NumPy has at hand
    derivative(x, v)
    assert "out=x_bar_dot[:-1])" in derivative.source and "v = 2.0 * s" in derivative.source
    derivative, x, v = product(chain, 50)
    derivative(x, v)
    assert "np.empty" not in derivative.source


@pytest.mark.parametrize("f", [chain, shifted, between, twice])
def test_products_are_those_of_differences(f):
    derivative, x, v = product(f, LARGE)
    gradient, step = tg.grad(f, fallback="error"), 1e-5
    want = (gradient(x + step * v) - gradient(x - step * v)) / (2 * step)
    np.testing.assert_allclose(derivative(x, v), want, rtol=1e-5, atol=1e-5)
    for n in (0, 1, 2, 3, 4, 50):       # with the text of large ones, then with their own
        x, v = RNG.normal(size=n), RNG.normal(size=n)
        want = tg.hvp(f, (x,), (v,), optimize=False)[0]
        np.testing.assert_allclose(derivative.variants[0].function(x, v), want)
        np.testing.assert_allclose(derivative(x, v), want)


@pytest.mark.parametrize("optimize", [{"simplify": False}, {"reuse": False}, False])
def test_switched_off(optimize):
    derivative, x, v = product(chain, LARGE, optimize=optimize)
    np.testing.assert_allclose(derivative(x, v), tg.hvp(chain, (x,), (v,))[0], rtol=1e-12, atol=1e-12)
    assert ("np.zeros_like(x)" in derivative.source) == (optimize != {"reuse": False}) and "np.empty" not in derivative.source


def test_added_axes_are_indices():
    gradient = tg.grad(mean_of_rows, fallback="error")
    x = RNG.normal(size=(3, 4))
    np.testing.assert_allclose(gradient(x), np.repeat(x.mean(axis=1)[:, None] / 2, 4, axis=1))
    assert "expand_dims" not in gradient.source and "[:, None]" in gradient.source
    plain = tg.grad(mean_of_rows, fallback="error", optimize=False)
    np.testing.assert_allclose(plain(x), gradient(x))


def test_zeros_have_the_dtype_and_the_order_of_what_they_are_like():
    def rows(x):
        return np.sum(x[1:] ** 2)
    for x in (RNG.normal(size=5).astype(np.float32), np.asfortranarray(RNG.normal(size=(4, 5)))):
        found = tg.grad(rows, fallback="error")(x)
        assert found.dtype == x.dtype and found.flags.f_contiguous == x.flags.f_contiguous
