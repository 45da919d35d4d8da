"""Inverses by a count or by degrees of freedom, which SciPy solves for as real numbers: by the implicit function theorem."""
from __future__ import annotations

import scipy.special as sp

from ...registry import rule
from .distributions import f_slopes
from .incomplete import beta_density, beta_slope_a, beta_slope_b, gamma_density, gamma_slope


def binomial_slopes(k, n, p):
    """The derivatives of the binomial distribution function, ``betainc(n - k, k + 1, 1 - p)``, by its arguments."""
    by_a, by_b = beta_slope_a(n - k, k + 1.0, 1.0 - p), beta_slope_b(n - k, k + 1.0, 1.0 - p)
    return by_b - by_a, by_a, -beta_density(n - k, k + 1.0, 1.0 - p)


@rule(sp.bdtrik)
def _(g, y, c, n, p):
    by_k, by_n, by_p = binomial_slopes(y, n, p)
    return g / by_k, -g * by_n / by_k, -g * by_p / by_k


@rule(sp.bdtrin)
def _(g, y, k, c, p):
    by_k, by_n, by_p = binomial_slopes(k, y, p)
    return -g * by_k / by_n, g / by_n, -g * by_p / by_n


def negative_slopes(k, n, p):
    """The same of the negative binomial distribution, ``betainc(n, k + 1, p)``."""
    return beta_slope_b(n, k + 1.0, p), beta_slope_a(n, k + 1.0, p), beta_density(n, k + 1.0, p)


@rule(sp.nbdtrik)
def _(g, y, c, n, p):
    by_k, by_n, by_p = negative_slopes(y, n, p)
    return g / by_k, -g * by_n / by_k, -g * by_p / by_k


@rule(sp.nbdtrin)
def _(g, y, k, c, p):
    by_k, by_n, by_p = negative_slopes(k, y, p)
    return -g * by_k / by_n, g / by_n, -g * by_p / by_n


@rule(sp.pdtrik)
def _(g, y, c, m):
    q = -g / gamma_slope(y + 1.0, m)
    return q, q * gamma_density(y + 1.0, m)


@rule(sp.fdtridfd)
def _(g, y, m, p, x):
    by_m, by_n, by_x = f_slopes(m, y, x)
    return -g * by_m / by_n, g / by_n, -g * by_x / by_n
