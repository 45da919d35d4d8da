"""Derivatives keep their relative accuracy where the value is close to its limit."""
from __future__ import annotations

import math  # noqa: F401, the source that is evaluated reads it
import warnings
from typing import Any

import numpy as np
import pytest
import scipy.special as sp

import transgrad as tg

X = np.array([-700.0, -300.0, -40.0, -20.0, -3.0, -0.5, 0.0, 0.5, 3.0, 20.0, 40.0, 300.0])


def logistic_slope(x: Any) -> Any:
    e = np.exp(-np.abs(np.asarray(x, np.longdouble)))
    return e / (1.0 + e) ** 2


def tanh(x: Any) -> Any:
    return np.tanh(x)


def expm1(x: Any) -> Any:
    return np.expm1(x)


def expit(x: Any) -> Any:
    return sp.expit(x)


def log_expit(x: Any) -> Any:
    return sp.log_expit(x)


@pytest.mark.parametrize(("f", "slope"), [
    (expm1, lambda x: np.exp(np.asarray(x, np.longdouble))), (expit, logistic_slope),
    (log_expit, lambda x: 1.0 / (1.0 + np.exp(np.asarray(x, np.longdouble)))), (tanh, lambda x: 4.0 * logistic_slope(2.0 * x)),
])
def test_first_derivative(f: Any, slope: Any) -> None:
    def total(x: Any) -> Any:
        return np.sum(f(x))
    np.testing.assert_array_max_ulp(tg.grad(total)(X), slope(X).astype(float), 4)
    np.testing.assert_array_max_ulp(np.array([tg.grad(f)(x) for x in X]), slope(X).astype(float), 4)


def test_second_derivative() -> None:
    np.testing.assert_allclose(np.array([tg.grad(tg.grad(log_expit))(x) for x in X]), -logistic_slope(X).astype(float), rtol=1e-15)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_tanh(dtype: Any) -> None:
    """Nothing overflows, and at 0 all derivatives are right: the formula with the absolute value of x has a kink there."""
    x = np.array([-np.inf, -1e30, -50.0, -9.0, -0.0, 0.0, 1e-30, 1.0, 20.0, 400.0, np.inf], dtype)
    with np.errstate(all="raise", under="ignore"):
        found = tg.jvp(tanh, (x,), (np.ones_like(x),))[1]
        assert found.dtype == dtype
        np.testing.assert_array_max_ulp(found, (4.0 * logistic_slope(2.0 * x.astype(np.longdouble))).astype(dtype), 4)
    second = tg.grad(tg.grad(tanh))
    for point in (-0.0, 0.0, 0.5, -2.0):
        y = np.tanh(point)
        np.testing.assert_allclose(second(point), -2.0 * y * (1.0 - y * y), rtol=1e-13, atol=1e-16)
        np.testing.assert_allclose(tg.grad(second)(point), (6.0 * y * y - 2.0) * (1.0 - y * y), rtol=1e-13)


def test_tanh_of_a_complex_number_and_of_tensors() -> None:
    z = 0.3 + 0.2j
    np.testing.assert_allclose(tg.vjp(tanh, z)[1](1.0 + 0.0j)[0], np.conj(1.0 - np.tanh(z) ** 2), rtol=1e-14)
    t = tg.tensor([0.3, 20.0], dtype=tg.float64, requires_grad=True)
    y = t.tanh()
    assert hasattr(y.grad_fn, "_saved_result") and not hasattr(y.grad_fn, "_saved_self")
    y.sum().backward()      # as in PyTorch
    assert t.grad is not None and (t.grad.numpy() == 1.0 - np.tanh([0.3, 20.0]) ** 2).all()


@pytest.mark.parametrize("f", [sp.xlogy, sp.xlog1py])
def test_a_factor_of_zero(f: Any) -> None:
    def both(x: Any, z: Any) -> Any:
        return f(x, z)
    z = 0.0 if f is sp.xlogy else -1.0
    assert tg.grad(both, argnums=(0, 1))(0.0, z) == (0.0, 0.0)
    assert tg.grad(both, argnums=1)(0.0, 2.0) == 0.0
    x, y = 1.5, 2.0
    np.testing.assert_allclose(tg.grad(both, argnums=(0, 1))(x, y), (f(1.0, y), x / (y if f is sp.xlogy else 1.0 + y)))


@pytest.mark.parametrize("call", ["np.tanh(x)", "math.tanh(x)"])
def test_on_the_tape_as_compiled(call: str) -> None:
    """A function that cannot be compiled runs on the tape, with the derivatives of compiled code."""
    def f(x: Any) -> Any:
        return eval(call)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tg.TapeFallbackWarning)
        np.testing.assert_array_max_ulp(np.array(tg.grad(f)(20.0)), np.array(1.0 / np.cosh(20.0) ** 2), 4)
        np.testing.assert_allclose(tg.grad(tg.grad(f))(20.0), -2.0 / np.cosh(20.0) ** 2, rtol=1e-14)
