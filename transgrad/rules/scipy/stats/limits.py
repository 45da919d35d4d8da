"""Continuous distributions with shapes at which another formula takes over: said so that they go through it.

A tail is ``1 - exp(u)`` and not ``-expm1(u)``, whose derivative would be made of a result that is 1.
"""
from __future__ import annotations

import math

import numpy as np
import scipy.special as sp
import scipy.stats as st

from .methods import law


def bent(z, c):
    """``-log(1 - c z) / c``, which is z for c = 0."""
    u = -c * z
    small = np.abs(u) < 1e-3
    series = 1.0 + u * (-0.5 + u * (1.0 / 3.0 + u * (-0.25 + u * (0.2 + u * (-1.0 / 6.0)))))
    far = np.where(small, 1.0, u)
    return z * np.where(small, series, np.log1p(far) / far)


law(st.genextreme, lambda z, c: -np.exp(-bent(z, c)) - (1.0 - c) * bent(z, c), lambda z, c: np.exp(-np.exp(-bent(z, c))))
law(st.genpareto, lambda z, c: -(1.0 + c) * bent(z, -c), lambda z, c: 1.0 - np.exp(-bent(z, -c)))
law(st.genhalflogistic, lambda z, c: math.log(2.0) - (1.0 - c) * bent(z, c) - 2.0 * np.log1p(np.exp(-bent(z, c))),
    lambda z, c: 2.0 / (1.0 + np.exp(-bent(z, c))) - 1.0)
law(st.kappa4, lambda z, h, k: -(1.0 - k) * bent(z, k) - (1.0 - h) * bent(np.exp(-bent(z, k)), h),
    lambda z, h, k: np.exp(-bent(np.exp(-bent(z, k)), h)))


def gamma_place(z, skew):
    """The variable that has a gamma distribution of shape ``4 / skew**2``."""
    return 2.0 / skew * (z + 2.0 / skew)


def pearson3(z, skew):
    """The log-density, which loses digits as the skew becomes small, and has no derivative by the skew at 0."""
    a, t = 4.0 / (skew * skew), gamma_place(z, skew)
    return np.log(np.abs(2.0 / skew)) - sp.gammaln(a) + (a - 1.0) * np.log(t) - t


law(st.pearson3, pearson3,
    lambda z, skew: 0.5 * (1.0 - np.sign(skew)) + np.sign(skew) * sp.gammainc(4.0 / (skew * skew), gamma_place(z, skew)))


def tukey(z, lam):
    p = sp.tklmbda(z, lam)
    return -np.log(p ** (lam - 1.0) + (1.0 - p) ** (lam - 1.0))


law(st.tukeylambda, tukey, sp.tklmbda)
