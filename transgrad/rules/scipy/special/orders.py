"""Derivatives of Bessel functions by their order, for real orders and positive arguments: power series and Schläfli's integrals."""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.special as sp

from ...registry import rule
from .quadrature import finite, spread

__all__ = ["iv_by_order", "jv_by_order", "kv_by_order", "yv_by_order"]

_TERMS = np.arange(60.0)


def _series(v: Any, x: Any, sign: float) -> Any:
    """Of J (sign -1) and I, term by term: without cancellation where x is not large beside the order."""
    m = v + _TERMS + 1.0
    log = np.log(0.5 * x)
    terms = np.exp((2.0 * _TERMS + v) * log - sp.gammaln(_TERMS + 1.0) - sp.gammaln(m)) * (log - sp.digamma(m))
    return np.sum(sign ** _TERMS * terms, axis=-1)


def _reach(v: Any, x: Any) -> Any:
    """Where ``exp(v t - x sinh t)`` and ``exp(v t - x (cosh t - 1))`` have vanished."""
    end = np.arccosh(1.0 + 45.0 / x)
    for _ in range(3):
        end = np.arccosh(1.0 + (45.0 + np.abs(v) * end) / x)
    return end


def _nodes(v: Any, x: Any) -> int:
    return 96 + int(min(np.max(np.abs(x), initial=0.0) + np.max(np.abs(v), initial=0.0), 4000.0))


def _by_series(v: Any, x: Any) -> Any:
    return (np.asarray(v) > -1.0) & (np.square(x) < 64.0 + 4.0 * np.asarray(v))


def jv_by_order(v: Any, x: Any) -> Any:
    """The derivative of `scipy.special.jv` by its order."""
    w, z = spread(v, x)
    count = _nodes(v, x)
    with np.errstate(all="ignore"):
        waves = finite(lambda t: -t * np.sin(w * t - z * np.sin(t)), np.pi, count) / np.pi
        tail = finite(lambda t: (np.sin(np.pi * w) / np.pi * t - np.cos(np.pi * w)) * np.exp(-z * np.sinh(t) - w * t), _reach(w, z), count)
        return np.where(_by_series(v, x), _series(w, z, -1.0), waves + tail)


def yv_by_order(v: Any, x: Any) -> Any:
    """The derivative of `scipy.special.yv` by its order."""
    w, z = spread(v, x)
    count = _nodes(v, x)

    def tail(t: Any) -> Any:
        turned = (t * np.cos(np.pi * w) + np.pi * np.sin(np.pi * w)) * np.exp(-w * t - z * np.sinh(t))
        return turned - t * np.exp(w * t - z * np.sinh(t))

    with np.errstate(all="ignore"):
        waves = finite(lambda t: -t * np.cos(z * np.sin(t) - w * t), np.pi, count)
        return (waves + finite(tail, _reach(w, z), count)) / np.pi


def iv_by_order(v: Any, x: Any) -> Any:
    """The derivative of `scipy.special.iv` by its order."""
    w, z = spread(v, x)
    count = _nodes(v, x)
    with np.errstate(all="ignore"):
        waves = finite(lambda t: -t * np.sin(w * t) * np.exp(z * np.cos(t)), np.pi, count) / np.pi
        tail = finite(lambda t: (np.sin(np.pi * w) / np.pi * t - np.cos(np.pi * w)) * np.exp(-z * np.cosh(t) - w * t), _reach(w, z), count)
        return np.where(_by_series(v, x), _series(w, z, 1.0), waves + tail)


def kv_by_order(v: Any, x: Any) -> Any:
    """The derivative of `scipy.special.kv` by its order."""
    w, z = spread(v, x)
    with np.errstate(all="ignore"):
        def f(t: Any) -> Any:
            bell = -z * (np.cosh(t) - 1.0)
            return 0.5 * t * (np.exp(bell + w * t) - np.exp(bell - w * t))
        return np.exp(-np.asarray(x)) * finite(f, _reach(w, z), _nodes(v, x))


@rule(jv_by_order, yv_by_order, iv_by_order, kv_by_order)
def _(g, y, v, x):
    """A second derivative that involves the order has no text."""
    return None, None
