"""Cotangents of sums and means, which stand for their broadcast, on their way through loops, branches, containers and objects."""
from __future__ import annotations

import math

import numpy as np

from .registry import case

X = np.array([0.6, 1.3, 0.8, 1.7])


@case(args=(X,))
def loop(x):
    u = x[1:]
    a = x[0]
    for k in range(3):
        u, a = u * 1.1 - a * 0.1, a + 0.1
    return np.sum(u)


@case(args=(X,))
def loop2(x):
    u = x[1:]
    a = x[0]
    for k in range(3):
        u, a = u * 1.1 - a * 0.1, a + 0.1*u[0]
    return np.sum(u)


@case(args=(X,))
def loop_outer(x):
    a = x * x[0] - x[1]
    s = 0.0
    for k in range(3):
        s += np.sum(a)
    return s


@case(args=(X,))
def loop_outer2(x):
    a = x * x[0] - x[1]
    s = np.sum(a) * 2
    for k in range(3):
        s += np.sum(a * x)
    return s * np.sum(a)


@case(args=(X,))
def loop_inner(x):
    u = x - x[0] ** 2
    s = 0.0
    for k in range(3):
        s += np.sum(u)
        u = np.sin(x) * k - s
    return s


@case(args=(X,))
def branch(x):
    a = x * 2 - x[0] ** 2
    if x[1] > 0:
        s = np.sum(a)
    else:
        s = np.sum(a * x)
    return s


@case(args=(X,))
def branches_in_loop(x):
    a = x * 2 - x[0] ** 2
    s = 0.0
    for k in range(3):
        if k % 2:
            s += np.sum(a)
        elif k:
            s += np.sum(a * x)
    return s


@case(args=(X,))
def while_loop(x):
    a = x * 2 - x[0] ** 2
    k = 0
    while k < 3:
        a = a - a[0] * x[1]
        k += 1
    return np.mean(a)


@case(args=(X,))
def popped(x):
    v = [x * 2 - x[0] ** 2, x * x[1]]
    a = v.pop()
    b = v.pop()
    return np.sum(a) * np.sum(b)


@case(args=(X,))
def dict_pop(x):
    v = {"a": x * 2 - x[0] ** 2}
    v["b"] = x * x[1]
    a = v.pop("a")
    return np.sum(a) * np.sum(v["b"])


@case(args=(X,))
def handler(x):
    a = x * 2 - x[0] ** 2
    try:
        s = math.log(x[0] - 5) * np.sum(a * x)
    except ValueError:
        s = np.sum(a)
    return s


@case(args=(X,))
def append_loop(x):
    rows = []
    for k in range(3):
        rows.append(x * k - x[k] ** 2)
    return sum(np.sum(r) for r in rows) * x[0]


@case(args=(X,))
def stacked_rows(x):
    rows = []
    for k in range(3):
        rows.append(x * k - x[k] ** 2)
    return np.sum(np.array(rows)) * x[0] + np.sum(np.stack(rows))


class Box:
    def __init__(self): self.v = None


@case(args=(X, Box()))
def attr(x, b):
    b.v = x * 2 - x[0] ** 2
    s = np.sum(b.v)
    b.v = b.v * x - x[1]
    return s * np.sum(b.v)
