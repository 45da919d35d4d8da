"""GradBench's ``saddle``: min over x of max over y of |x|^2 - |y|^2 in the plane, by gradient descent inside of gradient descent.

The letters of a function name the modes of the outer and of the inner derivative, forward or reverse.
"""
from __future__ import annotations

import math

import transgrad as tg

from ..entry import Entry
from .descent import argmin

__all__ = ["functions", "inner_forward", "inner_reverse", "value"]


def value(x, y):
    return (x[0] ** 2 + x[1] ** 2) - (y[0] ** 2 + y[1] ** 2)


def moved(x, s, g):
    return x[0] - s * g[0], x[1] - s * g[1]


def length(g):
    return math.hypot(g[0], g[1])


def inner_reverse(x, start):
    """The maximum over y, found with gradients in reverse mode."""
    def negative(y):
        return -value(x, y)
    return value(x, argmin(negative, tg.grad(negative), start, moved, length))


def inner_forward(x, start):
    """The maximum over y, found with gradients in forward mode."""
    def negative(y):
        return -value(x, y)
    return value(x, argmin(negative, tg.jacfwd(negative), start, moved, length))


def functions(backend: str) -> dict[str, Entry]:
    def arguments(given):
        return (tuple(float(s) for s in given["start"]),)

    def solver(outer, inner):
        mode = {"f": tg.jacfwd, "r": tg.grad}
        maximum = {"f": inner_forward, "r": inner_reverse}[inner]
        highest, slope = tg.compile(maximum, backend=backend), mode[outer](maximum, backend=backend)
        last = mode[inner](value, argnums=1, backend=backend)

        def run(start):
            x = argmin(lambda x: highest(x, start), lambda x: slope(x, start), start, moved, length)
            y = argmin(lambda y: -value(x, y), lambda y: tuple(-g for g in last(x, y)), start, moved, length)
            return [*x, *y]
        return run

    return {outer + inner: Entry(arguments, solver(outer, inner)) for outer in "fr" for inner in "fr"}
