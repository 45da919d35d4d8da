"""Mean, variance, skewness, kurtosis, moments and entropy of standard distributions, as functions of their shapes.

A distribution is given by its moment of order n about 0, or by its mean, variance, skewness and excess kurtosis; where neither has a
closed form here, a moment changes as the integral of `integrals.moment_slope` says.
"""
from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy.special as sp

from ...static import lifted
from .duals import Dual, duals, function, value_of

__all__ = ["ENTROPY", "RAW", "STATS", "Figures"]

zeta = function(sp.zeta)


def ratio(a: Any, b: Any) -> Any:
    """Of gamma functions."""
    return np.exp(sp.gammaln(a) - sp.gammaln(b))


def beta_ratio(a: Any, b: Any, c: Any, d: Any) -> Any:
    """Of beta functions."""
    return np.exp(sp.betaln(a, b) - sp.betaln(c, d))


def even(moment: Callable[..., Any]) -> Callable[..., Any]:
    """Of a density that is symmetric about 0."""
    return lambda n, *shapes: moment(n, *shapes) if n % 2 == 0 else 0.0


def by_factorials(moment: Callable[..., Any]) -> Callable[..., Any]:
    """Of moments of ``k (k - 1) ... (k - n + 1)``, which numbers of Stirling's make moments about 0 (to order 4)."""
    numbers = ((1,), (1, 1), (1, 3, 1), (1, 7, 6, 1))
    return lambda n, *shapes: sum(c * moment(r + 1, *shapes) for r, c in enumerate(numbers[n - 1]))


#: the moment of order n about 0
RAW: dict[str, Callable[..., Any]] = {
    "gamma": lambda n, a: ratio(a + n, a),
    "erlang": lambda n, a: ratio(a + n, a),
    "chi2": lambda n, df: 2.0 ** n * ratio(0.5 * df + n, 0.5 * df),
    "chi": lambda n, df: 2.0 ** (0.5 * n) * ratio(0.5 * (df + n), 0.5 * df),
    "invgamma": lambda n, a: ratio(a - n, a),
    "gengamma": lambda n, a, c: ratio(a + n / c, a),
    "nakagami": lambda n, nu: ratio(nu + 0.5 * n, nu) * nu ** (-0.5 * n),
    "dgamma": even(lambda n, a: ratio(a + n, a)),
    "beta": lambda n, a, b: beta_ratio(a + n, b, a, b),
    "betaprime": lambda n, a, b: beta_ratio(a + n, b - n, a, b),
    "f": lambda n, dfn, dfd: (dfd / dfn) ** n * beta_ratio(0.5 * dfn + n, 0.5 * dfd - n, 0.5 * dfn, 0.5 * dfd),
    "rdist": even(lambda n, c: beta_ratio(0.5 * (n + 1.0), 0.5 * c, 0.5, 0.5 * c)),
    "lognorm": lambda n, s: np.exp(0.5 * n * n * s * s),
    "weibull_min": lambda n, c: sp.gamma(1.0 + n / c),
    "weibull_max": lambda n, c: (-1.0) ** n * sp.gamma(1.0 + n / c),
    "dweibull": even(lambda n, c: sp.gamma(1.0 + n / c)),
    "invweibull": lambda n, c: sp.gamma(1.0 - n / c),
    "pareto": lambda n, b: b / (b - n),
    "lomax": lambda n, c: math.factorial(n) * ratio(c - n, c),
    "powerlaw": lambda n, a: a / (a + n),
    "loguniform": lambda n, a, b: (b ** n - a ** n) / (n * np.log(b / a)),
    "reciprocal": lambda n, a, b: (b ** n - a ** n) / (n * np.log(b / a)),
    "burr": lambda n, c, d: d * sp.beta(d + n / c, 1.0 - n / c),
    "burr12": lambda n, c, d: d * sp.beta(d - n / c, 1.0 + n / c),
    "fisk": lambda n, c: sp.beta(1.0 + n / c, 1.0 - n / c),
    "mielke": lambda n, k, s: sp.gamma((k + n) / s) * sp.gamma(1.0 - n / s) / sp.gamma(k / s),
    "loglaplace": lambda n, c: c * c / (c * c - n * n),
    "gennorm": even(lambda n, beta: ratio((n + 1.0) / beta, 1.0 / beta)),
    "halfgennorm": lambda n, beta: ratio((n + 1.0) / beta, 1.0 / beta),
    "truncpareto": lambda n, b, c: b * (1.0 - c ** (n - b)) / ((b - n) * (1.0 - c ** -b)),
    "trapezoid": lambda n, c, d: 2.0 / ((d - c + 1.0) * (n + 1.0) * (n + 2.0)) * ((1.0 - d ** (n + 2.0)) / (1.0 - d) - c ** (n + 1.0)),
    "triang": lambda n, c: 2.0 * (1.0 - c ** (n + 1.0)) / ((n + 1.0) * (n + 2.0) * (1.0 - c)),
    "laplace_asymmetric": lambda n, kappa: math.factorial(n) * (kappa ** (-n - 1.0) + (-1.0) ** n * kappa ** (n + 1.0)) / (
        kappa + 1.0 / kappa),
    "betanbinom": by_factorials(lambda r, n, a, b: ratio(n + r, n) * beta_ratio(a - r, b + r, a, b)),
    "yulesimon": by_factorials(lambda r, alpha: alpha * math.factorial(r) * sp.beta(alpha - r, r)),
    "zipf": lambda n, a: zeta(a - n) / zeta(a),
    "rice": lambda n, b: 2.0 ** (0.5 * n) * sp.gamma(1.0 + 0.5 * n) * np.exp(-0.5 * b * b) * sp.hyp1f1(1.0 + 0.5 * n, 1.0, 0.5 * b * b),
}


