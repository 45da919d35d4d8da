"""SciPy's random variables (``stats.Normal(mu=0.3, sigma=2.0).logpdf(x)``), as the compiler makes them where a function does: by the
distributions in lower case."""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.stats as st

from ...installed import installed
from ...registry import definition
from ...views import view


class Variable:
    """A distribution in lower case with its parameters: common code of continuous and discrete variables."""

    def __init__(self, dist: Any, args: Any):
        self.dist, self.args = dist, args

    def cdf(self, x: Any, y: Any = None, *, method: Any = None) -> Any:
        return self.dist.cdf(x, *self.args) if y is None else self.dist.cdf(y, *self.args) - self.dist.cdf(x, *self.args)

    def ccdf(self, x: Any, y: Any = None, *, method: Any = None) -> Any:
        return self.dist.sf(x, *self.args) if y is None else self.dist.cdf(x, *self.args) + self.dist.sf(y, *self.args)

    def logcdf(self, x: Any, y: Any = None, *, method: Any = None) -> Any:
        return self.dist.logcdf(x, *self.args) if y is None else np.log(self.cdf(x, y))

    def logccdf(self, x: Any, y: Any = None, *, method: Any = None) -> Any:
        return self.dist.logsf(x, *self.args) if y is None else np.log(self.ccdf(x, y))

    def icdf(self, p: Any, *, method: Any = None) -> Any:
        return self.dist.ppf(p, *self.args)

    def iccdf(self, p: Any, *, method: Any = None) -> Any:
        return self.dist.isf(p, *self.args)

    def mean(self, *, method: Any = None) -> Any:
        return self.dist.mean(*self.args)

    def variance(self, *, method: Any = None) -> Any:
        return self.dist.var(*self.args)

    def standard_deviation(self, *, method: Any = None) -> Any:
        return self.dist.std(*self.args)

    def median(self, *, method: Any = None) -> Any:
        return self.dist.median(*self.args)

    def skewness(self, *, method: Any = None) -> Any:
        return self.dist.stats(*self.args, moments="s")

    def kurtosis(self, *, method: Any = None, convention: Any = "non-excess") -> Any:
        return self.dist.stats(*self.args, moments="k") + (3.0 if convention == "non-excess" else 0.0)

    def entropy(self, *, method: Any = None) -> Any:
        return self.dist.entropy(*self.args)

    def support(self) -> Any:
        return self.dist.support(*self.args)


class Continuous(Variable):
    """A variable with a density."""

    def pdf(self, x: Any, *, method: Any = None) -> Any:
        return self.dist.pdf(x, *self.args)

    def logpdf(self, x: Any, *, method: Any = None) -> Any:
        return self.dist.logpdf(x, *self.args)


class Discrete(Variable):
    """A variable with a mass."""

    def pmf(self, x: Any, *, method: Any = None) -> Any:
        return self.dist.pmf(x, *self.args)

    def logpmf(self, x: Any, *, method: Any = None) -> Any:
        return self.dist.logpmf(x, *self.args)


@view(*(type(st.Normal(**given)) for given in ({"mu": 0.0, "sigma": 1.0}, {}) if hasattr(st, "Normal")))
def normal_view(held: Any) -> Any:
    return normal, getattr(held, "mu", None), getattr(held, "sigma", None)


@definition(installed("scipy.stats.Normal"))
def normal(mu: Any = None, sigma: Any = None) -> Any:
    """With respect to place, mean and deviation."""
    return Continuous(st.norm, (0.0 if mu is None else mu, 1.0 if sigma is None else sigma))


@view(installed("scipy.stats.Logistic"))
def logistic_view(held: Any) -> Any:
    return (logistic,)


@definition(installed("scipy.stats.Logistic"))
def logistic() -> Any:
    """With respect to the place."""
    return Continuous(st.logistic, ())


def between(a: Any, b: Any) -> Any:
    return Continuous(st.uniform, (a, b - a))


@view(installed("scipy.stats.Uniform"))
def uniform_view(held: Any) -> Any:
    return between, held.a, held.b


