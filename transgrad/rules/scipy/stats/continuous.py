"""The common continuous distributions: for each its score, and how its distribution function changes with its shapes."""
from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.special as sp
import scipy.stats as st

from ...static import same
from ..special.distributions import f_slopes, student_by_df
from ..special.incomplete import beta_slope_a, beta_slope_b, gamma_density, gamma_slope
from .methods import register

ROOT_TWO_PI = math.sqrt(2.0 * math.pi)


def normal(u: Any) -> Any:
    """The normal density."""
    return np.exp(-0.5 * u * u) / ROOT_TWO_PI


def hazard(u: Any) -> Any:
    """The normal density over the distribution function."""
    return np.exp(-0.5 * u * u - sp.log_ndtr(u)) / ROOT_TWO_PI


# without shapes
register(st.norm, lambda z: [-z])
register(st.halfnorm, lambda z: [-z])
register(st.expon, lambda z: [-1.0 + 0.0 * z])
register(st.uniform, lambda z: [0.0 * z])
register(st.laplace, lambda z: [-np.sign(z)])
register(st.logistic, lambda z: [-np.tanh(0.5 * z)])
register(st.halflogistic, lambda z: [-np.tanh(0.5 * z)])
register(st.hypsecant, lambda z: [-np.tanh(z)])
register(st.cauchy, lambda z: [-2.0 * z / (1.0 + z * z)])
register(st.halfcauchy, lambda z: [-2.0 * z / (1.0 + z * z)])
register(st.gumbel_r, lambda z: [np.expm1(-z)])
register(st.gumbel_l, lambda z: [-np.expm1(z)])
register(st.rayleigh, lambda z: [1.0 / z - z])
register(st.maxwell, lambda z: [2.0 / z - z])
register(st.levy, lambda z: [(0.5 / z - 1.5) / z])
register(st.gibrat, lambda z: [-(1.0 + np.log(z)) / z])
register(st.moyal, lambda z: [0.5 * np.expm1(-z)])
register(st.arcsine, lambda z: [0.5 / (1.0 - z) - 0.5 / z])
register(st.semicircular, lambda z: [-z / (1.0 - z * z)])
register(st.cosine, lambda z: [-np.sin(z) / (1.0 + np.cos(z))])
register(st.anglit, lambda z: [-2.0 * np.tan(2.0 * z)])

# gamma and beta
for _dist in (st.gamma, st.erlang):
    register(_dist, lambda z, a: [(a - 1.0) / z - 1.0, np.log(z) - sp.digamma(a)], lambda z, a: [gamma_slope(a, z)])
register(st.chi2, lambda z, df: [(0.5 * df - 1.0) / z - 0.5, 0.5 * (np.log(0.5 * z) - sp.digamma(0.5 * df))],
         lambda z, df: [0.5 * gamma_slope(0.5 * df, 0.5 * z)])
register(st.chi, lambda z, df: [(df - 1.0) / z - z, np.log(z) - 0.5 * (sp.digamma(0.5 * df) + math.log(2.0))],
         lambda z, df: [0.5 * gamma_slope(0.5 * df, 0.5 * z * z)])
register(st.invgamma, lambda z, a: [(1.0 / z - a - 1.0) / z, -sp.digamma(a) - np.log(z)], lambda z, a: [-gamma_slope(a, 1.0 / z)])
register(st.loggamma, lambda z, c: [c - np.exp(z), z - sp.digamma(c)], lambda z, c: [gamma_slope(c, np.exp(z))])
register(st.nakagami, lambda z, nu: [(2.0 * nu - 1.0) / z - 2.0 * nu * z, np.log(nu) + 1.0 - sp.digamma(nu) + 2.0 * np.log(z) - z * z],
         lambda z, nu: [gamma_slope(nu, nu * z * z) + gamma_density(nu, nu * z * z) * z * z])
