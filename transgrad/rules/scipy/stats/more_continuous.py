"""Further continuous distributions, each by its standard log-density and, where it has a closed form, its distribution function."""
from __future__ import annotations

import math

import numpy as np
import scipy.special as sp
import scipy.stats as st

from ...installed import installed
from .bessel import log_kv
from .methods import law

HALF_LOG = 0.5 * math.log(2.0 * math.pi)
ROOT_2 = math.sqrt(2.0)


def log_normal(u):
    """The logarithm of the normal density."""
    return -0.5 * u * u - HALF_LOG


# powers
law(st.bradford, lambda z, c: np.log(c) - np.log(np.log1p(c)) - np.log1p(c * z), lambda z, c: np.log1p(c * z) / np.log1p(c))
law(st.burr, lambda z, c, d: np.log(c) + np.log(d) - (c + 1.0) * np.log(z) - (d + 1.0) * np.log1p(z ** -c),
    lambda z, c, d: np.exp(-d * np.log1p(z ** -c)))
law(st.mielke, lambda z, k, s: np.log(k) + (k - 1.0) * np.log(z) - (1.0 + k / s) * np.log1p(z ** s),
    lambda z, k, s: np.exp(-k / s * np.log1p(z ** -s)))
law(st.kappa3, lambda z, a: np.log(a) - (1.0 + 1.0 / a) * np.log(a + z ** a), lambda z, a: np.exp(-np.log1p(a * z ** -a) / a))
law(st.invweibull, lambda z, c: np.log(c) - (c + 1.0) * np.log(z) - z ** -c, lambda z, c: np.exp(-z ** -c))
law(st.loglaplace, lambda z, c: np.log(0.5 * c) + np.where(z < 1.0, c - 1.0, -c - 1.0) * np.log(z),
    lambda z, c: np.where(z < 1.0, 0.5 * z ** c, 1.0 - 0.5 * z ** -c),
    kinks=lambda c: (1.0,))
law(st.truncpareto, lambda z, b, c: np.log(b) - np.log1p(-c ** -b) - (b + 1.0) * np.log(z),
    lambda z, b, c: (1.0 - z ** -b) / (1.0 - c ** -b))
law(st.rdist, lambda z, c: (0.5 * c - 1.0) * np.log1p(-z * z) - sp.betaln(0.5, 0.5 * c),
    lambda z, c: sp.betainc(0.5 * c, 0.5 * c, 0.5 * (z + 1.0)))


def trapezoid(z, c, d):
    return np.log(2.0 / (d - c + 1.0)) + np.where(z < c, np.log(z) - np.log(c), np.where(z <= d, 0.0, np.log1p(-z) - np.log1p(-d)))


law(st.trapezoid, trapezoid, lambda z, c, d: np.where(z < c, z * z / (c * (d - c + 1.0)), np.where(
    z <= d, (2.0 * z - c) / (d - c + 1.0), 1.0 - (1.0 - z) ** 2 / ((d - c + 1.0) * (1.0 - d)))),
    kinks=lambda c, d: (c, d))
def crystal_mass(beta, m):
    return m / (beta * (m - 1.0)) * np.exp(-0.5 * beta * beta) + math.sqrt(2.0 * math.pi) * sp.ndtr(beta)


law(st.crystalball, lambda z, beta, m: np.where(z > -beta, -0.5 * z * z, m * np.log(m / beta) - 0.5 * beta * beta - m * np.log(
    m / beta - beta - np.minimum(z, -beta))) - np.log(crystal_mass(beta, m)),
    lambda z, beta, m: np.where(z > -beta, m / (beta * (m - 1.0)) * np.exp(-0.5 * beta * beta) + math.sqrt(2.0 * math.pi) * (
        sp.ndtr(z) - sp.ndtr(-beta)), (m / beta) ** m * np.exp(-0.5 * beta * beta) * (
            m / beta - beta - np.minimum(z, -beta)) ** (1.0 - m) / (m - 1.0)) / crystal_mass(beta, m),
    kinks=lambda beta, m: (-beta,))

# exponentials
law(st.dgamma, lambda z, a: (a - 1.0) * np.log(np.abs(z)) - np.abs(z) - sp.gammaln(a) - math.log(2.0),
    lambda z, a: 0.5 + 0.5 * np.sign(z) * sp.gammainc(a, np.abs(z)),
    kinks=lambda a: (0.0,))
law(st.dweibull, lambda z, c: np.log(0.5 * c) + (c - 1.0) * np.log(np.abs(z)) - np.abs(z) ** c,
    lambda z, c: np.where(z > 0.0, 1.0 - 0.5 * np.exp(-np.abs(z) ** c), 0.5 * np.exp(-np.abs(z) ** c)),
    kinks=lambda c: (0.0,))
