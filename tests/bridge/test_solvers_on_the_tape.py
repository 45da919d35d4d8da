"""SciPy's solvers where the compiler refuses the function they are given, and the tape runs it."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import integrate, optimize

import transgrad as tg
from transgrad.testing import numeric_grad

TARGETS = np.array([0.1, 0.5, 1.2])


def hidden(u: Any) -> Any:
    """What the compiler cannot look into."""
    return eval("u * 1.0")


def cosine_root(a: Any, b: Any) -> Any:
    return optimize.brentq(lambda u: np.cos(b * hidden(u)) - a * u, 0.0, 2.0, xtol=1e-14)


def with_arguments(a: Any, b: Any) -> Any:
    return optimize.brenth(lambda u, k, m: np.cos(m * hidden(u)) - k * u, 0.0, 2.0, args=(a, b), xtol=1e-14)


def newton_root(a: Any, b: Any) -> Any:
    return np.sum(optimize.newton(lambda u: hidden(u) ** 3 + b * u - a * TARGETS, np.ones(3), tol=1e-13))


def system(a: Any, b: Any) -> Any:
    found = optimize.root(lambda u: [hidden(u[0]) ** 3 - a, u[1] * u[0] - b], np.ones(2), tol=1e-13)
    return np.sum(found.x * np.array([1.0, 2.0])) if found.success else 0.0


def bracketed(a: Any, b: Any) -> Any:
    return optimize.root_scalar(lambda u: hidden(u) ** 3 + b * u - a, bracket=(0.0, 2.0), xtol=1e-14).root


def fixed(a: Any, b: Any) -> Any:
    return optimize.fixed_point(lambda u: np.cos(a * hidden(u)) * b, 0.5, xtol=1e-13)


def integral(a: Any, b: Any) -> Any:
    return integrate.quad(lambda u: np.exp(-a * hidden(u)) * np.sin(u), b, 2.0)[0]


def turned_integral(a: Any, b: Any) -> Any:
    return integrate.quad(lambda u, k: np.abs(hidden(u) - 0.5) * k, 2.0, b, args=(a,), points=[0.5])[0]


def tail(a: Any, b: Any) -> Any:
    return integrate.quad(lambda u: np.exp(-a * hidden(u) * u), b, np.inf)[0]


def bell(a: Any, b: Any) -> Any:
    return b * integrate.quad(lambda u: np.exp(-a * hidden(u) * u), -np.inf, np.inf)[0]


ALL = [cosine_root, with_arguments, newton_root, system, bracketed, fixed, integral, turned_integral, tail, bell]


@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
@pytest.mark.parametrize("f", ALL, ids=lambda f: f.__name__)
def test_solver_on_the_tape(f: Callable[..., Any]) -> None:
    want = numeric_grad(f, [0.37, 0.8])
    got = tg.grad(f, argnums=(0, 1))(0.37, 0.8)
    np.testing.assert_allclose(got, want, rtol=2e-5, atol=1e-6)
    second = tg.hessian(f, argnums=(0, 1))(0.37, 0.8)
    gradient = tg.grad(f, argnums=(0, 1))
    columns = [(np.array(gradient(*(p + 1e-5 * s for p, s in zip((0.37, 0.8), e)))) - np.array(gradient(
        *(p - 1e-5 * s for p, s in zip((0.37, 0.8), e))))) / 2e-5 for e in ((1.0, 0.0), (0.0, 1.0))]
    np.testing.assert_allclose(np.array(second, float), np.array(columns).T, rtol=1e-4, atol=1e-5)


def residuals(a: Any) -> Any:
    return optimize.least_squares(lambda u: hidden(u[0]) * TARGETS - a * np.exp(u[0]), np.zeros(1), xtol=1e-14, ftol=1e-14, gtol=1e-14).x[0]


def clear_residuals(a: Any) -> Any:
    return optimize.least_squares(lambda u: u[0] * TARGETS - a * np.exp(u[0]), np.zeros(1), xtol=1e-14, ftol=1e-14, gtol=1e-14).x[0]


def surface(a: Any) -> Any:
    return np.sum(optimize.minimize(lambda u: np.sum((hidden(u) - a * TARGETS) ** 2) + a * np.sum(u**4), np.zeros(3), tol=1e-12).x)


def clear_surface(a: Any) -> Any:
    return np.sum(optimize.minimize(lambda u: np.sum((u - a * TARGETS) ** 2) + a * np.sum(u**4), np.zeros(3), tol=1e-12).x)


def minimum(a: Any) -> Any:
    found = optimize.minimize_scalar(lambda u: (hidden(u) - a) ** 2 + a * u**4, tol=1e-12)
    return found.x * 2.0 + found.fun


def clear_minimum(a: Any) -> Any:
    found = optimize.minimize_scalar(lambda u: (u - a) ** 2 + a * u**4, tol=1e-12)
    return found.x * 2.0 + found.fun


@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
@pytest.mark.parametrize(("f", "clear"), [(residuals, clear_residuals), (surface, clear_surface), (minimum, clear_minimum)])
def test_minimum_on_the_tape_is_the_compilers(f: Callable[..., Any], clear: Callable[..., Any]) -> None:
    np.testing.assert_allclose(tg.grad(f)(0.4), tg.grad(clear, fallback="error")(0.4), rtol=1e-5)


def at_a_bound(a: Any) -> Any:
    return optimize.minimize_scalar(lambda u: (hidden(u) - a) ** 2, bounds=(0.0, 0.3), method="bounded", options={"xatol": 1e-11}).x


def no_root(a: Any) -> Any:
    return optimize.root(lambda u: hidden(u) ** 2 + a, np.ones(1)).x[0]


def singular(a: Any) -> Any:
    return integrate.quad(lambda u: np.exp(-a * hidden(u)) / np.sqrt(u), 0.0, 1.0)[0]


@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning", "ignore::RuntimeWarning")
@pytest.mark.parametrize(("f", "reason"), [(at_a_bound, "at (a|no) bound"), (no_root, "not converged"), (singular, "too singular")])
def test_what_is_no_solution_is_refused(f: Callable[..., Any], reason: str) -> None:
    with pytest.raises(tg.TransgradError, match=reason):
        tg.grad(f)(0.4)
