"""A Catmull-Rom spline through control values, fitted to data."""
import numpy as np

from ..workload import Spellings


def scalar_loop(y, at, data):
    loss = 0.0
    for k in range(len(at)):
        i = int(at[k])
        t = at[k] - i
        a, b, c, d = y[i], y[i + 1], y[i + 2], y[i + 3]
        value = b + 0.5 * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)))
        loss += (value - data[k]) ** 2
    return loss


def gather(y, at, data):
    i = np.floor(at).astype(int)
    t = at - i
    a, b, c, d = y[i], y[i + 1], y[i + 2], y[i + 3]
    values = 0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t ** 2 + (3 * b - 3 * c + d - a) * t ** 3)
    return np.sum((values - data) ** 2)


BASIS = 0.5 * np.array([[0.0, 2.0, 0.0, 0.0], [-1.0, 0.0, 1.0, 0.0], [2.0, -5.0, 4.0, -1.0], [-1.0, 3.0, -3.0, 1.0]])


def matrix(y, at, data):
    i = at.astype(int)
    t = at - i
    powers = np.stack([np.ones_like(t), t, t ** 2, t ** 3], axis=1)
    windows = y[i[:, None] + np.arange(4)]
    values = np.einsum("np,pk,nk->n", powers, BASIS, windows)
    r = values - data
    return r @ r


def hermite(p0, p1, m0, m1, t):
    return (2 * t ** 3 - 3 * t ** 2 + 1) * p0 + (t ** 3 - 2 * t ** 2 + t) * m0 + (3 * t ** 2 - 2 * t ** 3) * p1 + (t ** 3 - t ** 2) * m1


def helpers(y, at, data):
    slopes = (y[2:] - y[:-2]) / 2
    total = 0.0
    for x, value in zip(at, data):
        k = int(x)
        total += (hermite(y[k + 1], y[k + 2], slopes[k], slopes[k + 1], x - k) - value) ** 2
    return total


def segments(y, at, data):
    errors = np.empty(len(at))
    for k in range(len(at)):
        i = int(np.floor(at[k]))
        t = at[k] - i
        errors[k] = np.array([1.0, t, t * t, t * t * t]) @ BASIS @ y[i:i + 4] - data[k]
    return np.sum(errors ** 2)


def by_hand(y, at, data):
    i = at.astype(int)
    t = at - i
    t2 = t * t
    t3 = t2 * t
    w = 0.5 * np.array([2 * t2 - t - t3, 2 - 5 * t2 + 3 * t3, t + 4 * t2 - 3 * t3, t3 - t2])
    r = w[0] * y[i] + w[1] * y[i + 1] + w[2] * y[i + 2] + w[3] * y[i + 3] - data
    w *= 2 * r
    y_bar = np.zeros_like(y)
    for k in range(4):
        y_bar += np.bincount(i + k, w[k], len(y))
    return y_bar


def arguments(rng):
    return rng.normal(size=20), 17 * rng.random(80), rng.normal(size=80)


WORKLOAD = Spellings(arguments, by_hand, {
    "scalar loop": scalar_loop, "gather": gather, "matrix": matrix, "helpers": helpers, "segments": segments})
