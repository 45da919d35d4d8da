"""Functions that are given to SciPy's solvers and integrators: derivatives through what they take from around them."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import integrate, optimize

import transgrad as tg
from transgrad.testing import check_grad


def damped_wave(a: Any, b: Any, c: Any) -> Any:
    v, err = integrate.quad(lambda x: np.exp(-a*x)*np.sin(c*x), 0.0, b)
    return v


def wave_sum(w: Any) -> Any:
    return integrate.quad(lambda x: np.sum(w*np.cos(w*x)), 0.0, 1.0)[0]


def length_of_a_curve(a: Any) -> Any:
    """The integrand is made of complex numbers from around it."""
    start, end = complex(0.0, a), complex(2.3, a * a)
    return integrate.quad(lambda t: abs(2.0 * (1.0 - t) * (1j - start) + 2.0 * t * (end - 1j)), 0.0, 1.0)[0]


def bell(a: Any) -> Any:
    return integrate.quad(lambda x, k: np.exp(-k*x*x), -np.inf, np.inf, args=(a,))[0]


def system(a: Any) -> Any:
    def eqs(x: Any) -> Any:
        return np.array([x[0]*a[0] + x[1]**2 - 1.0, x[0] - a[1]*x[1]])
    sol = optimize.root(eqs, np.array([1.0, 1.0]), tol=1e-13)
    if not sol.success:
        raise ValueError(sol.message)
    return np.sum(sol.x*np.array([1.0,2.0]))


def cube_root(a: Any) -> Any:
    return optimize.root_scalar(lambda x: x**3 - a, bracket=(0.0, 3.0), method="brentq").root


def cosine_fixed_point(a: Any) -> Any:
    return optimize.fixed_point(lambda x: np.cos(a*x), 0.5, xtol=1e-13)


def minimum(a: Any) -> Any:
    sol = optimize.minimize(lambda x: (x[0]-a[0])**4 + (x[0]-a[0])**2 + (x[1] - a[0]*x[0]*a[1])**2, np.array([0.3, 0.2]), method="BFGS", tol=1e-10)
    return sol.x[0]*sol.x[1] + sol.fun


def minimum_of_one(a: Any) -> Any:
    return optimize.minimize_scalar(lambda x: x**2 - a*x + 0.1*x**4, method="brent", tol=1e-12).x


def fit(a: Any) -> Any:
    t = np.linspace(0.0, 1.0, 6)
    y = np.exp(-a*t) + 0.1*t
    return np.sum(optimize.least_squares(lambda p: p[0]*np.exp(-p[1]*t) - y, np.array([1.0, 1.0]), xtol=1e-14, ftol=1e-14, gtol=1e-14).x)


def oscillator(k: Any, y0: Any, t1: Any) -> Any:
    sol = integrate.solve_ivp(lambda t, y: np.array([y[1], -k*y[0] - 0.1*y[1]]), (0.0, t1), y0, rtol=1e-10, atol=1e-12)
    return sol.y[0, -1]


def forced_decay(k: Any, y0: Any) -> Any:
    def rhs(t: Any, y: Any, k: Any) -> Any:
        return -k*y + np.sin(t)
    t = np.linspace(0.0, 2.0, 5)
    sol = integrate.solve_ivp(rhs, (0.0, 2.0), y0, t_eval=t, args=(k,), rtol=1e-10, atol=1e-12)
    return np.sum(sol.y**2)


def riccati(k: Any, y0: Any) -> Any:
    y = integrate.odeint(lambda y, t: -k*y*y + t, y0, np.linspace(0.0, 1.0, 4), rtol=1e-11, atol=1e-12)
    return np.sum(y[-1])


def bracketed(a: Any, b: Any) -> Any:
    def eq(x: Any) -> Any:
        return np.cos(a * x) - b * x
    return optimize.brentq(eq, 0.0, 2.0, xtol=1e-14)


def newton(a: Any, b: Any) -> Any:
    return optimize.newton(lambda x, p: x ** 3 - p * b, 1.0, args=(a,))


def vector_root(a: Any) -> Any:
    return np.sum(optimize.fsolve(lambda x: np.array([x[0] * a[0] + x[1] ** 2 - 1.0, x[0] - a[1] * x[1]]), np.ones(2), xtol=1e-13) ** 2)


A = np.array
CASES: list[tuple[Callable[..., Any], tuple[Any, ...], float]] = [
    (damped_wave, (1.2, 2.0, 0.7), 1e-3), (wave_sum, (A([1.0, 2.0]),), 1e-3), (bell, (1.3,), 1e-3), (length_of_a_curve, (0.7,), 1e-3),
    (system, (A([1.2, 0.3]),), 1e-4),
    (cube_root, (2.0,), 1e-4), (cosine_fixed_point, (1.2,), 1e-4), (minimum, (A([0.7, 0.4]),), 1e-2), (minimum_of_one, (1.3,), 1e-2),
    (fit, (1.2,), 1e-2), (oscillator, (1.3, A([1.0, 0.2]), 2.0), 1e-3), (forced_decay, (1.3, A([1.0, 0.2])), 1e-3),
    (riccati, (0.8, A([1.0, 0.5])), 1e-3), (bracketed, (1.2, 0.7), 1e-4), (newton, (1.3, 2.0), 1e-4), (vector_root, (A([1.2, 0.3]),), 1e-4),
]


def along(f: Callable[..., Any], args: tuple[Any, ...], step: float) -> Any:
    """The derivative of ``f`` along its own arguments, by a difference of the fourth order."""
    def at(s: float) -> Any:
        return f(*(a * (1.0 + s) for a in args))
    return (8.0 * (at(step) - at(-step)) - at(2.0 * step) + at(-2.0 * step)) / (12.0 * step)


@pytest.mark.filterwarnings("error::transgrad.TapeFallbackWarning")
@pytest.mark.parametrize(("f", "args", "step"), CASES)
def test_reverse_and_forward(f: Callable[..., Any], args: tuple[Any, ...], step: float) -> None:
    want = along(f, args, step)
    grads = tg.grad(f, argnums=tuple(range(len(args))))(*args)
    np.testing.assert_allclose(sum(np.sum(g * a) for g, a in zip(grads, args)), want, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(tg.jvp(f, args, args)[1], want, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize(("f", "args"), [(bracketed, (1.2, 0.7)), (newton, (1.3, 2.0)), (bell, (1.3,)), (damped_wave, (1.2, 2.0, 0.7))])
def test_second_order(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    check_grad(tg.grad(f), args)


def test_hessian_through_a_system() -> None:
    got = tg.hessian(vector_root)(A([1.2, 0.3]))
    up, down = (tg.grad(vector_root)(A([1.2 + s, 0.3])) for s in (1e-5, -1e-5))
    np.testing.assert_allclose(got[0], (up - down) / 2e-5, rtol=1e-5)


def test_option_that_is_not_followed() -> None:
    def f(a: float) -> Any:
        return optimize.brentq(lambda x: x * x - a, 0.0, 2.0, full_output=True)[0]
    with pytest.raises(tg.UnsupportedSyntax, match="full_output"):
        tg.grad(f, fallback="error")(1.3)


def test_text_names_the_function() -> None:
    text = tg.grad(newton).source_for(1.3, 2.0)
    assert "def function(x, a, b):" in text
    assert "scipy.optimize.newton(function, 1.0, args=(a, b))" in text


def test_covariance_of_a_fit() -> None:
    """Against differences of SciPy's fit with exact slopes, by steps that its search does not blur."""
    t = np.linspace(0.0, 2.0, 9)
    y = 2.0 * np.exp(-1.2 * t) + 0.1 * np.sin(9.0 * t)

    def model(t: Any, a: Any, b: Any) -> Any:
        return a * np.exp(-b * t)

    def slopes(t: Any, a: Any, b: Any) -> Any:
        return np.stack([np.exp(-b * t), -a * t * np.exp(-b * t)], axis=1)

    def figures(y: Any, jac: Any = None) -> Any:
        p, cov = optimize.curve_fit(model, t, y, p0=[1.0, 1.0], sigma=0.5 + t, jac=jac, xtol=1e-15, ftol=1e-15, gtol=1e-15)
        return np.sum(p) + 100.0 * np.sum(np.sin(cov))
    got = tg.grad(figures, fallback="error")(y)
    want = [(figures(y + 1e-4 * e, slopes) - figures(y - 1e-4 * e, slopes)) / 2e-4 for e in np.eye(9)]
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-3)


