"""Incomplete gamma and beta functions and their inverses, through every argument.

By the parameters the derivative is an integral over the shorter side of the density; once differentiated by a parameter, they
are differentiated again by the variable only.
"""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.special as sp

from ...registry import rule
from ...static import lifted
from .quadrature import decaying, spread


def gammainc_by_a(a: Any, x: Any) -> Any:
    """The derivative of `scipy.special.gammainc` by its parameter."""
    b, z = spread(a, x)
    psi, log_gamma = sp.digamma(b), sp.gammaln(b)
    with np.errstate(all="ignore"):
        log_z = np.log(z)
        rate = np.maximum(b - z, 0.0) + np.sqrt(b)

        def below(u: Any) -> Any:
            log = log_z - u / rate
            return np.exp(b * log - np.exp(log) - log_gamma) * (log - psi) / rate

        length = 1.0 / (np.maximum(z - b, 0.0) / z + 1.0 / np.sqrt(np.maximum(b, 1.0)))

        def above(u: Any) -> Any:
            t = z + u * length
            log = np.log(t)
            return np.exp((b - 1.0) * log - t - log_gamma) * (log - psi) * length

        return np.where(np.asarray(x) < np.asarray(a) + 1.0, decaying(below), -decaying(above))


def _beta_tail(a: Any, b: Any, x: Any) -> tuple[Any, Any]:
    """The derivatives of betainc by its parameters, for x below the mean."""
    a, b, x = spread(a, b, x)
    both, log_beta, log_x = sp.digamma(a + b), sp.betaln(a, b), np.log(x)
    by_a, by_b = both - sp.digamma(a), both - sp.digamma(b)
    odds = b * x / (1.0 - x)
    rate = np.maximum(a - odds, 0.0) + np.sqrt(odds / (1.0 - x) + 1e-300)
    rate = np.maximum(rate, a)

    def density(u: Any) -> tuple[Any, Any, Any]:
        log = log_x - u / rate
        rest = np.log1p(-np.exp(log))
        return np.exp(a * log + (b - 1.0) * rest - log_beta) / rate, log, rest

    def first(u: Any) -> Any:
        p, log, _ = density(u)
        return p * (log + by_a)

    def second(u: Any) -> Any:
        p, _, rest = density(u)
        return p * (rest + by_b)

    return decaying(first), decaying(second)


def _beta_slopes(a: Any, b: Any, x: Any) -> tuple[Any, Any]:
    a, b, x = np.broadcast_arrays(*(np.asarray(v, float) for v in (a, b, x)))
    with np.errstate(all="ignore"):
        low = x <= a / (a + b)
        p, q = _beta_tail(np.where(low, a, b), np.where(low, b, a), np.where(low, x, 1.0 - x))
    return np.where(low, p, -q), np.where(low, q, -p)


def betainc_by_a(a: Any, b: Any, x: Any) -> Any:
    """The derivative of `scipy.special.betainc` by its first parameter."""
    return _beta_slopes(a, b, x)[0]


def betainc_by_b(a: Any, b: Any, x: Any) -> Any:
    """The derivative of `scipy.special.betainc` by its second parameter."""
    return _beta_slopes(a, b, x)[1]


gamma_slope = lifted(gammainc_by_a)
beta_slope_a = lifted(betainc_by_a)
beta_slope_b = lifted(betainc_by_b)


def gamma_density(a, x):
    return np.exp((a - 1.0) * np.log(x) - x - sp.gammaln(a))


def beta_density(a, b, x):
    return np.exp((a - 1.0) * np.log(x) + (b - 1.0) * np.log1p(-x) - sp.betaln(a, b))


POSITIVE, UNIT = (0.0, np.inf), (0.0, 1.0)


@rule(sp.gammainc, domain=[POSITIVE, POSITIVE])
def _(g, y, a, x):
    return g * gamma_slope(a, x), g * gamma_density(a, x)


@rule(sp.gammaincc, domain=[POSITIVE, POSITIVE])
def _(g, y, a, x):
    return -g * gamma_slope(a, x), -g * gamma_density(a, x)


@rule(sp.gammaincinv, domain=[POSITIVE, UNIT])
def _(g, y, a, p):
    q = g / gamma_density(a, y)
    return -q * gamma_slope(a, y), q


@rule(sp.gammainccinv, domain=[POSITIVE, UNIT])
def _(g, y, a, p):
    q = g / gamma_density(a, y)
    return -q * gamma_slope(a, y), -q


@rule(gammainc_by_a)
def _(g, y, a, x):
    return None, g * gamma_density(a, x) * (np.log(x) - sp.digamma(a))


@rule(sp.betainc, domain=[POSITIVE, POSITIVE, UNIT])
def _(g, y, a, b, x):
    return g * beta_slope_a(a, b, x), g * beta_slope_b(a, b, x), g * beta_density(a, b, x)


@rule(sp.betaincc, domain=[POSITIVE, POSITIVE, UNIT])
def _(g, y, a, b, x):
    return -g * beta_slope_a(a, b, x), -g * beta_slope_b(a, b, x), -g * beta_density(a, b, x)


@rule(sp.betaincinv, domain=[POSITIVE, POSITIVE, UNIT])
def _(g, y, a, b, p):
    q = g / beta_density(a, b, y)
    return -q * beta_slope_a(a, b, y), -q * beta_slope_b(a, b, y), q


@rule(sp.betainccinv, domain=[POSITIVE, POSITIVE, UNIT])
def _(g, y, a, b, p):
    q = g / beta_density(a, b, y)
    return -q * beta_slope_a(a, b, y), -q * beta_slope_b(a, b, y), -q


@rule(betainc_by_a)
def _(g, y, a, b, x):
    return None, None, g * beta_density(a, b, x) * (np.log(x) + sp.digamma(a + b) - sp.digamma(a))


@rule(betainc_by_b)
def _(g, y, a, b, x):
    return None, None, g * beta_density(a, b, x) * (np.log1p(-x) + sp.digamma(a + b) - sp.digamma(b))
