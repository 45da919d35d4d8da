"""scipy.interpolate: objects made inside, and what they are asked for."""
from __future__ import annotations

from typing import Any

import numpy as np
from scipy import interpolate as si

from . import use

X = np.array([0.0, 0.4, 1.1, 1.5, 2.3, 3.0])
Y = np.array([0.3, -0.2, 0.9, 1.4, 0.1, 0.7])
T = np.array([0.1, 0.7, 1.6, 2.9])


@use(X, Y, T)
def monotone(x: Any, y: Any, t: Any) -> Any:
    return np.sum(si.pchip_interpolate(x, y, t) ** 2) + np.sum(np.sin(si.pchip_interpolate(x, y, t, 1)))


#: made before the function is called
SPLINE, SHAPED, BENT = si.CubicSpline(X, Y), si.PchipInterpolator(X, Y), si.Akima1DInterpolator(X, Y)
BASIS, FITTED = si.make_interp_spline(X, Y, k=3), si.UnivariateSpline(X, Y, s=0.1)
GRID = si.RegularGridInterpolator((X, X[:4]), np.outer(Y, Y[:4]) + X[:4])
SURFACE = si.RectBivariateSpline(X, X[:5], np.outer(Y, Y[:5]))


@use(T)
def curves_made_before(t: Any) -> Any:
    return np.sum(SPLINE(t) * SHAPED(t)) + np.sum(BENT(t)) + np.sum(SPLINE(t, 1)) + SPLINE.integrate(0.2, t[1])


@use(T)
def splines_made_before(t: Any) -> Any:
    return np.sum(BASIS(t) * FITTED(t)) + np.sum(FITTED.derivative()(t)) + np.sum(BASIS.derivative(2)(t))


@use(np.array([-0.4, 1.2, 3.7]))
def outside_of_a_surface(t: Any) -> Any:
    return np.sum(SURFACE(t, t[:2]) ** 2) + np.sum(SURFACE.ev(t, t, 1))


@use(T[:3])
def grids_made_before(t: Any) -> Any:
    return np.sum(GRID(np.stack((t, 0.4 * t), axis=-1))) + np.sum(np.sin(SURFACE(t, 0.4 * t))) + SURFACE.ev(t[0], t[1])


@use(T)
def made_of_constants(t: Any) -> Any:
    s = si.CubicSpline(X, Y)
    return np.sum(s(t) ** 2) + np.sum(si.interp1d(X, Y)(t))

_rng = np.random.default_rng(3)
POINTS, HEIGHTS, PLACES = _rng.uniform(0.0, 1.0, (9, 2)), _rng.normal(size=9), np.array([[0.42, 0.5], [0.55, 0.41], [0.5, 0.61]])
FLAT, SMOOTH = si.LinearNDInterpolator(POINTS, HEIGHTS), si.CloughTocher2DInterpolator(POINTS, HEIGHTS, tol=1e-13, maxiter=5000)
RADIAL = si.RBFInterpolator(POINTS, HEIGHTS, kernel="gaussian", epsilon=1.3)
MANY = _rng.uniform(0.0, 1.0, (20, 2))
TALL, WEIGHTS = _rng.normal(size=20), _rng.uniform(0.5, 2.0, size=20)


@use(PLACES)
def scattered_made_before(q: Any) -> Any:
    return np.sum(np.sin(FLAT(q))) + np.sum(np.sin(SMOOTH(q))) + np.sum(np.sin(RADIAL(q)))


@use(POINTS, HEIGHTS, PLACES)
def clough_tocher(p: Any, v: Any, q: Any) -> Any:
    return np.sum(np.sin(si.CloughTocher2DInterpolator(p, v, tol=1e-13, maxiter=5000)(q)))


@use(HEIGHTS, PLACES)
def cubic_grid_data(v: Any, q: Any) -> Any:
    return np.sum(np.sin(SMOOTH(q))) + np.sum(si.griddata(POINTS, v, q, method="linear") ** 2)


