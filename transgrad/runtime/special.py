"""Derivatives of the math module's gamma function, which NumPy has no name for."""
from __future__ import annotations

import math

__all__ = ["digamma", "trigamma"]


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
