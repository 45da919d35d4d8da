"""GradBench's ``llsq``: least squares of a polynomial, by Horner's rule, to the sign function on a grid of [-1, 1]."""
from __future__ import annotations

import numpy as np

import transgrad as tg

from ..entry import Entry, array, compiled

__all__ = ["functions", "primal"]


def primal(x, n):
    """``x`` are the coefficients, constant first; ``n`` is the number of points."""
    t = np.linspace(-1.0, 1.0, n)
    fit = np.zeros(n)
    for c in x[::-1]:
        fit = fit * t + c
    return 0.5 * np.sum((np.sign(t) - fit) ** 2)


def functions(backend: str) -> dict[str, Entry]:
    def arguments(given):
        return array(given["x"]), int(given["n"])

    return {
        "primal": Entry(arguments, compiled(primal, backend)),
        "gradient": Entry(arguments, tg.grad(primal, backend=backend)),
    }
