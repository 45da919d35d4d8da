"""GradBench's ``particle``: the control of a charge whose trajectory, by Euler's method, meets the first axis at the origin.

The force is the negative gradient of a potential, so that the gradient by the control is a derivative of a derivative. The letters of a
function name the modes of the outer and of the inner derivative, forward or reverse.
"""
from __future__ import annotations

import math

import transgrad as tg

from ..entry import Entry
from .descent import argmin

__all__ = ["functions", "inner_forward", "inner_reverse", "potential"]

STEP = 1e-1


def potential(x, w):
    """Of two charges, the second of which the control moves."""
    return 1.0 / math.hypot(x[0] - 10.0, x[1]) + 1.0 / math.hypot(x[0] - 10.0, x[1] - 10.0 + w)


def moved(w, s, g):
    return w - s * g


def inner_reverse(w):
    """The square of the place where the trajectory meets the axis, with forces by reverse mode."""
    x, v = (0.0, 8.0), (0.75, 0.0)
    while True:
        slope = tg.grad(potential)(x, w)
        ahead = (x[0] + STEP * v[0], x[1] + STEP * v[1])
        if ahead[1] <= 0.0:
            return (x[0] - x[1] / v[1] * v[0]) ** 2
        x, v = ahead, (v[0] - STEP * slope[0], v[1] - STEP * slope[1])


def inner_forward(w):
    """The square of the place where the trajectory meets the axis, with forces by forward mode."""
    x, v = (0.0, 8.0), (0.75, 0.0)
    while True:
        slope = tg.jacfwd(potential)(x, w)
        ahead = (x[0] + STEP * v[0], x[1] + STEP * v[1])
        if ahead[1] <= 0.0:
            return (x[0] - x[1] / v[1] * v[0]) ** 2
        x, v = ahead, (v[0] - STEP * slope[0], v[1] - STEP * slope[1])


def functions(backend: str) -> dict[str, Entry]:
    def arguments(given):
        return (float(given["w"]),)

    def solver(outer, inner):
        square = {"f": inner_forward, "r": inner_reverse}[inner]
        missed, slope = tg.compile(square, backend=backend), {"f": tg.jacfwd, "r": tg.grad}[outer](square, backend=backend)

        def run(start):
            return argmin(missed, slope, start, moved, abs)
        return run

    return {outer + inner: Entry(arguments, solver(outer, inner)) for outer in "fr" for inner in "fr"}