register(st.gengamma, lambda z, a, c: [(c * a - 1.0) / z - c * z ** (c - 1.0), c * np.log(z) - sp.digamma(a),
                                       1.0 / c + (a - z ** c) * np.log(z)],
         lambda z, a, c: [np.sign(c) * gamma_slope(a, z ** c), np.sign(c) * gamma_density(a, z ** c) * z ** c * np.log(z)])
register(st.beta, lambda z, a, b: [(a - 1.0) / z - (b - 1.0) / (1.0 - z), np.log(z) - sp.digamma(a) + sp.digamma(a + b),
                                   np.log1p(-z) - sp.digamma(b) + sp.digamma(a + b)],
         lambda z, a, b: [beta_slope_a(a, b, z), beta_slope_b(a, b, z)])
register(st.betaprime, lambda z, a, b: [(a - 1.0) / z - (a + b) / (1.0 + z), np.log(z) - np.log1p(z) - sp.digamma(a) + sp.digamma(a + b),
                                        -np.log1p(z) - sp.digamma(b) + sp.digamma(a + b)],
         lambda z, a, b: [beta_slope_a(a, b, z / (1.0 + z)), beta_slope_b(a, b, z / (1.0 + z))])


def student(z, df):
    """The score of Student's t."""
    w = z * z / (df + z * z)
    both = sp.digamma(0.5 * (df + 1.0)) - sp.digamma(0.5 * df)
    return [-(df + 1.0) * z / (df + z * z), 0.5 * (both - 1.0 / df - np.log1p(z * z / df) + (df + 1.0) / df * w)]


def fisher(z, m, n):
    """The score of Fisher's F."""
    total = n + m * z
    log, both = np.log(total), sp.digamma(0.5 * (m + n))
    share = (m + n) / total
    return [(0.5 * m - 1.0) / z - 0.5 * m * share, 0.5 * (np.log(m * z) + 1.0 - log - z * share - sp.digamma(0.5 * m) + both),
            0.5 * (np.log(n) + 1.0 - log - share - sp.digamma(0.5 * n) + both)]


register(st.t, student, lambda z, df: [student_by_df(df, z)])
register(st.f, fisher, lambda z, m, n: f_slopes(m, n, z)[:2])

# powers and exponentials
register(st.weibull_min, lambda z, c: [(c - 1.0) / z - c * z ** (c - 1.0), 1.0 / c + np.log(z) * (1.0 - z ** c)],
         lambda z, c: [np.exp(-z ** c) * z ** c * np.log(z)])
register(st.weibull_max, lambda z, c: [(c - 1.0) / z + c * (-z) ** (c - 1.0), 1.0 / c + np.log(-z) * (1.0 - (-z) ** c)],
         lambda z, c: [-np.exp(-(-z) ** c) * (-z) ** c * np.log(-z)])
register(st.pareto, lambda z, b: [-(b + 1.0) / z, 1.0 / b - np.log(z)], lambda z, b: [z ** -b * np.log(z)])
register(st.lomax, lambda z, c: [-(c + 1.0) / (1.0 + z), 1.0 / c - np.log1p(z)], lambda z, c: [(1.0 + z) ** -c * np.log1p(z)])
register(st.powerlaw, lambda z, a: [(a - 1.0) / z, 1.0 / a + np.log(z)], lambda z, a: [z ** a * np.log(z)])
register(st.gompertz, lambda z, c: [1.0 - c * np.exp(z), 1.0 / c - np.expm1(z)], lambda z, c: [np.expm1(z) * np.exp(-c * np.expm1(z))])
register(st.fisk, lambda z, c: [((c - 1.0) - 2.0 * c * sp.expit(c * np.log(z))) / z,
                                1.0 / c + np.log(z) * (1.0 - 2.0 * sp.expit(c * np.log(z)))],
         lambda z, c: [sp.expit(c * np.log(z)) * sp.expit(-c * np.log(z)) * np.log(z)])
