"""Derivatives by the shapes of discrete distributions: sums over the support of the mass times its score."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...registry import rule
from .types import broadcasts

__all__ = ["MASSES", "cumulated", "mass_entropy_slope", "mass_moment_slope", "window"]

#: a discrete distribution → its formulas (see `masses.Discrete`)
MASSES: dict[Any, Any] = {}
#: the probability beyond the quantiles from which the ends of an infinite support are guessed, and the most terms of a sum
_TAIL, _MOST = 1e-15, 50_000


def window(dist: Any, shapes: Any) -> tuple[int, int]:
    """The first and the last number whose mass may matter, for any of the shapes; of heavy tails no more than `_MOST`."""
    low, high = dist.support(*shapes)
    with np.errstate(all="ignore"):
        middle, first, last = dist.median(*shapes), dist.ppf(_TAIL, *shapes), dist.isf(_TAIL, *shapes)
        low = np.where(np.isfinite(low), low, middle - 2.0 * (middle - first) - 20.0)
        high = np.minimum(high, np.nan_to_num(middle + 2.0 * (last - middle) + 20.0, nan=_MOST))
    start = int(np.nanmin(low, initial=0.0))
    return start, int(min(np.nanmax(high, initial=1.0), start + _MOST))


def _summed(logpmf: Any, place: int, shapes: Any, weigh: Callable[[Any, Any], Any], last: Any = np.inf) -> Any:
    """The sum over the support, up to ``last``, of the mass, its score by a shape and a weight.

    NaN where too much of the mass is too far out.
    """
    dist = logpmf.__self__
    low, high = window(dist, shapes)
    beyond = dist.sf(high, *shapes) > 1e-9 if np.any(np.isinf(last)) else False
    high = int(min(high, np.max(last)))
    k = np.arange(low, high + 1)
    spread = [np.asarray(s)[..., None] for s in shapes]
    with np.errstate(all="ignore"):
        log = dist.logpmf(k, *spread)
        terms = np.exp(log) * MASSES[dist].score(k, *spread)[place] * weigh(k.astype(float), log)
    return np.where(beyond, np.nan, np.sum(np.where(log > -np.inf, terms, 0.0), axis=-1))[()]


def cumulated(logpmf: Any, place: int, k: Any, *shapes: Any) -> Any:
    """How a distribution function changes with a shape."""
    last = np.floor(np.asarray(k))[..., None]
    return _summed(logpmf, place, shapes, lambda j, log: j <= last, last)


def mass_moment_slope(logpmf: Any, place: int, order: Any, *shapes: Any) -> Any:
    """How a moment about 0 changes with a shape."""
    return _summed(logpmf, place, shapes, lambda k, log: k ** order)


def mass_entropy_slope(logpmf: Any, place: int, *shapes: Any) -> Any:
    """How the entropy changes with a shape."""
    return _summed(logpmf, place, shapes, lambda k, log: -log)


broadcasts(cumulated, mass_moment_slope, mass_entropy_slope)


@rule(cumulated)
def _(g, y, logpmf, place, k, *shapes):
    """A second derivative by a shape has no text."""
    return None, None, 0.0 * g


@rule(mass_moment_slope)
def _(g, y, logpmf, place, order, *shapes):
    """A second derivative by a shape has no text."""
    return None, None, None


@rule(mass_entropy_slope)
def _(g, y, logpmf, place, *shapes):
    """A second derivative by a shape has no text."""
    return None, None
