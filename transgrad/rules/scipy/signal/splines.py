"""Splines of samples along a line: their coefficients by filters with one pole, their values, and products of two filters."""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.signal as sg

from ...registry import definition
from ...static import NoDerivative


def there_and_back(v: Any, z1: Any, c0: Any) -> Any:
    """A filter with one pole along the last axis, there and back, from states that mirror the signal."""
    n = v.shape[-1]
    powers = z1 ** np.arange(1.0, n + 1.0)
    first = v[..., :1] + (v @ powers)[..., None]
    a = np.stack((1.0, -z1))
    there = sg.lfilter(np.ones(1), a, np.concatenate((first, v[..., 1:]), axis=-1))
    last = -c0 / (z1 - 1.0) * there[..., -1:]
    turned = np.flip(np.concatenate((c0 * there[..., :-1], last), axis=-1), -1)
    return np.flip(sg.lfilter(np.ones(1), a, turned), -1)


def plain_spline(lamb: Any) -> None:
    if lamb != 0.0:
        raise NoDerivative("splines of samples have a derivative with lamb=0")


@definition(sg.symiirorder1)
def symiirorder1(signal: Any, c0: Any, z1: Any, precision: Any = -1.0) -> Any:
    """With respect to the signal, the pole and the factor; the initial sum is not truncated."""
    return there_and_back(signal, z1, c0)


#: the poles of the filters that make the coefficients of cubic and quadratic splines of samples
CUBIC, QUADRATIC = -2.0 + 3.0 ** 0.5, -3.0 + 2.0 * 2.0 ** 0.5


@definition(sg.cspline1d)
def cspline1d(signal: Any, lamb: Any = 0.0) -> Any:
    """Of interpolating splines."""
    plain_spline(lamb)
    return there_and_back(signal, CUBIC, -6.0 * CUBIC)


@definition(sg.qspline1d)
def qspline1d(signal: Any, lamb: Any = 0.0) -> Any:
    """Of interpolating splines."""
    plain_spline(lamb)
    return there_and_back(signal, QUADRATIC, -8.0 * QUADRATIC)


def within(newx: Any, n: Any, dx: Any, x0: Any) -> Any:
    """Places in units of samples, mirrored at either end."""
    t = (newx - x0) / dx
    period = 2.0 * (n - 1)
    folded = t - period * np.floor(t / period)
    return np.where(folded > n - 1, period - folded, folded)


def weighed(cj: Any, newx: Any, dx: Any, x0: Any, count: int, basis: Any) -> Any:
    """The sum of the ``count`` coefficients near each place, weighed by their distance; those beyond either end are the last ones."""
    n = cj.shape[0]
    t = within(newx, n, dx, x0)
    first = np.floor(t - 0.5 * count).astype(int) + 1
    total = 0.0 * t
    for k in range(count):
        total = total + cj[np.clip(first + k, 0, n - 1)] * basis(np.abs(t - (first + k)))
    return total


def cubic_weight(d: Any) -> Any:
    return np.where(d < 1.0, 2.0 / 3.0 - 0.5 * d * d * (2.0 - d), np.where(d < 2.0, (2.0 - d) ** 3 / 6.0, 0.0))


def quadratic_weight(d: Any) -> Any:
    return np.where(d < 0.5, 0.75 - d * d, np.where(d < 1.5, 0.5 * (d - 1.5) ** 2, 0.0))


@definition(sg.cspline1d_eval)
def cspline1d_eval(cj: Any, newx: Any, dx: Any = 1.0, x0: Any = 0) -> Any:
    """With respect to the coefficients and the places."""
    return weighed(cj, newx, dx, x0, 4, cubic_weight)


@definition(sg.qspline1d_eval)
def qspline1d_eval(cj: Any, newx: Any, dx: Any = 1.0, x0: Any = 0) -> Any:
    """With respect to the coefficients and the places."""
    return weighed(cj, newx, dx, x0, 3, quadratic_weight)


@definition(sg.sepfir2d)
def sepfir2d(input: Any, hrow: Any, hcol: Any) -> Any:
    """An image that is mirrored at its edges, through the image and both filters."""
    rows, columns = hcol.shape[0] // 2, hrow.shape[0] // 2
    wide = np.pad(input, ((rows, rows), (columns, columns)), mode="symmetric")
    return sg.convolve2d(wide, np.outer(hcol, hrow), "valid")
