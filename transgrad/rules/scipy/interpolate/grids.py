"""Interpolation on a grid (linear in any number of dimensions, splines in two), and by nearest neighbors."""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.interpolate as si

from ...registry import definition
from ...static import NoDerivative
from .splines import de_boor, interpolating_knots, lowered, raised


class Grid:
    """Values at the nodes of a grid, and a method between them."""

    def __init__(self, points: Any, values: Any, method: Any, bounds_error: Any, fill_value: Any):
        self.points, self.values, self.method = points, values, method
        self.bounds_error, self.fill_value = bounds_error, fill_value

    def __call__(self, xi: Any, method: Any = None, *, nu: Any = None) -> Any:
        x = np.asarray(xi)
        return on_grid(self.points, self.values, x, self.method if method is None else method, self.bounds_error, self.fill_value)


def on_grid(points: Any, values: Any, x: Any, method: Any, bounds_error: Any, fill_value: Any) -> Any:
    """At the places in the last axis of x."""
    if method not in ("linear", "nearest"):
        raise NoDerivative("data on a grid have a derivative with method='linear' and 'nearest'")
    dims = len(points)
    extra = np.ndim(values) - dims
    inside = np.ones(x.shape[:-1], dtype=bool)
    low, share = [], []
    for k in range(dims):
        p, v = np.asarray(points[k]), x[..., k]
        i = np.clip(np.searchsorted(p, v, side="right") - 1, 0, p.shape[0] - 2)
        low.append(i)
        share.append((v - p[i]) / (p[i + 1] - p[i]))
        inside = inside & (v >= p[0]) & (v <= p[-1])
    if bounds_error and not np.all(inside):
        raise ValueError("One of the requested xi is out of bounds")
    if method == "nearest":
        total = values[tuple(low[k] + (share[k] > 0.5) for k in range(dims))]
    else:
        total = 0.0
        for corner in range(2 ** dims):
            weight, at = 1.0, []
            for k in range(dims):
                high = corner // 2 ** k % 2
                weight = weight * (share[k] if high else 1.0 - share[k])
                at.append(low[k] + high)
            held = values[tuple(at)]
            total = total + np.reshape(weight, x.shape[:-1] + (1,) * extra) * held
    if fill_value is None:
        return total
    return np.where(np.reshape(inside, x.shape[:-1] + (1,) * extra), total, fill_value)


@definition(si.RegularGridInterpolator, lists=True)
def regular_grid(points: Any, values: Any, method: Any = "linear", bounds_error: Any = True, fill_value: Any = np.nan, *,
                 solver: Any = None, solver_args: Any = None) -> Any:
    """Linear and nearest: through nodes, values and places. At a node the derivative is that of the cell above it."""
    return Grid(points, values, method, bounds_error, fill_value)


@definition(si.interpn, lists=True)
def interpn(points: Any, values: Any, xi: Any, method: Any = "linear", bounds_error: Any = True, fill_value: Any = np.nan) -> Any:
    """Linear and nearest: through nodes, values and places. At a node the derivative is that of the cell above it."""
    return on_grid(points, values, np.asarray(xi), method, bounds_error, fill_value)


class Surface:
    """A product of splines along two axes, of which a place outside has the value at the nearest edge, as FITPACK has it."""

    def __init__(self, tx: Any, ty: Any, c: Any, kx: Any, ky: Any):
        self.tx, self.ty, self.c, self.kx, self.ky = tx, ty, c, kx, ky

    def __call__(self, x: Any, y: Any, dx: Any = 0, dy: Any = 0, grid: Any = True) -> Any:
        x, y = within(self.tx, self.kx, np.asarray(x)), within(self.ty, self.ky, np.asarray(y))
        bx, by = basis(self.tx, self.kx, x, dx), basis(self.ty, self.ky, y, dy)
        return bx @ self.c @ by.T if grid else np.sum((bx @ self.c) * by, axis=-1)

    def ev(self, xi: Any, yi: Any, dx: Any = 0, dy: Any = 0) -> Any:
        return self(xi, yi, dx, dy, False)

    def integral(self, xa: Any, xb: Any, ya: Any, yb: Any) -> Any:
        return whole(self.tx, self.kx, xa, xb) @ self.c @ whole(self.ty, self.ky, ya, yb)


