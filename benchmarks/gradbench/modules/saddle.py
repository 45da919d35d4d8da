"""GradBench's ``saddle``: min over x of max over y of |x|^2 - |y|^2, by gradient descent inside of gradient descent.

The letters of a function name the modes of the outer and of the inner derivative, forward or reverse.
"""
from __future__ import annotations

import numpy as np

import transgrad as tg

from ..entry import Entry, array
from .descent import argmin

__all__ = ["functions", "inner_forward", "inner_reverse", "value"]


def value(x, y):
    return np.sum(x * x) - np.sum(y * y)


def inner_reverse(x, start):
    """The maximum over y, found with gradients in reverse mode."""
    def negative(y):
        return -value(x, y)
    return value(x, argmin(negative, tg.grad(negative), start))


def inner_forward(x, start):
    """The maximum over y, found with gradients in forward mode."""
    def negative(y):
        return -value(x, y)
    return value(x, argmin(negative, tg.jacfwd(negative), start))


def functions(backend: str) -> dict[str, Entry]:
    def arguments(given):
        return (array(given["start"]),)

    def solver(outer, inner):
        highest = {"f": inner_forward, "r": inner_reverse}[inner]
        mode = {"f": tg.jacfwd, "r": tg.grad}
        slope = mode[outer](highest, backend=backend)
        last = mode[inner](value, argnums=1, backend=backend)

        def run(start):
            x = argmin(lambda x: highest(x, start), lambda x: slope(x, start), start)
            y = argmin(lambda y: -value(x, y), lambda y: -last(x, y), start)
            return np.concatenate([x, y])
        return run

    return {outer + inner: Entry(arguments, solver(outer, inner)) for outer in "fr" for inner in "fr"}
