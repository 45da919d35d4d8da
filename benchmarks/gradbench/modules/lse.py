"""GradBench's ``lse``: the logarithm of a sum of exponentials, shifted by the largest."""
from __future__ import annotations

import numpy as np

import transgrad as tg

from ..entry import Entry, array, compiled

__all__ = ["functions", "primal"]


def primal(x):
    a = np.max(x)
    return a + np.log(np.sum(np.exp(x - a)))


def functions(backend: str) -> dict[str, Entry]:
    def arguments(given):
        return (array(given["x"]),)

    return {
        "primal": Entry(arguments, compiled(primal, backend)),
        "gradient": Entry(arguments, tg.grad(primal, backend=backend)),
    }
