"""Reshaped arrays of any memory layout: reshaping makes a view of an array in C order, and a copy of another, and so of its cotangent."""
from __future__ import annotations

import numpy as np
import pytest

import transgrad as tg
from tests.oracles import Problem, assert_close, gradient

MASK = np.array([True, False] * 6)
RNG = np.random.default_rng(3)
ARRAY = RNG.normal(size=(3, 4))


def masked(x):
    s = 0.0
    for k in range(2):
        s = s + np.sum(np.ravel(x)[MASK] ** 2) * (k + 1)
    return s


def of_argument(x):
    return masked(x)


def of_product(x):
    return masked(x * 2)


def of_transposed(x):
    return masked(x.T)


def of_columns(x):
    return masked(np.concatenate((x, x[:, :1] ** 2), axis=1)[:, 1:])


def neighbours(x):
    y = x.T
    s = 0.0
    for k in range(3):
        v = y.reshape(-1)
        s = s + v[k] * v[k + 1]
    return s


def halves(x):
    s = 0.0
    for k in range(2):
        s = s + np.reshape(x[:, ::2], -1)[k] ** 2 * np.ravel(x[0])[k]
    return s


def once(x):
    y = np.ravel(x)
    s = 0.0
    for k in range(len(y) - 1):
        s = s + y[k] * y[k + 1]
    return s


LAYOUTS = {"C": ARRAY, "Fortran": np.asfortranarray(ARRAY), "strided": np.repeat(ARRAY, 2, axis=1)[:, ::2], "reversed": ARRAY[::-1, ::-1]}


@pytest.mark.parametrize("f", [masked, of_argument, of_product, of_transposed, of_columns, neighbours, halves, once])
def test_gradients_of_reshaped_arrays(f):
    g = tg.grad(f, fallback="error")
    for x in LAYOUTS.values():      # one derivative for all of them
        problem = Problem(f, (x,), (0,))
        want, error = gradient(problem, problem.x)
        assert_close(g(x), want, x, error=error)
