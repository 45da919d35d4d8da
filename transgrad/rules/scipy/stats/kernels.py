"""The density that a sample makes plausible: a sum of normal densities around its points."""
from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.special as sp
import scipy.stats as st

from ...registry import definition
from ...static import NoDerivative
from ...views import view


class Kernels:
    """Normal densities around points (a column each), of one covariance."""

    def __init__(self, dataset: Any, weights: Any, factor: Any, neff: Any, covariance: Any):
        self.dataset, self.weights, self.factor, self.neff, self.covariance = dataset, weights, factor, neff, covariance
        self.d, self.n = dataset.shape[0], dataset.shape[1]

    def logpdf(self, x: Any) -> Any:
        places = places_of(x, self.d)
        root = np.linalg.cholesky(self.covariance)
        there, here = np.linalg.solve(root, places), np.linalg.solve(root, self.dataset)
        apart = there[:, :, None] - here[:, None, :]
        terms = np.log(self.weights) - 0.5 * np.sum(apart * apart, axis=0)
        return sp.logsumexp(terms, axis=1) - 0.5 * self.d * math.log(2.0 * math.pi) - np.sum(np.log(np.diagonal(root)))

    def evaluate(self, points: Any) -> Any:
        return np.exp(self.logpdf(points))

    def __call__(self, points: Any) -> Any:
        return self.evaluate(points)

    def pdf(self, x: Any) -> Any:
        return self.evaluate(x)

    def integrate_box_1d(self, low: Any, high: Any) -> Any:
        spread = np.sqrt(self.covariance[0, 0])
        return np.sum(self.weights * (sp.ndtr((high - self.dataset[0]) / spread) - sp.ndtr((low - self.dataset[0]) / spread)))

    def integrate_gaussian(self, mean: Any, cov: Any) -> Any:
        shifted = Kernels(self.dataset, self.weights, self.factor, self.neff, self.covariance + np.atleast_2d(cov))
        return shifted.evaluate(np.atleast_1d(mean)[:, None])[0]

    def integrate_kde(self, other: Any) -> Any:
        shifted = Kernels(self.dataset, self.weights, self.factor, self.neff, self.covariance + other.covariance)
        return np.sum(other.weights * shifted.evaluate(other.dataset))


def places_of(x: Any, dims: Any) -> Any:
    """Places, a column each; of several variables one place may be given alone."""
    places = np.atleast_2d(x)
    return np.reshape(places, (dims, 1)) if places.shape[0] != dims and places.shape[1] == dims else places


def kernels(dataset: Any, weights: Any, factor: Any, neff: Any, covariance: Any) -> Kernels:
    """The kernels, from their precomputed parts."""
    return Kernels(dataset, weights, factor, neff, covariance)


@view(st.gaussian_kde)
def kernels_view(held: Any) -> Any:
    return kernels, held.dataset, held.weights, held.factor, held.neff, held.covariance


@definition(st.gaussian_kde)
def gaussian_kde(dataset: Any, bw_method: Any = None, weights: Any = None) -> Any:
    """With respect to the points, the weights, a numeric bandwidth, and the points of evaluation."""
    points = np.atleast_2d(dataset)
    d, n = points.shape
    share = np.ones(n) / n if weights is None else weights / np.sum(weights)
    neff = 1.0 / np.sum(share * share)
    if callable(bw_method):
        raise NoDerivative("gaussian_kde has a derivative with bw_method 'scott', 'silverman' or a number")
    if bw_method is None or isinstance(bw_method, str):
        factor = (neff if bw_method != "silverman" else neff * (d + 2.0) / 4.0) ** (-1.0 / (d + 4.0))
    else:
        factor = bw_method
    apart = points - np.sum(share * points, axis=1, keepdims=True)
    cov = (share * apart) @ apart.T / (1.0 - np.sum(share * share))
    return Kernels(points, share, factor, neff, cov * factor ** 2)
