"""Derivatives keep their relative accuracy where the value is close to its limit."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.special as sp

import transgrad as tg

X = np.array([-700.0, -300.0, -40.0, -20.0, -3.0, -0.5, 0.0, 0.5, 3.0, 20.0, 40.0, 300.0])


def logistic_slope(x: Any) -> Any:
    e = np.exp(-np.abs(np.asarray(x, np.longdouble)))
    return e / (1.0 + e) ** 2


def expm1(x: Any) -> Any:
    return np.expm1(x)


def expit(x: Any) -> Any:
    return sp.expit(x)


def log_expit(x: Any) -> Any:
    return sp.log_expit(x)


@pytest.mark.parametrize(("f", "slope"), [
    (expm1, lambda x: np.exp(np.asarray(x, np.longdouble))), (expit, logistic_slope),
    (log_expit, lambda x: 1.0 / (1.0 + np.exp(np.asarray(x, np.longdouble)))),
])
def test_first_derivative(f: Any, slope: Any) -> None:
    def total(x: Any) -> Any:
        return np.sum(f(x))
    np.testing.assert_array_max_ulp(tg.grad(total)(X), slope(X).astype(float), 4)
    np.testing.assert_array_max_ulp(np.array([tg.grad(f)(x) for x in X]), slope(X).astype(float), 4)


def test_second_derivative() -> None:
    np.testing.assert_allclose(np.array([tg.grad(tg.grad(log_expit))(x) for x in X]), -logistic_slope(X).astype(float), rtol=1e-15)


@pytest.mark.parametrize("f", [sp.xlogy, sp.xlog1py])
def test_a_factor_of_zero(f: Any) -> None:
    def both(x: Any, z: Any) -> Any:
        return f(x, z)
    z = 0.0 if f is sp.xlogy else -1.0
    assert tg.grad(both, argnums=(0, 1))(0.0, z) == (0.0, 0.0)
    assert tg.grad(both, argnums=1)(0.0, 2.0) == 0.0
    x, y = 1.5, 2.0
    np.testing.assert_allclose(tg.grad(both, argnums=(0, 1))(x, y), (f(1.0, y), x / (y if f is sp.xlogy else 1.0 + y)))
