"""Summaries of samples that return several figures at once: of numbers, directions and bins, and of what is believed of a normal sample."""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.stats as st

from ....ir.infer_shapes import SHAPES
from ....ir.types import ANY, Arr
from ...installed import at_least
from ...registry import constant, definition
from ...static import NoDerivative
from .missing import whole
from .results import result_class
from .samples import kurtosis, skew

DescribeResult = result_class("_stats_py.DescribeResult", "nobs", "minmax", "mean", "variance", "skewness", "kurtosis")
RelfreqResult = result_class("_stats_py.RelfreqResult", "frequency", "lowerlimit", "binsize", "extrapoints")
CumfreqResult = result_class("_stats_py.CumfreqResult", "cumcount", "lowerlimit", "binsize", "extrapoints")
#: credible intervals of the mean, the variance and the standard deviation
BayesMean = result_class("_morestats.Mean", "statistic", "minmax")
BayesVariance = result_class("_morestats.Variance", "statistic", "minmax")
BayesDeviation = result_class("_morestats.Std_dev", "statistic", "minmax")


@definition(st.describe)
def describe(a: Any, axis: Any = 0, ddof: Any = 1, bias: Any = True, nan_policy: Any = "propagate") -> Any:
    """Size, range, mean, variance, skewness and kurtosis."""
    if isinstance(axis, tuple):
        raise NoDerivative("describe has a derivative along one axis, or with axis=None")
    x, along = (np.ravel(a), 0) if axis is None else (a, axis)
    x = whole("describe", nan_policy, x)
    ends = np.min(x, axis=along), np.max(x, axis=along)
    return DescribeResult(x.shape[along], ends, np.mean(x, axis=along), np.var(x, axis=along, ddof=ddof),
                       skew(x, along, bias), kurtosis(x, along, True, bias))


class Directions:
    """The mean of directions, and the length of their mean."""

    def __init__(self, direction: Any, length: Any):
        self.mean_direction, self.mean_resultant_length = direction, length


@definition(st.directional_stats)
def directional_stats(samples: Any, *, axis: Any = 0, normalize: Any = True) -> Any:
    """With respect to vectors in the last axis."""
    x = np.moveaxis(samples, axis, 0)
    if normalize:
        x = x / np.sqrt(np.sum(x * x, axis=-1, keepdims=True))
    mean = np.mean(x, axis=0)
    length = np.sqrt(np.sum(mean * mean, axis=-1, keepdims=True))
    return Directions(mean / length, length[..., 0])


@definition(None if at_least("scipy", 1, 18) else st.obrientransform)
def obrientransform_in_one(*samples: Any) -> Any:
    """Of samples of one length, as the rows of one array."""
    return np.stack([obrien(a) for a in samples])


@definition(st.obrientransform if at_least("scipy", 1, 18) else None)
def obrientransform(*samples: Any) -> Any:
    """Of each sample."""
    return tuple([obrien(a) for a in samples])


def obrien(a: Any) -> Any:
    """Numbers whose mean is the variance of a sample."""
    n = a.shape[0]
    squares = (a - np.mean(a)) ** 2
    return ((n - 1.5) * n * squares - 0.5 * np.sum(squares)) / ((n - 1.0) * (n - 2.0))


def counts(a: Any, bins: Any, limits: Any, share: Any) -> Any:
    found = st.relfreq(a, bins, limits).frequency
    return found if share else np.cumsum(np.rint(found * np.shape(a)[0]))


def outside(a: Any, bins: Any, limits: Any) -> Any:
    return st.relfreq(a, bins, limits).extrapoints


constant(counts, outside)
SHAPES.update({counts: lambda *args: Arr("float64", (ANY,))})


def spread_of(a: Any, bins: Any, limits: Any, weights: Any) -> tuple[Any, Any]:
    """The lower limit and the width of the bins."""
    if weights is not None:
        raise NoDerivative("relfreq and cumfreq have a derivative without weights; np.histogram has one through them")
    if limits is not None:
        return limits[0], (limits[1] - limits[0]) / bins
    low, high = np.min(a), np.max(a)
    margin = (high - low) / (2.0 * (bins - 1.0))
    return low - margin, (high - low + 2.0 * margin) / bins


@definition(st.relfreq)
def relfreq(a: Any, numbins: Any = 10, defaultreallimits: Any = None, weights: Any = None) -> Any:
    """The counts are constant, the bins go with the sample."""
    low, size = spread_of(a, numbins, defaultreallimits, weights)
    return RelfreqResult(counts(a, numbins, defaultreallimits, True), low, size, outside(a, numbins, defaultreallimits))


@definition(st.cumfreq)
def cumfreq(a: Any, numbins: Any = 10, defaultreallimits: Any = None, weights: Any = None) -> Any:
    """The counts are constant, the bins go with the sample."""
    low, size = spread_of(a, numbins, defaultreallimits, weights)
    return CumfreqResult(counts(a, numbins, defaultreallimits, False), low, size, outside(a, numbins, defaultreallimits))


def unit_distributions(n: Any) -> Any:
    """What the mean, the deviation and the variance are believed to be, of a sample of n numbers with unit scales."""
    half = 0.5 * (n - 1.0)
    return (st.t(n - 1), st.gengamma(half, -2), st.invgamma(half)) if n <= 1000 else (st.norm(), st.norm(), st.norm())


def unit_limits(n: Any, which: Any, alpha: Any) -> Any:
    """Mean and interval of one of them."""
    dist = unit_distributions(n)[which]
    return np.array([dist.mean(), *dist.interval(alpha)])


constant(unit_limits)
SHAPES[unit_limits] = lambda *args: Arr("float64", (ANY,))


def places_and_scales(data: Any) -> Any:
    """For mean, deviation and variance: where what is believed of them lies, and its scale."""
    n = data.size
    mean, c = np.mean(data), np.var(data)
    if n > 1000:
        return (mean, np.sqrt(c / n)), (np.sqrt(c), np.sqrt(c / (2.0 * n))), (c, np.sqrt(2.0 / n) * c)
    return (mean, np.sqrt(c / (n - 1.0))), (0.0, np.sqrt(0.5 * n * c)), (0.0, 0.5 * n * c)


def estimate(result: Any, n: Any, which: Any, alpha: Any, place: Any) -> Any:
    found = place[0] + place[1] * unit_limits(n, which, alpha)
    return result(found[0], (found[1], found[2]))


@definition(st.bayes_mvs)
def bayes_mvs(data: Any, alpha: Any = 0.90) -> Any:
    """Mean, variance and deviation of a normal sample."""
    mean, deviation, variance = places_and_scales(data)
    n = data.size
    return (estimate(BayesMean, n, 0, alpha, mean), estimate(BayesVariance, n, 2, alpha, variance),
            estimate(BayesDeviation, n, 1, alpha, deviation))


@definition(st.mvsdist)
def mvsdist(data: Any) -> Any:
    """The distributions of mean, variance and deviation of a normal sample."""
    if data.size > 1000:
        raise NoDerivative("mvsdist has a derivative for up to 1,000 numbers: for more, all three are close to normal distributions")
    mean, deviation, variance = places_and_scales(data)
    n = data.size
    half = 0.5 * (n - 1.0)
    return st.t(n - 1.0, mean[0], mean[1]), st.invgamma(half, 0.0, variance[1]), st.gengamma(half, -2.0, 0.0, deviation[1])
