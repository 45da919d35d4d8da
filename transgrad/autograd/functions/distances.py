"""Distances between vectors: the norms of differences.  The derivative is 0 where a distance is."""
from __future__ import annotations

from typing import Any

import numpy as np

from ...rules.norms import vector_slope
from ...rules.registry import rule

__all__ = ["cdist", "dist", "pdist"]


def dist(self: Any, other: Any, p: float = 2) -> Any:
    """The ``p``-norm of the difference."""
    return np.asarray(np.linalg.vector_norm(self - other, ord=p))


@rule(dist, kind="general", broadcasts=True, jvp=(
    lambda t, y, self, other, p=2: np.sum(vector_slope(self - other, y, p, None, False) * t),
    lambda t, y, self, other, p=2: -np.sum(vector_slope(self - other, y, p, None, False) * t)))
def _(g, y, self, other, p=2):
    h = vector_slope(self - other, y, p, None, False) * g
    return h, -h


def differences(x1: Any, x2: Any) -> Any:
    """Each row of ``x1`` less each of ``x2``."""
    return np.expand_dims(x1, -2) - np.expand_dims(x2, -3)


def cdist(x1: Any, x2: Any, p: float = 2.0) -> Any:
    """The distance of each row of ``x1`` from each of ``x2``."""
    return np.linalg.vector_norm(differences(x1, x2), axis=-1, ord=p)


def cdist_slope(x1: Any, x2: Any, y: Any, p: float) -> Any:
    """The derivative of each distance by the difference of the rows."""
    return vector_slope(differences(x1, x2), y, p, -1, False)


@rule(cdist, kind="general", broadcasts=True, jvp=(
    lambda t, y, x1, x2, p=2.0: np.sum(cdist_slope(x1, x2, y, p) * np.expand_dims(t, -2), axis=-1),
    lambda t, y, x1, x2, p=2.0: -np.sum(cdist_slope(x1, x2, y, p) * np.expand_dims(t, -3), axis=-1)))
def _(g, y, x1, x2, p=2.0):
    h = np.expand_dims(g, -1) * cdist_slope(x1, x2, y, p)
    return np.sum(h, axis=-2), -np.sum(h, axis=-3)


def pairs(n: int) -> tuple[Any, Any]:
    """The numbers of both rows of each pair."""
    return np.triu_indices(n, 1)


def pdist(self: Any, p: float = 2.0) -> Any:
    """The distance between the rows of each pair."""
    first, second = pairs(self.shape[0])
    return np.linalg.vector_norm(self[first] - self[second], axis=-1, ord=p)


def pdist_slope(self: Any, y: Any, p: float) -> Any:
    first, second = pairs(self.shape[0])
    return vector_slope(self[first] - self[second], y, p, -1, False)


def apart(t: Any) -> Any:
    """The difference of the rows of each pair."""
    first, second = pairs(t.shape[0])
    return t[first] - t[second]


@rule(pdist, kind="general", jvp=lambda t, y, self, p=2.0: np.sum(pdist_slope(self, y, p) * apart(t), axis=-1))
def _(g, y, self, p=2.0):
    n, h = self.shape[0], np.expand_dims(g, -1) * pdist_slope(self, y, p)
    first, second = pairs(n)
    signs = np.eye(n)[first] - np.eye(n)[second]
    return signs.T @ h
