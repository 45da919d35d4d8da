"""GradBench's ``kmeans``: the sum of squared distances to the nearest centroid, and the direction of Newton's method.

The Hessian by the centroids is diagonal, so its product with a vector of ones is its diagonal.
"""
from __future__ import annotations

import numpy as np

import transgrad as tg

from ..entry import Entry, array, compiled

__all__ = ["cost", "functions"]


def cost(centroids, points):
    squares = np.sum(points ** 2, axis=1)[:, None] + np.sum(centroids ** 2, axis=1) - 2.0 * (points @ centroids.T)
    return np.sum(np.min(squares, axis=1))


def functions(backend: str) -> dict[str, Entry]:
    gradient = tg.grad(cost, backend=backend)

    def arguments(given):
        return array(given["centroids"]), array(given["points"])

    def direction(centroids, points):
        slope, curvature = tg.jvp(gradient, (centroids, points), (np.ones_like(centroids), np.zeros_like(points)), backend=backend)
        return slope / curvature

    return {"cost": Entry(arguments, compiled(cost, backend)), "dir": Entry(arguments, direction)}
