"""np.mgrid, np.ogrid, np.r_ and np.c_: what they make has the type that NumPy's result has, and is differentiated."""
from __future__ import annotations

import numpy as np
import pytest

import transgrad as tg
from tests.oracles import gradient
from tests.rules.test_on_ir import agrees
from transgrad.frontend.entry import lower
from transgrad.ir.types import UNKNOWN

X = np.array([0.3, 0.5, 0.7, 0.2])
WIDTH = 2.0


def to_its_length(x):
    n = len(x)
    p, q = np.mgrid[0:n, :n]
    return np.sum(np.exp(-(p - q) ** 2 * x[0]) * x)


def known_numbers(x):
    p, q = np.mgrid[0:3, 1:5]
    return np.sum(p * q * x ** 2)


def counted(x):
    p, q = np.mgrid[0:1:5j, 0:WIDTH:3j]
    return np.sum(np.sin(p * x[0]) * q * x[1])


def steps(x):
    p = np.mgrid[0.5:3.0:0.5]
    return np.sum(np.cos(p * x[0]))


def one_row(x):
    p, q, r = np.mgrid[0:1, 0:2, -1:1:2j]
    return np.sum((p + q) * r * x[1]) + np.sum(np.sin(r * x[2]))


def open_grid(x):
    p, q = np.ogrid[:4, 0:1:3j]
    return np.sum(np.sin((p + q) * x[0]))


def open_line(x):
    return np.sum(np.ogrid[0:4] * x)


def written_to(x):
    g = np.mgrid[0.0:4, 0:4]
    g[0] *= x
    g[1, 2] += x ** 2
    return np.sum(g[0] * g[1])


def joined_with_slices(x):
    y = np.r_[0:3, x, -1:1:3j, 0.0:1.0:0.25, x[0]]
    return np.sum(np.sin(y) ** 2 * np.arange(len(y)))


def joined_from_one(x):
    return np.sum(np.r_[x[0]:2.0:0.5] ** 2)


def columns_with_slices(x):
    y = np.c_[x, 0:4, x ** 2, [1.0, 2.0, 3.0, 4.0]]
    return np.sum(np.tanh(y @ y.T))


FUNCTIONS = [to_its_length, known_numbers, counted, steps, one_row, open_grid, open_line, written_to, joined_with_slices, joined_from_one,
             columns_with_slices]


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_derivatives(f):
    want, _ = gradient(f, X)
    for transform in (tg.grad, tg.jacfwd, tg.jacrev):
        np.testing.assert_allclose(transform(f, fallback="error")(X), want, rtol=1e-6, atol=1e-8)
    second = tg.hessian(f, fallback="error")(X)
    np.testing.assert_allclose(second, tg.jacfwd(tg.grad(f))(X), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("f", [
    lambda n: np.mgrid[0:n, :n], lambda n: np.mgrid[0:n], lambda n: np.mgrid[0:3, 1:5], lambda n: np.mgrid[0:1:5j, 0:WIDTH:3j],
    lambda n: np.mgrid[0:1, 0:2:1j], lambda n: np.mgrid[0.5:n], lambda n: np.mgrid[0:n * 0.5:0.5, 0:2], lambda n: np.mgrid[3:0:-1],
    lambda n: np.ogrid[:4, 0:n], lambda n: np.ogrid[0:n], lambda n: np.ogrid[0:1:3j, :2, 0:1], lambda n: np.mgrid[:-2],
])
def test_types(f):
    """The type that is found when compiling is that of NumPy's result."""
    for n in (1, 4):
        found, want = lower(f, {"n": n}).body.yields, f(n)
        assert UNKNOWN not in [y.type for y in found]
        for y, x in zip(found, want if isinstance(want, tuple) else [want], strict=True):
            assert agrees(y.type, x)


def test_numbers_that_are_differentiated_make_no_grid():
    def f(x):
        p = np.mgrid[x[0]:2.0:0.5]
        return np.sum(p ** 2)

    with pytest.raises(tg.UnsupportedCall):
        tg.grad(f, fallback="error")(X)
