"""The sum of squared distances of points from the nearest of some centers."""
import numpy as np

from ..workload import Spellings


def broadcasting(centers, points):
    d = points[:, None, :] - centers[None, :, :]
    return np.sum(np.min(np.sum(d ** 2, axis=2), axis=1))


def loop_over_points(centers, points):
    cost = 0.0
    for p in points:
        cost += np.min(np.sum((centers - p) ** 2, axis=1))
    return cost


def double_loop(centers, points):
    cost = 0.0
    for i in range(len(points)):
        best = np.inf
        for k in range(len(centers)):
            d = points[i] - centers[k]
            best = min(best, np.dot(d, d))
        cost += best
    return cost


def scalar_loops(centers, points):
    cost = 0.0
    for i in range(points.shape[0]):
        distances = []
        for k in range(centers.shape[0]):
            s = 0.0
            for j in range(points.shape[1]):
                s += (points[i, j] - centers[k, j]) ** 2
            distances.append(s)
        cost += min(distances)
    return cost


def squared_distance(p, q):
    return np.sum(np.square(p - q))


def helpers(centers, points):
    return sum(min(squared_distance(p, c) for c in centers) for p in points)


def expanded(centers, points):
    d = np.sum(points ** 2, axis=1)[:, None] - 2 * points @ centers.T + np.sum(centers ** 2, axis=1)
    return d.min(axis=1).sum()


def by_hand(centers, points):
    d = points[:, None, :] - centers
    nearest = np.einsum("ijk,ijk->ij", d, d).argmin(axis=1)
    centers_bar = np.zeros_like(centers)
    np.add.at(centers_bar, nearest, 2 * (centers[nearest] - points))
    return centers_bar


def arguments(rng):
    return rng.normal(size=(4, 3)), rng.normal(size=(60, 3))


WORKLOAD = Spellings(arguments, by_hand, {
    "broadcasting": broadcasting, "loop over points": loop_over_points, "double loop": double_loop, "scalar loops": scalar_loops,
    "helpers": helpers, "expanded": expanded})
