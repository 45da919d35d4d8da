"""Distribution functions in their old spelling: binomial, beta, F, gamma, Poisson, Student, chi-square, Kolmogorov.

Each is an incomplete gamma or beta function of other arguments.  Whole-number arguments (counts) have no derivative.
"""
from __future__ import annotations

import math

import numpy as np
import scipy.special as sp

from ...registry import rule
from .incomplete import beta_density, beta_slope_a, beta_slope_b, gamma_density, gamma_slope


@rule(sp.bdtr)
def _(g, y, k, n, p):
    return None, None, -g * beta_density(n - np.floor(k), np.floor(k) + 1.0, 1.0 - p)


@rule(sp.bdtrc)
def _(g, y, k, n, p):
    return None, None, g * beta_density(n - np.floor(k), np.floor(k) + 1.0, 1.0 - p)


@rule(sp.bdtri)
def _(g, y, k, n, target):
    return None, None, -g / beta_density(n - np.floor(k), np.floor(k) + 1.0, 1.0 - y)


@rule(sp.nbdtr)
def _(g, y, k, n, p):
    return None, None, g * beta_density(n, k + 1.0, p)


@rule(sp.nbdtrc)
def _(g, y, k, n, p):
    return None, None, -g * beta_density(n, k + 1.0, p)


@rule(sp.nbdtri)
def _(g, y, k, n, target):
    return None, None, g / beta_density(n, k + 1.0, y)


@rule(sp.btdtria)
def _(g, y, p, b, x):
    q = g / beta_slope_a(y, b, x)
    return q, -q * beta_slope_b(y, b, x), -q * beta_density(y, b, x)


@rule(sp.btdtrib)
def _(g, y, a, p, x):
    q = g / beta_slope_b(a, y, x)
    return -q * beta_slope_a(a, y, x), q, -q * beta_density(a, y, x)


@rule(sp.pdtr)
def _(g, y, k, m):
    return None, -g * gamma_density(np.floor(k) + 1.0, m)


@rule(sp.pdtrc)
def _(g, y, k, m):
    return None, g * gamma_density(np.floor(k) + 1.0, m)


@rule(sp.pdtri)
def _(g, y, k, target):
    return None, -g / gamma_density(np.floor(k) + 1.0, y)


@rule(sp.chdtr)
def _(g, y, v, x):
    return 0.5 * g * gamma_slope(0.5 * v, 0.5 * x), 0.5 * g * gamma_density(0.5 * v, 0.5 * x)


@rule(sp.chdtrc)
def _(g, y, v, x):
    return -0.5 * g * gamma_slope(0.5 * v, 0.5 * x), -0.5 * g * gamma_density(0.5 * v, 0.5 * x)


@rule(sp.chdtri)
def _(g, y, v, p):
    q = -g / gamma_density(0.5 * v, 0.5 * y)
    return q * gamma_slope(0.5 * v, 0.5 * y), 2.0 * q


@rule(sp.chdtriv)
def _(g, y, p, x):
    q = g / gamma_slope(0.5 * y, 0.5 * x)
    return 2.0 * q, -q * gamma_density(0.5 * y, 0.5 * x)


@rule(sp.gdtr)
def _(g, y, a, b, x):
    density = gamma_density(b, a * x)
    return g * x * density, g * gamma_slope(b, a * x), g * a * density


@rule(sp.gdtrc)
def _(g, y, a, b, x):
    density = gamma_density(b, a * x)
    return -g * x * density, -g * gamma_slope(b, a * x), -g * a * density


@rule(sp.gdtrix)
def _(g, y, a, b, p):
    q = g / (a * gamma_density(b, a * y))
    return -g * y / a, -q * gamma_slope(b, a * y), q


@rule(sp.gdtria)
def _(g, y, p, b, x):
    q = g / (x * gamma_density(b, y * x))
    return q, -q * gamma_slope(b, y * x), -g * y / x


@rule(sp.gdtrib)
def _(g, y, a, p, x):
    q = g / gamma_slope(y, a * x)
    density = gamma_density(y, a * x)
    return -q * x * density, q, -q * a * density


def fraction(m, n, x):
    """The argument of the incomplete beta function behind the F distribution, and its derivative by ``m x / n``."""
    r = 1.0 / (n + m * x)
    return m * x * r, n * n * r * r