@use(Y[:5], T[:3], 0.7)
def old_radial(y: Any, t: Any, width: Any) -> Any:
    total = 0.0
    for function in ("multiquadric", "inverse", "gaussian", "linear", "cubic", "quintic", "thin_plate"):
        total = total + np.sum(si.Rbf(X[:5], y, function=function, epsilon=width, smooth=0.1)(t) ** 2)
    return total + np.sum(si.Rbf(X[:5], 0.5 * X[:5] ** 2, y)(t, t))


@use(np.array([1.0, 2.0, -0.5]), T)
def polynomials(c: Any, t: Any) -> Any:
    p = np.poly1d(c)
    return np.sum((p * p + 2.0 - p.deriv())(t)) + p[1] ** 2 + (p ** 2).integ()(0.3) + np.sum((-p - 1.5).c)


@use(X[:4], Y[:4], T)
def lagrange(x: Any, y: Any, t: Any) -> Any:
    return np.sum(si.lagrange(x, y)(t) ** 2) + np.sum(si.lagrange(x, y).deriv().coef)


@use(np.array([1.0, 1.0, 0.5, 1.0 / 6.0, 1.0 / 24.0]), T)
def pade(c: Any, t: Any) -> Any:
    p, q = si.pade(c, 2)
    return np.sum(p(t) / q(t))


@use(1.3, 0.2, 0.5)
def taylor(a: Any, x: Any, s: Any) -> Any:
    return np.sum(si.approximate_taylor_polynomial(lambda u: np.sin(a * u), x, 3, s, order=6).c ** 2)


@use(np.tanh(np.linspace(-4.0, 4.0, 12)) + np.linspace(-0.5, 0.5, 12) ** 2, T[:2] * 0.3)
def adaptive_quotient(y: Any, t: Any) -> Any:
    return np.sum(si.AAA(np.linspace(-1.0, 1.0, 12), y, max_terms=4)(t) ** 2)


@use(MANY, TALL, WEIGHTS)
def fitted_surface(p: Any, z: Any, w: Any) -> Any:
    s = si.LSQBivariateSpline(p[:, 0], p[:, 1], z, [0.5], [0.4], w, bbox=[-0.1, 1.1, -0.1, 1.1], kx=2, ky=1)
    return np.sum(s.ev([0.2, 0.6], [0.3, 0.7]) ** 2)


@use(TALL, T[:2] * 0.2)
def smooth_surface(z: Any, t: Any) -> Any:
    s = si.SmoothBivariateSpline(MANY[:, 0], MANY[:, 1], z, s=1e5, kx=2, ky=1)
    tck = si.bisplrep(MANY[:, 0], MANY[:, 1], z, s=1e5, kx=2, ky=1)
    return np.sum(s(t, 0.5 * t) ** 2) + np.sum(si.bisplev(0.3, t, tck) ** 2)


TURNS, RISES = _rng.uniform(0.02, 6.2, 60), np.arccos(_rng.uniform(-0.98, 0.98, 60))


@use(np.cos(TURNS) * RISES, 1.1)
def on_a_sphere(r: Any, a: Any) -> Any:
    s = si.LSQSphereBivariateSpline(RISES, TURNS, r, np.array([1.0, 2.0]), np.array([1.5, 3.0, 4.5]))
    return np.sum(s(np.array([0.3, 1.6]) * a, np.array([0.5, 2.0])) ** 2)


C, GRID_X, GRID_Y = _rng.normal(size=(3, 2, 3, 2)), np.array([0.0, 0.3, 0.7, 1.0]), np.array([0.0, 0.4, 1.0])


@use(C, PLACES, GRID_X)
def piecewise_on_a_grid(c: Any, q: Any, x: Any) -> Any:
    s = si.NdPPoly(c, (x, GRID_Y))
    return np.sum(s(q) ** 2) + np.sum(s(q, (1, 1)))


@use(0.9, Y)
def inserted(u: Any, y: Any) -> Any:
    t, c, k = si.insert(u, si.splrep(X, y, s=0), m=2)
    return np.sum(si.splev(T, (t, c, k)) ** 2) + np.sum(c ** 2) + np.sum(t ** 3)
