"""Discrete distributions, through their parameters: the number of trials of a binomial one is a count and has no derivative."""
from __future__ import annotations

import numpy as np
import scipy.special as sp
import scipy.stats as st

from ...static import lifted
from ..special.gamma import zeta_slope
from ..special.incomplete import beta_density, beta_slope_a
from .methods import register_discrete as register

poisson, binomial, zeta = lifted(st.poisson.pmf), lifted(st.binom.pmf), lifted(sp.zeta)

register(st.poisson, lambda k, mu: [k / mu - 1.0], lambda k, mu: [-poisson(k, mu)])
register(st.bernoulli, lambda k, p: [k / p - (1.0 - k) / (1.0 - p)], lambda k, p: [-1.0 + 0.0 * k * p])
register(st.binom, lambda k, n, p: [None, k / p - (n - k) / (1.0 - p)], lambda k, n, p: [None, -(n - k) / (1.0 - p) * binomial(k, n, p)])
register(st.geom, lambda k, p: [1.0 / p - (k - 1.0) / (1.0 - p)], lambda k, p: [k * (1.0 - p) ** (k - 1.0)])
register(st.nbinom, lambda k, n, p: [sp.digamma(k + n) - sp.digamma(n) + np.log(p), n / p - k / (1.0 - p)],
         lambda k, n, p: [beta_slope_a(n, k + 1.0, p), beta_density(n, k + 1.0, p)])
register(st.logser, lambda k, p: [k / p + 1.0 / ((1.0 - p) * np.log1p(-p))])
register(st.zipf, lambda k, a: [-np.log(k) - zeta_slope(a) / zeta(a)])
register(st.planck, lambda k, lam: [1.0 / np.expm1(lam) - k], lambda k, lam: [(k + 1.0) * np.exp(-lam * (k + 1.0))])
register(st.dlaplace, lambda k, a: [1.0 / np.sinh(a) - np.abs(k)])


def ratio(a, b, k):
    """How the logarithm of a ratio of rising products changes with ``a``."""
    return sp.digamma(k + a) - sp.digamma(a) + b


register(st.betabinom, lambda k, n, a, b: [None, ratio(a, sp.digamma(a + b) - sp.digamma(n + a + b), k),
                                           ratio(b, sp.digamma(a + b) - sp.digamma(n + a + b), n - k)])
