"""Curves through data, made inside the function that is differentiated: value as SciPy's, derivatives through data and places."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import interpolate

import transgrad as tg
from transgrad.testing import check_grad

X = np.array([0.0, 0.4, 1.1, 1.5, 2.3, 3.0])
Y = np.array([0.3, -0.2, 0.9, 1.4, 0.1, 0.7])
T = np.array([0.1, 0.7, 1.6, 2.9])


def spline(x: Any, y: Any, t: Any) -> Any:
    return np.sum(interpolate.CubicSpline(x, y)(t) ** 2)


def natural(x: Any, y: Any, t: Any) -> Any:
    s = interpolate.CubicSpline(x, y, bc_type="natural")
    return np.sum(s(t) * s(t, 1)) + s.integrate(0.2, 2.0)


def clamped_columns(x: Any, y: Any, t: Any) -> Any:
    return np.sum(interpolate.CubicSpline(x, np.stack((y, y * y), axis=1), bc_type="clamped")(t) ** 2)


def monotone(x: Any, y: Any, t: Any) -> Any:
    return np.sum(interpolate.PchipInterpolator(x, y)(t) ** 2)


def akima(x: Any, y: Any, t: Any) -> Any:
    return np.sum(interpolate.Akima1DInterpolator(x, y)(t) ** 2)


def lines(x: Any, y: Any, t: Any) -> Any:
    return np.sum(interpolate.interp1d(x, y)(t) ** 2)


def cubic(x: Any, y: Any, t: Any) -> Any:
    f = interpolate.interp1d(x, y, kind="cubic")
    return np.sum(f(t) ** 2)


def made(x: Any, y: Any, t: Any) -> Any:
    return np.sum(interpolate.make_interp_spline(x, y, k=3)(t) ** 2)


def slopes(x: Any, y: Any, t: Any) -> Any:
    return np.sum(interpolate.CubicHermiteSpline(x, y, 2.0 * y)(t) ** 2)


@pytest.mark.filterwarnings("error::transgrad.TapeFallbackWarning")
@pytest.mark.parametrize("f", [spline, natural, clamped_columns, monotone, akima, lines, cubic, made, slopes])
def test_curve(f: Callable[..., Any]) -> None:
    value, _ = tg.value_and_grad(f, argnums=(0, 1, 2), fallback="error")(X, Y, T)
    np.testing.assert_allclose(value, f(X, Y, T), rtol=1e-11)
    check_grad(f, (X, Y, T))


def test_outside_of_the_data() -> None:
    out = np.array([-1.0, 0.5])
    with pytest.raises(ValueError, match="outside"):
        tg.grad(lambda y: np.sum(interpolate.interp1d(X, y)(out)))(Y)
    value, grad = tg.value_and_grad(lambda y: np.nansum(interpolate.Akima1DInterpolator(X, y)(out)))(Y)
    np.testing.assert_allclose(value, np.nansum(interpolate.Akima1DInterpolator(X, Y)(out)))
    assert np.all(np.isfinite(grad))
    filled = tg.grad(lambda y: np.sum(interpolate.interp1d(X, y, bounds_error=False, fill_value=0.0)(out)), fallback="error")(Y)
    np.testing.assert_allclose(filled, tg.grad(lambda y: np.sum(interpolate.interp1d(X, y)(out[1:])))(Y))