def within(t: Any, k: Any, x: Any) -> Any:
    """Places moved to the nearest place between the first and the last knot."""
    low, high = t[k], t[-k - 1]
    return np.where(x < low, low, np.where(x > high, high, x))


def surface(tx: Any, ty: Any, c: Any, kx: Any, ky: Any) -> Surface:
    """From knots, coefficients and degrees."""
    return Surface(tx, ty, c, kx, ky)


def basis(t: Any, k: Any, x: Any, nu: Any) -> Any:
    """The basis functions at places, or their derivatives."""
    knots, c = lowered(t, np.eye(t.shape[0] - k - 1), k, nu)
    return de_boor(knots, c, k - nu, x)


def whole(t: Any, k: Any, a: Any, b: Any) -> Any:
    """The integrals of the basis functions."""
    knots, c = raised(t, np.eye(t.shape[0] - k - 1), k, 1)
    return de_boor(knots, c, k + 1, np.asarray(b)) - de_boor(knots, c, k + 1, np.asarray(a))


@definition(si.RectBivariateSpline)
def rect_bivariate(x: Any, y: Any, z: Any, bbox: Any = (None, None, None, None), kx: Any = 3, ky: Any = 3, s: Any = 0,
                   maxit: Any = 20) -> Any:
    """Without smoothing: through nodes, values and places."""
    if bbox[0] is not None or bbox[1] is not None or bbox[2] is not None or bbox[3] is not None:
        raise NoDerivative("RectBivariateSpline has a derivative without bbox: its ends are those of the grid")
    if s != 0:
        raise NoDerivative("RectBivariateSpline has a derivative with s=0: otherwise a search chooses its knots")
    tx, ty = interpolating_knots(x, kx), interpolating_knots(y, ky)
    along = np.linalg.solve(de_boor(tx, np.eye(x.shape[0]), kx, x), z)
    return Surface(tx, ty, np.linalg.solve(de_boor(ty, np.eye(y.shape[0]), ky, y), along.T).T, kx, ky)


@definition(si.bisplev)
def bisplev(x: Any, y: Any, tck: Any, dx: Any = 0, dy: Any = 0) -> Any:
    """With respect to places, knots and coefficients."""
    tx, ty, kx, ky = tck[0] + 0.0, tck[1] + 0.0, tck[3], tck[4]
    held = np.reshape(tck[2], (tx.shape[0] - kx - 1, ty.shape[0] - ky - 1))
    return np.squeeze(Surface(tx, ty, held, kx, ky)(np.atleast_1d(x), np.atleast_1d(y), dx, dy))


class Tensor:
    """A product of splines along several axes, at scattered places."""

    def __init__(self, t: Any, c: Any, k: Any):
        self.t, self.c, self.k = t, c, k

    def __call__(self, xi: Any, *, nu: Any = None, extrapolate: Any = None) -> Any:
        x = np.asarray(xi)
        total = self.c
        for axis in range(len(self.t)):
            weights = basis(self.t[axis], self.k[axis], x[..., axis], 0 if nu is None else nu[axis])
            if axis == 0:
                total = np.tensordot(weights, total, 1)
            else:
                total = np.sum(total * np.reshape(weights, weights.shape + (1,) * (np.ndim(total) - np.ndim(weights))), axis=np.ndim(x) - 1)
        return total


@definition(si.NdBSpline, lists=True)
def nd_bspline(t: Any, c: Any, k: Any, *, extrapolate: Any = None) -> Any:
    """Of one degree for each axis: through knots, coefficients and places."""
    return Tensor(t, c, k if np.ndim(k) else (k,) * len(t))
