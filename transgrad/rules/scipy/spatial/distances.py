"""scipy.spatial.distance: distances said with differences, sums and norms; at distance 0 a norm's derivative is 0."""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.spatial as ss
import scipy.spatial.distance as sd
from scipy.special import rel_entr

from ....ir.infer_shapes import SHAPES
from ....ir.types import ANY, Arr
from ...registry import constant, definition
from ...static import NoDerivative
from .boolean import BOOLEAN, boolean

#: metrics of `cdist` and `pdist`, as functions of the differences along the last axis or of the points
_NAMES = {other: name for name, others in {
    "chebyshev": "ch cheb cheby chebychev", "cityblock": "c cb cblock", "correlation": "co", "cosine": "cos", "euclidean": "e eu euclid",
    "hamming": "h ha hamm matching", "jaccard": "j ja jacc", "jensenshannon": "js", "mahalanobis": "mah mahal", "minkowski": "m mi pnorm",
    "seuclidean": "s se", "sqeuclidean": "sqe sqeuclid",
}.items() for other in others.split()}


def between(u: Any, v: Any, metric: Any, p: Any, w: Any, V: Any, VI: Any) -> Any:
    """The distance of points along the last axis, which broadcast."""
    name = _NAMES.get(metric, metric)
    if name in BOOLEAN:
        return boolean(u, v, name, w)
    if name == "cosine":
        return cosine_of(u, v, 1.0 if w is None else w)
    if name == "correlation":
        return correlation_of(u, v, w)
    if name == "jensenshannon":
        return jensen_shannon_of(u, v)
    d = u - v
    if name == "braycurtis":
        return np.sum(weighed(np.abs(d), w), axis=-1) / np.sum(weighed(np.abs(u + v), w), axis=-1)
    if name == "canberra":
        total = np.abs(u) + np.abs(v)
        return np.sum(weighed(np.where(total == 0.0, 0.0, np.abs(d) / np.where(total == 0.0, 1.0, total)), w), axis=-1)
    if name == "mahalanobis":
        return np.sqrt(np.sum((d @ VI) * d, axis=-1))
    if name == "chebyshev":
        return np.max(np.abs(d) if w is None else np.where(w > 0.0, np.abs(d), 0.0), axis=-1)
    if name == "seuclidean":
        return np.linalg.norm(d / np.sqrt(V), axis=-1)
    if name == "sqeuclidean":
        return np.sum(weighed(d * d, w), axis=-1)
    if name == "cityblock":
        return np.sum(weighed(np.abs(d), w), axis=-1)
    if name == "euclidean":
        return np.linalg.norm(d if w is None else np.sqrt(w) * d, axis=-1)
    if name == "minkowski":
        return minkowski_of(d, p, 1.0 if w is None else w)
    raise NoDerivative(f"the metric {metric!r} has no derivative")


def weighed(x: Any, w: Any) -> Any:
    """Each element times its weight, if there are weights."""
    return x if w is None else w * x


def correlation_of(u: Any, v: Any, w: Any) -> Any:
    """1 - the correlation of the elements."""
    if w is None:
        return cosine_of(u - np.mean(u, axis=-1, keepdims=True), v - np.mean(v, axis=-1, keepdims=True), 1.0)
    share = w / np.sum(w)
    return cosine_of(u - np.sum(share * u, axis=-1, keepdims=True), v - np.sum(share * v, axis=-1, keepdims=True), share)


def jensen_shannon_of(u: Any, v: Any) -> Any:
    """The root of the mean divergence from the middle of two distributions."""
    a, b = u / np.sum(u, axis=-1, keepdims=True), v / np.sum(v, axis=-1, keepdims=True)
    middle = 0.5 * (a + b)
    return np.sqrt(0.5 * np.sum(rel_entr(a, middle) + rel_entr(b, middle), axis=-1))


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
    if V is None and _NAMES.get(metric, metric) == "seuclidean":
        V = np.var(np.concatenate((XA, XB)), axis=0, ddof=1)
    if VI is None and _NAMES.get(metric, metric) == "mahalanobis":
        VI = np.linalg.inv(np.cov(np.concatenate((XA, XB)).T)).T
    return between(XA[:, None, :], XB[None, :, :], metric, p, w, V, VI)


@definition(sd.pdist)
def pdist(X: Any, metric: Any = "euclidean", *, out: Any = None, p: Any = 2.0, w: Any = None, V: Any = None, VI: Any = None) -> Any:
    """The distances between the points of a set, each pair once."""
    if V is None and _NAMES.get(metric, metric) == "seuclidean":
        V = np.var(X, axis=0, ddof=1)
    if VI is None and _NAMES.get(metric, metric) == "mahalanobis":
        VI = np.linalg.inv(np.cov(X.T)).T
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


for _name in ("euclidean", "sqeuclidean", "cityblock", "cosine", "chebyshev", "braycurtis", "canberra", *BOOLEAN):
    register(_name)


@definition(sd.minkowski)
def minkowski(u: Any, v: Any, p: Any = 2, w: Any = None) -> Any:
    """The p-norm of the difference."""
    return between(u, v, "minkowski", p, w, None, None)


@definition(sd.correlation)
def correlation(u: Any, v: Any, w: Any = None, centered: Any = True) -> Any:
    """1 - the correlation of the elements."""
    return correlation_of(u, v, w) if centered else cosine_of(u, v, 1.0 if w is None else w)


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
