"""The logarithm of a modified Bessel function of the second kind, through its order and argument."""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.special as sp

from ...registry import rule
from ...static import lifted
from .duals import function

__all__ = ["log_kv"]

_NODE, _WEIGHT = np.polynomial.legendre.leggauss(400)


def log_of_kv(v: Any, x: Any) -> Any:
    """The logarithm of ``kv(v, x)``, which may be smaller than any number."""
    return np.log(sp.kve(v, x)) - x


def slope_by_order(v: Any, x: Any) -> Any:
    """Its derivative by the order: the mean of u for a density that goes as ``exp(v u - x cosh(u))``."""
    v, x = np.asarray(v, float)[..., None], np.asarray(x, float)[..., None]
    reach = np.arccosh(1.0 + 45.0 / x)
    for _ in range(4):
        reach = np.arccosh(1.0 + (45.0 + np.abs(v) * reach) / x)
    u = reach * _NODE
    log = v * u - x * (np.cosh(u) - 1.0)
    weight = np.exp(log - np.max(log, axis=-1, keepdims=True)) * _WEIGHT
    return np.sum(u * weight, axis=-1) / np.sum(weight, axis=-1)


log_kv = function(log_of_kv)
by_order: Any = lifted(slope_by_order)


@rule(log_of_kv)
def _(g, y, v, x):
    return g * by_order(v, x), -0.5 * g * (sp.kve(v - 1.0, x) + sp.kve(v + 1.0, x)) / sp.kve(v, x)


@rule(slope_by_order)
def _(g, y, v, x):
    """A second derivative that involves the order has no text."""
    return None, None
