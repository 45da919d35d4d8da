"""scipy.interpolate: curves through data, as compile-time objects, differentiated by the data and the query points.

A curve is represented by its coefficients on each interval; outside of the data the first or last interval is extrapolated. At a knot
a curve has the derivatives of the interval to the right.
"""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.interpolate as si

from ....ir.infer_shapes import SHAPES
from ....ir.types import ANY, Arr
from ...registry import constant, definition
from ...static import NoDerivative


class Curve:
    """A piecewise polynomial: ``sum(c[k] (t - x[i]) ** (m - k))`` on the interval i."""

    def __init__(self, c: Any, x: Any, outside: Any = "continued"):
        self.c, self.x, self.outside = c, x, outside

    def __call__(self, t: Any, nu: Any = 0, extrapolate: Any = None) -> Any:
        c = self.c
        for _ in range(nu):
            c = lowered_degree(c)
        t = np.asarray(t)
        i = np.clip(np.searchsorted(self.x, t, side="right") - 1, 0, self.x.shape[0] - 2)
        d = t - self.x[i]
        out = c[0][i]
        if np.ndim(out) > np.ndim(d):
            d = np.reshape(d, d.shape + (1,) * (np.ndim(out) - np.ndim(d)))
        for part in c[1:]:
            out = out * d + part[i]
        if extrapolate is not None or self.outside == "continued":
            return out
        inside = (t >= self.x[0]) & (t <= self.x[-1])
        if self.outside == "refused":
            if not np.all(inside):
                raise ValueError("a value is asked for outside of the places of the data")
            return out
        below, above = (np.nan, np.nan) if self.outside == "nan" else self.outside
        return np.where(inside, out, np.where(t < self.x[0], below, above))

    def derivative(self, nu: Any = 1) -> Any:
        c = self.c
        for _ in range(nu):
            c = lowered_degree(c)
        return Curve(c, self.x)

    def antiderivative(self, nu: Any = 1) -> Any:
        c, h = self.c, np.diff(self.x)
        for _ in range(nu):
            c = raised_degree(c, h)
        return Curve(c, self.x)

    def integrate(self, a: Any, b: Any, extrapolate: Any = None) -> Any:
        return self.total(b) - self.total(a)

    def total(self, t: Any) -> Any:
        """The integral from the first knot."""
        h = np.diff(self.x)
        m = len(self.c)
        whole = sum(part * h ** (m - k) / (m - k) for k, part in enumerate(self.c))
        sums = np.concatenate((np.zeros(1), np.cumsum(whole)))
        i = np.clip(np.searchsorted(self.x, t, side="right") - 1, 0, self.x.shape[0] - 2)
        d = t - self.x[i]
        return sums[i] + sum(part[i] * d ** (m - k) / (m - k) for k, part in enumerate(self.c))


def lowered_degree(c: Any) -> Any:
    """The coefficients of the derivative."""
    m = len(c) - 1
    return [part * (m - k) for k, part in enumerate(c[:-1])]


def raised_degree(c: Any, h: Any) -> Any:
    """The coefficients of the integral from the first knot."""
    m = len(c)
    parts = [part / (m - k) for k, part in enumerate(c)]
    steps = sum(part * column(h, part) ** (m - k) for k, part in enumerate(parts))
    return [*parts, np.concatenate((np.zeros_like(steps[:1]), np.cumsum(steps, axis=0)[:-1]), axis=0)]


def column(h: Any, y: Any) -> Any:
    """``h`` so that it broadcasts against data along the first axis."""
    return np.reshape(h, (-1,) + (1,) * (np.ndim(y) - 1))


def continued(extrapolate: Any) -> None:
    if extrapolate is not None and extrapolate is not True:
        raise NoDerivative("curves through data have a derivative where they continue outside of the data: leave extrapolate out")


def hermite(x: Any, y: Any, s: Any, outside: Any = "continued") -> Any:
    """The curve with values y and first derivatives s at the knots."""
    h = column(np.diff(x), y)
    m = np.diff(y, axis=0) / h
    both = (s[:-1] + s[1:] - 2.0 * m) / h
    return Curve([both / h, (m - s[:-1]) / h - both, s[:-1], y[:-1]], x, outside)


def first_axis(axis: Any) -> None:
    if axis != 0:
        raise NoDerivative("curves through data have a derivative along the first axis of the data: pass axis=0")