def nearest(a: Any, low: Any, high: Any) -> Any:
    """The point of a box that is nearest to another one."""
    return optimize.minimize(lambda x: 0.5 * np.sum((x - a) ** 2), np.zeros(3), method="L-BFGS-B", bounds=optimize.Bounds(low, high)).x


def nearest_by_pairs(a: Any, low: Any, high: Any) -> Any:
    return optimize.minimize(lambda x: 0.5 * np.sum((x - a) ** 2), np.zeros(3), bounds=[(low, high), (None, high), (low, None)], tol=1e-12).x


def nearest_by_residuals(a: Any, low: Any, high: Any) -> Any:
    return optimize.least_squares(lambda x: x - a, np.zeros(3), bounds=(low, high), xtol=1e-15, gtol=1e-15).x


@pytest.mark.parametrize("f", [nearest, nearest_by_pairs, nearest_by_residuals])
def test_variables_at_bounds_move_with_them(f: Callable[..., Any]) -> None:
    a = A([0.2, 1.7, -2.0])
    got = tg.jacrev(f, argnums=(0, 1, 2), fallback="error")(a, -1.0, 1.0)
    for part, want in zip(got, (np.diag([1.0, 0.0, 0.0]), [0.0, 0.0, 1.0], [0.0, 1.0, 0.0])):
        np.testing.assert_allclose(part, want, atol=1e-7)
    for t, want in ((a, [a[0], 0.0, 0.0]), (2.0 * a, [2.0 * a[0], 0.0, 0.0])):
        np.testing.assert_allclose(tg.jvp(f, (a, -1.0, 1.0), (t, 0.0, 0.0), fallback="error")[1], want, atol=1e-7)


