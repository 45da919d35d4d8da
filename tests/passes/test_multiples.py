"""Multiples meet in products: fewer operations, the same derivatives."""
from __future__ import annotations

import numpy as np
import pytest

import transgrad as tg
from tests.passes.show import lowered, text
from transgrad.ir.ops import walk
from transgrad.passes.algebra.constant_multiples import combine_constant_multiples

RNG = np.random.default_rng(11)


def scaled(x):
    t = 2.0 * x
    q = 200.0 * t
    return t * q, -q


def mixed(x):
    t = 2.0 * x
    q = 3.0 * np.sin(x)
    return t * q, np.exp(t)


def written(x):
    y = x.copy()
    t = 2.0 * y
    y[0] = 7.0
    return t * (3.0 * t), y


def after(f, x):
    fn = lowered(f, x)
    for op in walk(fn.body):
        op.part = "adjoint"
    combine_constant_multiples(fn)
    return text(fn)


def test_the_text():
    found = after(scaled, RNG.normal(size=5))
    assert "800.0 * x ** 2" in found and "-400.0 * x" in found


def test_a_multiple_that_something_else_reads_stays():
    found = after(mixed, RNG.normal(size=5))
    assert "t * q" in found and "6.0" not in found


def test_what_is_written_to_in_between_is_not_read_again():
    assert "6.0" not in after(written, RNG.normal(size=5))


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def cubes(x):
    return np.sum((2.0 * x) ** 3 * (5.0 * x)) + np.sum(-(3.0 * x) * (4.0 * x[::-1]))


def buffered(x):
    y = 2.0 * x
    for _ in range(2):
        y[1:] += (3.0 * y[:-1]) * (-2.0 * y[:-1]) * 0.1
    return np.sum(y * y)


@pytest.mark.parametrize("f", [rosenbrock, cubes, buffered])
@pytest.mark.parametrize("n", [1, 2, 6])
def test_second_derivatives_are_the_same_without(f, n):
    x, v = RNG.normal(size=n), RNG.normal(size=n)
    for g in (lambda **o: tg.grad(f, fallback="error", **o)(x), lambda **o: tg.hessian(f, fallback="error", **o)(x),
              lambda **o: tg.hvp(f, (x,), (v,), fallback="error", **o)[0]):
        np.testing.assert_allclose(g(), g(optimize=False), rtol=1e-12, atol=1e-12)


def test_what_is_not_finite_stays_so():
    x = np.array([np.inf, np.nan, 1e200, -0.0, 1.0])
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(tg.grad(cubes)(x), tg.grad(cubes, optimize=False)(x))


def test_the_hessian_of_a_polynomial_is_short():
    h = tg.hessian(rosenbrock, fallback="error")
    h(RNG.normal(size=6))
    assert "-400.0 * s" in h.source and "800.0 * t" in h.source