@definition(si.CubicHermiteSpline)
def cubic_hermite(x: Any, y: Any, dydx: Any, axis: Any = 0, extrapolate: Any = None) -> Any:
    """The curve with given first derivatives."""
    first_axis(axis)
    continued(extrapolate)
    return hermite(x, y, dydx)


@definition(si.CubicSpline)
def cubic_spline(x: Any, y: Any, axis: Any = 0, bc_type: Any = "not-a-knot", extrapolate: Any = None) -> Any:
    """The curve with continuous second derivatives, through four points at least."""
    first_axis(axis)
    continued(extrapolate)
    return hermite(x, y, spline_slopes(x, y, bc_type))


def spline_slopes(x: Any, y: Any, bc_type: Any) -> Any:
    """The first derivatives at the knots, from a tridiagonal system and conditions at the ends."""
    n = x.shape[0]
    h = np.diff(x)
    m = np.diff(y, axis=0) / column(h, y)
    if n == 2 and bc_type == "not-a-knot":      # a line
        return np.concatenate((m, m), axis=0)
    inner = 3.0 * (column(h[1:], y) * m[:-1] + column(h[:-1], y) * m[1:])
    rows = np.diag(np.concatenate((np.zeros(1), 2.0 * (h[:-1] + h[1:]), np.zeros(1))))
    rows = rows + np.diag(np.concatenate((h[1:], np.zeros(1))), -1) + np.diag(np.concatenate((np.zeros(1), h[:-1])), 1)
    first, last = np.eye(1, n), np.eye(1, n, n - 1)
    second, other = np.eye(1, n, 1), np.eye(1, n, n - 2)
    if n == 3 and bc_type == "not-a-knot":      # a parabola
        top, bottom = first + second, last + other
        start, end = 2.0 * m[0], 2.0 * m[-1]
    elif bc_type == "not-a-knot":
        a, b = h[0] + h[1], h[-1] + h[-2]
        top, bottom = h[1] * first + a * second, h[-2] * last + b * other
        start = ((h[0] + 2.0 * a) * h[1] * m[0] + h[0] * h[0] * m[1]) / a
        end = (h[-1] * h[-1] * m[-2] + (2.0 * b + h[-1]) * h[-2] * m[-1]) / b
    elif bc_type == "natural":
        top, bottom = 2.0 * first + second, 2.0 * last + other
        start, end = 3.0 * m[0], 3.0 * m[-1]
    elif bc_type == "clamped":
        top, bottom = first, last
        start, end = 0.0 * m[0], 0.0 * m[-1]
    else:
        raise NoDerivative("CubicSpline has a derivative for the ends 'not-a-knot', 'natural' and 'clamped'")
    right = np.concatenate((np.expand_dims(start, 0), inner, np.expand_dims(end, 0)), axis=0)
    matrix = np.concatenate((top, rows[1:-1], bottom), axis=0)
    return np.linalg.solve(matrix, right)


@definition(si.PchipInterpolator)
def pchip(x: Any, y: Any, axis: Any = 0, extrapolate: Any = None) -> Any:
    """The monotone curve, through three points at least."""
    first_axis(axis)
    continued(extrapolate)
    h = column(np.diff(x), y)
    m = np.diff(y, axis=0) / h
    w1, w2 = 2.0 * h[1:] + h[:-1], h[1:] + 2.0 * h[:-1]
    turns = m[:-1] * m[1:] <= 0.0
    left, right = np.where(turns, 1.0, m[:-1]), np.where(turns, 1.0, m[1:])
    inner = np.where(turns, 0.0, (w1 + w2) / (w1 / left + w2 / right))
    start, end = pchip_end(h[0], h[1], m[0], m[1]), pchip_end(h[-1], h[-2], m[-1], m[-2])
    return hermite(x, y, np.concatenate((np.expand_dims(start, 0), inner, np.expand_dims(end, 0)), axis=0))


def pchip_end(h0: Any, h1: Any, m0: Any, m1: Any) -> Any:
    """The first derivative at an end, which preserves the shape."""
    d = ((2.0 * h0 + h1) * m0 - h0 * m1) / (h0 + h1)
    d = np.where(np.sign(d) != np.sign(m0), 0.0, d)
    return np.where((np.sign(m0) != np.sign(m1)) & (np.abs(d) > 3.0 * np.abs(m0)), 3.0 * m0, d)


