"""GradBench's ``particle``: the control of a charge whose trajectory, by Euler's method, meets the first axis at the origin.

The force is the negative gradient of a potential, so that the gradient by the control is a derivative of a derivative. The letters of a
function name the modes of the outer and of the inner derivative, forward or reverse.
"""
from __future__ import annotations

import numpy as np

import transgrad as tg

from ..entry import Entry, array
from .descent import argmin

__all__ = ["functions", "inner_forward", "inner_reverse", "potential"]

STEP = 1e-1


def potential(x, w):
    """Of two charges, the second of which the control moves."""
    first, second = x - np.array([10.0, 0.0]), x - np.array([10.0, 10.0 - w])
    return 1.0 / np.sqrt(first @ first) + 1.0 / np.sqrt(second @ second)


def inner_reverse(w):
    """The square of the place where the trajectory meets the axis, with forces by reverse mode."""
    x = np.array([0.0, 8.0])
    v = np.array([0.75, 0.0])
    while True:
        force = -tg.grad(potential)(x, w[0])
        ahead = x + STEP * v
        if ahead[1] <= 0.0:
            return (x[0] - x[1] / v[1] * v[0]) ** 2
        x = ahead
        v = v + STEP * force


def inner_forward(w):
    """The square of the place where the trajectory meets the axis, with forces by forward mode."""
    x = np.array([0.0, 8.0])
    v = np.array([0.75, 0.0])
    while True:
        force = -tg.jacfwd(potential)(x, w[0])
        ahead = x + STEP * v
        if ahead[1] <= 0.0:
            return (x[0] - x[1] / v[1] * v[0]) ** 2
        x = ahead
        v = v + STEP * force


def functions(backend: str) -> dict[str, Entry]:
    def arguments(given):
        return (array([given["w"]]),)

    def solver(outer, inner):
        missed = {"f": inner_forward, "r": inner_reverse}[inner]
        slope = {"f": tg.jacfwd, "r": tg.grad}[outer](missed, backend=backend)

        def run(start):
            return argmin(missed, slope, start)[0]
        return run

    return {outer + inner: Entry(arguments, solver(outer, inner)) for outer in "fr" for inner in "fr"}
