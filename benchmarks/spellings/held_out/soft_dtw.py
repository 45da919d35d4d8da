"""The soft dynamic time warping distance of two series of vectors."""
import math

import numpy as np

from ..workload import Spellings

GAMMA = 0.5


def soft_min(a, b, c):
    m = min(a, b, c)
    return m - GAMMA * math.log(math.exp((m - a) / GAMMA) + math.exp((m - b) / GAMMA) + math.exp((m - c) / GAMMA))


def table(x, y):
    n, m = len(x), len(y)
    r = np.full((n + 1, m + 1), 1e10)
    r[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            d = np.sum((x[i - 1] - y[j - 1]) ** 2)
            r[i, j] = d + soft_min(r[i - 1, j], r[i, j - 1], r[i - 1, j - 1])
    return r[n, m]


def costs_first(x, y):
    d = np.sum((x[:, None] - y[None]) ** 2, axis=-1)
    n, m = d.shape
    r = np.zeros((n + 1, m + 1))
    r[0, 1:] = 1e10
    r[1:, 0] = 1e10
    for i in range(n):
        for j in range(m):
            r[i + 1, j + 1] = d[i, j] + soft_min(r[i, j + 1], r[i + 1, j], r[i, j])
    return r[-1, -1]


def rows(x, y):
    previous = [0.0] + [1e10] * len(y)
    for p in x:
        current = [1e10]
        for j in range(len(y)):
            e = p - y[j]
            current.append(np.dot(e, e) + soft_min(previous[j + 1], current[j], previous[j]))
        previous = current
    return previous[-1]


def vectors(x, y):
    n, m = len(x), len(y)
    r = np.full((n + 1, m + 1), 1e10)
    r[0, 0] = 0.0
    for i in range(n):
        for j in range(m):
            options = np.array([r[i, j], r[i, j + 1], r[i + 1, j]])
            low = np.min(options)
            r[i + 1, j + 1] = np.linalg.norm(x[i] - y[j]) ** 2 + low - GAMMA * np.log(np.sum(np.exp((low - options) / GAMMA)))
    return r[n, m]


def by_hand(x, y):
    d = x[:, None] - y
    cost = np.einsum("ijk,ijk->ij", d, d).tolist()
    n, m = len(x), len(y)
    r = [[1e10] * (m + 1) for _ in range(n + 1)]
    r[0][0] = 0.0
    weights = [[None] * m for _ in range(n)]
    for i in range(n):
        above, here, c = r[i], r[i + 1], cost[i]
        for j in range(m):
            p, q, s = above[j], above[j + 1], here[j]
            low = min(p, q, s)
            p, q, s = math.exp((low - p) / GAMMA), math.exp((low - q) / GAMMA), math.exp((low - s) / GAMMA)
            t = p + q + s
            here[j + 1] = c[j] + low - GAMMA * math.log(t)
            weights[i][j] = p / t, q / t, s / t
    e = [[0.0] * (m + 1) for _ in range(n + 1)]
    e[n][m] = 1.0
    for i in range(n - 1, -1, -1):
        above, here = e[i], e[i + 1]
        for j in range(m - 1, -1, -1):
            g = here[j + 1]
            p, q, s = weights[i][j]
            above[j] += g * p
            above[j + 1] += g * q
            here[j] += g * s
    w = 2 * np.array(e)[1:, 1:]
    return np.einsum("ij,ijk->ik", w, d)


def arguments(rng):
    return rng.normal(size=(12, 3)), rng.normal(size=(10, 3))


WORKLOAD = Spellings(arguments, by_hand, {"table": table, "costs first": costs_first, "rows": rows, "vectors": vectors})
