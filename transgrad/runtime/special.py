"""Derivatives of the gamma function and of a Bessel function, which NumPy has no names for."""
from __future__ import annotations

import math
from typing import Any

import numpy as np

__all__ = ["bessel_i1", "digamma", "trigamma"]


def digamma(x: float) -> float:
    """The derivative of ``math.lgamma``.

    Examples
    --------
    >>> round(digamma(1.0), 12)
    -0.577215664902
    """
    if x <= 0.0:
        return digamma(1.0 - x) - math.pi / math.tan(math.pi * x)
    shift = 0.0
    while x < 10.0:
        shift -= 1.0 / x
        x += 1.0
    r = 1.0 / (x * x)
    series = r * (1 / 12 - r * (1 / 120 - r * (1 / 252 - r * (1 / 240 - r * (1 / 132 - r * 691 / 32760)))))
    return shift + math.log(x) - 0.5 / x - series


def trigamma(x: float) -> float:
    """The derivative of `digamma`."""
    if x <= 0.0:
        return (math.pi / math.sin(math.pi * x)) ** 2 - trigamma(1.0 - x)
    shift = 0.0
    while x < 10.0:
        shift += 1.0 / (x * x)
        x += 1.0
    r = 1.0 / (x * x)
    return shift + 1.0 / x + 0.5 * r + r / x * (1 / 6 - r * (1 / 30 - r * (1 / 42 - r * (1 / 30 - r * (5 / 66 - r * 691 / 2730)))))


def bessel_i1(x: Any) -> Any:
    """The modified Bessel function of order one, which is the derivative of ``np.i0``.

    The mean of ``exp(x cos t) cos t`` over half a period: the trapezoidal rule with this many nodes is exact to rounding where
    ``np.i0`` is finite.
    """
    cosine = np.cos((np.arange(160) + 0.5) * (math.pi / 160))
    return np.mean(np.exp(np.multiply.outer(x, cosine)) * cosine, axis=-1)
