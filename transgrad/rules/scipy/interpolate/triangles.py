"""Clough-Tocher interpolation on the triangulation of scattered points in the plane, differentiated by points, values and query points.

The gradients at the points minimize the total curvature along the edges (Nielson, 1983; Renka and Cline, 1984): a linear system,
which is solved here, while SciPy iterates until the gradients change by less than ``tol``. On each triangle the surface consists of three
cubic polynomials in Bernstein form (Farin, 1986). The triangulation is constant.
"""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.interpolate as si
import scipy.spatial

from ....ir.infer_shapes import SHAPES
from ....ir.types import ANY, Arr
from ...registry import constant, definition
from ...static import NoDerivative
from .scattered import corners_of, linear_nd, nearest_nd, nearest_on_line, places_of


def joined(points: Any) -> Any:
    """Whether an edge joins two points, a row and a column a point."""
    first, others = scipy.spatial.Delaunay(points).vertex_neighbor_vertices
    found = np.zeros((len(points), len(points)), dtype=bool)
    found[np.repeat(np.arange(len(points)), np.diff(first)), others] = True
    return found


def corners_across(points: Any, x: Any) -> Any:
    """For each query point the far corners of the triangles adjacent to its own, one opposite to each corner; -1 if there is none."""
    mesh = scipy.spatial.Delaunay(points)
    at = mesh.find_simplex(x)
    beyond = np.where(at[:, None] >= 0, mesh.neighbors[at], -1)
    return np.where(beyond[..., None] >= 0, mesh.simplices[beyond], -1)


constant(joined, corners_across)
SHAPES.update({joined: lambda points: Arr("bool", (ANY, ANY)), corners_across: lambda points, x: Arr("int64", (ANY, ANY, ANY))})


def slopes_at(points: Any, values: Any) -> Any:
    """The gradients at the points, one row per point."""
    n = points.shape[0]
    edge = joined(points)
    step = points[None, :, :] - points[:, None, :]
    square = np.sum(step * step, axis=-1)
    weight = np.where(edge, np.where(edge, square, 1.0) ** -1.5, 0.0)
    outer = weight[:, :, None, None] * step[:, :, :, None] * step[:, :, None, :]
    system = 2.0 * outer + 4.0 * np.eye(n)[:, :, None, None] * np.sum(outer, axis=1)[:, None, :, :]
    rise = np.sum((6.0 * weight * (values[None, :] - values[:, None]))[:, :, None] * step, axis=1)
    matrix = np.reshape(np.transpose(system, (0, 2, 1, 3)), (2 * n, 2 * n))
    return np.reshape(np.linalg.solve(matrix, np.reshape(rise, (2 * n,))), (n, 2))


def shares(p: Any, x: Any) -> tuple[Any, Any, Any]:
    """The barycentric coordinates of places in triangles."""
    a, b, d = p[:, 0] - p[:, 2], p[:, 1] - p[:, 2], x - p[:, 2]
    area = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
    first, second = (d[:, 0] * b[:, 1] - d[:, 1] * b[:, 0]) / area, (a[:, 0] * d[:, 1] - a[:, 1] * d[:, 0]) / area
    return first, second, 1.0 - first - second


def tilt(points: Any, p: Any, across: Any, k: int) -> Any:
    """How the normal derivative is blended on the edge opposite to corner k: towards the centre of the triangle beyond."""
    there = across[:, k, 0] >= 0
    middle = np.mean(points[across[:, k]], axis=1)
    c = shares(p, np.where(there[:, None], middle, p[:, 0]))
    ahead, behind = c[(k + 1) % 3], c[(k + 2) % 3]
    below = np.where(there, 2.0 - 3.0 * behind - 3.0 * ahead, 1.0)
    return np.where(there, (2.0 * behind + ahead - 1.0) / below, -0.5)


def smooth_over_triangles(points: Any, values: Any, x: Any, fill_value: Any) -> Any:
    """At places, a row each."""
    found, across = corners_of(points, x), corners_across(points, x)
    corners = found[:, :-1]
    p, f, slope = points[corners], values[corners], slopes_at(points, values)[corners]

    def control(i: int, j: int) -> Any:
        """The coefficient beside corner i, on the edge to corner j."""
        return f[:, i] + np.sum(slope[:, i] * (p[:, j] - p[:, i]), axis=1) / 3.0
    # of corner i: its neighbors on the edges to the next corner and the previous one, and the coefficient between these
    ahead, behind = [control(i, (i + 1) % 3) for i in range(3)], [control(i, (i + 2) % 3) for i in range(3)]
    inner = [(f[:, i] + ahead[i] + behind[i]) / 3.0 for i in range(3)]
    # of the edge opposite to corner i, from corner j to corner k
    edge = []
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        bent = -f[:, j] + 3.0 * ahead[j] - 3.0 * behind[k] + f[:, k]
        edge.append(0.5 * (tilt(points, p, across, i) * bent - f[:, j] + 2.0 * ahead[j] - behind[k] + inner[k] + inner[j]))
    deep = [(edge[(i + 1) % 3] + edge[(i + 2) % 3] + inner[i]) / 3.0 for i in range(3)]
    b = shares(p, x)
    least = np.minimum(np.minimum(b[0], b[1]), b[2])
    centre = 3.0 * least
    total = centre ** 3 * (deep[0] + deep[1] + deep[2]) / 3.0
    for i in range(3):
        j = (i + 1) % 3
        u, v = b[i] - least, b[j] - least
        total = total + u ** 3 * f[:, i] + 3.0 * u * u * v * ahead[i] + 3.0 * u * v * v * behind[j] + 3.0 * u * u * centre * inner[i]
        total = total + 6.0 * u * v * centre * edge[(i + 2) % 3] + 3.0 * u * centre * centre * deep[i]
    return np.where(found[:, -1] > 0, total, fill_value)


class Smooth:
    """Values and gradients at the corners of triangles."""

    def __init__(self, points: Any, values: Any, fill_value: Any):
        self.points, self.values, self.fill_value = points, values, fill_value

    def __call__(self, *args: Any) -> Any:
        x = places_of(args)
        found = smooth_over_triangles(self.points, self.values, np.reshape(x, (-1, 2)), self.fill_value)
        return np.reshape(found, x.shape[:-1])


@definition(si.CloughTocher2DInterpolator)
def clough_tocher(points: Any, values: Any, fill_value: Any = np.nan, tol: Any = 1e-6, maxiter: Any = 400, rescale: Any = False) -> Any:
    """Of one series."""
    if rescale or np.ndim(values) != 1:
        raise NoDerivative("CloughTocher2DInterpolator has a derivative for one series, with rescale=False")
    return Smooth(places_of((points,)), values, fill_value)


@definition(si.griddata, lists=True)
def griddata(points: Any, values: Any, xi: Any, method: Any = "linear", fill_value: Any = np.nan, rescale: Any = False) -> Any:
    """Of places in two dimensions and more: linear, nearest, and in the plane cubic; of places on a line as by `interp1d`."""
    if not isinstance(points, tuple) and np.ndim(points) == 1:
        order = np.argsort(points)
        at = xi[0] if isinstance(xi, tuple) else xi
        if method == "nearest":
            return values[order][nearest_on_line(points[order], at)]
        return si.interp1d(points[order], values[order], kind=method, axis=0, bounds_error=False, fill_value=fill_value)(at)
    if method == "nearest":
        return nearest_nd(points, values, rescale)(xi)
    if method == "cubic":
        return clough_tocher(points, values, fill_value, rescale=rescale)(xi)
    return linear_nd(points, values, fill_value, rescale)(xi)
