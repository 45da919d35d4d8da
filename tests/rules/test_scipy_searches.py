"""Minima, roots, fits and integrals of every spelling: through what the function takes from around it."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.integrate as si
import scipy.optimize as so

import transgrad as tg
from transgrad.rules.installed import at_least

from ..releases import with_releases

A = np.array
R = np.random.default_rng(0)
M = R.normal(size=(6, 3))
t = np.linspace(0, 1, 8)
SEED = {"rng" if at_least("scipy", 1, 15) else "seed": 1}


def eqs(a: Any) -> Any:
    return lambda x: A([x[0] * a[0] + x[1] ** 2 - 1.0, x[0] - a[1] * x[1]])


def obj(a: Any) -> Any:
    return lambda x: (x[0] - a[0]) ** 4 + (x[0] - a[0]) ** 2 + (x[1] - a[0] * x[0] * a[1]) ** 2


def one(a: Any) -> Any:
    return lambda x: x ** 2 - a[0] * x + 0.1 * x ** 4 * a[1]


PROGRAMS: dict[str, Callable[..., Any]] = {
    "anderson": lambda a: np.sum(so.anderson(eqs(a), np.ones(2) * 0.5, f_tol=1e-13) ** 2),
    "broyden1": lambda a: np.sum(so.broyden1(eqs(a), np.ones(2) * 0.5, f_tol=1e-13) ** 2),
    "newton_krylov": lambda a: np.sum(so.newton_krylov(eqs(a), np.ones(2) * 0.5, f_tol=1e-13) ** 2),
    "fmin": lambda a: np.sum(so.fmin(obj(a), np.zeros(2), xtol=1e-10, ftol=1e-14, disp=False) ** 2),
    "fmin_bfgs": lambda a: np.sum(so.fmin_bfgs(obj(a), np.zeros(2), gtol=1e-08, disp=False) ** 2),
    "fmin_cg": lambda a: np.sum(so.fmin_cg(obj(a), np.zeros(2), gtol=1e-08, disp=False) ** 2),
    "powell": lambda a: np.sum(so.fmin_powell(obj(a), np.zeros(2), xtol=1e-12, ftol=1e-14, disp=False) ** 2),
    "slsqp": lambda a: np.sum(so.fmin_slsqp(obj(a), np.zeros(2), acc=1e-14, disp=False) ** 2),
    "lbfgs": lambda a: np.sum(so.fmin_l_bfgs_b(obj(a), np.zeros(2), approx_grad=True, pgtol=1e-09, factr=10.0)[0] ** 2) + so.fmin_l_bfgs_b(obj(a), np.zeros(2), approx_grad=True, factr=10.0)[1],
    "brent": lambda a: so.brent(one(a), tol=1e-10),
    "golden": lambda a: so.golden(one(a), tol=1e-10),
    "fminbound": lambda a: so.fminbound(one(a), -1.0, 2.0, xtol=1e-10),
    "leastsq": lambda a: np.sum(so.leastsq(lambda p: p[0] * np.exp(-p[1] * t) - np.exp(-a[0] * t) - a[1] * t, A([1.0, 1.0]), xtol=1e-14, ftol=1e-14)[0] ** 2),
    "basin": lambda a: np.sum(so.basinhopping(obj(a), np.zeros(2), niter=3, **SEED).x ** 2),
    "de": lambda a: np.sum(so.differential_evolution(obj(a), [(-3.0, 3.0), (-3.0, 3.0)], **SEED, tol=1e-12).x ** 2),
    "da": lambda a: np.sum(so.dual_annealing(obj(a), [(-3.0, 3.0), (-3.0, 3.0)], **SEED, maxiter=20).x ** 2) + so.shgo(obj(a), [(-3.0, 3.0), (-3.0, 3.0)]).fun,
    "curve_fit": lambda a: np.sum(so.curve_fit(lambda x, p, q: p * np.exp(-q * x), t, np.exp(-a[0] * t) + a[1] * t, p0=[1.0, 1.0])[0] ** 2),
    "nnls": lambda a: np.sum(so.nnls(M * a[0], M @ A([1.0, -1.0, 2.0]) + a[1] * np.arange(6.0))[0] ** 2) + so.nnls(M * a[0], M @ A([1.0, -1.0, 2.0]) + a[1] * np.arange(6.0))[1],
    "lsq_linear": lambda a: np.sum(so.lsq_linear(M * a[0], M @ A([1.0, -1.0, 2.0]) + a[1], bounds=(-0.5, 1.5)).x ** 2) + so.lsq_linear(M * a[0], M @ A([1.0, -1.0, 2.0]) + a[1]).cost,
    "linprog": lambda a: np.sum(so.linprog(A([-1.0, -2.0]) * a[0], A_ub=A([[1.0, 1.0], [3.0, 1.0]]) * a[0], b_ub=A([4.0, 6.0]) + a[1], bounds=[(0, None), (0, 3.0)]).x ** 2) + so.linprog(a, A_eq=A([[1.0, 1.0]]), b_eq=a[:1]).fun,
    "iso": lambda a: np.sum(so.isotonic_regression(np.sin(5 * t) * a[0] + a[1] * t, weights=1 + t * a[1]).x ** 3),
    "rosen": lambda a: so.rosen(a) + np.sum(so.rosen_der(a) ** 2) + np.sum(so.rosen_hess(a) ** 2) + np.sum(so.rosen_hess_prod(a, a)),
    "fprime": lambda a: np.sum(so.approx_fprime(a, lambda x: np.sum(x ** 3), 0.0001) ** 2),
    "fixed_quad": lambda a: si.fixed_quad(lambda x: np.exp(-a[0] * x), a[1], 2.0)[0],
    "dbl": lambda a: si.dblquad(lambda y, x: np.exp(-a[0] * x * y), 0.0, a[1], 0.0, lambda x: 1.0 + x * a[0])[0],
    "tpl": lambda a: si.tplquad(lambda z, y, x: x * y * z * a[0], 0.0, a[1], 0.0, 1.0, lambda x, y: 0.0, lambda x, y: x + y)[0],
    "nquad": lambda a: si.nquad(lambda x, y: np.exp(-a[0] * x * y), [[0.0, a[1]], [0.0, 1.0]])[0],
    "nq": lambda a: si.nquad(lambda x, y: x * y * a[0], [lambda y: (0.0, y * a[1]), (0.0, 1.0)])[0],
    "tanh": lambda a: si.tanhsinh(lambda x: np.exp(-a[0] * x), a[1], 2.0).integral,
    "csimp": lambda a: np.sum(si.cumulative_simpson(np.sin(a[0] * t), x=t * a[1]) ** 2) + np.sum(si.cumulative_simpson(np.sin(a[0] * t[:5]), dx=a[1], initial=0.0) ** 2),
}


@pytest.mark.filterwarnings("error::transgrad.TapeFallbackWarning")
@pytest.mark.filterwarnings("ignore::scipy.linalg.LinAlgWarning")
@pytest.mark.parametrize("name", with_releases(PROGRAMS, {"tanh": "SciPy 1.15"}))
def test_gradient(name: str) -> None:
    """Against differences of the fourth order: what a solver finds has few digits."""
    f, a, h = PROGRAMS[name], A([1.2, 0.3]), 2e-3
    value, gradient = tg.value_and_grad(f, fallback="error")(a)
    np.testing.assert_allclose(value, f(a), rtol=1e-6)
    want = [(8.0 * (f(a + h * e) - f(a - h * e)) - f(a + 2.0 * h * e) + f(a - 2.0 * h * e)) / (12.0 * h) for e in np.eye(2)]
    np.testing.assert_allclose(gradient, want, rtol=3e-4, atol=1e-5)


def test_forward() -> None:
    f = PROGRAMS["fmin_bfgs"]
    gradient = tg.grad(f)(A([1.2, 0.3]))
    np.testing.assert_allclose(tg.jvp(f, (A([1.2, 0.3]),), (A([0.3, -0.7]),))[1], gradient @ A([0.3, -0.7]), rtol=1e-6)


def test_degenerate_program_is_refused() -> None:
    """A linear program with more than one solution."""
    with pytest.raises(ValueError, match="vertex"):
        tg.grad(lambda a: np.sum(so.linprog(A([0.0, 0.0]), A_ub=A([[1.0, 1.0]]) * a, b_ub=A([1.0]), bounds=(None, None)).x))(1.0)


def test_options_that_are_refused() -> None:
    with pytest.raises(tg.UnsupportedSyntax, match="full_output"):
        tg.grad(lambda a: so.fmin(obj(a), np.zeros(2), full_output=True)[1], fallback="error")(A([1.2, 0.3]))
