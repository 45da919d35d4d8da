"""Random numbers whose parameters shift or scale a fixed draw (reparametrization).

Other parameters, such as the shape of a gamma distribution, have no derivative here. The functions of ``np.random``
and the methods of generators, which take the generator as an argument, share their formulas.
"""
from __future__ import annotations

from typing import Any

import numpy as np

from .registry import rule


def functions(*names: str) -> list[Any]:
    """The functions of ``np.random``."""
    return [getattr(np.random, name) for name in names]


def methods(*names: str) -> list[Any]:
    """The methods of both kinds of generators."""
    return [getattr(cls, name) for cls in (np.random.Generator, np.random.RandomState) for name in names]


def by_scale(g: Any, y: Any, loc: Any, scale: Any) -> Any:
    """The cotangent of a scale: the distance of the draw from the location, in units of the scale."""
    return g * (y - loc) / scale


@rule(*functions("normal", "laplace", "logistic", "gumbel"))
def _(g, y, loc=0.0, scale=1.0, size=None):
    return g, by_scale(g, y, loc, scale)


@rule(*methods("normal", "laplace", "logistic", "gumbel"))
def _(g, y, rng, loc=0.0, scale=1.0, size=None):
    return None, g, by_scale(g, y, loc, scale)


def share(y: Any, low: Any, high: Any) -> Any:
    """How far a draw is from the lower to the upper bound."""
    return (y - low) / (high - low)


@rule(*functions("uniform"))
def _(g, y, low=0.0, high=1.0, size=None):
    return g * (1.0 - share(y, low, high)), g * share(y, low, high)


@rule(*methods("uniform"))
def _(g, y, rng, low=0.0, high=1.0, size=None):
    return None, g * (1.0 - share(y, low, high)), g * share(y, low, high)


@rule(*functions("exponential", "rayleigh"))
def _(g, y, scale=1.0, size=None):
    return by_scale(g, y, 0.0, scale)


@rule(*methods("exponential", "rayleigh"))
def _(g, y, rng, scale=1.0, size=None):
    return None, by_scale(g, y, 0.0, scale)


@rule(*functions("lognormal"))
def _(g, y, mean=0.0, sigma=1.0, size=None):
    return g * y, by_scale(g * y, np.log(y), mean, sigma)


@rule(*methods("lognormal"))
def _(g, y, rng, mean=0.0, sigma=1.0, size=None):
    return None, g * y, by_scale(g * y, np.log(y), mean, sigma)


@rule(*functions("gamma"))
def _(g, y, shape, scale=1.0, size=None):
    return None, by_scale(g, y, 0.0, scale)


@rule(*methods("gamma"))
def _(g, y, rng, shape, scale=1.0, size=None):
    return None, None, by_scale(g, y, 0.0, scale)


def by_exponent(g: Any, y: Any, a: Any) -> Any:
    """A draw is something to the power of 1 over ``a``."""
    return -g * y * np.log(y) / a


@rule(*functions("weibull", "power"))
def _(g, y, a, size=None):
    return by_exponent(g, y, a)


@rule(*methods("weibull", "power"))
def _(g, y, rng, a, size=None):
    return None, by_exponent(g, y, a)


@rule(*functions("pareto"))
def _(g, y, a, size=None):
    return by_exponent(g, 1.0 + y, a)


@rule(*methods("pareto"))
def _(g, y, rng, a, size=None):
    return None, by_exponent(g, 1.0 + y, a)
