"""Splines by their knots and coefficients: through both, the data that they interpolate or fit, and the places asked for."""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.interpolate as si

from ....ir.infer_shapes import SHAPES
from ....ir.types import ANY, Arr
from ...installed import installed
from ...registry import constant, definition
from ...static import NoDerivative
from .curves import first_axis, hermite, spline_slopes


class Spline:
    """``sum_i c[i] B_i(x)`` with the basis of degree k on the knots t."""

    def __init__(self, t: Any, c: Any, k: Any):
        self.t, self.c, self.k = t, c, k

    @property
    def tck(self) -> Any:
        return self.t, self.c, self.k

    def __call__(self, x: Any, nu: Any = 0, extrapolate: Any = None, ext: Any = None) -> Any:
        held = lowered(self.t, self.c, self.k, nu)
        return de_boor(held[0], held[1], self.k - nu, np.asarray(x))

    def derivative(self, nu: Any = 1, n: Any = None) -> Any:
        count = nu if n is None else n
        t, c = lowered(self.t, self.c, self.k, count)
        return Spline(t, c, self.k - count)

    def antiderivative(self, nu: Any = 1, n: Any = None) -> Any:
        count = nu if n is None else n
        t, c = raised(self.t, self.c, self.k, count)
        return Spline(t, c, self.k + count)

    def integrate(self, a: Any, b: Any, extrapolate: Any = None) -> Any:
        whole = self.antiderivative()
        return whole(b) - whole(a)

    def integral(self, a: Any, b: Any) -> Any:
        return self.integrate(a, b)

    def derivatives(self, x: Any) -> Any:
        return np.stack([self(x, nu) for nu in range(self.k + 1)])

    def get_coeffs(self) -> Any:
        return self.c

    def get_knots(self) -> Any:
        return self.t[self.k:self.t.shape[0] - self.k]

    def roots(self) -> Any:
        return roots_of(self.t, self.c, self.k)


def lowered(t: Any, c: Any, k: Any, nu: Any) -> tuple[Any, Any]:
    """Knots and coefficients of a derivative."""
    for m in range(nu):
        degree = k - m
        n = c.shape[0]
        gaps = t[degree + 1:degree + n] - t[1:n]
        gaps = np.reshape(np.where(gaps == 0.0, 1.0, gaps), (-1,) + (1,) * (np.ndim(c) - 1))
        c = degree * (c[1:] - c[:-1]) / gaps
        t = t[1:-1]
    return t, c


def raised(t: Any, c: Any, k: Any, nu: Any) -> tuple[Any, Any]:
    """Knots and coefficients of the integral from the first knot."""
    for m in range(nu):
        degree = k + m
        n = c.shape[0]
        gaps = np.reshape((t[degree + 1:degree + 1 + n] - t[:n]) / (degree + 1.0), (-1,) + (1,) * (np.ndim(c) - 1))
        c = np.concatenate((np.zeros_like(c[:1]), np.cumsum(c * gaps, axis=0)), axis=0)
        t = np.concatenate((t[:1], t, t[-1:]))
    return t, c


def de_boor(t: Any, c: Any, k: Any, x: Any) -> Any:
    """The value, by weighing coefficients in turn."""
    n = t.shape[0] - k - 1
    i = np.clip(np.searchsorted(t, x, side="right") - 1, k, n - 1)
    d = [c[i - k + j] for j in range(k + 1)]
    for r in range(1, k + 1):
        d = [weighed(d[m], d[m + 1], x, t[i + m + r - k], t[i + m + 1]) for m in range(k - r + 1)]
    return d[0]


def weighed(first: Any, second: Any, x: Any, low: Any, high: Any) -> Any:
    """Between two coefficients, by where x lies between two knots."""
    share = (x - low) / (high - low)
    extra = np.ndim(second) - np.ndim(share)
    share = np.reshape(share, share.shape + (1,) * extra) if extra > 0 else share
    return (1.0 - share) * first + share * second


