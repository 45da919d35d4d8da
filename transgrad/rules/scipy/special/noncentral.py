"""Noncentral chi-square, F and t distributions through every argument, and their inverses.

Each is a mixture of central ones, with weights of Poisson's distribution: the derivatives are series of those of incomplete gamma and
beta functions (by degrees of freedom), and of positive terms where an argument moves along the mixture.
"""
from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.special as sp

from ....ir.infer_shapes import SHAPES
from ....ir.types import ANY, Arr
from ...registry import constant, rule
from ...static import lifted
from .distributions import fraction, noncentral_density
from .incomplete import beta_density, beta_slope_a, beta_slope_b, gamma_slope


def terms(mean: Any) -> Any:
    """The numbers of the terms that matter of mixtures with the greatest of some means."""
    largest = float(np.max(mean, initial=0.0))
    return np.arange(60.0 + int(largest + 12.0 * math.sqrt(largest)))


constant(terms)
SHAPES[terms] = lambda mean: Arr("float64", (ANY,))
numbers = lifted(terms)


def wide(x: Any) -> Any:
    """With a last dimension for the terms."""
    return np.expand_dims(x, -1)


def poisson(mean: Any, j: Any) -> Any:
    """The weights of a mixture."""
    return np.exp(j * np.log(mean) - mean - sp.gammaln(j + 1.0))


def chi_by_freedom(x, v, nc):
    """The derivative of the noncentral chi-square distribution function by the degrees of freedom."""
    j = numbers(0.5 * nc)
    return 0.5 * np.sum(poisson(wide(0.5 * nc), j) * gamma_slope(wide(0.5 * v) + j, wide(0.5 * x)), axis=-1)


@rule(sp.chndtr)
def _(g, y, x, v, nc):
    return g * noncentral_density(x, v, nc), g * chi_by_freedom(x, v, nc), -g * noncentral_density(x, v + 2.0, nc)


@rule(sp.chndtrix)
def _(g, y, p, v, nc):
    q = g / noncentral_density(y, v, nc)
    return q, -q * chi_by_freedom(y, v, nc), q * noncentral_density(y, v + 2.0, nc)


@rule(sp.chndtridf)
def _(g, y, x, p, nc):
    q = g / chi_by_freedom(x, y, nc)
    return -q * noncentral_density(x, y, nc), q, q * noncentral_density(x, y + 2.0, nc)


@rule(sp.chndtrinc)
def _(g, y, x, v, p):
    q = g / noncentral_density(x, v + 2.0, y)
    return q * noncentral_density(x, v, y), q * chi_by_freedom(x, v, y), -q


def f_by_variable(m, n, nc, x):
    """The density of the noncentral F distribution."""
    w, bend = fraction(m, n, x)
    j = numbers(0.5 * nc)
    return bend * m / n * np.sum(poisson(wide(0.5 * nc), j) * beta_density(wide(0.5 * m) + j, wide(0.5 * n), wide(w)), axis=-1)


def f_by_noncentrality(m, n, nc, x):
    """The derivative of its distribution function by the noncentrality: adjacent terms of the mixture differ by one term of a series."""
    w, _ = fraction(m, n, x)
    j = numbers(0.5 * nc)
    a, b = wide(0.5 * m) + j, wide(0.5 * n)
    step = np.exp(a * np.log(wide(w)) + b * np.log1p(-wide(w)) - sp.betaln(a, b)) / a
    return -0.5 * np.sum(poisson(wide(0.5 * nc), j) * step, axis=-1)


def f_by_first(m, n, nc, x):
    """The derivative by the first degrees of freedom."""
    w, _ = fraction(m, n, x)
    j = numbers(0.5 * nc)
    inner = np.sum(poisson(wide(0.5 * nc), j) * beta_slope_a(wide(0.5 * m) + j, wide(0.5 * n), wide(w)), axis=-1)
    return 0.5 * inner + f_by_variable(m, n, nc, x) * x / m


def f_by_second(m, n, nc, x):
    """The derivative by the second degrees of freedom."""
    w, _ = fraction(m, n, x)
    j = numbers(0.5 * nc)
    inner = np.sum(poisson(wide(0.5 * nc), j) * beta_slope_b(wide(0.5 * m) + j, wide(0.5 * n), wide(w)), axis=-1)
    return 0.5 * inner - f_by_variable(m, n, nc, x) * x / n


