"""Densities of matrices and directions, and the entropies of several variables."""
from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.special as sp
import scipy.stats as st

from ...installed import at_least, installed
from ...registry import definition


def logdet(a: Any) -> Any:
    """The logarithm of the determinant of a positive definite matrix, by its lower triangle, as SciPy reads it."""
    return 2.0 * np.sum(np.log(np.diagonal(np.linalg.cholesky(a))))


def trace_of_ratio(a: Any, b: Any) -> Any:
    """The trace of ``inv(a) @ b``, by the lower triangle of a."""
    root = np.linalg.cholesky(a)
    return np.trace(np.linalg.solve(root.T, np.linalg.solve(root, b)))


def log_multigamma(a: Any, n: Any) -> Any:
    """The logarithm of the gamma function of several variables."""
    return 0.25 * n * (n - 1) * math.log(math.pi) + np.sum(sp.gammaln(a - 0.5 * np.arange(n)))


@definition(st.multivariate_normal.entropy)
def normal_entropy(mean: Any = None, cov: Any = 1) -> Any:
    """For a covariance matrix of full rank."""
    return 0.5 * (cov.shape[0] * (1.0 + math.log(2.0 * math.pi)) + logdet(cov))


@definition(st.dirichlet.entropy)
def dirichlet_entropy(alpha: Any) -> Any:
    total, n = np.sum(alpha), alpha.shape[0]
    return (np.sum(sp.gammaln(alpha)) - sp.gammaln(total) + (total - n) * sp.digamma(total)
            - np.sum((alpha - 1.0) * sp.digamma(alpha)))


@definition(st.dirichlet.mean)
def dirichlet_mean(alpha: Any) -> Any:
    return alpha / np.sum(alpha)


@definition(st.dirichlet.var)
def dirichlet_var(alpha: Any) -> Any:
    total = np.sum(alpha)
    return alpha * (total - alpha) / (total * total * (total + 1.0))


@definition(st.dirichlet.cov)
def dirichlet_cov(alpha: Any) -> Any:
    total = np.sum(alpha)
    a = alpha / total
    return (np.diag(a) - np.outer(a, a)) / (total + 1.0)



@definition(st.wishart.logpdf)
def wishart_logpdf(x: Any, df: Any, scale: Any) -> Any:
    """Of one positive definite matrix."""
    n = scale.shape[0]
    return (0.5 * (df - n - 1.0) * logdet(x) - 0.5 * trace_of_ratio(scale, x) - 0.5 * df * n * math.log(2.0)
            - 0.5 * df * logdet(scale) - log_multigamma(0.5 * df, n))


@definition(st.wishart.pdf)
def wishart_pdf(x: Any, df: Any, scale: Any) -> Any:
    """Of one positive definite matrix."""
    return np.exp(wishart_logpdf(x, df, scale))


@definition(st.wishart.mean)
def wishart_mean(df: Any, scale: Any) -> Any:
    return df * scale


@definition(st.invwishart.logpdf)
def invwishart_logpdf(x: Any, df: Any, scale: Any) -> Any:
    """Of one positive definite matrix."""
    n = scale.shape[0]
    half = np.linalg.solve(np.linalg.cholesky(x), np.linalg.cholesky(scale))
    return (0.5 * df * logdet(scale) - 0.5 * np.sum(half * half) - 0.5 * df * n * math.log(2.0)
            - 0.5 * (df + n + 1.0) * logdet(x) - log_multigamma(0.5 * df, n))


@definition(st.invwishart.pdf)
def invwishart_pdf(x: Any, df: Any, scale: Any) -> Any:
    """Of one positive definite matrix."""
    return np.exp(invwishart_logpdf(x, df, scale))


@definition(st.invwishart.mean)
def invwishart_mean(df: Any, scale: Any) -> Any:
    return scale / (df - scale.shape[0] - 1.0)


@definition(st.matrix_normal.logpdf)
def matrix_logpdf(X: Any, mean: Any, rowcov: Any, colcov: Any) -> Any:
    """Of one matrix, for covariances of full rank."""
    n, p = rowcov.shape[0], colcov.shape[0]
    d = X - mean
    half = np.linalg.solve(np.linalg.cholesky(rowcov), d)
    whitened = np.linalg.solve(np.linalg.cholesky(colcov), half.T)
    squares = np.sum(whitened * whitened)
    return -0.5 * (n * p * math.log(2.0 * math.pi) + p * logdet(rowcov) + n * logdet(colcov) + squares)


@definition(st.matrix_normal.pdf)
def matrix_pdf(X: Any, mean: Any, rowcov: Any, colcov: Any) -> Any:
    """Of one matrix, for covariances of full rank."""
    return np.exp(matrix_logpdf(X, mean, rowcov, colcov))


LAST_IS_GIVEN = at_least("scipy", 1, 18)


@definition(st.multinomial.logpmf)
def multinomial_logpmf(x: Any, n: Any, p: Any) -> Any:
    """Differentiated by the probabilities; before version 1.18, SciPy replaces the last one by one minus the sum of the others."""
    full = p if LAST_IS_GIVEN else np.concatenate((p[:-1], np.reshape(1.0 - np.sum(p[:-1]), (1,))))
    return sp.gammaln(n + 1.0) + np.sum(sp.xlogy(x, full) - sp.gammaln(x + 1.0), axis=-1)


@definition(st.multinomial.pmf)
def multinomial_pmf(x: Any, n: Any, p: Any) -> Any:
    """Differentiated by the probabilities; before version 1.18, SciPy replaces the last one by one minus the sum of the others."""
    return np.exp(multinomial_logpmf(x, n, p))


@definition(st.dirichlet_multinomial.logpmf)
def polya_logpmf(x: Any, alpha: Any, n: Any) -> Any:
    """With respect to the concentrations."""
    total = np.sum(alpha)
    return (sp.gammaln(total) + sp.gammaln(n + 1.0) - sp.gammaln(n + total)
            + np.sum(sp.gammaln(x + alpha) - sp.gammaln(alpha) - sp.gammaln(x + 1.0), axis=-1))


@definition(st.dirichlet_multinomial.pmf)
def polya_pmf(x: Any, alpha: Any, n: Any) -> Any:
    """With respect to the concentrations."""
    return np.exp(polya_logpmf(x, alpha, n))


@definition(installed("scipy.stats.normal_inverse_gamma.logpdf"))
def normal_inverse_gamma_logpdf(x: Any, s2: Any, mu: Any = 0, lmbda: Any = 1, a: Any = 1, b: Any = 1) -> Any:
    """Of a mean and a variance."""
    return (0.5 * np.log(lmbda / (2.0 * math.pi * s2)) + a * np.log(b) - sp.gammaln(a) - (a + 1.0) * np.log(s2)
            - (2.0 * b + lmbda * (x - mu) ** 2) / (2.0 * s2))


@definition(installed("scipy.stats.normal_inverse_gamma.pdf"))
def normal_inverse_gamma_pdf(x: Any, s2: Any, mu: Any = 0, lmbda: Any = 1, a: Any = 1, b: Any = 1) -> Any:
    """Of a mean and a variance."""
    return np.exp(normal_inverse_gamma_logpdf(x, s2, mu, lmbda, a, b))