def interpolating_knots(x: Any, k: Any) -> Any:
    """The knots of a spline through data that has no conditions at its ends."""
    n = x.shape[0]
    if k % 2 == 1:
        inner = x[(k + 1) // 2:n - (k + 1) // 2]
    else:
        inner = (0.5 * (x[1:] + x[:-1]))[k // 2:n - 1 - k // 2]
    return np.concatenate((x[:1] * np.ones(k + 1), inner, x[-1:] * np.ones(k + 1)))


def through(x: Any, y: Any, k: Any, t: Any = None) -> Spline:
    """The spline through data."""
    knots = interpolating_knots(x, k) if t is None else t
    matrix = de_boor(knots, np.eye(x.shape[0]), k, x)
    return Spline(knots, np.linalg.solve(matrix, y), k)


def fitted(x: Any, y: Any, t: Any, k: Any, w: Any) -> Spline:
    """The spline on given knots that fits best."""
    matrix = de_boor(t, np.eye(t.shape[0] - k - 1), k, x)
    if w is not None:
        weight = np.reshape(w, (-1,) + (1,) * (np.ndim(y) - 1))
        return Spline(t, np.linalg.lstsq(matrix * np.reshape(w, (-1, 1)), y * weight)[0], k)
    return Spline(t, np.linalg.lstsq(matrix, y)[0], k)


def only(name: str, **options: Any) -> None:
    """Refuse options that are not left as they are by default (None, 0 or False)."""
    for key, value in options.items():
        if value:
            raise NoDerivative(f"no derivative of scipy.interpolate.{name} with the option {key!r}")


def interpolating(s: Any) -> None:
    if s is not None and s != 0:
        raise NoDerivative("a spline with smoothing s > 0 has knots that a search has chosen: pass s=0, or knots to make_lsq_spline")


@definition(si.BSpline)
def bspline(t: Any, c: Any, k: Any, extrapolate: Any = True, axis: Any = 0) -> Any:
    """With respect to knots and coefficients; outside of the knots it continues."""
    first_axis(axis)
    return Spline(t, c, k)


@definition(si.make_interp_spline)
def make_interp_spline(x: Any, y: Any, k: Any = 3, t: Any = None, bc_type: Any = None, axis: Any = 0, check_finite: Any = True) -> Any:
    """Of any degree; with conditions at its ends of degree 3."""
    first_axis(axis)
    if bc_type not in (None, "not-a-knot", "natural", "clamped") or bc_type is not None and (t is not None or k != 3):
        raise NoDerivative("make_interp_spline has a derivative for the ends 'not-a-knot', 'natural' and 'clamped' of degree 3")
    if bc_type in ("natural", "clamped"):
        return hermite(x, y, spline_slopes(x, y, bc_type))
    return through(x, y, k, t)


@definition(si.make_lsq_spline)
def make_lsq_spline(x: Any, y: Any, t: Any, k: Any = 3, w: Any = None, axis: Any = 0, check_finite: Any = True, *,
                    method: Any = "qr") -> Any:
    """With respect to data, knots and weights."""
    first_axis(axis)
    return fitted(x, y, t, k, w)


@definition(installed("scipy.interpolate.make_splrep"))
def make_splrep(x: Any, y: Any, *, w: Any = None, xb: Any = None, xe: Any = None, k: Any = 3, s: Any = 0, t: Any = None, nest: Any = None,
                bc_type: Any = None) -> Any:
    """Without smoothing."""
    interpolating(s)
    only("make_splrep", xb=xb is not None, xe=xe is not None, t=t is not None, bc_type=bc_type is not None)
    return through(x, y, k)


@definition(si.InterpolatedUnivariateSpline)
def interpolated(x: Any, y: Any, w: Any = None, bbox: Any = (None, None), k: Any = 3, ext: Any = 0, check_finite: Any = False) -> Any:
    """With respect to data and places; outside of the data it continues."""
    only("InterpolatedUnivariateSpline", ext=ext, bbox=bbox[0] is not None or bbox[1] is not None)
    return through(x, y, k)


@definition(si.UnivariateSpline)
def univariate(x: Any, y: Any, w: Any = None, bbox: Any = (None, None), k: Any = 3, s: Any = None, ext: Any = 0,
               check_finite: Any = False) -> Any:
    """Without smoothing."""
    if s is None:
        raise NoDerivative("UnivariateSpline has a derivative with s=0: otherwise a search chooses its knots")
    interpolating(s)
    only("UnivariateSpline", ext=ext, bbox=bbox[0] is not None or bbox[1] is not None)
    return through(x, y, k)


@definition(si.LSQUnivariateSpline)
def least_squares(x: Any, y: Any, t: Any, w: Any = None, bbox: Any = (None, None), k: Any = 3, ext: Any = 0,
                  check_finite: Any = False) -> Any:
    """With respect to data, inner knots and weights; outside of the data it continues."""
    only("LSQUnivariateSpline", ext=ext, bbox=bbox[0] is not None or bbox[1] is not None)
    ends = np.ones(k + 1)
    return fitted(x, y, np.concatenate((x[:1] * ends, np.asarray(t), x[-1:] * ends)), k, w)


@definition(si.make_smoothing_spline)
def make_smoothing_spline(x: Any, y: Any, w: Any = None, lam: Any = None, *, axis: Any = 0) -> Any:
    """With respect to data, weights and the penalty; for one series."""
    if lam is None:
        raise NoDerivative("make_smoothing_spline has a derivative with lam given: otherwise a search chooses it")
    first_axis(axis)
    n = x.shape[0]
    h = np.diff(x)
    i = np.arange(n - 2)
    at = np.arange(n)[:, None]
    before, after = 1.0 / h[:-1], 1.0 / h[1:]
    q = np.where(at == i, before, 0.0) + np.where(at == i + 1, -before - after, 0.0) + np.where(at == i + 2, after, 0.0)
    r = np.diag((h[:-1] + h[1:]) / 3.0) + np.diag(h[1:-1] / 6.0, 1) + np.diag(h[1:-1] / 6.0, -1)
    weights = np.ones(n) if w is None else w
    smooth = np.linalg.solve(np.diag(weights) + lam * q @ np.linalg.solve(r, q.T), weights * y)
    return hermite(x, smooth, spline_slopes(x, smooth, "natural"))


# FITPACK's functions, for tuples (t, c, k); the coefficients are followed by zeros
@definition(si.splrep)
def splrep(x: Any, y: Any, w: Any = None, xb: Any = None, xe: Any = None, k: Any = 3, task: Any = 0, s: Any = None, t: Any = None,
           full_output: Any = 0, per: Any = 0, quiet: Any = 1) -> Any:
    """Without smoothing, without weights."""
    interpolating(s if s is not None or w is None else 1.0)
    only("splrep", xb=xb is not None, xe=xe is not None, task=task, t=t is not None, full_output=full_output, per=per)
    found = through(x, y, k)
    return found.t, np.concatenate((found.c, np.zeros(k + 1))), k


def along_curve(x: Any) -> Any:
    """The lengths of a broken line, as shares of the whole."""
    steps = np.sqrt(np.sum(np.diff(x, axis=1) ** 2, axis=0))
    lengths = np.concatenate((np.zeros(1), np.cumsum(steps)))
    return lengths / lengths[-1]


@definition(si.splprep)
def splprep(x: Any, w: Any = None, u: Any = None, ub: Any = None, ue: Any = None, k: Any = 3, task: Any = 0, s: Any = None, t: Any = None,
            full_output: Any = 0, nest: Any = None, per: Any = 0, quiet: Any = 1) -> Any:
    """A curve through points, without smoothing: knots, coefficients and degree, and the parameters of the points."""
    interpolating(s if s is not None else 1.0)
    only("splprep", ub=ub is not None, ue=ue is not None, task=task, t=t is not None, full_output=full_output, per=per)
    held = np.asarray(x)
    at = along_curve(held) if u is None else u
    found = through(at, held.T, k)
    return (found.t, list(found.c.T), k), at


@definition(installed("scipy.interpolate.make_splprep"))
def make_splprep(x: Any, *, w: Any = None, u: Any = None, ub: Any = None, ue: Any = None, k: Any = 3, s: Any = 0, t: Any = None,
                 nest: Any = None, bc_type: Any = None) -> Any:
    """A curve through points, without smoothing, and the parameters of the points."""
    interpolating(s)
    only("make_splprep", ub=ub is not None, ue=ue is not None, t=t is not None, bc_type=bc_type is not None)
    held = np.asarray(x)
    at = along_curve(held) if u is None else u
    found = through(at, held.T, k)
    return Curves(found.t, found.c, k), at


class Curves(Spline):
    """A spline whose values have the coordinates first."""

    def __call__(self, x: Any, nu: Any = 0, extrapolate: Any = None, ext: Any = None) -> Any:
        held = lowered(self.t, self.c, self.k, nu)
        return np.moveaxis(de_boor(held[0], held[1], self.k - nu, np.asarray(x)), -1, 0)


@definition(si.splev)
def splev(x: Any, tck: Any, der: Any = 0, ext: Any = 0) -> Any:
    """Outside of the knots it continues."""
    only("splev", ext=ext)
    t, c, k = tck
    if isinstance(c, (list, tuple)):        # a curve of several coordinates
        return [Spline(t, part[:t.shape[0] - k - 1], k)(x, der) for part in c]
    return Spline(t, c[:t.shape[0] - k - 1], k)(x, der)


@definition(si.splint)
def splint(a: Any, b: Any, tck: Any, full_output: Any = 0) -> Any:
    """The spline is 0 outside the knots."""
    t, c, k = tck
    whole = Spline(t, c[:t.shape[0] - k - 1], k).antiderivative()
    low, high = t[k], t[t.shape[0] - k - 1]
    return whole(np.clip(b, low, high)) - whole(np.clip(a, low, high))


@definition(si.spalde)
def spalde(x: Any, tck: Any) -> Any:
    """All derivatives at one place."""
    t, c, k = tck
    return Spline(t, c[:t.shape[0] - k - 1], k).derivatives(x)


@definition(si.splder)
def splder(tck: Any, n: Any = 1) -> Any:
    """Knots, coefficients and degree of a derivative."""
    t, c, k = tck
    knots, held = lowered(t, c[:t.shape[0] - k - 1], k, n)
    return knots, np.concatenate((held, np.zeros(k - n + 1))), k - n


@definition(si.splantider)
def splantider(tck: Any, n: Any = 1) -> Any:
    """Knots, coefficients and degree of an integral."""
    t, c, k = tck
    knots, held = raised(t, c[:t.shape[0] - k - 1], k, n)
    return knots, np.concatenate((held, np.zeros(k + n + 1))), k + n


@definition(si.insert)
def insert(x: Any, tck: Any, m: Any = 1, per: Any = 0) -> Any:
    """A knot once more, of a spline of one coordinate: through the knot and the coefficients."""
    if per or isinstance(tck[1], (list, tuple)):
        raise NoDerivative("insert has a derivative for splines of one coordinate that are not periodic")
    t, c, k = tck
    for _ in range(m):
        n = t.shape[0] - k - 1
        j = np.searchsorted(t[k:n + 1], x, side="right") - 1 + k
        at = np.arange(n + 1)
        inside = (at > j - k) & (at <= j)
        low, high = t[np.minimum(at, n + k)], t[np.minimum(at + k, n + k)]
        share = np.where(inside, (x - low) / np.where(inside, high - low, 1.0), np.where(at <= j - k, 1.0, 0.0))
        c = share * c[np.minimum(at, n - 1)] + (1.0 - share) * c[np.maximum(at - 1, 0)]
        t = np.concatenate((t[:j + 1], np.atleast_1d(x), t[j + 1:]))
        c = np.concatenate((c, np.zeros(k + 1)))
    return t, c, k


def found_roots(t: Any, c: Any, k: Any) -> Any:
    """Where a cubic spline is 0."""
    return si.sproot((t, np.concatenate((c, np.zeros(k + 1))), k), mest=10 * len(t))


constant(found_roots)
SHAPES[found_roots] = lambda *args: Arr("float64", (ANY,))


def roots_of(t: Any, c: Any, k: Any) -> Any:
    """The roots, by two Newton steps from those found: their derivatives are those of the equation."""
    x = found_roots(t, c, k)
    spline = Spline(t, c, k)
    for _ in range(2):
        x = x - spline(x) / spline(x, 1)
    return x


@definition(si.sproot)
def sproot(tck: Any, mest: Any = 10) -> Any:
    """Simple roots of cubic splines."""
    t, c, k = tck
    return roots_of(t, c[:t.shape[0] - k - 1], k)