def exponnorm(K: Any) -> Any:
    spread = 1.0 + K * K
    return K, spread, 2.0 * K ** 3 * spread ** -1.5, 6.0 * K ** 4 / spread ** 2


def fatigue(c: Any) -> Any:
    q = c * c
    var = 5.0 * q + 4.0
    return 0.5 * q + 1.0, 0.25 * q * var, 4.0 * c * (11.0 * q + 6.0) / var ** 1.5, 6.0 * q * (93.0 * q + 40.0) / (var * var)


def noncentral(df: Any, nc: Any) -> Any:
    double = df + 2.0 * nc
    return df + nc, 2.0 * double, math.sqrt(8.0) * (df + 3.0 * nc) / double ** 1.5, 12.0 * (df + 4.0 * nc) / (double * double)


def skewed(a: Any) -> Any:
    m = math.sqrt(2.0 / math.pi) * a / np.sqrt(1.0 + a * a)
    var = 1.0 - m * m
    return m, var, 0.5 * (4.0 - math.pi) * (m / np.sqrt(var)) ** 3, 2.0 * (math.pi - 3.0) * m ** 4 / (var * var)


def inverse_normal(a: Any, b: Any) -> Any:
    g = np.sqrt(a * a - b * b)
    return b / g, a * a / g ** 3, 3.0 * b / (a * np.sqrt(g)), 3.0 * (1.0 + 4.0 * b * b / (a * a)) / g


def binomial(n: Any, p: Any) -> Any:
    spread = n * p * (1.0 - p)
    return n * p, spread, (1.0 - 2.0 * p) / np.sqrt(spread), 1.0 / spread - 6.0 / n


