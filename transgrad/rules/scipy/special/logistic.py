"""Logistic functions and relatives of the logarithm: entropies, power transforms, robust losses.

At 0: ``0 log 0`` is 0 with the derivative -inf of the logarithm, except for `xlogy` and `xlog1py`, whose derivative by the factor
is defined as 0 there; if the factor is 0, they do not depend on the other argument. `huber` is linear at its corner on
either side, with the same derivative on both.
"""
from __future__ import annotations

import numpy as np
import scipy.special as sp

from ...at_zero import divisor
from ...registry import rule
from ...static import same


def ratio(x, z):
    """``x / z``, 0 where both are 0, with no derivative there."""
    both = np.logical_and(same(x, 0), same(z, 0))
    return np.where(both, divisor(x) - 1.0, x / (z + both))


@rule(sp.expit)
def _(g, y, x):
    return g * y * sp.expit(-x)     # 1 - y has no digits where y is close to 1


@rule(sp.log_expit)
def _(g, y, x):
    return g * sp.expit(-x)


@rule(sp.logit)
def _(g, y, x):
    return g / (x * (1.0 - x))


@rule(getattr(sp, "softplus", None))
def _(g, y, x):
    return g * sp.expit(x)


@rule(sp.exprel)
def _(g, y, x):
    return 0.5 * g * sp.hyp1f1(2.0, 3.0, x)


@rule(sp.xlogy)
def _(g, y, x, z):
    return g * np.log(z + same(z, 0)), g * ratio(x, z)


@rule(sp.xlog1py)
def _(g, y, x, z):
    return g * np.log1p(z + same(z, -1)), g * ratio(x, 1.0 + z)


@rule(sp.entr)
def _(g, y, x):
    return -g * (np.log(x) + 1.0)


@rule(sp.rel_entr)
def _(g, y, x, z):
    return g * (np.log(x / z) + 1.0), -g * ratio(x, z)


@rule(sp.kl_div)
def _(g, y, x, z):
    return g * np.log(x / z), g * (1.0 - ratio(x, z))


@rule(sp.huber)
def _(g, y, delta, r):
    return g * np.where(np.abs(r) > delta, np.abs(r) - delta, 0.0), g * np.clip(r, -delta, delta)


@rule(sp.pseudo_huber)
def _(g, y, delta, r):
    q = np.sqrt(1.0 + (r / delta) ** 2)
    return g * (2.0 * delta * (q - 1.0) - r * r / (delta * q)), g * r / q


def power_slope(x, lam):
    """The derivative of ``(x ** lam - 1) / lam`` by ``lam``, which is smooth at 0."""
    log = np.log(x)
    return 0.5 * log * log * sp.hyp1f1(2.0, 3.0, lam * log)


@rule(sp.boxcox)
def _(g, y, x, lam):
    return g * x ** (lam - 1.0), g * power_slope(x, lam)


@rule(sp.boxcox1p)
def _(g, y, x, lam):
    return g * np.exp((lam - 1.0) * np.log1p(x)), g * power_slope(1.0 + x, lam)


def inverse_power_slope(x, y, lam):
    """The derivative of ``(lam * x + 1) ** (1 / lam)``, whose value is ``y``, by ``lam``: near 0 by the series of the same function."""
    u = lam * x
    near = np.abs(u) < 0.3
    v = np.where(near, 1.0, u)
    series = 0.5 * sp.hyp2f1(2.0, 2.0, 3.0, np.where(near, -u, 0.0))
    return -y * x * x * np.where(near, series, (np.log1p(v) / v - 1.0 / (1.0 + v)) / v)


@rule(sp.inv_boxcox)
def _(g, y, x, lam):
    return g * y / (1.0 + lam * x), g * inverse_power_slope(x, y, lam)


@rule(sp.inv_boxcox1p)
def _(g, y, x, lam):
    return g * (1.0 + y) / (1.0 + lam * x), g * inverse_power_slope(x, 1.0 + y, lam)
