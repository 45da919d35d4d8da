"""Covariances and histograms, said with sums and products."""
from __future__ import annotations

from typing import Any

import numpy as np

from .registry import definition


@definition(np.cov)
def cov(m: Any, y: Any = None, rowvar: Any = True, bias: Any = False, ddof: Any = None, fweights: Any = None, aweights: Any = None) -> Any:
    """The covariance matrix of variables in rows, weighed by frequencies and importances."""
    x = np.atleast_2d(m)
    if not rowvar and np.ndim(m) != 1:
        x = x.T
    if y is not None:
        other = np.atleast_2d(y)
        if not rowvar and np.ndim(y) != 1:
            other = other.T
        x = np.concatenate((x, other), axis=0)
    if ddof is None:
        ddof = 0 if bias else 1
    if fweights is None and aweights is None:
        d = x - np.mean(x, axis=1, keepdims=True)
        c = d @ np.conj(d).T / (x.shape[1] - ddof)
        return np.squeeze(c)
    weights = np.ones(x.shape[1])
    if fweights is not None:
        weights = weights * fweights
    if aweights is not None:
        weights = weights * aweights
    total = np.sum(weights)
    freedom = total - ddof
    if aweights is not None:
        freedom = total - ddof * np.sum(weights * aweights) / total
    d = x - (x @ weights / total)[:, None]
    c = d @ np.conj(d * weights).T / freedom
    return np.squeeze(c)


@definition(np.corrcoef)
def corrcoef(x: Any, y: Any = None, rowvar: Any = True) -> Any:
    """Covariances over the products of standard deviations."""
    c = cov(x, y, rowvar)
    if np.ndim(c) == 0:
        return c / c
    deviation = np.sqrt(np.real(np.diagonal(c)))
    return c / deviation[:, None] / deviation