#: mean, variance, skewness and excess kurtosis
STATS: dict[str, Callable[..., Any]] = {
    "bernoulli": lambda p: binomial(1, p),
    "binom": lambda n, p: binomial(n, p),
    "geom": lambda p: (1.0 / p, (1.0 - p) / (p * p), (2.0 - p) / np.sqrt(1.0 - p), 6.0 + p * p / (1.0 - p)),
    "nbinom": lambda n, p: (n * (1.0 - p) / p, n * (1.0 - p) / (p * p),
                             (2.0 - p) / np.sqrt(n * (1.0 - p)), 6.0 / n + p * p / (n * (1.0 - p))),
    "poisson": lambda mu: (mu, mu, mu ** -0.5, 1.0 / mu),
    "skellam": lambda a, b: (a - b, a + b, (a - b) * (a + b) ** -1.5, 1.0 / (a + b)),
    "t": lambda df: (0.0, df / (df - 2.0), 0.0, 6.0 / (df - 4.0)),
    "invgauss": lambda mu: (mu, mu ** 3, 3.0 * np.sqrt(mu), 15.0 * mu),
    "exponnorm": exponnorm, "fatiguelife": fatigue, "ncx2": noncentral, "skewnorm": skewed, "norminvgauss": inverse_normal,
    "pearson3": lambda skew: (0.0, 1.0, skew, 1.5 * skew * skew),
    "loggamma": lambda c: (sp.digamma(c), zeta(2.0, c), -2.0 * zeta(3.0, c) * zeta(2.0, c) ** -1.5, 6.0 * zeta(4.0, c) / zeta(2.0, c) ** 2),
}


def beta_entropy(a: Any, b: Any) -> Any:
    return sp.betaln(a, b) - (a - 1.0) * sp.digamma(a) - (b - 1.0) * sp.digamma(b) + (a + b - 2.0) * sp.digamma(a + b)


#: the entropy
ENTROPY: dict[str, Callable[..., Any]] = {
    "gamma": lambda a: sp.gammaln(a) + a + (1.0 - a) * sp.digamma(a),
    "erlang": lambda a: sp.gammaln(a) + a + (1.0 - a) * sp.digamma(a),
    "chi2": lambda df: math.log(2.0) + sp.gammaln(0.5 * df) + 0.5 * df + (1.0 - 0.5 * df) * sp.digamma(0.5 * df),
    "chi": lambda df: sp.gammaln(0.5 * df) + 0.5 * (df - math.log(2.0) - (df - 1.0) * sp.digamma(0.5 * df)),
    "invgamma": lambda a: a + sp.gammaln(a) - (1.0 + a) * sp.digamma(a),
    "beta": beta_entropy,
    "t": lambda df: 0.5 * (df + 1.0) * (sp.digamma(0.5 * (df + 1.0)) - sp.digamma(0.5 * df)) + 0.5 * np.log(df) + sp.betaln(0.5 * df, 0.5),
    "lognorm": lambda s: 0.5 * (1.0 + math.log(2.0 * math.pi)) + np.log(s),
    "pareto": lambda b: 1.0 / b + 1.0 - np.log(b),
    "lomax": lambda c: 1.0 + 1.0 / c - np.log(c),
    "powerlaw": lambda a: 1.0 - 1.0 / a - np.log(a),
    "weibull_min": lambda c: np.euler_gamma * (1.0 - 1.0 / c) - np.log(c) + 1.0,
    "weibull_max": lambda c: np.euler_gamma * (1.0 - 1.0 / c) - np.log(c) + 1.0,
    "invweibull": lambda c: 1.0 + np.euler_gamma * (1.0 + 1.0 / c) - np.log(c),
    "genpareto": lambda c: 1.0 + c,
    "genhalflogistic": lambda c: 2.0 - (2.0 * c + 1.0) * math.log(2.0),
    "genextreme": lambda c: np.euler_gamma * (1.0 - c) + 1.0,
    "gennorm": lambda beta: 1.0 / beta - np.log(0.5 * beta) + sp.gammaln(1.0 / beta),
    "halfgennorm": lambda beta: 1.0 / beta - np.log(beta) + sp.gammaln(1.0 / beta),
    "laplace_asymmetric": lambda kappa: 1.0 + np.log(kappa + 1.0 / kappa),
    "loguniform": lambda a, b: 0.5 * np.log(a * b) + np.log(np.log(b / a)),
    "reciprocal": lambda a, b: 0.5 * np.log(a * b) + np.log(np.log(b / a)),
    "triang": lambda c: 0.5 - math.log(2.0) + 0.0 * c,
}


