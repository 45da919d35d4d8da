"""Results that are collected in places held free for them, named tuples made where they are returned, and blocks of matrices."""
from __future__ import annotations

import collections

import numpy as np

from .registry import case

X = np.array([0.31, 0.5, 0.2])
POSE = np.eye(4) * 0.5 + np.arange(16.0).reshape(4, 4) / 40.0


@case(args=(X,))
def matrices_in_places(x):
    n = len(x)
    steps = [None] * (n + 1)
    steps[n] = np.outer(x, x)
    total = np.zeros(n)
    for i in range(n):
        steps[i] = np.outer(x, x) * i
        total = total + np.dot(steps[i], x)
    return np.sum(total) + steps[-1][0, 1]


@case(args=(X,))
def states_in_places(x):
    states = (len(x) + 1) * [None]
    states[0] = np.zeros(2)
    for i in range(len(x)):
        states[i + 1] = np.array([states[i][0] + x[i], np.cos(states[i][1] * x[i])])
    return states[-1][0] * states[-1][1]


@case(args=(X,))
def numbers_in_places(x):
    out = [None] * len(x)
    out[0] = x[0]
    for i in range(1, len(x)):
        out[i] = np.sin(out[i - 1]) * x[i]
    return sum(out) + np.sum(np.array(out) ** 2)


@case(args=(X,))
def a_table_with_gaps(x):
    table = [None] * 4
    for i in range(0, 4, 2):
        table[i] = x * (i + 1)
    total = 0.0
    for row in table:
        if row is not None:
            total += np.sum(row ** 2)
    return total


def wave(f, n=5):
    Wavelet = collections.namedtuple("Wavelet", ["amplitude", "time"])
    t = np.linspace(0.0, 1.0, n)
    return Wavelet(np.sin(f * t), t)


@case(args=(1.3,))
def a_class_made_inside(f):
    w = wave(f)
    return np.sum(w.amplitude * w.time) + w[0][1]


@case(args=(1.3,))
def another_class_made_inside(f):
    Pair = collections.namedtuple("Pair", "u, v")
    p = Pair(f, v=f ** 2)._replace(u=3.0 * f)
    u, v = p
    return u * v + p._asdict()["v"]


@case(args=(POSE,))
def blocks(pose):
    turn = pose[0:3, 0:3]
    moved = np.dot(turn, [pose[0][3], pose[1][3], pose[2][3]])
    whole = np.r_[np.c_[turn @ turn, moved], [[0, 0, 0, 1]]]
    wide = np.c_[whole[None], pose[None]]
    return np.sum(whole[:3] ** 2) + whole[1][3] + wide[0, 1, 6]


@case(args=(X,))
def covariances(x):
    other = np.array([1.0, 4.0, 2.0])
    return np.cov(x, other)[0, 1] + np.corrcoef(other, x ** 2)[0, 1]