@definition(si.Akima1DInterpolator)
def akima(x: Any, y: Any, axis: Any = 0, *, method: Any = "akima", extrapolate: Any = None) -> Any:
    """Akima's curve of one series, through three points at least."""
    first_axis(axis)
    if method != "akima" or np.ndim(y) != 1 or extrapolate is not None:
        raise NoDerivative("Akima1DInterpolator has a derivative for one series, method='akima', without extrapolate")
    m = np.diff(y) / np.diff(x)
    before = np.stack((3.0 * m[0] - 2.0 * m[1], 2.0 * m[0] - m[1]))
    after = np.stack((2.0 * m[-1] - m[-2], 3.0 * m[-1] - 2.0 * m[-2]))
    m = np.concatenate((before, m, after))
    change = np.abs(np.diff(m))
    left, right = change[2:], change[:-2]
    total = left + right
    flat = total <= 1e-9 * np.max(total)
    s = np.where(flat, 0.5 * (m[3:] + m[:-3]), (left * m[1:-2] + right * m[2:-1]) / np.where(flat, 1.0, total))
    return hermite(x, y, s, "nan")


def broken_line(x: Any, y: Any, outside: Any = "continued") -> Any:
    """The curve of straight lines."""
    return Curve([np.diff(y, axis=0) / column(np.diff(x), y), y[:-1]], x, outside)


@definition(si.interp1d)
def interp1d(x: Any, y: Any, kind: Any = "linear", axis: Any = -1, copy: Any = True, bounds_error: Any = None, fill_value: Any = None,
             assume_sorted: Any = True) -> Any:
    """Lines or a cubic spline through one series whose places are sorted."""
    if np.ndim(y) != 1 or kind not in ("linear", "slinear", "cubic"):
        raise NoDerivative("interp1d has a derivative for one series, and kind='linear' or 'cubic'")
    return line_or_spline(x, y, kind, beyond(bounds_error, fill_value))


def beyond(bounds_error: Any, fill_value: Any) -> Any:
    """The values outside of the data."""
    if isinstance(fill_value, str):
        return "continued"
    if bounds_error is not False:
        return "refused"
    if fill_value is None:
        return "nan"
    return (fill_value[0], fill_value[1]) if isinstance(fill_value, (tuple, list)) else (fill_value, fill_value)


def line_or_spline(x: Any, y: Any, kind: Any, outside: Any) -> Any:
    """Linear interpolation or a cubic spline, and the values outside of the data."""
    return broken_line(x, y, outside) if kind != "cubic" else hermite(x, y, spline_slopes(x, y, "not-a-knot"), outside)


@definition(si.pchip_interpolate)
def pchip_interpolate(xi: Any, yi: Any, x: Any, der: Any = 0, axis: Any = 0) -> Any:
    """The monotone curve at given places."""
    return pchip(xi, yi, axis)(x, der)


@definition(si.PPoly)
def ppoly(c: Any, x: Any, extrapolate: Any = None, axis: Any = 0) -> Any:
    """From coefficients on each interval, the highest power first."""
    first_axis(axis)
    continued(extrapolate)
    return curve(c, x, "continued")


def curve(c: Any, x: Any, outside: Any) -> Any:
    """A curve from its coefficients on each interval, and the values outside of the knots."""
    return Curve([c[k] for k in range(c.shape[0])], x, outside)


@definition(si.BPoly)
def bpoly(c: Any, x: Any, extrapolate: Any = None, axis: Any = 0) -> Any:
    """From coefficients in Bernstein's basis on each interval."""
    first_axis(axis)
    continued(extrapolate)
    n = c.shape[0] - 1
    h = column(np.diff(x), c[0])
    powers = np.tensordot(bernstein(n), c, 1)
    return Curve([powers[n - k] / h ** (n - k) for k in range(n + 1)], x)


def bernstein(n: Any) -> Any:
    """The powers of which Bernstein's polynomials are made: a row a power, a column a polynomial."""
    from math import comb
    return np.array([[comb(n, j) * comb(n - j, k - j) * (-1.0) ** (k - j) if k >= j else 0.0 for j in range(n + 1)] for k in range(n + 1)])


constant(bernstein)
SHAPES[bernstein] = lambda n: Arr("float64", (ANY, ANY))
