"""Ellipsoidal harmonics, which are roots of ``|s² - h²|`` and ``|s² - k²|`` times polynomials in ``s``.

The polynomial is found from values of SciPy's function at as many places as it has coefficients.  By the axes there is no derivative
here, and at ``h`` and ``k``, where the roots are 0, there is none.
"""
from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.special as sp

from ...registry import rule
from ...static import ZERO, lifted


def roots_in(n: int, p: int) -> tuple[int, int]:
    """Whether the harmonic of a degree and number has the root of ``s² - h²``, and of ``s² - k²``."""
    r = n // 2
    if p <= r + 1:
        return 0, 0
    if p <= n + 1:
        return 1, 0
    return (0, 1) if p <= 2 * n - r + 1 else (1, 1)


def _of_numbers(h2: float, k2: float, n: int, p: int, s: float, order: int) -> float:
    of_h, of_k = roots_in(n, p)
    degree = n - of_h - of_k
    count = degree // 2 + 1
    scale = math.sqrt(k2)
    nodes = scale * (1.5 + 0.5 * np.cos(np.pi * (np.arange(count) + 0.5) / count))      # beyond k, where both roots are real
    root = (nodes ** 2 - h2) ** (0.5 * of_h) * (nodes ** 2 - k2) ** (0.5 * of_k)
    values = np.array([sp.ellip_harm(h2, k2, n, p, x) for x in nodes]) / root
    powers = degree % 2 + 2 * np.arange(count)
    held = np.zeros(degree + 1)
    held[powers] = np.linalg.solve((nodes[:, None] / scale) ** powers, values)
    return float(np.polynomial.polynomial.polyval(s / scale, np.polynomial.polynomial.polyder(held, order)) / scale ** order)


def lame_polynomial(h2: Any, k2: Any, n: Any, p: Any, s: Any, order: int) -> Any:
    """A derivative by ``s`` of the polynomial in a harmonic."""
    args = np.broadcast_arrays(*map(np.asarray, (h2, k2, n, p, s)))
    found = [_of_numbers(float(a), float(b), int(c), int(d), float(e), order) for a, b, c, d, e in zip(*(v.ravel() for v in args))]
    return np.array(found).reshape(args[0].shape)[()]


polynomial = lifted(lame_polynomial)


def harmonic_slope(h2, k2, n, p, s, signm, signn):
    """The derivative of a harmonic."""
    of_h, of_k = roots_in(n, p)
    a, b = np.abs(s * s - h2), np.abs(s * s - k2)
    root = signm ** of_h * signn ** of_k * (np.sqrt(a) if of_h else 1.0) * (np.sqrt(b) if of_k else 1.0)
    logs = (s / (s * s - h2) if of_h else 0.0) + (s / (s * s - k2) if of_k else 0.0)
    return root * (polynomial(h2, k2, n, p, s, 1) + logs * polynomial(h2, k2, n, p, s, 0))


@rule(sp.ellip_harm)
def _(g, y, h2, k2, n, p, s, signm=1, signn=1):
    return None, None, None, None, g * harmonic_slope(h2, k2, n, p, s, signm, signn)


@rule(sp.ellip_harm_2)
def _(g, y, h2, k2, n, p, s):
    first = np.sqrt((s * s - h2) * (s * s - k2))
    value = polynomial(h2, k2, n, p, s, 0)
    of_h, of_k = roots_in(n, p)
    value = value * (np.sqrt(s * s - h2) if of_h else 1.0) * (np.sqrt(s * s - k2) if of_k else 1.0)
    return None, None, None, None, g * (y * harmonic_slope(h2, k2, n, p, s, 1, 1) - (2 * n + 1) / first) / value


@rule(lame_polynomial)
def _(g, y, h2, k2, n, p, s, order):
    return None, None, ZERO, ZERO, g * polynomial(h2, k2, n, p, s, order + 1)
