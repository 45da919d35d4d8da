"""Derivatives of Bessel functions by their order, for real orders and positive arguments: power series and Schläfli's integrals."""
from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.special as sp

from ...registry import rule
from ...static import lifted
from .incomplete import gamma_factor
from .quadrature import finite, spread

__all__ = ["i_by_order", "j_by_order", "k_by_order", "y_by_order"]

_TERMS = np.arange(60.0)


def _series(v: Any, x: Any, sign: float, order: int) -> Any:
    """Of J (sign -1) and I, term by term: without cancellation where x is not large beside the order."""
    m = v + _TERMS + 1.0
    log = np.log(0.5 * x)
    terms = np.exp((2.0 * _TERMS + v) * log - sp.gammaln(_TERMS + 1.0) - sp.gammaln(m)) * gamma_factor(m, log, order)
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


def _turned(v: Any, t: Any, order: int, phase: float) -> Any:
    """The derivative by the order of ``cos(pi v + phase) exp(-v t)``, over the exponential."""
    angle = np.pi * v + phase
    return sum(math.comb(order, j) * np.pi ** j * np.cos(angle + 0.5 * np.pi * j) * (-t) ** (order - j) for j in range(order + 1))


def jv_by_order(v: Any, x: Any, order: int = 1) -> Any:
    """The derivative of `scipy.special.jv` by its order, as often as said."""
    w, z = spread(v, x)
    count, quarter = _nodes(v, x), 0.5 * np.pi
    with np.errstate(all="ignore"):
        waves = finite(lambda t: t ** order * np.cos(w * t - z * np.sin(t) + quarter * order), np.pi, count)
        tail = finite(lambda t: _turned(w, t, order, -quarter) * np.exp(-z * np.sinh(t) - w * t), _reach(w, z), count)
        return np.where(_by_series(v, x), _series(w, z, -1.0, order), (waves - tail) / np.pi)


def yv_by_order(v: Any, x: Any, order: int = 1) -> Any:
    """The derivative of `scipy.special.yv` by its order."""
    w, z = spread(v, x)
    count, quarter = _nodes(v, x), 0.5 * np.pi

    def tail(t: Any) -> Any:
        return t ** order * np.exp(w * t - z * np.sinh(t)) + _turned(w, t, order, 0.0) * np.exp(-w * t - z * np.sinh(t))

    with np.errstate(all="ignore"):
        waves = finite(lambda t: (-t) ** order * np.sin(z * np.sin(t) - w * t + quarter * order), np.pi, count)
        return (waves - finite(tail, _reach(w, z), count)) / np.pi


def iv_by_order(v: Any, x: Any, order: int = 1) -> Any:
    """The derivative of `scipy.special.iv` by its order."""
    w, z = spread(v, x)
    count, quarter = _nodes(v, x), 0.5 * np.pi
    with np.errstate(all="ignore"):
        waves = finite(lambda t: t ** order * np.cos(w * t + quarter * order) * np.exp(z * np.cos(t)), np.pi, count)
        tail = finite(lambda t: _turned(w, t, order, -quarter) * np.exp(-z * np.cosh(t) - w * t), _reach(w, z), count)
        return np.where(_by_series(v, x), _series(w, z, 1.0, order), (waves - tail) / np.pi)


def kv_by_order(v: Any, x: Any, order: int = 1) -> Any:
    """The derivative of `scipy.special.kv` by its order."""
    w, z = spread(v, x)
    with np.errstate(all="ignore"):
        def f(t: Any) -> Any:
            bell = -z * (np.cosh(t) - 1.0)
            return 0.5 * t ** order * (np.exp(bell + w * t) + (-1.0) ** order * np.exp(bell - w * t))
        return np.exp(-np.asarray(x)) * finite(f, _reach(w, z), _nodes(v, x))


j_by_order, y_by_order, i_by_order, k_by_order = lifted(jv_by_order), lifted(yv_by_order), lifted(iv_by_order), lifted(kv_by_order)


@rule(jv_by_order)
def _(g, y, v, x, order=1):
    return g * j_by_order(v, x, order + 1), 0.5 * g * (j_by_order(v - 1.0, x, order) - j_by_order(v + 1.0, x, order))


@rule(yv_by_order)
def _(g, y, v, x, order=1):
    return g * y_by_order(v, x, order + 1), 0.5 * g * (y_by_order(v - 1.0, x, order) - y_by_order(v + 1.0, x, order))


@rule(iv_by_order)
def _(g, y, v, x, order=1):
    return g * i_by_order(v, x, order + 1), 0.5 * g * (i_by_order(v - 1.0, x, order) + i_by_order(v + 1.0, x, order))


@rule(kv_by_order)
def _(g, y, v, x, order=1):
    return g * k_by_order(v, x, order + 1), -0.5 * g * (k_by_order(v - 1.0, x, order) + k_by_order(v + 1.0, x, order))
