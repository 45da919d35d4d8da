"""Polynomials and rational functions through data: Newton's form, and Floater's and Hormann's weights."""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.interpolate as si

from ...installed import installed
from ...registry import definition
from ...static import NoDerivative
from .curves import column, first_axis


class Newton:
    """The polynomial ``sum_k c[k] (x - xi[0]) ... (x - xi[k - 1])``."""

    def __init__(self, xi: Any, c: Any):
        self.xi, self.c = xi, c

    def __call__(self, x: Any) -> Any:
        return self.derivatives(x, 1)[0]

    def derivative(self, x: Any, der: Any = 1) -> Any:
        return self.derivatives(x, der + 1)[der]

    def derivatives(self, x: Any, der: Any = None) -> Any:
        """The value and the derivatives below the order ``der``."""
        x = np.asarray(x)
        n = self.xi.shape[0]
        count = n if der is None else der
        extra = np.ndim(self.c) - 1
        zero = np.reshape(0.0 * x, x.shape + (1,) * extra) * self.c[0]
        rows = [zero] * count
        for k in range(n - 1, -1, -1):
            d = np.reshape(x - self.xi[k], x.shape + (1,) * extra)
            rows = [rows[m] * d + (m * rows[m - 1] if m > 0 else self.c[k]) for m in range(count)]
        return np.stack(rows)


def divided_differences(x: Any, y: Any) -> Any:
    """The coefficients of Newton's form, of distinct places."""
    rows = [y[0]]
    held = y
    for k in range(1, x.shape[0]):
        held = (held[1:] - held[:-1]) / column(x[k:] - x[:x.shape[0] - k], y)
        rows.append(held[0])
    return np.stack(rows)


def newton(xi: Any, yi: Any, axis: Any, der: Any = None) -> Newton:
    first_axis(axis)
    if yi is None or der is not None:
        raise NoDerivative("interpolating polynomials have a derivative if only values are given, without derivatives")
    return Newton(xi, divided_differences(xi, yi))


@definition(si.KroghInterpolator)
def krogh(xi: Any, yi: Any, axis: Any = 0) -> Any:
    """Of distinct places."""
    return newton(xi, yi, axis)


@definition(si.BarycentricInterpolator)
def barycentric(xi: Any, yi: Any = None, axis: Any = 0, *, wi: Any = None, rng: Any = None, random_state: Any = None) -> Any:
    """The same polynomial in Newton's form."""
    return newton(xi, yi, axis, wi)


@definition(si.krogh_interpolate)
def krogh_interpolate(xi: Any, yi: Any, x: Any, der: Any = 0, axis: Any = 0) -> Any:
    """At given places; one derivative."""
    return newton(xi, yi, axis).derivative(x, der)


@definition(si.barycentric_interpolate)
def barycentric_interpolate(xi: Any, yi: Any, x: Any, axis: Any = 0, *, der: Any = 0, rng: Any = None) -> Any:
    """At given places; one derivative."""
    return newton(xi, yi, axis).derivative(x, der)


class Rational:
    """``sum_k w[k] y[k] / (x - xi[k])`` over the same without y; at a place of the data the value there."""

    def __init__(self, xi: Any, y: Any, w: Any):
        self.xi, self.y, self.w = xi, y, w

    def __call__(self, x: Any) -> Any:
        x = np.asarray(x)
        d = x[..., None] - self.xi
        at = d == 0.0
        share = np.where(np.any(at, axis=-1, keepdims=True), np.where(at, 1.0, 0.0), self.w / np.where(at, 1.0, d))
        return (share @ self.y) / np.sum(share, axis=-1)


@definition(installed("scipy.interpolate.FloaterHormannInterpolator"))
def floater_hormann(points: Any, values: Any, *, d: Any = 3, axis: Any = 0) -> Any:
    """For one series. There is no derivative with respect to the point of evaluation at a data point."""
    if np.ndim(values) != 1:
        raise NoDerivative("FloaterHormannInterpolator has a derivative for one series")
    n = points.shape[0]
    k = np.arange(n)
    w = np.zeros(n) + 0.0 * points
    for start in range(n - d):
        inside = (k >= start) & (k <= start + d)
        gaps = np.where(inside & inside[:, None] & (k != k[:, None]), points[:, None] - points, 1.0)
        w = w + np.where(inside, (-1.0) ** start / np.prod(gaps, axis=1), 0.0)
    return Rational(points, values, w)
