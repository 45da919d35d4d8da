"""Densities of directions, and of matrices with heavy tails."""
from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.special as sp
import scipy.stats as st

from ...installed import installed
from ...registry import definition
from .matrices import log_multigamma, logdet


def log_constant(dim: Any, kappa: Any) -> Any:
    """The logarithm of the normalization constant of the von Mises-Fisher density."""
    order = 0.5 * dim - 1.0
    return order * np.log(kappa) - 0.5 * dim * math.log(2.0 * math.pi) - np.log(sp.ive(order, kappa)) - kappa


@definition(st.vonmises_fisher.logpdf)
def fisher_logpdf(x: Any, mu: Any = None, kappa: Any = 1) -> Any:
    """Of directions in the last axis; x and mu have length 1, and a derivative as if they need not have it."""
    return log_constant(mu.shape[0], kappa) + kappa * (x @ mu)


@definition(st.vonmises_fisher.pdf)
def fisher_pdf(x: Any, mu: Any = None, kappa: Any = 1) -> Any:
    """Of directions in the last axis; x and mu have length 1, and a derivative as if they need not have it."""
    return np.exp(fisher_logpdf(x, mu, kappa))


@definition(st.vonmises_fisher.entropy)
def fisher_entropy(mu: Any = None, kappa: Any = 1) -> Any:
    """With respect to the concentration."""
    order = 0.5 * mu.shape[0]
    return -log_constant(mu.shape[0], kappa) - kappa * sp.ive(order, kappa) / sp.ive(order - 1.0, kappa)


@definition(installed("scipy.stats.matrix_t.logpdf"))
def matrix_t_logpdf(X: Any, mean: Any, row_spread: Any, col_spread: Any, df: Any = 1) -> Any:
    """Of one matrix, for spreads of full rank."""
    m, n = row_spread.shape[0], col_spread.shape[0]
    d = X - mean
    inner = np.eye(n) + d.T @ np.linalg.solve(row_spread, d) @ np.linalg.inv(col_spread)
    half = 0.5 * (df + m + n - 1.0)
    return (log_multigamma(half, n) - log_multigamma(half - 0.5 * m, n) - 0.5 * m * n * math.log(math.pi)
            - 0.5 * n * logdet(row_spread) - 0.5 * m * logdet(col_spread) - half * np.linalg.slogdet(inner)[1])


@definition(installed("scipy.stats.matrix_t.pdf"))
def matrix_t_pdf(X: Any, mean: Any, row_spread: Any, col_spread: Any, df: Any = 1) -> Any:
    """Of one matrix, for spreads of full rank."""
    return np.exp(matrix_t_logpdf(X, mean, row_spread, col_spread, df))