law(st.exponpow, lambda z, b: np.log(b) + (b - 1.0) * np.log(z) + 1.0 + z ** b - np.exp(z ** b),
    lambda z, b: 1.0 - np.exp(-np.expm1(z ** b)))
law(st.exponweib, lambda z, a, c: np.log(a) + np.log(c) + (a - 1.0) * np.log(-np.expm1(-z ** c)) - z ** c + (c - 1.0) * np.log(z),
    lambda z, a, c: np.exp(a * np.log1p(-np.exp(-z ** c))))
law(st.genexpon, lambda z, a, b, c: np.log(a - b * np.expm1(-c * z)) - (a + b) * z - b * np.expm1(-c * z) / c,
    lambda z, a, b, c: 1.0 - np.exp(-(a + b) * z - b * np.expm1(-c * z) / c))
law(st.genlogistic, lambda z, c: np.log(c) - z - (c + 1.0) * np.logaddexp(0.0, -z), lambda z, c: np.exp(-c * np.logaddexp(0.0, -z)))
law(st.halfgennorm, lambda z, beta: np.log(beta) - sp.gammaln(1.0 / beta) - z ** beta, lambda z, beta: sp.gammainc(1.0 / beta, z ** beta))
law(st.laplace_asymmetric, lambda z, kappa: np.where(z < 0.0, z / kappa, -z * kappa) - np.log(kappa + 1.0 / kappa),
    lambda z, kappa: np.where(z < 0.0, kappa * kappa * np.exp(np.minimum(z, 0.0) / kappa), 1.0 + kappa * kappa - np.exp(
        -kappa * np.maximum(z, 0.0))) / (1.0 + kappa * kappa),
    kinks=lambda kappa: (0.0,))
law(st.truncexpon, lambda z, b: -z - np.log(-np.expm1(-b)), lambda z, b: np.expm1(-z) / np.expm1(-b))
law(st.truncweibull_min, lambda z, c, a, b: np.log(c) + (c - 1.0) * np.log(z) - z ** c - np.log(np.exp(-a ** c) - np.exp(-b ** c)),
    lambda z, c, a, b: (np.exp(-a ** c) - np.exp(-z ** c)) / (np.exp(-a ** c) - np.exp(-b ** c)))
law(st.levy_l, lambda z: -HALF_LOG - 1.5 * np.log(-z) + 0.5 / z)

# made of the normal distribution
law(st.alpha, lambda z, a: log_normal(a - 1.0 / z) - 2.0 * np.log(z) - sp.log_ndtr(a), lambda z, a: sp.ndtr(a - 1.0 / z) / sp.ndtr(a))
law(st.fatiguelife, lambda z, c: log_normal((np.sqrt(z) - 1.0 / np.sqrt(z)) / c) + np.log((z + 1.0) / (2.0 * c)) - 1.5 * np.log(z),
    lambda z, c: sp.ndtr((np.sqrt(z) - 1.0 / np.sqrt(z)) / c))
law(st.foldnorm, lambda z, c: log_normal(z) - 0.5 * c * c + np.logaddexp(c * z, -c * z), lambda z, c: sp.ndtr(z - c) - sp.ndtr(-z - c))
law(st.johnsonsb, lambda z, a, b: log_normal(a + b * sp.logit(z)) + np.log(b) - np.log(z) - np.log1p(-z),
    lambda z, a, b: sp.ndtr(a + b * sp.logit(z)))
law(st.johnsonsu, lambda z, a, b: log_normal(a + b * np.arcsinh(z)) + np.log(b) - 0.5 * np.log1p(z * z),
    lambda z, a, b: sp.ndtr(a + b * np.arcsinh(z)))
law(st.powernorm, lambda z, c: np.log(c) + log_normal(z) + (c - 1.0) * sp.log_ndtr(-z), lambda z, c: 1.0 - np.exp(c * sp.log_ndtr(-z)))
law(st.powerlognorm, lambda z, c, s: np.log(c) - np.log(z) - np.log(s) + log_normal(np.log(z) / s)
    + (c - 1.0) * sp.log_ndtr(-np.log(z) / s),
    lambda z, c, s: 1.0 - np.exp(c * sp.log_ndtr(-np.log(z) / s)))
law(st.recipinvgauss, lambda z, mu: log_normal((1.0 - mu * z) / (mu * np.sqrt(z))) - 0.5 * np.log(z),
    lambda z, mu: sp.ndtr((z - 1.0 / mu) / np.sqrt(z)) - np.exp(2.0 / mu + sp.log_ndtr(-(1.0 / mu + z) / np.sqrt(z))))
