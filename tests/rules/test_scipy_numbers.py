"""Solvers of SciPy's that are given a number: those for vectors make one of it, others hand it over as a scalar of NumPy's."""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import integrate, optimize

import transgrad as tg
from transgrad.testing import check_grad

TIMES = np.linspace(0.0, 1.0, 5)


def nearly(t: Any, p: Any) -> Any:
    return np.sum((t - p)**4 + t**2)


STARTED_AT_A_NUMBER = {
    "fsolve": lambda p: optimize.fsolve(lambda t: t**3 - p, 1.5)[0],
    "fsolve of items": lambda p: optimize.fsolve(lambda t: [t[0]**3 - p], 1)[0],
    "fsolve at once": lambda p: np.sum(optimize.fsolve(lambda t: abs(t)**3 - p, 1.5 * p) * np.arange(3.0)),
    "fsolve of a matrix": lambda p: optimize.fsolve(lambda t: (t.reshape(2, 2)**3 - p).ravel(), np.ones((2, 2)))[0],
    "root": lambda p: optimize.root(lambda t: t**3 - p, 1.5).x[0],
    "minimize": lambda p: optimize.minimize(nearly, 0.3, args=(p,), tol=1e-9).x[0],
    "its value": lambda p: optimize.minimize(lambda t: nearly(t, p), 0.3 * p, tol=1e-9).fun + p,
    "least_squares": lambda p: optimize.least_squares(lambda t: t**3 - p, 1.5).x[0],
    "leastsq": lambda p: optimize.leastsq(lambda t: t**3 - p, 1.5)[0][0],
    "fmin": lambda p: optimize.fmin(lambda t: nearly(t, p), 0.3, xtol=1e-10, ftol=1e-14, disp=0)[0],
    "fmin_bfgs": lambda p: optimize.fmin_bfgs(lambda t: nearly(t, p), 0.3, gtol=1e-9, disp=0)[0],
    "fmin_l_bfgs_b": lambda p: optimize.fmin_l_bfgs_b(lambda t: nearly(t, p), 0.3, approx_grad=True, pgtol=1e-10, factr=1.0)[0][0],
    "basinhopping": lambda p: optimize.basinhopping(lambda t: nearly(t, p), 0.3, niter=2).x[0],
    "curve_fit": lambda p: optimize.curve_fit(lambda x, a: a * x, TIMES, p * TIMES**2, p0=1.0)[0][0],
    "approx_fprime": lambda p: optimize.approx_fprime(p, lambda t: np.sum(t)**2, 1e-6)[0],
    "odeint": lambda p: integrate.odeint(lambda y, t: -y * p, p, TIMES)[-1, 0],
}


@pytest.mark.parametrize("f", STARTED_AT_A_NUMBER.values(), ids=STARTED_AT_A_NUMBER)
def test_a_number_is_a_vector_of_length_one(f: Callable[..., Any]) -> None:
    got = tg.grad(f, fallback="error")(0.8)
    assert np.shape(got) == ()
    assert got == pytest.approx((f(0.801) - f(0.799)) / 0.002, rel=1e-3)
    assert tg.jacfwd(f, fallback="error")(0.8) == pytest.approx(got)


def odd(t: Any, p: Any) -> Any:
    return abs(t)**3 * math.copysign(1.0, t) - p


@pytest.mark.parametrize("f", [
    lambda x: optimize.newton(odd, x[0] * 0.0 + 0.5, args=(x[1],)),
    lambda x: optimize.minimize_scalar(lambda t: (abs(t) - x[1])**2 + t, bounds=(0.0, 3.0), method="bounded").x,
    lambda x: optimize.brentq(odd, -3.0, np.float64(4.0), args=(x[1],)) * x[0],
])
def test_functions_of_a_number_are_given_scalars(f: Callable[..., Any]) -> None:
    x = np.array([0.3, 0.7])
    tg.grad(f, fallback="error")(x)
    check_grad(f, [x])


def test_the_ends_of_an_integral_are_scalars() -> None:
    def f(x: Any) -> Any:
        return integrate.quad(lambda t: abs(t) * x[0] * t, -x[0], x[1])[0]
    x = np.array([0.3, 0.7])
    want = np.array([[-4.0 * x[0]**2, x[1]**2], [x[1]**2, 2.0 * x[0] * x[1]]])
    np.testing.assert_allclose(tg.hessian(f, fallback="error")(x), want, rtol=1e-9)
