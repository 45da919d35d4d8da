"""scipy.spatial: distances between points, said with differences, sums and norms; at distance 0 a norm's derivative is 0."""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.spatial as ss
import scipy.spatial.distance as sd

from ...ir.infer_shapes import SHAPES
from ...ir.types import ANY, Arr
from ..registry import constant, definition
from ..static import NoDerivative

#: metrics of `cdist` and `pdist`, as functions of the differences along the last axis or of the points
_NAMES = {"euclid": "euclidean", "eu": "euclidean", "e": "euclidean", "sqe": "sqeuclidean", "manhattan": "cityblock", "cheby": "chebyshev",
          "c": "cityblock", "mi": "minkowski", "m": "minkowski", "pnorm": "minkowski", "cos": "cosine", "co": "correlation"}


def between(u: Any, v: Any, metric: Any, p: Any, w: Any, V: Any, VI: Any) -> Any:
    """The distance of points along the last axis, which broadcast."""
    name = _NAMES.get(metric, metric)
    if w is not None and name not in ("cosine", "sqeuclidean", "cityblock", "euclidean", "minkowski"):
        raise NoDerivative(f"the metric {metric!r} has a derivative without weights")
    if name == "seuclidean" and V is None or name == "mahalanobis" and VI is None:
        raise NoDerivative(f"the metric {metric!r} has a derivative where V or VI is given")
    if name == "cosine":
        return cosine_of(u, v, 1.0 if w is None else w)
    if name == "correlation":
        mean_u, mean_v = (np.mean(x, axis=-1, keepdims=True) for x in (u, v))
        return cosine_of(u - mean_u, v - mean_v, 1.0 if w is None else w)
    d = u - v
    if name == "braycurtis":
        return np.sum(np.abs(d), axis=-1) / np.sum(np.abs(u + v), axis=-1)
    if name == "canberra":
        total = np.abs(u) + np.abs(v)
        return np.sum(np.where(total == 0.0, 0.0, np.abs(d) / np.where(total == 0.0, 1.0, total)), axis=-1)
    if name == "mahalanobis":
        return np.sqrt(np.sum((d @ VI) * d, axis=-1))
    if name == "chebyshev":
        return np.max(np.abs(d), axis=-1)
    if name == "seuclidean":
        return np.linalg.norm(d / np.sqrt(V), axis=-1)
    if name == "sqeuclidean":
        return np.sum(d * d if w is None else w * d * d, axis=-1)
    if name == "cityblock":
        return np.sum(np.abs(d) if w is None else w * np.abs(d), axis=-1)
    if name == "euclidean":
        return np.linalg.norm(d if w is None else np.sqrt(w) * d, axis=-1)
    if name == "minkowski":
        return minkowski_of(d, p, 1.0 if w is None else w)
    raise NoDerivative(f"the metric {metric!r} has no derivative")


def minkowski_of(d: Any, p: Any, w: Any = 1.0) -> Any:
    """The norm of order ``p`` of differences; its derivative at 0 is 0."""
    if p == np.inf:
        return np.max(w * np.abs(d), axis=-1)
    total = np.sum(w * np.abs(d) ** p, axis=-1)
    return np.where(total == 0.0, 0.0, np.where(total == 0.0, 1.0, total) ** (1.0 / p))


def cosine_of(u: Any, v: Any, w: Any) -> Any:
    """1 - the cosine of the angle."""
    uv, uu, vv = (np.sum(w * x * y, axis=-1) for x, y in ((u, v), (u, u), (v, v)))
    return 1.0 - uv / np.sqrt(uu * vv)


@definition(sd.cdist)
def cdist(XA: Any, XB: Any, metric: Any = "euclidean", *, out: Any = None, p: Any = 2.0, w: Any = None, V: Any = None,
          VI: Any = None) -> Any:
    """The distances between two sets of points."""
    return between(XA[:, None, :], XB[None, :, :], metric, p, w, V, VI)


