"""Integrals over nodes fixed in advance, for derivatives that have no closed form.

Each integrand is given all nodes at once, along a last dimension that its parameters are given too (see `spread`).
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...static import NoDerivative

__all__ = ["decaying", "finite", "half_line", "spread"]

_STEP = 1.0 / 16.0


def spread(*params: Any) -> tuple[Any, ...]:
    """Parameters, which have to be real, as arrays that broadcast against nodes."""
    if any(map(np.iscomplexobj, params)):
        raise NoDerivative("the derivative with respect to a parameter or an order is an integral, which supports real arguments only")
    return tuple(np.asarray(p, float)[..., None] for p in params)


def decaying(f: Callable[[Any], Any]) -> Any:
    """The integral from 0 to infinity of a function that decays like ``exp(-t)``: the double exponential rule."""
    s = np.arange(-4.5, 7.5, _STEP)
    t = np.exp(s - np.exp(-s))
    return np.sum(np.nan_to_num(f(t) * (t * (1.0 + np.exp(-s)) * _STEP)), axis=-1)


def half_line(f: Callable[[Any], Any]) -> Any:
    """The integral from 0 to infinity of a function that behaves like a power of t at either end."""
    s = np.arange(-4.6, 4.6, 0.5 * _STEP)
    t = np.exp(0.5 * np.pi * np.sinh(s))
    return np.sum(f(t) * (0.25 * np.pi * _STEP * np.cosh(s) * t), axis=-1)


def finite(f: Callable[[Any], Any], end: Any, count: int) -> Any:
    """The integral from 0 to ``end`` of a smooth function: Gauss's rule."""
    node, weight = np.polynomial.legendre.leggauss(count)
    half = 0.5 * end
    return np.sum(f(half * (node + 1.0)) * weight * half, axis=-1)