register(st.burr12, lambda z, c, d: [(c - 1.0 - (d + 1.0) * c * sp.expit(c * np.log(z))) / z,
                                     1.0 / c + np.log(z) * (1.0 - (d + 1.0) * sp.expit(c * np.log(z))), 1.0 / d - np.log1p(z ** c)],
         lambda z, c, d: [d * (1.0 + z ** c) ** (-d - 1.0) * z ** c * np.log(z), (1.0 + z ** c) ** -d * np.log1p(z ** c)])
for _dist in (st.loguniform, st.reciprocal):
    register(_dist, lambda z, a, b: [-1.0 / z, 1.0 / (a * np.log(b / a)), -1.0 / (b * np.log(b / a))],
             lambda z, a, b: [(np.log(z / a) / np.log(b / a) - 1.0) / (a * np.log(b / a)), -np.log(z / a) / (b * np.log(b / a) ** 2)])
register(st.triang, lambda z, c: [np.where(z < c, 1.0 / z, -1.0 / (1.0 - z)), np.where(z < c, -1.0 / c, 1.0 / (1.0 - c))],
         lambda z, c: [np.where(z < c, -(z / c) ** 2, -((1.0 - z) / (1.0 - c)) ** 2)], kinks=lambda c: (c,))

# made of the normal distribution
register(st.lognorm, lambda z, s: [-(1.0 + np.log(z) / (s * s)) / z, (np.log(z) ** 2 / (s * s) - 1.0) / s],
         lambda z, s: [-normal(np.log(z) / s) * np.log(z) / (s * s)])
register(st.invgauss, lambda z, mu: [-1.5 / z - 0.5 / (mu * mu) + 0.5 / (z * z), (z - mu) / mu ** 3],
         lambda z, mu: [-2.0 / (mu * mu) * np.exp(2.0 / mu + sp.log_ndtr(-(z / mu + 1.0) / np.sqrt(z)))])
register(st.skewnorm, lambda z, a: [a * hazard(a * z) - z, z * hazard(a * z)],
         lambda z, a: [-np.exp(-0.5 * z * z * (1.0 + a * a)) / (math.pi * (1.0 + a * a))])
register(st.exponnorm, lambda z, K: [hazard(z - 1.0 / K) - 1.0 / K, (z + hazard(z - 1.0 / K) - K - 1.0 / K) / (K * K)],
         lambda z, K: [-np.exp(0.5 / (K * K) - z / K) * ((z - 1.0 / K) * sp.ndtr(z - 1.0 / K) + normal(z - 1.0 / K)) / (K * K)])
register(st.truncnorm, lambda z, a, b: [-z, normal(a) / (sp.ndtr(b) - sp.ndtr(a)), -normal(b) / (sp.ndtr(b) - sp.ndtr(a))],
         lambda z, a, b: [-normal(a) * (sp.ndtr(b) - sp.ndtr(z)) / (sp.ndtr(b) - sp.ndtr(a)) ** 2,
                          -normal(b) * (sp.ndtr(z) - sp.ndtr(a)) / (sp.ndtr(b) - sp.ndtr(a)) ** 2])


def generalized(z, beta):
    """How the distribution function of ``gennorm`` changes with its exponent; 0 at the middle."""
    u = np.abs(z) + same(z, 0)
    density = gamma_density(1.0 / beta, u ** beta) * u ** beta * np.log(u)
    return [0.5 * np.sign(z) * (density - gamma_slope(1.0 / beta, u ** beta) / beta ** 2)]


register(st.gennorm, lambda z, beta: [-beta * np.abs(z) ** (beta - 1.0) * np.sign(z),
                                      1.0 / beta + sp.digamma(1.0 / beta) / beta ** 2 - sp.xlogy(np.abs(z) ** beta, np.abs(z))],
         generalized)

# with Bessel functions
register(st.vonmises, lambda z, kappa: [-kappa * np.sin(z), np.cos(z) - sp.i1e(kappa) / sp.i0e(kappa)], circle=True)
register(st.rice, lambda z, b: [1.0 / z - z + b * sp.i1e(z * b) / sp.i0e(z * b), z * sp.i1e(z * b) / sp.i0e(z * b) - b])