def test_a_number_at_a_bound() -> None:
    def least(a: Any, high: Any) -> Any:
        return optimize.minimize_scalar(lambda x: (x - a) ** 2, bounds=(0.0, high), method="bounded", options={"xatol": 1e-11}).x

    def shorter(a: Any, high: Any) -> Any:
        return optimize.fminbound(lambda x: (x - a) ** 2, 0.0, high, xtol=1e-11)
    for f in (least, shorter):
        np.testing.assert_allclose(tg.grad(f, argnums=(0, 1), fallback="error")(0.4, 1.0), (1.0, 0.0), atol=1e-9)
        np.testing.assert_allclose(tg.grad(f, argnums=(0, 1), fallback="error")(1.4, 1.0), (0.0, 1.0), atol=1e-9)


def on_plane(a: Any, c: Any) -> Any:
    return optimize.minimize(lambda x: 0.5 * np.sum((x - a) ** 2), np.zeros(3), method="SLSQP", tol=1e-12,
                             constraints={"type": "eq", "fun": lambda x: np.sum(x) - c}).x


def in_ball(a: Any, c: Any) -> Any:
    return optimize.minimize(lambda x: 0.5 * np.sum((x - a) ** 2), np.ones(3), method="SLSQP", tol=1e-14, constraints=[
        {"type": "ineq", "fun": lambda x: c * c - np.sum(x * x)}, {"type": "ineq", "fun": lambda x: 10.0 - x[0]}]).x


def on_simplex(a: Any, c: Any) -> Any:
    return optimize.minimize(lambda x: 0.5 * np.sum((x - a) ** 2), np.zeros(3), method="SLSQP", tol=1e-12, bounds=[(0.0, None)] * 3,
                             constraints={"type": "eq", "fun": lambda x: np.sum(x) - c}).x


@pytest.mark.parametrize(("f", "want"), [
    (on_plane, lambda a, c: a + (c - np.sum(a)) / 3.0), (in_ball, lambda a, c: c * a / np.sqrt(np.sum(a * a))),
    (on_simplex, lambda a, c: np.array([1.0, 1.0, 0.0]) * (a + 0.5 * (c - a[0] - a[1])))])
