"""What is added to slices of zeros is added up first: the same Hessian times a vector, from a shorter text."""
from __future__ import annotations

import numpy as np
import pytest

import transgrad as tg
from transgrad.transforms.derivative import Derivative
from transgrad.transforms.options import Options
from transgrad.transforms.transformations import Product

RNG = np.random.default_rng(29)


def chain(x):
    return np.sum((x[1:] - x[:-1] ** 2) ** 2 + np.cos(x[:-1]))


def overlapping(x):
    return np.sum(x[1:] * x[:-1] ** 2) + np.sum(x[2:] ** 3) + np.sum(np.exp(x[1:]) * x[:-1])


def written(x):
    y = x * x
    y[1:] += np.sin(x[:-1])
    y[:-1] *= y[1:]
    return np.sum(y * x) + np.sum(y[1:] * y[:-1])


def in_a_loop(x):
    total = 0.0
    for k in range(3):
        total += np.sum(x[k:] ** 3) + np.sum(np.sin(x[1:]) * x[:-1])
    return total + np.sum(x[1:] * x[:-1] ** 2)


def matrix(x):
    return np.sum(x[1:, :] ** 2 * x[:-1, :]) + np.sum(np.exp(x[:, 1:] * x[:, :-1])) + np.sum(x[1:] * x[:-1] ** 2)


CASES = [chain, overlapping, written, in_a_loop, matrix]


@pytest.mark.parametrize("f", CASES)
def test_products_are_those_of_differences(f):
    shape = (4, 5) if f is matrix else 6
    x, v = RNG.normal(size=shape), RNG.normal(size=shape)
    g = tg.grad(f, fallback="error")
    step = 1e-5
    want = (g(x + step * v) - g(x - step * v)) / (2 * step)
    for optimize in (True, False, {"simplify": False}):
        (found,) = tg.hvp(f, (x,), (v,), fallback="error", optimize=optimize)
        np.testing.assert_allclose(found, want, rtol=1e-6, atol=1e-7)


def test_the_text():
    product = Derivative(Product(), chain, 0, None, Options(fallback="error"))
    product(RNG.normal(size=5), RNG.normal(size=5))
    body = product.source.split('."""\n')[1]
    assert body == '''\
    s = x_dot[:-1]
    t = x[:-1]
    q = 2.0 * t

    # return np.sum((x[1:] - x[:-1] ** 2) ** 2 + np.cos(x[:-1]))
    x_bar_dot = np.zeros(len(x))
    r = 2.0 * (x_dot[1:] - q * s)
    w = np.cos(t) * s + (2.0 * s * (2.0 * (x[1:] - t ** 2)) + q * r)
    x_bar_dot[:-1] -= w
    x_bar_dot[1:] += r
    return x_bar_dot
'''


@pytest.mark.parametrize("given", [np.float32, np.int64, list, "strided"])
def test_tangents_that_have_to_be_made_to_fit(given):
    x, v = RNG.normal(size=6), np.array([1.0, 2.0, -1.0, 0.0, 3.0, 1.0])
    (want,) = tg.hvp(chain, (x,), (v,))
    other = np.repeat(v, 2)[::2] if given == "strided" else list(v) if given is list else v.astype(given)
    np.testing.assert_allclose(tg.hvp(chain, (x,), (other,))[0], want)
    out, dot = tg.jvp(np.sin, (x,), (other,))
    np.testing.assert_allclose(dot, np.cos(x) * v)
    with pytest.raises(ValueError, match="shape"):
        tg.hvp(chain, (x,), (v[:-1],))
    with pytest.raises(TypeError):
        tg.hvp(chain, (x,), (v,), no_such_option=1)
