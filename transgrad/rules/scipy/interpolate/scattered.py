"""Data at scattered places: radial functions, and planes over triangles."""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.interpolate as si
import scipy.spatial

from ....ir.infer_shapes import SHAPES
from ....ir.types import ANY, Arr, Num
from ...registry import constant, definition
from ...static import NoDerivative


def powers_up_to(dims: Any, degree: Any) -> Any:
    """The exponents of the monomials of degree at most ``degree``."""
    found = [p for p in np.ndindex(*(degree + 1,) * dims) if sum(p) <= degree]
    return np.array(sorted(found, key=sum), float).reshape(-1, dims)


def corners_of(points: Any, x: Any) -> Any:
    """The corners of the simplex that each place lies in, then 1; outside of the hull those of some simplex, then 0."""
    mesh = scipy.spatial.Delaunay(points)
    at = mesh.find_simplex(x)
    return np.concatenate((mesh.simplices[np.maximum(at, 0)], (at >= 0)[:, None]), axis=1)


def places_of(args: Any) -> Any:
    """Places as interpolators are given them: an array with the coordinates along the last axis, or an array for each coordinate."""
    if len(args) > 1:
        return np.stack(np.broadcast_arrays(*args), axis=-1)
    if isinstance(args[0], tuple):
        return np.stack(np.broadcast_arrays(*args[0]), axis=-1)
    return np.asarray(args[0])


def nearest_of(points: Any, x: Any) -> Any:
    """The nearest point of each place."""
    return scipy.spatial.cKDTree(points).query(x)[1]


def nearest_on_line(points: Any, x: Any) -> Any:
    """The place of the nearest point, among points in order."""
    found = si.interp1d(points, np.arange(len(points)), kind="nearest", fill_value="extrapolate")(x).astype(np.int64)
    return found if np.ndim(found) else found[()]


constant(powers_up_to, corners_of, nearest_of, nearest_on_line)
SHAPES.update({powers_up_to: lambda *args: Arr("float64", (ANY, ANY)), corners_of: lambda points, x: Arr("int64", (ANY, ANY)),
               nearest_of: lambda points, x: Arr("int64", (ANY,)),
               nearest_on_line: lambda points, x: Arr("int64", x.type.dims) if isinstance(x.type, Arr) and x.type.dims else Num("int")})
LEAST_DEGREE = {"multiquadric": 0, "linear": 0, "thin_plate_spline": 1, "cubic": 1, "quintic": 2}


def squares(a: Any, b: Any) -> Any:
    """The squared distances."""
    d = a[:, None, :] - b
    return np.sum(d * d, axis=-1)


def kernel_of(name: Any, r2: Any) -> Any:
    """A radial function of the squared distance; at a distance of 0 its derivative is 0."""
    none = r2 == 0.0
    safe = np.where(none, 1.0, r2)
    if name == "thin_plate_spline":
        return np.where(none, 0.0, 0.5 * safe * np.log(safe))
    if name == "linear":
        return np.where(none, 0.0, -np.sqrt(safe))
    if name == "cubic":
        return np.where(none, 0.0, safe * np.sqrt(safe))
    if name == "quintic":
        return np.where(none, 0.0, -safe * safe * np.sqrt(safe))
    if name == "multiquadric":
        return -np.sqrt(r2 + 1.0)
    if name == "inverse_multiquadric":
        return 1.0 / np.sqrt(r2 + 1.0)
    return 1.0 / (r2 + 1.0) if name == "inverse_quadratic" else np.exp(-r2)


class Radial:
    """A sum of radial functions and a polynomial."""

    def __init__(self, y: Any, weights: Any, kernel: Any, epsilon: Any, exponents: Any, shift: Any, scale: Any):
        self.y, self.weights, self.kernel, self.epsilon = y, weights, kernel, epsilon
        self.exponents, self.shift, self.scale = exponents, shift, scale

    def __call__(self, x: Any) -> Any:
        n = self.y.shape[0]
        near = kernel_of(self.kernel, squares(x * self.epsilon, self.y * self.epsilon))
        return near @ self.weights[:n] + monomials((x - self.shift) / self.scale, self.exponents) @ self.weights[n:]


def radial_sum(y: Any, weights: Any, kernel: Any, epsilon: Any, exponents: Any, shift: Any, scale: Any) -> Radial:
    """The interpolant, from its precomputed parts."""
    return Radial(y, weights, kernel, epsilon, exponents, shift, scale)


def monomials(x: Any, exponents: Any) -> Any:
    return np.prod(x[:, None, :] ** exponents, axis=-1)


@definition(si.RBFInterpolator)
def rbf(y: Any, d: Any, neighbors: Any = None, smoothing: Any = 0.0, kernel: Any = "thin_plate_spline", epsilon: Any = None,
        degree: Any = None) -> Any:
    """With all neighbors, with respect to points, values, smoothing and epsilon."""
    if neighbors is not None:
        raise NoDerivative("RBFInterpolator has a derivative without neighbors")
    if epsilon is None:
        if kernel not in ("thin_plate_spline", "linear", "cubic", "quintic"):
            raise ValueError("epsilon must be specified for this kernel")
        epsilon = 1.0
    n = y.shape[0]
    least = LEAST_DEGREE.get(kernel, -1)
    top = max(least, 0) if degree is None else degree
    low, high = np.min(y, axis=0), np.max(y, axis=0)
    shift, scale = 0.5 * (low + high), np.where(high > low, 0.5 * (high - low), 1.0)
    exponents = powers_up_to(y.shape[1], top)
    p = monomials((y - shift) / scale, exponents)
    m = p.shape[1]
    inner = kernel_of(kernel, squares(y * epsilon, y * epsilon)) + smoothing * np.eye(n)
    matrix = np.concatenate((np.concatenate((inner, p), axis=1), np.concatenate((p.T, np.zeros((m, m))), axis=1)), axis=0)
    right = np.concatenate((d, np.zeros((m,) + d.shape[1:])), axis=0)
    return Radial(y, np.linalg.solve(matrix, right), kernel, epsilon, exponents, shift, scale)


