"""Distributions with fixed parameters, as the compiler makes them where a function does: ``stats.norm(mu, sigma).pdf(x)``."""
from __future__ import annotations

from typing import Any

import scipy.stats as st
from scipy.stats._distn_infrastructure import rv_generic

from ...registry import definition


class Frozen:
    """A distribution and its parameters."""

    def __init__(self, dist: Any, args: Any, kwds: Any):
        self.dist, self.args, self.kwds = dist, args, kwds

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


def register(dist: Any) -> None:
    """What a call of a distribution makes."""

    @definition(dist, dist.freeze)
    def freeze(*args: Any, **kwds: Any) -> Any:
        return Frozen(dist, args, kwds)


for _dist in vars(st).values():
    if isinstance(_dist, rv_generic):
        register(_dist)