@definition(installed("scipy.stats.Uniform"))
def uniform(*, a: Any = None, b: Any = None) -> Any:
    """With respect to place and ends."""
    return between(a, b)


def successes(n: Any, p: Any) -> Any:
    return Discrete(st.binom, (n, p))


@view(installed("scipy.stats.Binomial"))
def binomial_view(held: Any) -> Any:
    return successes, held.n, held.p


@definition(installed("scipy.stats.Binomial"))
def binomial(*, n: Any, p: Any) -> Any:
    """With respect to the probability."""
    return successes(n, p)


class Histogram:
    """A density that is constant on each of several bins."""

    def __init__(self, heights: Any, edges: Any):
        self.heights, self.edges = heights, edges
        self.sums = np.concatenate((np.zeros(1), np.cumsum(heights * np.diff(edges))))

    def pdf(self, x: Any) -> Any:
        padded = np.concatenate((np.zeros(1), self.heights, np.zeros(1)))
        return padded[np.searchsorted(self.edges, x, side="right")]

    def logpdf(self, x: Any) -> Any:
        return np.log(self.pdf(x))

    def cdf(self, x: Any) -> Any:
        return np.interp(x, self.edges, self.sums)

    def sf(self, x: Any) -> Any:
        return 1.0 - self.cdf(x)

    def ppf(self, q: Any) -> Any:
        return np.interp(q, self.sums, self.edges)

    def moment(self, order: Any) -> Any:
        return np.sum(self.heights * np.diff(self.edges ** (order + 1))) / (order + 1)

    def mean(self) -> Any:
        return self.moment(1)

    def var(self) -> Any:
        return self.moment(2) - self.moment(1) ** 2

    def std(self) -> Any:
        return np.sqrt(self.var())

    def median(self) -> Any:
        return self.ppf(0.5)


@definition(st.rv_histogram)
def rv_histogram(histogram: Any, *args: Any, density: Any = None, **kwargs: Any) -> Any:
    """With respect to the counts, the edges and the points of evaluation. At an edge the density is that of the bin to the right."""
    edges = np.asarray(histogram[1])
    heights = np.asarray(histogram[0]) / (1.0 if density is None or density else np.diff(edges))
    return Histogram(heights / np.sum(heights * np.diff(edges)), edges)


class Mixed:
    """Several variables, each drawn from with a weight."""

    def __init__(self, components: Any, weights: Any):
        self.components, self.weights = components, weights

    def pdf(self, x: Any, *, method: Any = None) -> Any:
        return sum([w * part.pdf(x) for w, part in zip(self.weights, self.components)])

    def logpdf(self, x: Any, *, method: Any = None) -> Any:
        return np.log(self.pdf(x))

    def cdf(self, x: Any, y: Any = None, *, method: Any = None) -> Any:
        return sum([w * part.cdf(x, y) for w, part in zip(self.weights, self.components)])

    def ccdf(self, x: Any, y: Any = None, *, method: Any = None) -> Any:
        return sum([w * part.ccdf(x, y) for w, part in zip(self.weights, self.components)])

    def logcdf(self, x: Any, y: Any = None, *, method: Any = None) -> Any:
        return np.log(self.cdf(x, y))

    def logccdf(self, x: Any, y: Any = None, *, method: Any = None) -> Any:
        return np.log(self.ccdf(x, y))

    def mean(self, *, method: Any = None) -> Any:
        return sum([w * part.mean() for w, part in zip(self.weights, self.components)])

    def variance(self, *, method: Any = None) -> Any:
        middle = self.mean()
        return sum([w * (part.variance() + (part.mean() - middle) ** 2) for w, part in zip(self.weights, self.components)])

    def standard_deviation(self, *, method: Any = None) -> Any:
        return np.sqrt(self.variance())


@definition(installed("scipy.stats.Mixture"))
def mixture(components: Any, *, weights: Any = None) -> Any:
    """Of a list of variables: density, distribution function, mean and variance, through all that is theirs and through the weights."""
    count = len(components)
    return Mixed(components, [1.0 / count] * count if weights is None else weights)