@definition(sd.pdist)
def pdist(X: Any, metric: Any = "euclidean", *, out: Any = None, p: Any = 2.0, w: Any = None, V: Any = None, VI: Any = None) -> Any:
    """The distances between the points of a set, each pair once."""
    i, j = np.triu_indices(X.shape[0], 1)
    return between(X[i], X[j], metric, p, w, V, VI)


@definition(ss.distance_matrix)
def distance_matrix(x: Any, y: Any, p: Any = 2.0, threshold: Any = 1000000) -> Any:
    """The distances between two sets of points."""
    return minkowski_of(x[:, None, :] - y[None, :, :], p)


@definition(ss.minkowski_distance)
def minkowski_distance(x: Any, y: Any, p: Any = 2.0) -> Any:
    """The distances between points along the last axis."""
    return minkowski_of(x - y, p)


@definition(ss.minkowski_distance_p)
def minkowski_distance_p(x: Any, y: Any, p: Any = 2.0) -> Any:
    """Powers of the distances between points along the last axis."""
    return np.sum(np.abs(x - y) ** p, axis=-1)


def register(name: str) -> None:
    """The distance of two vectors by its name."""

    @definition(getattr(sd, name))
    def distance(u: Any, v: Any, w: Any = None) -> Any:
        return between(u, v, name, 2.0, w, None, None)


for _name in ("euclidean", "sqeuclidean", "cityblock", "cosine", "chebyshev", "braycurtis", "canberra"):
    register(_name)


@definition(sd.minkowski)
def minkowski(u: Any, v: Any, p: Any = 2, w: Any = None) -> Any:
    """The p-norm of the difference."""
    return between(u, v, "minkowski", p, w, None, None)


@definition(sd.correlation)
def correlation(u: Any, v: Any, w: Any = None, centered: Any = True) -> Any:
    """1 - the correlation of the elements."""
    if w is not None and centered:
        raise NoDerivative("correlation has a derivative without weights")
    if not centered:
        return cosine_of(u, v, 1.0 if w is None else w)
    return between(u, v, "correlation", 2.0, None, None, None)


@definition(sd.seuclidean)
def seuclidean(u: Any, v: Any, V: Any) -> Any:
    """The distance in units of the deviations."""
    return between(u, v, "seuclidean", 2.0, None, V, None)


@definition(sd.mahalanobis)
def mahalanobis(u: Any, v: Any, VI: Any) -> Any:
    """The distance in the metric of an inverse covariance."""
    return between(u, v, "mahalanobis", 2.0, None, None, VI)


@definition(sd.jensenshannon)
def jensenshannon(p: Any, q: Any, base: Any = None, *, axis: Any = 0, keepdims: Any = False) -> Any:
    """The root of the mean divergence from the middle of two distributions."""
    from scipy.special import rel_entr
    a = p / np.sum(p, axis=axis, keepdims=True)
    b = q / np.sum(q, axis=axis, keepdims=True)
    m = 0.5 * (a + b)
    total = np.sum(rel_entr(a, m), axis=axis, keepdims=keepdims) + np.sum(rel_entr(b, m), axis=axis, keepdims=keepdims)
    return np.sqrt(0.5 * total) if base is None else np.sqrt(0.5 * total / np.log(base))


@definition(sd.squareform)
def squareform(X: Any, force: Any = "no", checks: Any = True) -> Any:
    """The matrix of distances of a vector of them, and back."""
    if np.ndim(X) == 2:
        i, j = np.triu_indices(X.shape[0], 1)
        return X[i, j]
    return X[pair_places(X.shape[0])] * pair_mask(X.shape[0])


def pair_places(count: int) -> Any:
    """Where in the vector the distance at each place of the matrix is (0 on the diagonal)."""
    return np.asarray(sd.squareform(np.arange(count), checks=False), np.intp)


def pair_mask(count: int) -> Any:
    """1 off the diagonal."""
    return sd.squareform(np.ones(count))


constant(pair_places, pair_mask)
SHAPES.update({pair_places: lambda n: Arr("int64", (ANY, ANY)), pair_mask: lambda n: Arr("float64", (ANY, ANY))})