def over_triangles(points: Any, values: Any, places: Any, fill_value: Any) -> Any:
    """Planes through the corners of the simplices."""
    x = np.reshape(places, (-1, places.shape[-1]))
    found = corners_of(points, x)
    corners, inside = found[:, :-1], found[:, -1] > 0
    held = points[corners]
    last = held[:, -1, :]
    edges = np.swapaxes(held[:, :-1, :] - last[:, None, :], -1, -2)
    share = np.linalg.solve(edges, (x - last)[:, :, None])[:, :, 0]
    share = np.concatenate((share, 1.0 - np.sum(share, axis=-1, keepdims=True)), axis=-1)
    return np.reshape(np.where(inside, np.sum(share * values[corners], axis=-1), fill_value), places.shape[:-1])


def nearest_value(points: Any, values: Any, places: Any) -> Any:
    """The value at the nearest point."""
    found = values[nearest_of(points, np.reshape(places, (-1, places.shape[-1])))]
    return np.reshape(found, places.shape[:-1] + values.shape[1:])


class Triangles:
    """Values at the corners of triangles."""

    def __init__(self, points: Any, values: Any, fill_value: Any):
        self.points, self.values, self.fill_value = points, values, fill_value

    def __call__(self, *args: Any) -> Any:
        return over_triangles(self.points, self.values, places_of(args), self.fill_value)


class Nearest:
    """Values at places, each for all that is nearest to it."""

    def __init__(self, points: Any, values: Any):
        self.points, self.values = points, values

    def __call__(self, *args: Any) -> Any:
        return nearest_value(self.points, self.values, places_of(args))


@definition(si.LinearNDInterpolator)
def linear_nd(points: Any, values: Any, fill_value: Any = np.nan, rescale: Any = False) -> Any:
    """For one series, with respect to points, values and points of evaluation. The triangulation is constant."""
    if rescale or np.ndim(values) != 1:
        raise NoDerivative("LinearNDInterpolator has a derivative for one series, with rescale=False")
    return Triangles(places_of((points,)), values, fill_value)


@definition(si.NearestNDInterpolator)
def nearest_nd(x: Any, y: Any, rescale: Any = False, tree_options: Any = None) -> Any:
    """With respect to values; which of them is nearest is constant."""
    if rescale:
        raise NoDerivative("NearestNDInterpolator has a derivative with rescale=False")
    return Nearest(places_of((x,)), y)


def radial(name: Any, r2: Any, epsilon: Any) -> Any:
    """The functions of Rbf, of the squared distance; at a distance of 0 their derivative is 0."""
    none = r2 == 0.0
    safe = np.where(none, 1.0, r2)
    if name in ("multiquadric", "inverse", "gaussian"):
        square = r2 / (epsilon * epsilon)
        return np.exp(-square) if name == "gaussian" else np.sqrt(square + 1.0) if name == "multiquadric" else 1.0 / np.sqrt(square + 1.0)
    if name == "thin_plate":
        return np.where(none, 0.0, 0.5 * safe * np.log(safe))
    if name not in ("linear", "cubic", "quintic"):
        raise NoDerivative("Rbf has a derivative for SciPy's own functions, named as SciPy names them")
    power = 0.5 if name == "linear" else 1.5 if name == "cubic" else 2.5
    return np.where(none, 0.0, safe ** power)


class OldRadial:
    """A sum of radial functions of places that are given by one array a coordinate."""

    def __init__(self, places: Any, nodes: Any, function: Any, epsilon: Any):
        self.places, self.nodes, self.function, self.epsilon = places, nodes, function, epsilon

    def __call__(self, *args: Any) -> Any:
        at = np.stack([np.ravel(a) for a in args], axis=-1)
        found = radial(self.function, squares(at, self.places), self.epsilon) @ self.nodes
        return np.reshape(found, np.shape(args[0]))


@definition(si.Rbf)
def old_rbf(*args: Any, function: Any = "multiquadric", epsilon: Any = None, smooth: Any = 0.0, norm: Any = "euclidean",
            mode: Any = "1-D") -> Any:
    """For one series, with respect to points, values, smoothing and epsilon."""
    if norm != "euclidean" or mode != "1-D" or not isinstance(function, str):
        raise NoDerivative("Rbf has a derivative with norm='euclidean', mode='1-D' and a function that is named")
    places = np.stack([np.ravel(a) for a in args[:-1]], axis=-1)
    n = places.shape[0]
    if epsilon is None:
        edges = np.max(places, axis=0) - np.min(places, axis=0)
        epsilon = (np.prod(edges) / n) ** (1.0 / places.shape[1])
    matrix = radial(function, squares(places, places), epsilon) - smooth * np.eye(n)
    return OldRadial(places, np.linalg.solve(matrix, np.ravel(args[-1])), function, epsilon)
