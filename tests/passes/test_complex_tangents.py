"""Complex arrays that are written to: their tangents are complex too, also where they begin with those of real numbers."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import transgrad as tg
from tests import oracles
from transgrad.errors import TransgradError

X = np.array([[0.21, 0.43, 0.58], [0.77, 1.04, 1.23], [1.37, 1.62, 1.83]])
Y = np.cos(X)


def element(x, y):
    z = x + 1j * y
    z[0] = y[0] * 1j * x[1] ** 2
    return np.sum(np.abs(z) ** 2)


def whole(x, y):
    z = x + 1j * y
    z *= 1j
    z += x
    return np.sum(z.imag ** 2 * x)


def each_turn(x, y):
    z = x + 1j * y
    for k in range(2):
        z[k] *= 1j * x[k]
    return np.sum(z.imag ** 2 * x)


def chosen(x, y):
    z = np.where(x > 1, x, 1j * y)
    z[0] = 1j * x[1]
    return np.sum(np.abs(z) ** 2 * x)


def of_dtype(x, y):
    z = np.array([x[0], y[0]], dtype=complex)
    z[1] = 1j * x[1]
    z[0] *= 1j * z[1]
    return np.sum(np.abs(z + 1) ** 2)


def filled(x, y):
    z = np.full((3,), x[0, 0], dtype=complex)
    z[0] = 1j * x[1, 0]
    z.real[1] = y[1, 1] * x[1, 1]
    return np.sum(np.abs(z) ** 2)


def repeated(x, y):
    z = np.repeat(x[0] + 1j * y[0], 2)
    z[0] = x[1, 0] * y[0, 0]
    z[3:] *= 1j * x[0, 1]
    return np.sum(np.abs(z) ** 4)


def repeated_real_numbers(x, y):
    z = np.tile(x[0] + 0j, 3)
    w = z[1:3]
    w *= 1j * y[0, 0]
    return np.sum(np.abs(z) ** 4) + np.sum(w.imag ** 3)


def read_as_real_numbers(x, y):
    z = x + 1j * y
    z[0] = 1j * x[1] * y[1]
    return np.sum((2.0 * z).real ** 2) + np.sum(np.where(x > 1, z * z, 0.0).real) + np.sum(np.abs(z) ** 2)


FUNCTIONS = [element, whole, each_turn, chosen, of_dtype, filled, repeated, repeated_real_numbers, read_as_real_numbers]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_forward_and_backward(f):
    problem = oracles.Problem(f, (X, Y), (0, 1))
    want, error = oracles.gradient(problem, problem.x)
    for derive in (tg.jacfwd, tg.grad):
        found = derive(f, argnums=(0, 1), fallback="error")(X, Y)
        np.testing.assert_allclose(np.concatenate([np.ravel(g) for g in found]), want, rtol=1e-6, atol=1e-7 + 10 * np.max(error))
    np.testing.assert_allclose(tg.jvp(f, (X, Y), (X, Y))[1], want @ problem.x, rtol=1e-6)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_second_derivatives(f):
    df, step = tg.grad(f, fallback="error"), 1e-6
    want = (df(X + step * Y, Y) - df(X - step * Y, Y)) / (2 * step)
    for optimize in (True, False):
        how: Any = {"fallback": "error", "optimize": optimize}
        for derive in (tg.hessian, lambda f, **how: tg.jacrev(tg.grad(f), **how), lambda f, **how: tg.jacfwd(tg.grad(f), **how)):
            np.testing.assert_allclose(np.tensordot(derive(f, **how)(X, Y), Y, 2), want, rtol=1e-5, atol=1e-7)
        np.testing.assert_allclose(tg.hvp(f, (X, Y), (Y, np.zeros_like(Y)), **how)[0], want, rtol=1e-5, atol=1e-7)


@pytest.mark.filterwarnings("error")
def test_imaginary_parts_in_place():
    def f(x, y):
        z = x + 1j * y
        im = z.imag
        im *= 2.0
        return np.sum(np.abs(z) ** 2)

    np.testing.assert_allclose(tg.jacfwd(f, argnums=(0, 1), fallback="error")(X, Y), (2 * X, 8 * Y), rtol=1e-12)


def test_single_precision_is_widened():
    def f(x, y):
        z = x + y
        z[0] = y[1] ** 2
        return z

    single = X.astype(np.float32)
    tangent = tg.jvp(f, (single, Y), (0 * single, Y))[1]
    np.testing.assert_allclose(tangent, [2 * Y[1] ** 2, Y[1], Y[2]], rtol=1e-12)


def test_bytes_read_as_other_numbers():
    """The cotangent of an imaginary part is not where the imaginary part is."""
    def f(x, y):
        z = x * (1 + 1j)
        v = z.view(float)
        v[0, ::2] = y[0]
        return np.sum(v ** 2)

    for optimize in (True, False):
        with pytest.raises(TransgradError):
            tg.grad(f, fallback="error", optimize=optimize)(X, Y)
