"""An element-wise expression, from a hundred numbers to ten million."""
import math

import numpy as np

from ..workload import Rewritten, Workload


def wave(x, y):
    return np.sum(np.exp(-x * x) * np.sin(y) + np.tanh(x * y))


def by_hand(x, y):
    """Two buffers and the results, each passed over as seldom as NumPy lets it."""
    e = x * x
    np.negative(e, out=e)
    np.exp(e, out=e)
    q = x * y
    np.tanh(q, out=q)
    q *= q
    np.subtract(1.0, q, out=q)

    y_bar = np.cos(y)
    y_bar *= e
    e *= np.sin(y)
    e *= x
    e *= -2.0
    x_bar = q * y
    x_bar += e
    q *= x
    y_bar += q
    return x_bar, y_bar


def for_numba(x, y):
    """One pass."""
    x_bar, y_bar = np.empty_like(x), np.empty_like(y)
    for i in range(len(x)):
        e = math.exp(-x[i] * x[i])
        t = math.tanh(x[i] * y[i])
        q = 1.0 - t * t
        x_bar[i] = q * y[i] - 2.0 * x[i] * e * math.sin(y[i])
        y_bar[i] = q * x[i] + e * math.cos(y[i])
    return x_bar, y_bar


def in_casadi():
    import casadi

    def f(x, y):
        return casadi.sum1(casadi.exp(-x * x) * casadi.sin(y) + casadi.tanh(x * y))
    f.matrices = True
    return f


def arguments(rng, n):
    return rng.normal(size=n), rng.normal(size=n)


workload = Workload(wave, by_hand, arguments, {f"1e{k}": 10 ** k for k in range(2, 8)}, tiny=5, wrt=(0, 1), limit="dense", numba=for_numba,
                    peers={"jax": "as written", "torch": "as written", "autograd": "as written", "mygrad": "as written",
                           "casadi": Rewritten(in_casadi)},
                    reasons={
                        "by hand": "memory traffic: what two terms of the sum have in common is passed over once for each",
                        "primal": "memory traffic: temporary arrays",
                    })