def f_slopes(m, n, x):
    """The derivatives of the F distribution function by the degrees of freedom and the variable."""
    w, bend = fraction(m, n, x)
    density = beta_density(0.5 * m, 0.5 * n, w) * bend
    by_m = 0.5 * beta_slope_a(0.5 * m, 0.5 * n, w) + density * x / n
    by_n = 0.5 * beta_slope_b(0.5 * m, 0.5 * n, w) - density * m * x / (n * n)
    return by_m, by_n, density * m / n


@rule(sp.fdtr)
def _(g, y, m, n, x):
    by_m, by_n, by_x = f_slopes(m, n, x)
    return g * by_m, g * by_n, g * by_x


@rule(sp.fdtrc)
def _(g, y, m, n, x):
    by_m, by_n, by_x = f_slopes(m, n, x)
    return -g * by_m, -g * by_n, -g * by_x


@rule(sp.fdtri)
def _(g, y, m, n, p):
    by_m, by_n, by_x = f_slopes(m, n, y)
    return -g * by_m / by_x, -g * by_n / by_x, g / by_x


def student_density(v, t):
    return np.exp(-0.5 * np.log(v) - sp.betaln(0.5, 0.5 * v) - 0.5 * (v + 1.0) * np.log1p(t * t / v))


def student_by_df(v, t):
    """The derivative of Student's distribution function by the degrees of freedom: half a tail of the beta distribution."""
    w = v / (v + t * t)
    inner = np.where(w < 1.0, w, 0.5)
    by_w = beta_density(0.5 * v, 0.5, inner) * t * t / (v + t * t) ** 2
    middle = 0.5 * t * student_density(v, 0.0) * (sp.digamma(0.5 * v + 0.5) - sp.digamma(0.5 * v) - 1.0 / v)     # to the first order in t
    return np.where(w < 1.0, -0.5 * np.sign(t) * (0.5 * beta_slope_a(0.5 * v, 0.5, inner) + by_w), middle)


@rule(sp.stdtr)
def _(g, y, df, t):
    return g * student_by_df(df, t), g * student_density(df, t)


@rule(sp.stdtrit)
def _(g, y, df, p):
    q = g / student_density(df, y)
    return -q * student_by_df(df, y), q


@rule(sp.stdtridf)
def _(g, y, p, t):
    q = g / student_by_df(y, t)
    return q, -q * student_density(y, t)


@rule(sp.nrdtrimn)
def _(g, y, p, std, x):
    z = sp.ndtri(p)
    return -g * std * math.sqrt(2.0 * math.pi) * np.exp(0.5 * z * z), -g * z, g


@rule(sp.nrdtrisd)
def _(g, y, mn, p, x):
    z = sp.ndtri(p)
    return -g / z, -g * y / z * math.sqrt(2.0 * math.pi) * np.exp(0.5 * z * z), g / z


def noncentral_density(x, v, nc):
    """Of the noncentral chi-square distribution."""
    root = np.sqrt(nc * x)
    return 0.5 * np.exp(-0.5 * (np.sqrt(x) - np.sqrt(nc)) ** 2 + 0.25 * (v - 2.0) * np.log(x / nc)) * sp.ive(0.5 * v - 1.0, root)


def kolmogorov_density(x):
    """The derivative of `scipy.special.kolmogorov`: of the series that converges at x."""
    small, large = np.minimum(x, 1.0), np.maximum(x, 1.0)
    q = math.pi ** 2 / (8.0 * small * small)
    odd = sum(np.exp(-q * (2 * k - 1) ** 2) * (2.0 * q * (2 * k - 1) ** 2 - 1.0) for k in range(1, 6))
    alternating = sum((-1) ** k * 8.0 * k * k * np.exp(-2.0 * k * k * large * large) for k in range(1, 8))
    return np.where(x < 1.0, -math.sqrt(2.0 * math.pi) / (small * small) * odd, alternating * large)


@rule(sp.kolmogorov)
def _(g, y, x):
    return g * kolmogorov_density(x)


@rule(sp.kolmogi)
def _(g, y, p):
    return g / kolmogorov_density(y)
