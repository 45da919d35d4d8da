"""Logistic regression with a ridge penalty."""
import math

import numpy as np

from ..workload import Spellings


def products(w, x, y):
    z = x @ w
    return np.sum(np.logaddexp(0.0, z) - y * z) + 0.5 * w @ w


def loop_over_rows(w, x, y):
    loss = 0.5 * np.sum(w ** 2)
    for row, label in zip(x, y):
        z = np.dot(row, w)
        loss += np.log(1 + np.exp(z)) - label * z
    return loss


def loop_by_index(w, x, y):
    loss = 0.0
    for i in range(len(y)):
        p = 1 / (1 + np.exp(-np.sum(x[i] * w)))
        loss -= y[i] * np.log(p) + (1 - y[i]) * np.log(1 - p)
    return loss + 0.5 * np.dot(w, w)


def scalar_loops(w, x, y):
    loss = 0.0
    for i in range(x.shape[0]):
        z = 0.0
        for j in range(x.shape[1]):
            z += x[i, j] * w[j]
        loss += math.log(1 + math.exp(z)) - y[i] * z
    for j in range(len(w)):
        loss += 0.5 * w[j] ** 2
    return loss


def collected(w, x, y):
    losses = [np.log1p(np.exp(x[i] @ w)) - y[i] * (x[i] @ w) for i in range(len(y))]
    return np.sum(np.array(losses)) + np.sum(np.square(w)) / 2


def einsum(w, x, y):
    z = np.einsum("ij,j->i", x, w)
    p = 1 / (1 + np.exp(-z))
    return -np.sum(np.where(y == 1, np.log(p), np.log(1 - p))) + 0.5 * np.einsum("j,j->", w, w)


def by_hand(w, x, y):
    return x.T @ (1 / (1 + np.exp(-(x @ w))) - y) + w


def arguments(rng):
    return rng.normal(size=6), rng.normal(size=(50, 6)), rng.integers(0, 2, 50).astype(float)


WORKLOAD = Spellings(arguments, by_hand, {
    "products": products, "loop over rows": loop_over_rows, "loop by index": loop_by_index, "scalar loops": scalar_loops,
    "collected": collected, "einsum": einsum})
