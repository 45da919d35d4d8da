"""Distributions with fixed parameters, as the compiler makes them where a function does: ``stats.norm(mu, sigma).pdf(x)``."""
from __future__ import annotations

from typing import Any

import scipy.stats as st
from scipy.stats._distn_infrastructure import rv_continuous_frozen, rv_discrete_frozen, rv_generic
from scipy.stats._multivariate import dirichlet_frozen, multivariate_normal_frozen, multivariate_t_frozen

from ...registry import definition, definition_of
from ...views import view
from .derived import parameter_names, parameters


class Frozen:
    """A distribution and its parameters."""

    def __init__(self, dist: Any, names: Any, args: Any, kwds: Any):
        self.dist, self.names, self.args, self.kwds = dist, names, args, kwds

    def pdf(self, x: Any) -> Any:
        return self.dist.pdf(x, *self.args, **self.kwds)

    def logpdf(self, x: Any) -> Any:
        return self.dist.logpdf(x, *self.args, **self.kwds)

    def pmf(self, k: Any) -> Any:
        return self.dist.pmf(k, *self.args, **self.kwds)

    def logpmf(self, k: Any) -> Any:
        return self.dist.logpmf(k, *self.args, **self.kwds)

    def cdf(self, x: Any) -> Any:
        return self.dist.cdf(x, *self.args, **self.kwds)

    def logcdf(self, x: Any) -> Any:
        return self.dist.logcdf(x, *self.args, **self.kwds)

    def sf(self, x: Any) -> Any:
        return self.dist.sf(x, *self.args, **self.kwds)

    def logsf(self, x: Any) -> Any:
        return self.dist.logsf(x, *self.args, **self.kwds)

    def ppf(self, q: Any) -> Any:
        return self.dist.ppf(q, *self.args, **self.kwds)

    def isf(self, q: Any) -> Any:
        return self.dist.isf(q, *self.args, **self.kwds)

    def mean(self) -> Any:
        return self.dist.mean(*self.args, **self.kwds)

    def var(self) -> Any:
        return self.dist.var(*self.args, **self.kwds)

    def std(self) -> Any:
        return self.dist.std(*self.args, **self.kwds)

    def median(self) -> Any:
        return self.dist.ppf(0.5, *self.args, **self.kwds)

    def entropy(self) -> Any:
        return self.dist.entropy(*self.args, **self.kwds)

    def support(self) -> Any:
        return self.dist.support(*self.args, **self.kwds)

    def moment(self, order: Any) -> Any:
        return self.dist.moment(order, *self.args, **self.kwds)

    def stats(self, moments: Any = "mv") -> Any:
        return self.dist.stats(*self.args, moments=moments, **self.kwds)

    def interval(self, confidence: Any = None) -> Any:
        return self.dist.interval(confidence, *self.args, **self.kwds)

    def rvs(self, size: Any = None, random_state: Any = None) -> Any:
        return self.dist.rvs(*parameters(self.names, self.args, self.kwds), size=size, random_state=random_state)

    def expect(self, func: Any = None, lb: Any = None, ub: Any = None, conditional: Any = False, **kwds: Any) -> Any:
        values = parameters(self.names, self.args, self.kwds)
        if self.names[-1] == "scale":
            return self.dist.expect(func, values[:-2], values[-2], values[-1], lb, ub, conditional, **kwds)
        return self.dist.expect(func, values[:-1], values[-1], lb, ub, conditional, **kwds)


def register(dist: Any) -> None:
    """Register the result of calling a distribution."""
    names = parameter_names(dist)

    @definition(dist, dist.freeze)
    def freeze(*args: Any, **kwds: Any) -> Any:
        return Frozen(dist, names, args, kwds)


@view(rv_continuous_frozen, rv_discrete_frozen)
def frozen_view(held: Any) -> Any:
    text = definition_of(getattr(st, held.dist.name, None))
    return None if text is None else (text, *parameters(parameter_names(held.dist), held.args, held.kwds))


for _dist in vars(st).values():
    if isinstance(_dist, rv_generic) and _dist is not getattr(st, "poisson_binom", None):
        register(_dist)


class FrozenOfSeveral:
    """A distribution of several variables and its parameters."""

    def __init__(self, dist: Any, *args: Any):
        self.dist, self.args = dist, args

    def logpdf(self, x: Any) -> Any:
        return self.dist.logpdf(x, *self.args)

    def pdf(self, x: Any) -> Any:
        return self.dist.pdf(x, *self.args)

    def entropy(self) -> Any:
        return self.dist.entropy(*self.args)


@definition(st.multivariate_normal)
def normal(mean: Any = None, cov: Any = 1, allow_singular: Any = False, seed: Any = None) -> Any:
    """With respect to both."""
    return FrozenOfSeveral(st.multivariate_normal, mean, cov)


@definition(st.multivariate_t)
def student(loc: Any = None, shape: Any = 1, df: Any = 1, allow_singular: Any = False, seed: Any = None) -> Any:
    """With respect to all of them."""
    return FrozenOfSeveral(st.multivariate_t, loc, shape, df)


@definition(st.dirichlet)
def dirichlet(alpha: Any, seed: Any = None) -> Any:
    """With respect to its exponents."""
    return FrozenOfSeveral(st.dirichlet, alpha)


view(multivariate_normal_frozen)(lambda held: (normal, held.mean, held.cov_object.covariance))
view(multivariate_t_frozen)(lambda held: (student, held.loc, held.shape, float(held.df)))
view(dirichlet_frozen)(lambda held: (dirichlet, held.alpha))