class Figures:
    """How the figures of a distribution change with its shapes: each method returns one entry a shape."""

    def __init__(self, dist: Any, log: Any, moment_slope: Callable[..., Any], entropy_slope: Callable[..., Any],
                 counts: Sequence[int] = ()):
        self.dist, self.log, self.counts = dist, log, counts
        self.moment_slope, self.entropy_slope = lifted(moment_slope), lifted(entropy_slope)
        self.raw, self.stats, self.entropy_text = RAW.get(dist.name), STATS.get(dist.name), ENTROPY.get(dist.name)

    def about_zero(self, n: int, shapes: list[Dual]) -> Any:
        """The moment of order n."""
        if self.raw is not None:
            return self.raw(n, *shapes)
        if self.stats is not None and n <= 4:
            return _from_stats(n, *self.stats(*shapes))
        plain = [value_of(s) for s in shapes]
        return Dual(lifted(self.dist.moment)(n, *plain), [
            None if k in self.counts else self.moment_slope(self.log, k, n, *plain) for k in range(len(plain))])

    def _slopes(self, shapes: Any, figure: Callable[[list[Dual]], Any]) -> list[Any]:
        if not shapes:
            return []
        y = figure(duals(shapes, range(len(shapes))))
        return [0.0 if t is None else t for t in y.tangents] if isinstance(y, Dual) else [0.0] * len(shapes)

    def _central(self, shapes: list[Dual]) -> tuple[Any, Any, Any, Any]:
        """The mean and the central moments of order 2 to 4."""
        m1, m2, m3, m4 = (self.about_zero(n, shapes) for n in (1, 2, 3, 4))
        return m1, m2 - m1 * m1, m3 - 3.0 * m1 * m2 + 2.0 * m1 ** 3, m4 - 4.0 * m1 * m3 + 6.0 * m1 * m1 * m2 - 3.0 * m1 ** 4

    def _stat(self, k: int) -> Callable[[list[Dual]], Any]:
        text = self.stats
        assert text is not None
        return lambda shapes: text(*shapes)[k]

    def moment(self, n: int, *shapes: Any) -> list[Any]:
        return self._slopes(shapes, lambda s: self.about_zero(n, s))

    def mean(self, *shapes: Any) -> list[Any]:
        return self.moment(1, *shapes)

    def var(self, *shapes: Any) -> list[Any]:
        if self.stats is not None:
            return self._slopes(shapes, self._stat(1))
        return self._slopes(shapes, lambda s: self.about_zero(2, s) - self.about_zero(1, s) ** 2)

    def skew(self, *shapes: Any) -> list[Any]:
        if self.stats is not None:
            return self._slopes(shapes, self._stat(2))

        def figure(s: list[Dual]) -> Any:
            _, m2, m3, _ = self._central(s)
            return m3 / m2 ** 1.5
        return self._slopes(shapes, figure)

    def kurtosis(self, *shapes: Any) -> list[Any]:
        if self.stats is not None:
            return self._slopes(shapes, self._stat(3))

        def figure(s: list[Dual]) -> Any:
            _, m2, _, m4 = self._central(s)
            return m4 / (m2 * m2)
        return self._slopes(shapes, figure)

    def entropy(self, *shapes: Any) -> list[Any]:
        text = self.entropy_text
        if text is not None:
            return self._slopes(shapes, lambda s: text(*s))
        return [None if k in self.counts else self.entropy_slope(self.log, k, *shapes) for k in range(len(shapes))]


def _from_stats(n: int, mean: Any, var: Any, skew: Any, kurtosis: Any) -> Any:
    if n == 1:
        return mean
    if n == 2:
        return var + mean * mean
    third = skew * var ** 1.5
    if n == 3:
        return third + 3.0 * mean * var + mean ** 3
    return (kurtosis + 3.0) * var * var + 4.0 * mean * third + 6.0 * mean * mean * var + mean ** 4

