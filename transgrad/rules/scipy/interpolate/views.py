"""Interpolators that exist already, such as a curve through measured data: through the places asked for."""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.interpolate as si

from ...views import view
from .curves import curve, line_or_spline
from .grids import regular_grid, surface
from .scattered import linear_nd, radial_sum
from .splines import bspline
from .triangles import clough_tocher


@view(si.PPoly, si.CubicSpline, si.PchipInterpolator, si.Akima1DInterpolator, si.CubicHermiteSpline)
def _(held: Any) -> Any:
    known = held.axis == 0 and held.extrapolate != "periodic"
    return (curve, held.c, held.x, "continued" if held.extrapolate else "nan") if known else None


@view(si.interp1d)
def _(held: Any) -> Any:
    cubic = held._kind == "spline" and held._spline.k == 3
    if np.ndim(held.y) != 1 or held.axis != 0 or not cubic and held._kind != "linear":
        return None
    outside: Any = "continued" if held._extrapolate else "refused"
    if not held._extrapolate and not held.bounds_error:
        outside = float(held._fill_value_below[0]), float(held._fill_value_above[0])
    return line_or_spline, held.x, held.y, "cubic" if cubic else "linear", outside


@view(si.BSpline)
def _(held: Any) -> Any:
    return (bspline, held.t, held.c, held.k) if held.axis == 0 and held.extrapolate is True else None


@view(si.UnivariateSpline, si.InterpolatedUnivariateSpline, si.LSQUnivariateSpline)
def _(held: Any) -> Any:
    t, c, k = held._eval_args
    return (bspline, t, c[:len(t) - k - 1], k) if held.ext == 0 else None


@view(si.RegularGridInterpolator)
def _(held: Any) -> Any:
    return regular_grid, held.grid, held.values, held.method, held.bounds_error, held.fill_value


@view(si.RectBivariateSpline, si.SmoothBivariateSpline, si.LSQBivariateSpline)
def _(held: Any) -> Any:
    tx, ty, c = held.tck
    kx, ky = held.degrees
    return surface, tx, ty, np.reshape(c, (len(tx) - kx - 1, len(ty) - ky - 1)), kx, ky


@view(si.LinearNDInterpolator)
def _(held: Any) -> Any:
    return (linear_nd, held.points, held.values[:, 0], held.fill_value) if plain_triangles(held) else None


@view(si.CloughTocher2DInterpolator)
def _(held: Any) -> Any:
    return (clough_tocher, held.points, held.values[:, 0], held.fill_value) if plain_triangles(held) else None


def plain_triangles(held: Any) -> bool:
    """Of one real series, over triangles between the points as they were given."""
    return held.values_shape == () and held.scale is None and not held.is_complex


@view(si.RBFInterpolator)
def _(held: Any) -> Any:
    if held.neighbors is not None or held.d_shape != () or held.d_dtype is complex:
        return None
    return radial_sum, held.y, held._coeffs[:, 0], held.kernel, held.epsilon, held.powers.astype(float), held._shift, held._scale
