"""Densities of several variables at once: normal, t and Dirichlet."""
from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.special as sp
import scipy.stats as st

from ...installed import installed
from ...registry import definition


def distances(x: Any, mean: Any, cov: Any) -> tuple[Any, Any, Any]:
    """The squared distances from the mean in the metric of a covariance, its logarithmic determinant, and the dimension."""
    d = x - mean
    if np.ndim(cov) == 0 and np.ndim(mean) == 0:        # of one variable, as SciPy takes it
        return d * d / cov, np.log(cov), 1
    if np.ndim(cov) < 2:
        n = mean.shape[0] if np.ndim(cov) == 0 else cov.shape[0]
        return np.sum(d * d / cov, axis=-1), np.sum(np.log(cov * np.ones(n))), n
    flat = np.reshape(d, (-1, cov.shape[0]))
    root = np.linalg.cholesky(cov)      # of the lower triangle, the one that SciPy reads
    whitened = np.linalg.solve(root, flat.T)
    distance = np.sum(whitened * whitened, axis=0)
    return np.reshape(distance, d.shape[:-1]), 2.0 * np.sum(np.log(np.diagonal(root))), cov.shape[0]


@definition(st.multivariate_normal.logpdf)
def normal_logpdf(x: Any, mean: Any = None, cov: Any = 1, allow_singular: Any = False) -> Any:
    """The logarithm of the normal density for a covariance of full rank."""
    squares, logdet, n = distances(x, 0.0 if mean is None else mean, cov)
    return -0.5 * (n * math.log(2.0 * math.pi) + logdet + squares)


@definition(st.multivariate_normal.pdf)
def normal_pdf(x: Any, mean: Any = None, cov: Any = 1, allow_singular: Any = False) -> Any:
    """The normal density for a covariance of full rank."""
    return np.exp(normal_logpdf(x, mean, cov))


@definition(st.multivariate_t.logpdf)
def t_logpdf(x: Any, loc: Any = None, shape: Any = 1, df: Any = 1) -> Any:
    """The logarithm of the density of Student's t for a matrix of full rank."""
    squares, logdet, n = distances(x, 0.0 if loc is None else loc, shape)
    half = 0.5 * (df + n)
    return sp.gammaln(half) - sp.gammaln(0.5 * df) - 0.5 * (n * np.log(df * math.pi) + logdet) - half * np.log1p(squares / df)


@definition(st.multivariate_t.pdf)
def t_pdf(x: Any, loc: Any = None, shape: Any = 1, df: Any = 1) -> Any:
    """The density of Student's t for a matrix of full rank."""
    return np.exp(t_logpdf(x, loc, shape, df))


@definition(st.dirichlet.logpdf)
def dirichlet_logpdf(x: Any, alpha: Any) -> Any:
    """The logarithm of Dirichlet's density, of all its variables or all but the last."""
    if x.shape[0] + 1 == alpha.shape[0]:
        x = np.concatenate((x, 1.0 - np.sum(x, axis=0, keepdims=True)), axis=0)
    return np.sum(sp.xlogy((alpha - 1.0), x.T).T, axis=0) + sp.gammaln(np.sum(alpha)) - np.sum(sp.gammaln(alpha))


@definition(st.dirichlet.pdf)
def dirichlet_pdf(x: Any, alpha: Any) -> Any:
    """Dirichlet's density."""
    return np.exp(dirichlet_logpdf(x, alpha))


def successes(p: Any) -> Any:
    """The probabilities of each number of successes, of trials with probabilities of their own."""
    found = np.ones(1)
    none = np.zeros(1)
    for one in p:
        found = np.concatenate((found * (1.0 - one), none)) + np.concatenate((none, found * one))
    return found


@definition(installed("scipy.stats.poisson_binom.pmf"))
def poisson_binom_pmf(k: Any, p: Any) -> Any:
    """With respect to the probabilities."""
    found = successes(p)
    inside = (k >= 0) & (k < found.shape[0])
    return np.where(inside, found[np.where(inside, k, 0)], 0.0)


@definition(installed("scipy.stats.poisson_binom.logpmf"))
def poisson_binom_logpmf(k: Any, p: Any) -> Any:
    """With respect to the probabilities."""
    return np.log(poisson_binom_pmf(k, p))


@definition(installed("scipy.stats.poisson_binom.cdf"))
def poisson_binom_cdf(k: Any, p: Any) -> Any:
    """With respect to the probabilities."""
    sums = np.cumsum(successes(p))
    return np.where(np.asarray(k) >= 0, sums[np.clip(k, 0, sums.shape[0] - 1)], 0.0)


@definition(installed("scipy.stats.poisson_binom.sf"))
def poisson_binom_sf(k: Any, p: Any) -> Any:
    """With respect to the probabilities."""
    return 1.0 - poisson_binom_cdf(k, p)


@definition(installed("scipy.stats.poisson_binom.mean"))
def poisson_binom_mean(p: Any) -> Any:
    """With respect to the probabilities."""
    return np.sum(p)


@definition(installed("scipy.stats.poisson_binom.var"))
def poisson_binom_var(p: Any) -> Any:
    """With respect to the probabilities."""
    return np.sum(p * (1.0 - p))
