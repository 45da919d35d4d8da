"""Discrete distributions, through their parameters that are no counts."""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.special as sp
import scipy.stats as st

from ...registry import rule
from ...static import lifted
from ..special.gamma import zeta_slope
from ..special.incomplete import beta_density, beta_slope_a
from .integrals import UNIT, UNIT_WEIGHT
from .masses import law, register

poisson, binomial, zeta, skellam = lifted(st.poisson.pmf), lifted(st.binom.pmf), lifted(sp.zeta), lifted(st.skellam.pmf)

register(st.poisson, lambda k, mu: [k / mu - 1.0], lambda k, mu: [-poisson(k, mu)])
register(st.bernoulli, lambda k, p: [k / p - (1.0 - k) / (1.0 - p)], lambda k, p: [-1.0 + 0.0 * k * p])
register(st.binom, lambda k, n, p: [None, k / p - (n - k) / (1.0 - p)], lambda k, n, p: [None, -(n - k) / (1.0 - p) * binomial(k, n, p)],
         counts=(0,))
register(st.geom, lambda k, p: [1.0 / p - (k - 1.0) / (1.0 - p)], lambda k, p: [k * (1.0 - p) ** (k - 1.0)])
register(st.nbinom, lambda k, n, p: [sp.digamma(k + n) - sp.digamma(n) + np.log(p), n / p - k / (1.0 - p)],
         lambda k, n, p: [beta_slope_a(n, k + 1.0, p), beta_density(n, k + 1.0, p)])
register(st.logser, lambda k, p: [k / p + 1.0 / ((1.0 - p) * np.log1p(-p))])
register(st.zipf, lambda k, a: [-np.log(k) - zeta_slope(a) / zeta(a)])
register(st.planck, lambda k, lam: [1.0 / np.expm1(lam) - k], lambda k, lam: [(k + 1.0) * np.exp(-lam * (k + 1.0))])
register(st.dlaplace, lambda k, a: [1.0 / np.sinh(a) - np.abs(k)])
register(st.skellam, lambda k, a, b: [skellam(k - 1, a, b) / skellam(k, a, b) - 1.0, skellam(k + 1, a, b) / skellam(k, a, b) - 1.0],
         lambda k, a, b: [-skellam(k, a, b), skellam(k + 1, a, b)])
law(st.boltzmann, lambda k, lam, n: np.log(-np.expm1(-lam)) - np.log(-np.expm1(-lam * n)) - lam * k,
    lambda k, lam, n: np.expm1(-lam * (k + 1.0)) / np.expm1(-lam * n), counts=(1,))
law(st.betabinom, lambda k, n, a, b: sp.betaln(k + a, n - k + b) - sp.betaln(a, b) - np.log(n + 1.0)
    - sp.betaln(n - k + 1.0, k + 1.0), counts=(0,))
law(st.betanbinom, lambda k, n, a, b: sp.betaln(a + n, b + k) - sp.betaln(a, b) - np.log(n + k) - sp.betaln(n, k + 1.0), counts=(0,))
law(st.yulesimon, lambda k, alpha: np.log(alpha) + sp.betaln(k, alpha + 1.0), lambda k, alpha: 1.0 - k * sp.beta(k, alpha + 1.0))
# only of counts
for _dist in (st.hypergeom, st.nhypergeom):
    register(_dist, lambda k, M, n, N: [None, None, None], lambda k, M, n, N: [None, None, None], counts=(0, 1, 2))
register(st.randint, lambda k, low, high: [None, None], lambda k, low, high: [None, None], counts=(0, 1))


def mean_logarithm(a: Any, n: Any) -> Any:
    """The mean of the logarithm of a number from 1 to n of mass ``k**-a``."""
    a, n = np.broadcast_arrays(np.asarray(a, float), n)
    k = np.arange(1.0, np.max(n, initial=1) + 1.0)
    w = np.where(k <= n[..., None], k ** -a[..., None], 0.0)
    return np.sum(w * np.log(k), axis=-1) / np.sum(w, axis=-1)


def mean_square_logarithm(a: Any, n: Any) -> Any:
    """The variance of that logarithm."""
    a, n = np.broadcast_arrays(np.asarray(a, float), n)
    k = np.arange(1.0, np.max(n, initial=1) + 1.0)
    w = np.where(k <= n[..., None], k ** -a[..., None], 0.0)
    mean = np.sum(w * np.log(k), axis=-1) / np.sum(w, axis=-1)
    return np.sum(w * (np.log(k) - mean[..., None]) ** 2, axis=-1) / np.sum(w, axis=-1)


log_mean: Any = lifted(mean_logarithm)
log_spread: Any = lifted(mean_square_logarithm)


@rule(mean_logarithm)
def _(g, y, a, n):
    return -g * log_spread(a, n), None


@rule(mean_square_logarithm)
def _(g, y, a, n):
    """A third derivative by the exponent has no text."""
    return None, None


register(st.zipfian, lambda k, a, n: [log_mean(a, n) - np.log(k), None], counts=(1,))


def wallenius_score(k: Any, M: Any, n: Any, N: Any, odds: Any) -> Any:
    """How the logarithm of Wallenius's integral changes with the odds."""
    k, M, n, N, odds = (np.asarray(p, float)[..., None] for p in (k, M, n, N, odds))
    x, y = k, N - k
    with np.errstate(all="ignore"):
        total = odds * (n - x) + M - n - y
        slope = (n - x) / total
        log = np.log(UNIT)
        first, second = odds / total, 1.0 / total
        weight = UNIT_WEIGHT * (-np.expm1(first * log)) ** x * (-np.expm1(second * log)) ** y
        by_first = -x * log * np.exp(first * log) / -np.expm1(first * log)
        by_second = -y * log * np.exp(second * log) / -np.expm1(second * log)
        score = by_first * (1.0 / total - first * slope) - by_second * second * slope
        return np.sum(np.nan_to_num(weight * score), axis=-1) / np.sum(weight, axis=-1)


@rule(wallenius_score)
def _(g, y, k, M, n, N, odds):
    """A second derivative has no text."""
    return None, None, None, None, None


fisher_mean, wallenius = lifted(st.nchypergeom_fisher.mean), lifted(wallenius_score)
register(st.nchypergeom_fisher, lambda k, M, n, N, odds: [None, None, None, (k - fisher_mean(M, n, N, odds)) / odds], counts=(0, 1, 2))
register(st.nchypergeom_wallenius, lambda k, M, n, N, odds: [None, None, None, wallenius(k, M, n, N, odds)], counts=(0, 1, 2))
