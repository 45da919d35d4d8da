"""Gradient descent with a step that adapts, as the evals ``particle`` and ``saddle`` define it."""
from __future__ import annotations

import numpy as np

__all__ = ["argmin"]


def argmin(f, gradient, start):
    """A minimum of ``f`` from ``start``: the step doubles after ten decreases in a row and halves when ``f`` does not decrease."""
    x = start
    fx, gx = f(x), gradient(x)
    step = 1e-5
    decreases = 0
    while True:
        if np.sqrt(np.sum(gx * gx)) <= 1e-5:
            return x
        if decreases == 10:
            step *= 2.0
            decreases = 0
            continue
        tried = x - step * gx
        if np.sqrt(np.sum((x - tried) ** 2)) <= 1e-5:
            return x
        value = f(tried)
        if value < fx:
            x, fx, gx = tried, value, gradient(tried)
            decreases += 1
        else:
            step /= 2.0
            decreases = 0