@rule(sp.ncfdtr)
def _(g, y, m, n, nc, x):
    return g * f_by_first(m, n, nc, x), g * f_by_second(m, n, nc, x), g * f_by_noncentrality(m, n, nc, x), g * f_by_variable(m, n, nc, x)


@rule(sp.ncfdtri)
def _(g, y, m, n, nc, p):
    q = g / f_by_variable(m, n, nc, y)
    return -q * f_by_first(m, n, nc, y), -q * f_by_second(m, n, nc, y), -q * f_by_noncentrality(m, n, nc, y), q


@rule(sp.ncfdtridfd)
def _(g, y, m, p, nc, x):
    q = g / f_by_second(m, y, nc, x)
    return -q * f_by_first(m, y, nc, x), q, -q * f_by_noncentrality(m, y, nc, x), -q * f_by_variable(m, y, nc, x)


@rule(sp.ncfdtridfn)
def _(g, y, p, n, nc, x):
    q = g / f_by_first(y, n, nc, x)
    return q, -q * f_by_second(y, n, nc, x), -q * f_by_noncentrality(y, n, nc, x), -q * f_by_variable(y, n, nc, x)


@rule(sp.ncfdtrinc)
def _(g, y, m, n, p, x):
    q = g / f_by_noncentrality(m, n, y, x)
    return -q * f_by_first(m, n, y, x), -q * f_by_second(m, n, y, x), q, -q * f_by_variable(m, n, y, x)


def t_moment(v, nc, t, power):
    """The mean of ``s**power`` times the normal density at ``t s - nc``, where ``s`` is a chi variable over the root of ``v``."""
    j = numbers(np.abs(nc) * 1.5 + nc * nc)
    z = wide(math.sqrt(2.0) * nc * t / np.sqrt(v + t * t))
    logs = sp.gammaln(0.5 * (wide(v) + power + j)) - sp.gammaln(wide(0.5 * v)) - sp.gammaln(j + 1.0)
    total = np.sum(np.power(z, j) * np.exp(logs), axis=-1)
    return (2.0 / v) ** (0.5 * power) * np.exp(-0.5 * nc * nc - 0.5 * (v + power) * np.log1p(t * t / v)) / math.sqrt(2.0 * math.pi) * total


def t_by_freedom(v, nc, t):
    """The derivative of the noncentral t distribution function by the degrees of freedom."""
    j = numbers(0.5 * nc * nc)
    x = t * t / (v + t * t)
    inner = wide(np.where(x > 0.0, x, 0.5))
    half = wide(0.5 * nc * nc)
    even = np.power(half, j) * np.exp(-half - sp.gammaln(j + 1.0)) * beta_slope_b(j + 0.5, wide(0.5 * v), inner)
    odd = np.power(half, j) * np.exp(-half - sp.gammaln(j + 1.5)) * beta_slope_b(j + 1.0, wide(0.5 * v), inner)
    total = np.sign(t) * np.sum(even, axis=-1) + math.sqrt(0.5) * nc * np.sum(odd, axis=-1)
    half_density = 0.5 * t * t_moment(v, nc, t, 1.0)
    middle = half_density * (sp.digamma(0.5 * v + 0.5) - sp.digamma(0.5 * v) - 1.0 / v)       # to the first order in t
    return np.where(x > 0.0, 0.25 * total - half_density / v, middle)


@rule(sp.nctdtr)
def _(g, y, v, nc, t):
    return g * t_by_freedom(v, nc, t), -g * t_moment(v, nc, t, 0.0), g * t_moment(v, nc, t, 1.0)


@rule(sp.nctdtridf)
def _(g, y, p, nc, t):
    q = g / t_by_freedom(y, nc, t)
    return q, q * t_moment(y, nc, t, 0.0), -q * t_moment(y, nc, t, 1.0)


@rule(sp.nctdtrinc)
def _(g, y, v, p, t):
    q = g / t_moment(v, y, t, 0.0)
    return q * t_by_freedom(v, y, t), -q, q * t_moment(v, y, t, 1.0)


@rule(sp.nctdtrit)
def _(g, y, v, nc, p):
    q = g / t_moment(v, nc, y, 1.0)
    return -q * t_by_freedom(v, nc, y), q * t_moment(v, nc, y, 0.0), q
