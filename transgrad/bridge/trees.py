"""Trees of points (``scipy.spatial.KDTree``) whose points are recorded on the tape.

Which points are near is locally constant. Only `query` returns numbers that depend on the points: the distances.
"""
from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial import KDTree, cKDTree

from .array import TapedArray, holds, stacked
from .written import refused

__all__ = ["TREES"]


def _constant(x: Any) -> Any:
    """The numbers of recorded points or distances."""
    x = stacked(x) if isinstance(x, (list, tuple)) and holds(x) else x
    return x.tensor.detach()._array if isinstance(x, TapedArray) else x._tree if isinstance(x, _Tree) else x


class _Tree:
    """A tree of recorded points."""

    kind: Any

    def __init__(self, data: Any, *args: Any, **kwargs: Any):
        self._points = stacked(data) if holds(data) else np.asarray(data)
        self._tree = self.kind(_constant(self._points), *args, **kwargs)

    data = property(lambda self: self._points)
    n = property(lambda self: self._tree.n)
    m = property(lambda self: self._tree.m)
    leafsize = property(lambda self: self._tree.leafsize)
    size = property(lambda self: self._tree.size)

    def query_ball_point(self, *args: Any, **kwargs: Any) -> Any:
        return self._places("query_ball_point", args, kwargs)

    def query_ball_tree(self, *args: Any, **kwargs: Any) -> Any:
        return self._places("query_ball_tree", args, kwargs)

    def query_pairs(self, *args: Any, **kwargs: Any) -> Any:
        return self._places("query_pairs", args, kwargs)

    def count_neighbors(self, other: Any, r: Any, *args: Any, **kwargs: Any) -> Any:
        if kwargs.get("weights") is not None or args[1:]:
            raise refused(TypeError("count_neighbors with weights is not recorded by the tape"))
        return self._places("count_neighbors", (other, r, *args), kwargs)

    def _places(self, name: str, args: Any, kwargs: Any) -> Any:
        return getattr(self._tree, name)(*map(_constant, args), **{k: _constant(v) for k, v in kwargs.items()})

    def query(self, x: Any, k: Any = 1, eps: Any = 0, p: Any = 2, distance_upper_bound: Any = np.inf, workers: int = 1) -> Any:
        """The distances of the nearest points, which are recorded, and their indices."""
        x = stacked(x) if isinstance(x, (list, tuple)) and holds(x) else x
        distances, places = self._tree.query(_constant(x), k, eps, p, _constant(distance_upper_bound), workers)
        if not isinstance(x, TapedArray) and not isinstance(self._points, TapedArray):
            return distances, places
        if p != 2 or np.any(places == self.n):
            raise refused(TypeError("KDTree.query is recorded by the tape for p=2 only, and where all neighbors exist"))
        near = self._points[places]
        gaps = near - (x if near.ndim == np.ndim(x) else np.expand_dims(x, -2))
        return np.linalg.norm(gaps, axis=-1), places

    def sparse_distance_matrix(self, *args: Any, **kwargs: Any) -> Any:
        raise refused(TypeError("sparse_distance_matrix of differentiated points is not recorded by the tape"))


def _class(kind: type) -> type:
    return type(kind.__name__, (_Tree,), {"kind": kind})


#: what stands for the classes of trees where a function on the tape mentions them
TREES: dict[type, Any] = {kind: _class(kind) for kind in (KDTree, cKDTree)}