law(st.wald, lambda z: -HALF_LOG - 1.5 * np.log(z) - 0.5 * (z - 1.0) ** 2 / z)
law(st.argus, lambda z, chi: np.log(z) + 0.5 * np.log1p(-z * z) + 3.0 * np.log(chi) - 0.5 * chi * chi * (1.0 - z * z) - HALF_LOG
    - np.log(0.5 * sp.gammainc(1.5, 0.5 * chi * chi)),
    lambda z, chi: 1.0 - sp.gammainc(1.5, 0.5 * chi * chi * (1.0 - z * z)) / sp.gammainc(1.5, 0.5 * chi * chi))


def mills(u):
    """The upper normal tail over the density."""
    return math.sqrt(0.5 * math.pi) * sp.erfcx(u / ROOT_2)


law(installed("scipy.stats.dpareto_lognorm"),
    lambda z, u, s, a, b: np.log(a) + np.log(b) - np.log(a + b) - np.log(z) + log_normal((np.log(z) - u) / s) + np.log(
    mills(a * s - (np.log(z) - u) / s) + mills(b * s + (np.log(z) - u) / s)),
    lambda z, u, s, a, b: sp.ndtr((np.log(z) - u) / s) - np.exp(log_normal((np.log(z) - u) / s)) * (
        b * mills(a * s - (np.log(z) - u) / s) - a * mills(b * s + (np.log(z) - u) / s)) / (a + b))

# made of Student's, the Cauchy and the gamma distribution
law(st.foldcauchy, lambda z, c: np.log(1.0 / (1.0 + (z - c) ** 2) + 1.0 / (1.0 + (z + c) ** 2)) - math.log(math.pi),
    lambda z, c: (np.arctan(z - c) + np.arctan(z + c)) / math.pi)
law(st.skewcauchy, lambda z, a: -np.log1p((z / (1.0 + a * np.sign(z))) ** 2) - math.log(math.pi),
    lambda z, a: 0.5 * (1.0 - a) + (1.0 + a * np.sign(z)) / math.pi * np.arctan(z / (1.0 + a * np.sign(z))),
    kinks=lambda a: (0.0,))


def skew_parts(z, a, b):
    """``1 + z / sqrt(a + b + z**2)`` and ``1 - ...``, whichever is small without cancellation."""
    root = np.sqrt(a + b + z * z)
    small, large = (a + b) / (root * (root + np.abs(z))), 1.0 + np.abs(z) / root
    return np.where(z < 0.0, small, large), np.where(z < 0.0, large, small)


def skew_log(z, a, b):
    plus, minus = skew_parts(z, a, b)
    return (a + 0.5) * np.log(plus) + (b + 0.5) * np.log(minus) - (a + b - 1.0) * math.log(2.0) - sp.betaln(a, b) - 0.5 * np.log(a + b)


def skew_cdf(z, a, b):
    plus, minus = skew_parts(z, a, b)
    return np.where(z < 0.0, sp.betainc(a, b, 0.5 * np.minimum(plus, 1.0)), 1.0 - sp.betainc(b, a, 0.5 * np.minimum(minus, 1.0)))


law(st.jf_skew_t, skew_log, skew_cdf)
law(st.wrapcauchy, lambda z, c: np.log1p(-c * c) - np.log1p(c * c - 2.0 * c * np.cos(z)) - math.log(2.0 * math.pi),
    lambda z, c: np.arctan2((1.0 + c) * np.sin(0.5 * z), (1.0 - c) * np.cos(0.5 * z)) / math.pi)
law(st.rel_breitwigner, lambda z, rho: -np.log(((z - rho) * (z + rho) / rho) ** 2 + 1.0) + math.log(2.0 / math.pi) + 0.5 * np.log(
    2.0 * (1.0 + 1.0 / (rho * rho)) / (1.0 + np.sqrt(1.0 + 1.0 / (rho * rho)))))

# with Bessel functions
law(st.vonmises_line, lambda z, kappa: kappa * (np.cos(z) - 1.0) - np.log(sp.i0e(kappa)) - math.log(2.0 * math.pi))
law(st.norminvgauss, lambda z, a, b: np.log(a) - math.log(math.pi) + np.sqrt(a * a - b * b) + b * z - 0.5 * np.log1p(z * z)
    + log_kv(1.0, a * np.sqrt(1.0 + z * z)))
law(st.genhyperbolic, lambda z, p, a, b: 0.5 * p * np.log(a * a - b * b) - HALF_LOG - (p - 0.5) * np.log(a)
    - log_kv(p, np.sqrt(a * a - b * b))
    + b * z + (0.5 * p - 0.25) * np.log1p(z * z) + log_kv(p - 0.5, a * np.sqrt(1.0 + z * z)))
law(st.geninvgauss, lambda z, p, b: (p - 1.0) * np.log(z) - 0.5 * b * (z + 1.0 / z) - math.log(2.0) - log_kv(p, b))