def test_constraints_move_the_minimum(f: Callable[..., Any], want: Callable[..., Any]) -> None:
    """Projections, of which there are formulas."""
    a = A([1.2, 0.7, -2.0])
    for got, exact in zip(tg.jacrev(f, argnums=(0, 1), fallback="error")(a, 0.9), tg.jacrev(want, argnums=(0, 1))(a, 0.9)):
        np.testing.assert_allclose(got, exact, atol=1e-6)
    t = A([0.3, -0.2, 0.5])
    np.testing.assert_allclose(tg.jvp(f, (a, 0.9), (t, 0.4), fallback="error")[1], tg.jvp(want, (a, 0.9), (t, 0.4))[1], atol=1e-6)


def test_slope_that_is_given() -> None:
    def cost(x: Any, a: Any) -> Any:
        return np.sum((x - a) ** 2) + np.sum(x ** 4)

    def f(a: Any, jac: Any) -> Any:
        return np.sum(optimize.minimize(cost, np.zeros(2), args=(a,), jac=jac, tol=1e-12).x * A([1.0, 2.0]))
    a = A([1.0, -0.5])
    x = optimize.root(lambda x: 2.0 * (x - a) + 4.0 * x ** 3, a, tol=1e-14).x
    for jac in (tg.grad(cost), lambda x, a: 2.0 * (x - a) + 4.0 * x ** 3):
        np.testing.assert_allclose(tg.grad(f, fallback="error")(a, jac), A([1.0, 2.0]) * 2.0 / (2.0 + 12.0 * x * x), rtol=1e-7)


@pytest.mark.parametrize("loss", ["soft_l1", "cauchy", "huber"])
def test_loss_of_residuals(loss: str) -> None:
    t = np.linspace(0.0, 1.0, 8)

    def fitted(y: Any) -> Any:
        return np.sum(optimize.least_squares(lambda p: p[0] * np.exp(-p[1] * t) - y, A([1.0, 0.5]), loss=loss, f_scale=0.07,
                                             xtol=1e-15, ftol=1e-15, gtol=1e-15).x)
    y = 1.5 * np.exp(-0.8 * t) + 0.2 * np.sin(9.0 * t)
    want = [(fitted(y + 1e-4 * e) - fitted(y - 1e-4 * e)) / 2e-4 for e in np.eye(8)]
    np.testing.assert_allclose(tg.grad(fitted, fallback="error")(y), want, atol=2e-4)


def test_a_fit_within_bounds() -> None:
    def fitted(y: Any) -> Any:
        return optimize.curve_fit(lambda t, a, b: a * t + b, np.arange(3.0), y, p0=[0.1, 0.1], bounds=(0.0, [0.5, 9.0]))[0]
    np.testing.assert_allclose(tg.jacrev(fitted, fallback="error")(A([0.0, 1.0, 2.0])), [[0.0] * 3, [1 / 3] * 3], atol=1e-7)


def test_a_search_that_ends_at_a_bound() -> None:
    def least(a: Any, high: Any) -> Any:
        return optimize.differential_evolution(lambda x: np.sum((x - a) ** 2) * (1.0 + a[0]), [(0.0, 1.0), (0.0, high)], seed=1).fun
    a = A([0.3, 1.5])
    np.testing.assert_allclose(tg.grad(least, fallback="error")(a, 1.0), [0.25, 2.0 * 0.5 * 1.3], atol=1e-6)
    with pytest.raises(tg.UnsupportedSyntax, match="no derivative by its bounds"):
        tg.grad(least, argnums=1, fallback="error")(a, 1.0)


