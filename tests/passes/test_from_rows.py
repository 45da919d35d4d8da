"""Cotangents of matrices whose rows are read one by one are put together of those of the rows."""
from __future__ import annotations

import numpy as np
import pytest

import transgrad as tg
from transgrad.testing import check_grad

RNG = np.random.default_rng(37)


def rows(x):
    m = np.exp(x.reshape(3, -1))
    a, b, c = m[0], m[1], m[2]
    return np.sum(a * b * np.sin(c))


def rows_and_slices(x):
    m = np.exp(x.reshape(3, -1))
    return np.sum(np.sin(m[1:]) * np.cos(m[0]))


def twice(x):
    m = np.exp(x.reshape(3, -1))
    return np.sum(m[0] * m[1] * np.sin(m[2]) * m[0] ** 2)


def not_all(x):
    m = np.exp(x.reshape(3, -1))
    return np.sum(m[0] * m[1])


def broadcast(x):
    m = np.exp(x.reshape(3, -1))
    return np.sum(np.sum(m[0]) * m[1] * m[2])


def the_whole_as_well(x):
    m = np.exp(x.reshape(3, -1))
    return np.sum(m[0] * m[1] * np.sin(m[2])) + np.sum(m ** 2)


def in_a_loop(x):
    total = 0.0
    for k in range(3):
        m = np.exp(x.reshape(3, -1) * k)
        total += np.sum(m[0] * m[-2] * np.sin(m[2]))
    return total


def written(x):
    m = np.exp(x.reshape(3, -1))
    m[0] *= 2.0
    m[1] += m[0]
    return np.sum(m[0] * m[1] * m[2])


CASES = [rows, rows_and_slices, twice, not_all, broadcast, the_whole_as_well, in_a_loop, written]


@pytest.mark.parametrize("f", CASES)
def test_gradients_are_those_of_differences(f):
    for x in (RNG.normal(size=12), RNG.normal(size=3)):
        check_grad(f, (x,))
        want = tg.grad(f, optimize=False)(x)
        np.testing.assert_allclose(tg.grad(f, fallback="error")(x), want, rtol=1e-12)
        np.testing.assert_allclose(tg.hessian(f)(x), tg.hessian(f, optimize=False)(x), rtol=1e-10, atol=1e-12)


def test_the_text():
    def f(m):
        r = np.sin(m.reshape(3, -1))
        return np.sum(np.exp(r[0]) * np.exp(r[1]) * np.exp(r[2]))

    text = tg.grad(f).source_for(np.ones(12))
    assert "np.array((" in text and "zeros_like" not in text


@pytest.mark.usefixtures("rows_stay_arrays")
def test_what_is_kept_for_its_shape_alone_is_not_kept():
    """Of a matrix that is known by its rows, not even the shape is asked for."""
    def f(c, x):
        for _ in range(4):
            m = x.reshape(2, -1) + c
            c = 0.1 * np.sum(np.exp(m[0]) * np.exp(m[1]))
        return c

    args = RNG.normal(), RNG.normal(size=6)
    text = tg.grad(f, (0, 1)).source_for(*args)
    assert "zeros_like(m" not in text and "saved_m" not in text
    check_grad(f, args)
