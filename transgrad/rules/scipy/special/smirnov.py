"""Smirnov's distribution: a sum over the number of points, each term of which is differentiated by its logarithm."""
from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.special as sp

from ...registry import rule
from ...static import ZERO, lifted


def _of_numbers(n: int, d: float, order: int) -> float:
    if not 0.0 < d < 1.0:
        return 0.0
    j = np.arange(int(math.floor(n * (1.0 - d))) + 1.0)
    a, b = d + j / n, np.maximum(1.0 - d - j / n, 1e-300)
    logs = sp.gammaln(n + 1.0) - sp.gammaln(j + 1.0) - sp.gammaln(n - j + 1.0) + math.log(d) + (j - 1.0) * np.log(a) + (n - j) * np.log(b)
    found = [np.exp(logs)]
    bends = [math.factorial(k) * ((-1.0) ** k * (d ** -(k + 1.0) + (j - 1.0) / a ** (k + 1.0)) - (n - j) / b ** (k + 1.0))
             for k in range(order)]
    for k in range(order):      # of exp(f): Leibniz' rule for f' exp(f)
        found.append(sum(math.comb(k, i) * bends[k - i] * found[i] for i in range(k + 1)))
    return float(np.sum(found[order]))


def smirnov_derivative(n: Any, d: Any, order: int) -> Any:
    """A derivative of `scipy.special.smirnov` by the distance."""
    n, d = np.broadcast_arrays(n, d)
    return np.array([_of_numbers(int(k), float(v), order) for k, v in zip(n.ravel(), d.ravel())]).reshape(d.shape)[()]


derivative = lifted(smirnov_derivative)


@rule(sp.smirnov)
def _(g, y, n, d):
    """If the distance is a multiple of the step of the distribution function, a high derivative jumps; the inner one is used."""
    return None, g * derivative(n, d, 1)


@rule(sp.smirnovi)
def _(g, y, n, p):
    return None, g / derivative(n, y, 1)


@rule(smirnov_derivative)
def _(g, y, n, d, order):
    return ZERO, g * derivative(n, d, order + 1)
