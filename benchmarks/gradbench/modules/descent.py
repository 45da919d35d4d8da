"""Gradient descent with a step that adapts, as the evals ``particle`` and ``saddle`` define it."""
from __future__ import annotations

__all__ = ["argmin"]


def argmin(f, gradient, start, moved, length):
    """A minimum of ``f`` from ``start``.

    ``moved(x, s, g)`` is ``x - s * g`` and ``length(g)`` the norm, for the caller's representation of points.  The step doubles after ten
    decreases in a row and halves where ``f`` does not decrease.
    """
    x = start
    fx, gx = f(x), gradient(x)
    step = 1e-5
    decreases = 0
    while True:
        size = length(gx)
        if size <= 1e-5:
            return x
        if decreases == 10:
            step *= 2.0
            decreases = 0
            continue
        if step * size <= 1e-5:
            return x
        tried = moved(x, step, gx)
        value = f(tried)
        if value < fx:
            x, fx, gx = tried, value, gradient(tried)
            decreases += 1
        else:
            step /= 2.0
            decreases = 0
