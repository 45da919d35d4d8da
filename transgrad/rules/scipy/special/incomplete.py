"""Incomplete gamma and beta functions and their inverses, through every argument.

By the parameters the derivative is an integral over the shorter side of the density, times a polynomial in the logarithms that it
changes with; the third derivative of that kind is the last.
"""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.special as sp

from ...registry import rule
from ...static import NoDerivative, lifted
from .gamma import polygamma
from .quadrature import decaying, spread


def gamma_factor(a: Any, log: Any, order: int) -> Any:
    """The derivative of the density of the gamma distribution by its parameter, over the density."""
    slope = log - sp.digamma(a)
    if order == 1:
        return slope
    bend = polygamma(1, a)
    if order == 2:
        return slope * slope - bend
    if order == 3:
        return slope * (slope * slope - 3.0 * bend) - polygamma(2, a)
    raise NoDerivative("no fourth derivative of an incomplete gamma function by its parameter")


def gammainc_by_a(a: Any, x: Any, order: int = 1) -> Any:
    """The derivative of `scipy.special.gammainc` by its parameter."""
    b, z = spread(a, x)
    log_gamma = sp.gammaln(b)
    with np.errstate(all="ignore"):
        log_z = np.log(z)
        rate = np.maximum(b - z, 0.0) + np.sqrt(b)

        def below(u: Any) -> Any:
            log = log_z - u / rate
            return np.exp(b * log - np.exp(log) - log_gamma) * gamma_factor(b, log, order) / rate

        length = 1.0 / (np.maximum(z - b, 0.0) / z + 1.0 / np.sqrt(np.maximum(b, 1.0)))

        def above(u: Any) -> Any:
            t = z + u * length
            log = np.log(t)
            return np.exp((b - 1.0) * log - t - log_gamma) * gamma_factor(b, log, order) * length

        return np.where(np.asarray(x) < np.asarray(a) + 1.0, decaying(below), -decaying(above))


def beta_factor(a: Any, b: Any, log: Any, rest: Any, by_a: int, by_b: int) -> Any:
    """The derivative of the density of the beta distribution by its parameters, over the density, from the logarithms of x and 1 - x."""
    both = sp.digamma(a + b)
    first, second = log + both - sp.digamma(a), rest + both - sp.digamma(b)
    if by_a + by_b == 1:
        return first if by_a else second
    if by_a + by_b > 2:
        raise NoDerivative("no third derivative of an incomplete beta function by its parameters")
    bend = polygamma(1, a + b)
    if by_a == by_b:
        return first * second + bend
    return first * first + bend - polygamma(1, a) if by_a else second * second + bend - polygamma(1, b)


def _beta_tail(a: Any, b: Any, x: Any, by_a: int, by_b: int) -> Any:
    """A derivative of betainc by its parameters, for x below the mean."""
    a, b, x = spread(a, b, x)
    log_beta, log_x = sp.betaln(a, b), np.log(x)
    odds = b * x / (1.0 - x)
    rate = np.maximum(np.maximum(a - odds, 0.0) + np.sqrt(odds / (1.0 - x) + 1e-300), a)

    def share(u: Any) -> Any:
        log = log_x - u / rate
        rest = np.log1p(-np.exp(log))
        return np.exp(a * log + (b - 1.0) * rest - log_beta) / rate * beta_factor(a, b, log, rest, by_a, by_b)

    return decaying(share)


def betainc_slope(a: Any, b: Any, x: Any, by_a: int, by_b: int) -> Any:
    """A derivative of `scipy.special.betainc` by its parameters."""
    a, b, x = np.broadcast_arrays(*(np.asarray(v, float) for v in (a, b, x)))
    with np.errstate(all="ignore"):
        low = x <= a / (a + b)
        if by_a == by_b:
            found = _beta_tail(np.where(low, a, b), np.where(low, b, a), np.where(low, x, 1.0 - x), by_a, by_b)
            return np.where(low, found, -found)
        below = _beta_tail(a, b, np.where(low, x, 0.5), by_a, by_b)
        return np.where(low, below, -_beta_tail(b, a, np.where(low, 0.5, 1.0 - x), by_b, by_a))


def betainc_by_a(a: Any, b: Any, x: Any) -> Any:
    """The derivative of `scipy.special.betainc` by its first parameter."""
    return betainc_slope(a, b, x, 1, 0)


def betainc_by_b(a: Any, b: Any, x: Any) -> Any:
    """The derivative of `scipy.special.betainc` by its second parameter."""
    return betainc_slope(a, b, x, 0, 1)


gamma_slope = lifted(gammainc_by_a)
beta_slope_a = lifted(betainc_by_a)
beta_slope_b = lifted(betainc_by_b)
beta_slope = lifted(betainc_slope)


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
def _(g, y, a, x, order=1):
    return g * gamma_slope(a, x, order + 1), g * gamma_density(a, x) * gamma_factor(a, np.log(x), order)


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
    return (g * beta_slope(a, b, x, 2, 0), g * beta_slope(a, b, x, 1, 1),
            g * beta_density(a, b, x) * beta_factor(a, b, np.log(x), np.log1p(-x), 1, 0))


@rule(betainc_by_b)
def _(g, y, a, b, x):
    return (g * beta_slope(a, b, x, 1, 1), g * beta_slope(a, b, x, 0, 2),
            g * beta_density(a, b, x) * beta_factor(a, b, np.log(x), np.log1p(-x), 0, 1))


@rule(betainc_slope)
def _(g, y, a, b, x, by_a, by_b):
    return None, None, g * beta_density(a, b, x) * beta_factor(a, b, np.log(x), np.log1p(-x), by_a, by_b)
