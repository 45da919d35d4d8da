"""GradBench's ``ode``: the classical Runge-Kutta method, with ``s`` steps over [0, 2], for y_0' = x_0 and y_i' = x_i y_{i-1}."""
from __future__ import annotations

import numpy as np

import transgrad as tg

from ..entry import Entry, array, compiled

__all__ = ["functions", "last", "primal", "slope"]


def slope(x, y):
    out = np.empty_like(x)
    out[0] = x[0]
    out[1:] = x[1:] * y[:-1]
    return out


def primal(x, s):
    """The solution at the end of the interval, from zero."""
    h = 2.0 / s
    y = np.zeros(len(x))
    for _ in range(s):
        k1 = slope(x, y)
        k2 = slope(x, y + h / 2.0 * k1)
        k3 = slope(x, y + h / 2.0 * k2)
        k4 = slope(x, y + h * k3)
        y = y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return y


def last(x, s):
    """The last component of the solution."""
    return primal(x, s)[-1]


def functions(backend: str) -> dict[str, Entry]:
    def arguments(given):
        return array(given["x"]), int(given["s"])

    return {
        "primal": Entry(arguments, compiled(primal, backend)),
        "gradient": Entry(arguments, tg.grad(last, backend=backend)),
    }
