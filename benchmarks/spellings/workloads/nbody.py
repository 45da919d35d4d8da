"""The potential energy of bodies that attract each other."""
import math

import numpy as np

from ..workload import Spellings

SOFT = 0.01


def scalar_loops(x, m):
    energy = 0.0
    n = len(m)
    for i in range(n):
        for j in range(i + 1, n):
            dx, dy, dz = x[i, 0] - x[j, 0], x[i, 1] - x[j, 1], x[i, 2] - x[j, 2]
            energy -= m[i] * m[j] / math.sqrt(dx * dx + dy * dy + dz * dz + SOFT)
    return energy


def rows(x, m):
    energy = 0.0
    for i in range(len(m)):
        d = x[i + 1:] - x[i]
        r = np.sqrt(np.sum(d ** 2, axis=1) + SOFT)
        energy -= m[i] * np.sum(m[i + 1:] / r)
    return energy


def pairs_of_rows(x, m):
    energy = 0.0
    for i in range(len(m)):
        for j in range(i):
            d = x[i] - x[j]
            energy += -m[i] * m[j] / np.sqrt(np.dot(d, d) + SOFT)
    return energy


def broadcasting(x, m):
    d = x[:, None, :] - x[None, :, :]
    r = np.sqrt(np.sum(d ** 2, axis=-1) + SOFT)
    return -0.5 * (np.sum(np.outer(m, m) / r) - np.sum(m ** 2) / math.sqrt(SOFT))


def upper_triangle(x, m):
    i, j = np.triu_indices(len(m), 1)
    d = x[i] - x[j]
    return -np.sum(m[i] * m[j] / np.sqrt(np.einsum("ij,ij->i", d, d) + SOFT))


def gram(x, m):
    g = x @ x.T
    s = np.diag(g)
    r2 = s[:, None] + s[None, :] - 2 * g
    k = 1 / np.sqrt(r2 + SOFT)
    return -0.5 * (m @ k @ m - np.dot(m, m) / math.sqrt(SOFT))


def by_hand(x, m):
    d = x[:, None, :] - x
    inverse = 1 / np.sqrt(np.einsum("ijk,ijk->ij", d, d) + SOFT)
    w = inverse ** 3
    w *= m
    w *= m[:, None]
    x_bar = x * w.sum(axis=1)[:, None] - w @ x
    return x_bar, m / math.sqrt(SOFT) - inverse @ m


def arguments(rng):
    return rng.normal(size=(20, 3)), rng.random(20) + 0.5


WORKLOAD = Spellings(arguments, by_hand, {
    "scalar loops": scalar_loops, "rows": rows, "pairs of rows": pairs_of_rows, "broadcasting": broadcasting,
    "upper triangle": upper_triangle, "gram": gram}, (0, 1))
