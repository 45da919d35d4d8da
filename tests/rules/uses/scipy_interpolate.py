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


@use(T[:3])
def grids_made_before(t: Any) -> Any:
    return np.sum(GRID(np.stack((t, 0.4 * t), axis=-1))) + np.sum(np.sin(SURFACE(t, 0.4 * t))) + SURFACE.ev(t[0], t[1])


@use(T)
def made_of_constants(t: Any) -> Any:
    s = si.CubicSpline(X, Y)
    return np.sum(s(t) ** 2) + np.sum(si.interp1d(X, Y)(t))
