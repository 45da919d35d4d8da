"""Splines, polynomials, surfaces and scattered data made inside the function that is differentiated: through data and places."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.interpolate as si

import transgrad as tg
from transgrad.testing import check_grad

from ..releases import with_releases

X = np.array([0.0, 0.4, 1.1, 1.5, 2.3, 3.0, 3.4, 4.1])
Y = np.array([0.3, -0.2, 0.9, 1.4, 0.1, 0.7, -0.5, 0.2])
T = np.array([0.1, 0.7, 1.6, 2.9])
R = np.random.default_rng(0)
P = R.uniform(size=(8, 2)) * 3
Q = np.array([[1.2, 1.3], [1.6, 1.1], [1.4, 1.7]])
Z = R.normal(size=(5, 6))
GX, GY = np.array([0, 0.5, 1.1, 1.8, 2.5]), np.array([0.0, 0.4, 1.0, 1.7, 2.2, 3.0])
KN = np.concatenate((-0.05 * np.ones(4), [1.2, 2.2], np.ones(4) * 4.15))
TX, TY = np.concatenate((np.zeros(4), [1.2], np.ones(4) * 2.5)), np.concatenate((np.zeros(4), [1.0, 2.0], np.ones(4) * 3.0))
CF = R.normal(size=(5, 6))

PROGRAMS: dict[str, Callable[..., Any]] = {
    "ppoly": lambda x, y, t: np.sum(si.PPoly(np.stack((y[:7], y[1:], y[:7] * 2)), x)(t) ** 2) + si.PPoly(np.stack((y[:7], y[1:])), x).antiderivative()(t[1]) + si.PPoly(np.stack((y[:7], y[1:])), x).integrate(0.2, 2.0) + np.sum(si.PPoly(np.stack((y[:7], y[1:])), x).derivative()(t)),
    "bpoly": lambda x, y, t: np.sum(si.BPoly(np.stack((y[:7], y[1:], y[:7] * 2)), x)(t) ** 2),
    "bspline": lambda x, y, t: np.sum(si.BSpline(KN * x[1] * 2.5, y[:6], 3)(t) ** 2) + np.sum(si.BSpline(KN, y[:6], 3)(t, 1) ** 2) + np.sum(si.BSpline(KN, y[:6], 3).derivative(2)(t) ** 2) + si.BSpline(KN, y[:6], 3).integrate(0.3, 2.0) + np.sum(si.BSpline(KN, y[:6], 3).antiderivative()(t)),
    "make1": lambda x, y, t: np.sum(si.make_interp_spline(x, y, k=1)(t) ** 2) + np.sum(si.make_interp_spline(x, y, k=2)(t) ** 2) + np.sum(si.make_interp_spline(x, y, k=3)(t) ** 2) + np.sum(si.make_interp_spline(x, y, k=5)(t) ** 2),
    "makecols": lambda x, y, t: np.sum(si.make_interp_spline(x, np.stack((y, y * y), axis=1), k=3)(t) ** 2),
    "lsq": lambda x, y, t: np.sum(si.make_lsq_spline(x, y, KN)(t) ** 2) + np.sum(si.LSQUnivariateSpline(x, y, [1.3, 2.5])(t) ** 2),
    "uni": lambda x, y, t: np.sum(si.InterpolatedUnivariateSpline(x, y)(t) ** 2) + np.sum(si.UnivariateSpline(x, y, s=0).derivative()(t) ** 2) + si.UnivariateSpline(x, y, s=0).integral(0.3, 2.1) + np.sum(si.InterpolatedUnivariateSpline(x, y).roots() ** 2),
    "smooth": lambda x, y, t: np.sum(si.make_smoothing_spline(x, y, lam=0.3)(t) ** 2),
    "splrepm": lambda x, y, t: np.sum(si.make_splrep(x, y, s=0)(t) ** 2),
    "splrep": lambda x, y, t: np.sum(si.splev(t, si.splrep(x, y)) ** 2) + np.sum(si.splev(t, si.splrep(x, y), der=1) ** 2) + si.splint(0.2, 2.0, si.splrep(x, y)) ** 2 + np.sum(si.sproot(si.splrep(x, y)) ** 2),
    "splder": lambda x, y, t: np.sum(si.splev(t, si.splder(si.splrep(x, y))) ** 2) + np.sum(si.splev(t, si.splantider(si.splrep(x, y))) ** 2) + np.sum(si.spalde(1.3, si.splrep(x, y)) ** 2),
    "krogh": lambda x, y, t: np.sum(si.KroghInterpolator(x, y)(t) ** 2) + np.sum(si.KroghInterpolator(x, y).derivative(t) ** 2) + np.sum(si.krogh_interpolate(x, y, t, der=2)),
    "bary": lambda x, y, t: np.sum(si.BarycentricInterpolator(x, y)(t) ** 2) + np.sum(si.barycentric_interpolate(x, y, t) ** 3),
    "fh": lambda x, y, t: np.sum(si.FloaterHormannInterpolator(x, y)(t) ** 2),
    "rgi": lambda x, y, t: np.sum(si.RegularGridInterpolator((GX, x[:6]), Z * y[0])(Q * t[1]) ** 2) + np.sum(si.interpn((GX, GY), Z * y[:6], Q * t[1]) ** 2) + np.sum(si.RegularGridInterpolator((GX, GY), Z * y[:6], method="nearest")(Q)),
    "rgi1": lambda x, y, t: np.sum(si.RegularGridInterpolator((x,), y)(t[:, None]) ** 2) + np.sum(si.RegularGridInterpolator((x,), y, bounds_error=False, fill_value=None)(t[:, None] + 2.0) ** 2),
    "rect": lambda x, y, t: np.sum(si.RectBivariateSpline(GX, x[:6], Z * y[0])(np.sort(t)[:3] * 0.8, t) ** 2) + si.RectBivariateSpline(GX, GY, Z * y[:6]).integral(0.1, 2.0, 0.3, 1.5) + np.sum(si.RectBivariateSpline(GX, GY, Z * y[:6]).ev(t * 0.8, t, dx=1)),
    "rbf": lambda x, y, t: np.sum(si.RBFInterpolator(P * x[1], y)(Q * t[1]) ** 2) + np.sum(si.RBFInterpolator(P, y, kernel="gaussian", epsilon=x[1])(Q) ** 2) + np.sum(si.RBFInterpolator(P, y, kernel="cubic", smoothing=0.1)(Q) ** 2),
    "lin": lambda x, y, t: np.sum(si.LinearNDInterpolator(P, y)(Q * t[1] * 1.4) ** 2) + np.sum(si.griddata(P * x[1] * 2.5, y, Q) ** 2) + np.sum(si.griddata(P, y, Q, method="nearest") ** 2) + np.sum(si.NearestNDInterpolator(P, y)(Q) ** 2),
    "bisplev": lambda x, y, t: np.sum(si.bisplev(np.sort(t) * 0.8, np.sort(t), (TX, TY, np.ravel(CF) * y[0], 3, 3)) ** 2),
    "nd": lambda x, y, t: np.sum(si.NdBSpline((TX, TY), CF * y[:6], 3)(Q * t[1]) ** 2),
    "splprep": lambda x, y, t: np.sum(np.stack(si.splev(t / 3.5, si.splprep([x, y], s=0)[0])) ** 2),
    "mksplprep": lambda x, y, t: np.sum(si.make_splprep([x, y], s=0)[0](t / 3.5) ** 2) + np.sum(si.make_splprep([x, y], s=0)[1] ** 2),
}


@pytest.mark.filterwarnings("error::transgrad.TapeFallbackWarning")
@pytest.mark.parametrize("name", with_releases(PROGRAMS, {"splrepm": "SciPy 1.15", "mksplprep": "SciPy 1.15", "fh": "SciPy 1.15"}))
def test_gradient(name: str) -> None:
    f = PROGRAMS[name]
    for argnums in (1, (0, 1, 2)):
        np.testing.assert_allclose(tg.value_and_grad(f, argnums=argnums, fallback="error")(X, Y, T)[0], f(X, Y, T), rtol=1e-8)
    check_grad(f, (X, Y, T), rtol=1e-4)


@pytest.mark.parametrize("name", ["bspline", "krogh", "rgi1", "uni"])
def test_second_order(name: str) -> None:
    f = PROGRAMS[name]
    check_grad(lambda y: np.sum(tg.grad(f, argnums=1)(X, y, T) * np.arange(8.0)), (Y,), rtol=1e-4)


@pytest.mark.parametrize(("f", "message"), [
    (lambda y: si.UnivariateSpline(X, y)(1.0), "s=0"),
    (lambda y: si.make_smoothing_spline(X, y)(1.0), "lam"),
    (lambda y: si.RBFInterpolator(P, y, neighbors=4)(Q)[0], "neighbors"),
    (lambda y: si.interpn((GX, GY), Z * y[0], Q, method="cubic")[0], "linear"),
])
def test_refused(f: Callable[..., Any], message: str) -> None:
    with pytest.raises((tg.UnsupportedCall, tg.UnsupportedSyntax, TypeError), match=message):
        tg.grad(f, fallback="error")(Y)


GRID = np.mgrid[0.2:0.8:3j, 0.1:0.9:4j]
SCATTERED = np.random.default_rng(8).uniform(size=(14, 2))
LINE = np.array([0.3, 0.9, 0.5, 1.4, 1.1])


@pytest.mark.parametrize("method", ["linear", "nearest", "cubic"])
@pytest.mark.parametrize("xi", [(GRID[0], GRID[1]), np.moveaxis(GRID, 0, -1), GRID[:, 0].T, np.array([0.4, 0.5]), (GRID[0][:, :1], GRID[1][:1])],
                         ids=["tuple", "grid", "rows", "place", "broadcast"])
def test_griddata_at_places_of_any_shape(method, xi):
    """Some of them lie outside of the hull, where the value is constant."""
    values = np.sin(3.0 * SCATTERED[:, 0]) + SCATTERED[:, 1]
    f = lambda v: np.sum(si.griddata(SCATTERED, v, xi, method=method, fill_value=0.5) ** 2)
    assert tg.value_and_grad(f, fallback="error")(values)[0] == pytest.approx(f(values), rel=1e-7)
    check_grad(f, [values])


@pytest.mark.parametrize("method", ["linear", "nearest", "cubic"])
@pytest.mark.parametrize("as_tuple", [False, True])
def test_griddata_on_a_line(method, as_tuple):
    x = np.array([0.4, 0.77, 1.2])
    f = lambda v: np.sum(si.griddata(LINE, v, (x,) if as_tuple else x, method=method) ** 2)
    check_grad(f, [np.array([1.0, 2.0, 0.5, 0.3, 0.8])])
