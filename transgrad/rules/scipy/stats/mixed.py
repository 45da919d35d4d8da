"""Continuous distributions whose density is a series or an integral: the score is the mean of the score of its terms."""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.special as sp
import scipy.stats as st

from ...installed import installed
from ...registry import rule
from ...static import lifted
from ..special.distributions import kolmogorov_density
from .duals import function
from .integrals import UNIT, UNIT_WEIGHT
from .methods import law, register

_NODE, _WEIGHT = np.polynomial.legendre.leggauss(160)
_TERMS = np.arange(400.0)


def _spread(*params: Any) -> tuple[Any, ...]:
    return tuple(np.asarray(p, float)[..., None] for p in params)


def _weighted(log_weight: Any, scores: Any, weight: Any = 1.0) -> list[Any]:
    """The means of scores, with weights given by their logarithms."""
    top = np.nanmax(log_weight, axis=-1, keepdims=True, initial=-1e300)
    w = np.nan_to_num(np.exp(log_weight - top)) * weight
    return [np.sum(w * np.nan_to_num(s), axis=-1) / np.sum(w, axis=-1) for s in scores]


def ncx2_score(place: int, z: Any, df: Any, nc: Any) -> Any:
    """The score of the noncentral chi-square distribution: a mixture over Poisson's distribution."""
    z, n, half = _spread(0.5 * np.asarray(z), 0.5 * np.asarray(df), 0.5 * np.asarray(nc))
    with np.errstate(all="ignore"):
        j = _TERMS + np.floor(np.maximum(np.sqrt(half * z) - 200.0, 0.0))
        log = j * np.log(half) - sp.gammaln(j + 1.0) + (n + j - 1.0) * np.log(z) - sp.gammaln(n + j)
        scores = ((n + j - 1.0) / z - 1.0, np.log(z) - sp.digamma(n + j), j / half - 1.0)
        return 0.5 * _weighted(log, [scores[place]])[0]


def ncf_score(place: int, z: Any, dfn: Any, dfd: Any, nc: Any) -> Any:
    """The score of the noncentral F distribution: a mixture over Poisson's distribution."""
    z, m, n, half = _spread(z, 0.5 * np.asarray(dfn), 0.5 * np.asarray(dfd), 0.5 * np.asarray(nc))
    with np.errstate(all="ignore"):
        y = m * z / n
        j = _TERMS + np.floor(np.maximum(half * y / (1.0 + y) - 200.0, 0.0))
        log = j * np.log(half) - sp.gammaln(j + 1.0) - sp.betaln(m + j, n) + (m + j - 1.0) * np.log(y) - (m + n + j) * np.log1p(y)
        by_y = (m + j - 1.0) / y - (m + n + j) / (1.0 + y)
        both = sp.digamma(m + n + j)
        scores = (by_y * m / n, 0.5 * (1.0 / m + by_y * z / n + both - sp.digamma(m + j) + np.log(y) - np.log1p(y)),
                  0.5 * (-1.0 / n - by_y * y / n + both - sp.digamma(n) - np.log1p(y)), 0.5 * (j / half - 1.0))
        return _weighted(log, [scores[place]])[0]


def nct_score(place: int, z: Any, df: Any, nc: Any) -> Any:
    """The score of the noncentral t distribution: a mixture of normal ones over the distribution of the deviation."""
    x, v, m = _spread(z, df, nc)
    total = x * x + v
    mode = (x * m + np.sqrt((x * m) ** 2 + 4.0 * v * total)) / (2.0 * total)
    width = 12.0 / np.sqrt(total + v / mode ** 2)
    low = np.maximum(mode - width, 0.0)
    s = low + 0.5 * (mode + width - low) * (_NODE + 1.0)
    d = x * s - m
    log = -0.5 * d * d + v * np.log(s) - 0.5 * v * s * s
    scores = (-s * d, 0.5 * (np.log(0.5 * v) + 1.0 - sp.digamma(0.5 * v)) + np.log(s) - 0.5 * s * s, d)
    return _weighted(log, [scores[place]], _WEIGHT)[0]


def gauss_slope(place: int, a: Any, b: Any, c: Any, z: Any) -> Any:
    """How the logarithm of the mass of ``x**(a - 1) (1 - x)**(b - 1) (1 + z x)**-c`` changes with a parameter."""
    a, b, c, z = _spread(a, b, c, z)
    x, rest = UNIT, UNIT[::-1]
    with np.errstate(all="ignore"):
        log = (a - 1.0) * np.log(x) + (b - 1.0) * np.log(rest) - c * np.log1p(z * x)
        scores = (np.log(x), np.log(rest), -np.log1p(z * x), -c * x / (1.0 + z * x))
        return _weighted(log, [scores[place]], UNIT_WEIGHT)[0]


def gauss_mass(a: Any, b: Any, c: Any, z: Any) -> Any:
    """The logarithm of that mass."""
    return sp.betaln(a, b) + np.log(sp.hyp2f1(c, a, a + b, -z))


def landau_score(z: Any) -> Any:
    """By differences of order 8 of the log-density, which SciPy knows to full precision: to about 1e-11."""
    h = 0.05
    log = [np.log(st.landau.pdf(z + k * h) / st.landau.pdf(z - k * h)) for k in (1, 2, 3, 4)]
    return (0.8 * log[0] - 0.2 * log[1] + 4.0 / 105.0 * log[2] - log[3] / 280.0) / h


chi_score: Any = lifted(ncx2_score)
f_score: Any = lifted(ncf_score)
t_score: Any = lifted(nct_score)
mass_slope: Any = lifted(gauss_slope)
mass = function(gauss_mass)
landau: Any = lifted(landau_score)
irwinhall: Any = lifted(installed("scipy.stats.irwinhall.pdf"))


@rule(ncf_score)
def _(g, y, place, z, dfn, dfd, nc):
    """A second derivative has no text."""
    return None, None, None, None, None


@rule(nct_score, ncx2_score)
def _(g, y, place, z, df, nc):
    """A second derivative has no text."""
    return None, None, None, None


@rule(landau_score)
def _(g, y, z):
    """A second derivative has no text."""
    return (None,)


@rule(gauss_slope)
def _(g, y, place, a, b, c, z):
    """A second derivative has no text."""
    return None, None, None, None, None


@rule(gauss_mass)
def _(g, y, a, b, c, z):
    return g * mass_slope(0, a, b, c, z), g * mass_slope(1, a, b, c, z), g * mass_slope(2, a, b, c, z), g * mass_slope(3, a, b, c, z)


register(st.ncx2, lambda z, *shapes: [chi_score(k, z, *shapes) for k in range(3)])
register(st.ncf, lambda z, *shapes: [f_score(k, z, *shapes) for k in range(4)])
register(st.nct, lambda z, *shapes: [t_score(k, z, *shapes) for k in range(3)])
law(st.gausshyper, lambda x, a, b, c, z: (a - 1.0) * np.log(x) + (b - 1.0) * np.log1p(-x) - c * np.log1p(z * x) - mass(a, b, c, z))
register(installed("scipy.stats.landau"), lambda z: [landau(z)])
law(st.kstwobign, lambda z: np.log(-kolmogorov_density(z)))
register(installed("scipy.stats.irwinhall"),
         lambda z, n: [(irwinhall(z, n - 1) - irwinhall(z - 1.0, n - 1)) / irwinhall(z, n), None], counts=(0,))
# their densities have no derivative here
for _dist in (st.ksone, st.kstwo):
    register(_dist, None, counts=(0,))
for _dist in (st.studentized_range, st.levy_stable):
    register(_dist, None)
