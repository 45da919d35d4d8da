"""Surfaces that fit scattered data best (products of splines on given knots, in the plane and on the sphere); polynomials on a grid."""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.interpolate as si
import scipy.linalg

from ....ir.infer_shapes import SHAPES
from ....ir.types import ANY, Arr
from ...registry import constant, definition
from ...static import NoDerivative
from .grids import Surface, basis

NO_BOX = (None, None, None, None)


def ends(x: Any, low: Any, high: Any, k: Any, inner: Any) -> Any:
    """Knots: inner ones between the ends of the data, or of a box."""
    first, last = np.min(x) if low is None else low, np.max(x) if high is None else high
    return np.concatenate((first * np.ones(k + 1), np.asarray(inner) + 0.0, last * np.ones(k + 1)))


def best(x: Any, y: Any, z: Any, w: Any, tx: Any, ty: Any, kx: Any, ky: Any, conditions: Any = None) -> Any:
    """The least-squares coefficients, one row per basis function of x, subject to conditions given by a basis of their solutions."""
    bx, by = basis(tx, kx, x, 0), basis(ty, ky, y, 0)
    rows = np.reshape(bx[:, :, None] * by[:, None, :], (x.shape[0], -1))
    weights = np.ones_like(x) if w is None else w
    if conditions is None:
        found = np.linalg.lstsq(rows * weights[:, None], z * weights)[0]
    else:
        found = conditions @ np.linalg.lstsq((rows @ conditions) * weights[:, None], z * weights)[0]
    return np.reshape(found, (tx.shape[0] - kx - 1, ty.shape[0] - ky - 1))


@definition(si.LSQBivariateSpline)
def lsq_bivariate(x: Any, y: Any, z: Any, tx: Any, ty: Any, w: Any = None, bbox: Any = NO_BOX, kx: Any = 3, ky: Any = 3,
                  eps: Any = None) -> Any:
    """With respect to data, knots and weights, where the data determine every coefficient."""
    across, down = ends(x, bbox[0], bbox[1], kx, tx), ends(y, bbox[2], bbox[3], ky, ty)
    return Surface(across, down, best(x, y, z, w, across, down, kx, ky), kx, ky)


def chosen_knots(x: Any, y: Any, z: Any, w: Any, bbox: Any, kx: Any, ky: Any, s: Any) -> Any:
    """The knots of the best polynomial; NoDerivative where SciPy needs more than one polynomial."""
    tx, ty = si.SmoothBivariateSpline(x, y, z, w, list(bbox), kx, ky, s).get_knots()
    if len(tx) > 2 * kx + 2 or len(ty) > 2 * ky + 2:
        raise NoDerivative("a smoothing surface has a derivative where s is so large that one polynomial is smooth enough: otherwise its "
                           "knots move with the data; pass them to LSQBivariateSpline, or to bisplrep with task=-1")
    return np.zeros(0)


@definition(si.SmoothBivariateSpline)
def smooth_bivariate(x: Any, y: Any, z: Any, w: Any = None, bbox: Any = NO_BOX, kx: Any = 3, ky: Any = 3, s: Any = None,
                     eps: Any = None) -> Any:
    """Where one polynomial is smooth enough: through data and weights."""
    inner = chosen_knots(x, y, z, w, bbox, kx, ky, s)
    return lsq_bivariate(x, y, z, inner, inner, w, bbox, kx, ky)


@definition(si.bisplrep)
def bisplrep(x: Any, y: Any, z: Any, w: Any = None, xb: Any = None, xe: Any = None, yb: Any = None, ye: Any = None, kx: Any = 3,
             ky: Any = 3, task: Any = 0, s: Any = None, eps: Any = None, tx: Any = None, ty: Any = None, full_output: Any = 0,
             nxest: Any = None, nyest: Any = None, quiet: Any = 1) -> Any:
    """On given knots (task=-1), or where one polynomial is smooth enough: knots, coefficients and degrees."""
    if full_output:
        raise NoDerivative("bisplrep has a derivative without full_output")
    if task == -1:
        found = Surface(tx, ty, best(x, y, z, w, tx, ty, kx, ky), kx, ky)
    else:
        found = smooth_bivariate(x, y, z, w, (xb, xe, yb, ye), kx, ky, s)
    return found.tx, found.ty, np.ravel(found.c), kx, ky


def pole_conditions(tt: Any, tp: Any) -> Any:
    """A basis of the coefficients that are smooth at the poles and all around, found from fits of random numbers."""
    inner = tt[4:-4], tp[4:-4]
    count = (len(tt) - 4) * (len(tp) - 4)
    rng = np.random.default_rng(0)
    theta, phi = np.arccos(rng.uniform(-1.0, 1.0, 4 * count)), rng.uniform(0.0, 2.0 * np.pi, 4 * count)
    fits = [si.LSQSphereBivariateSpline(theta, phi, rng.normal(size=4 * count), *inner).tck[2][:count] for _ in range(count)]
    return scipy.linalg.orth(np.array(fits).T, rcond=1e-9)


constant(chosen_knots, pole_conditions)
SHAPES.update({chosen_knots: lambda *args: Arr("float64", (ANY,)), pole_conditions: lambda *args: Arr("float64", (ANY, ANY))})


@definition(si.LSQSphereBivariateSpline)
def lsq_sphere(theta: Any, phi: Any, r: Any, tt: Any, tp: Any, w: Any = None, eps: Any = 1e-16) -> Any:
    """With respect to data and weights, on two knots at least in either direction, which are constant."""
    full, turn = np.ones(4), 2.0 * np.pi
    down = np.concatenate((0.0 * full, np.asarray(tt), np.pi * full))
    once = np.concatenate((np.zeros(1), np.asarray(tp), turn * np.ones(1)))
    around = np.concatenate((once[-4:-1] - turn, once, once[1:4] + turn))
    return Surface(down, around, best(theta, phi, r, w, down, around, 3, 3, pole_conditions(down, around)), 3, 3)


class Pieces:
    """A polynomial on each cell of a grid: ``c[powers of each axis, ..., cells of each axis]``."""

    def __init__(self, c: Any, x: Any):
        self.c, self.x = c, x

    def __call__(self, x: Any, nu: Any = None, extrapolate: Any = None) -> Any:
        x = np.asarray(x)
        dims = len(self.x)
        at = [np.clip(np.searchsorted(self.x[k], x[..., k], side="right") - 1, 0, self.x[k].shape[0] - 2) for k in range(dims)]
        held = self.c[(slice(None),) * dims + tuple(at)]
        for k in range(dims):
            d = x[..., k] - self.x[k][at[k]]
            held = along_power(held, np.expand_dims(d, tuple(range(dims - k - 1))), 0 if nu is None else nu[k])
        return held


def along_power(held: Any, d: Any, nu: Any) -> Any:
    """The polynomial by the first axis, or its derivative."""
    top = held.shape[0] - 1
    total = 0.0 * held[0]
    for j in range(top - nu + 1):
        total = total * d + falling(top - j, nu) * held[j]
    return total


def falling(power: Any, nu: Any) -> Any:
    """``power (power - 1) ... (power - nu + 1)``."""
    total = 1.0
    for k in range(nu):
        total = total * (power - k)
    return total


@definition(si.NdPPoly, lists=True)
def nd_ppoly(c: Any, x: Any, extrapolate: Any = None) -> Any:
    """Of one number for each place: through coefficients, knots and places."""
    if extrapolate is not None and extrapolate is not True:
        raise NoDerivative("NdPPoly has a derivative where it continues outside of the grid: leave extrapolate out")
    return Pieces(c, x)