@pytest.mark.parametrize(("options", "words"), [
    ({"constraints": optimize.LinearConstraint(np.ones((1, 2)), 0.0, 1.0)}, "constraints as dictionaries"),
    ({"bounds": [(0.0, 1.0)] * 2, "hess": lambda x: np.eye(2)}, "without hess"),
])
def test_what_is_not_followed_is_refused(options: Any, words: str) -> None:
    def least(a: Any) -> Any:
        return optimize.minimize(lambda x: np.sum((x - a) ** 2), np.zeros(2), **options).fun
    with pytest.raises(tg.UnsupportedCall, match=words) as caught:
        tg.grad(least, fallback="error")(A([0.3, 1.5]))
    assert caught.value.filename == __file__


def prey(t: Any, y: Any, a: Any, b: Any) -> Any:
    return np.array([a * y[0] - b * y[0] * y[1], b * y[0] * y[1] - y[1]])


def by_tuple(th: Any) -> Any:
    return np.sum(integrate.solve_ivp(prey, (0.0, 2.0), A([1.0, 0.5]), args=tuple(th), rtol=1e-10, atol=1e-10).y[:, -1])


def by_stars(th: Any) -> Any:
    return np.sum(integrate.solve_ivp(prey, (0.0, 2.0), A([1.0, 0.5]), args=(*th,), rtol=1e-10, atol=1e-10).y[:, -1])


def by_array_and_lists(th: Any) -> Any:
    return np.sum(integrate.solve_ivp(prey, [0.0, 2.0], [1.0, 0.5], args=th, rtol=1e-10, atol=1e-10).y[:, -1])


def bracketed_by_tuple(th: Any) -> Any:
    return optimize.brentq(lambda x, a, b: x ** 3 - a * x - b, 0.0, 5.0, args=tuple(th), xtol=1e-14)


@pytest.mark.parametrize("f", [by_tuple, by_stars, by_array_and_lists, bracketed_by_tuple])
def test_arguments_of_unknown_number(f: Callable[..., Any]) -> None:
    th = A([1.1, 0.7])
    want = [(f(th + e) - f(th - e)) / 2e-4 for e in 1e-4 * np.eye(2)]
    np.testing.assert_allclose(tg.grad(f, fallback="error")(th), want, rtol=1e-6)
    np.testing.assert_allclose(tg.jvp(f, (th,), (np.ones(2),), fallback="error")[1], np.sum(want), rtol=1e-6)


def test_arguments_of_unknown_number_for_any_number() -> None:
    def f(th: Any) -> Any:
        return integrate.quad(lambda x, *p: sum(c * x for c in p), 0.0, 1.0, args=tuple(th))[0]
    with pytest.raises(tg.UnsupportedSyntax, match="number of items of args"):
        tg.grad(f, fallback="error")(A([1.1, 0.7]))


def test_curvature_through_an_equation_of_motion_is_refused_in_the_users_words() -> None:
    with pytest.raises(tg.UnsupportedCall, match="further derivative") as caught:
        tg.hvp(by_tuple, (A([1.1, 0.7]),), (np.ones(2),), fallback="error")
    assert caught.value.filename == __file__
    assert "transgrad.rules" not in str(caught.value)


def secant(a: Any) -> Any:
    return optimize.root_scalar(lambda u: u**3 - a, x0=1.0, x1=0.5, xtol=1e-14).root


def trajectory(k: Any, y0: Any) -> Any:
    return np.sum(integrate.odeint(lambda y, t: -k * y, y0, [0.0, 0.5, 1.0], rtol=1e-11, atol=1e-12) ** 2)


def test_starts_by_name_and_times_in_a_list() -> None:
    check_grad(secant, [0.4])
    check_grad(trajectory, [0.4, np.array([0.3, -1.2])])


def _up_to(p: Any) -> Any:
    return integrate.quad(lambda x: x * np.exp(-p[0] * x * x), 0.0, p[1])[0]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_an_infinite_limit_does_not_move() -> None:
    p = np.array([1.2, np.inf])
    for derivative in (tg.grad, tg.jacfwd, tg.jacrev):
        np.testing.assert_allclose(derivative(_up_to, fallback="error")(p), [-0.5 / 1.2**2, 0.0], rtol=1e-9)
    np.testing.assert_allclose(tg.hessian(_up_to, fallback="error")(p), [[1.2**-3, 0.0], [0.0, 0.0]], rtol=1e-9)
