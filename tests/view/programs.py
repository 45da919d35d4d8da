"""Functions that the viewer shows."""
import numpy as np


def square(v):
    w = v * v
    return w


def heat(u0, c, steps):
    """Steps of the heat equation."""
    u = u0.copy()
    for _ in range(steps):
        u[1:-1] += c * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    energy = np.sum(square(u))
    return energy


def unknown(x):
    return eval("x * x")
