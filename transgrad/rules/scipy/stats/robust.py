"""Figures of samples that pick numbers out of them: quantiles, trimmed and clipped samples, slopes, L-moments, the most frequent."""
from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.stats as st

from ....ir.infer_shapes import SHAPES
from ....ir.types import ANY, Arr
from ...installed import installed
from ...registry import constant, definition
from ...static import NoDerivative
from .hypotheses import only
from .missing import check, statistic, whole
from .results import result_class

SigmaclipResult = result_class("_stats_py.SigmaclipResult", "clipped", "lower", "upper")
ModeResult = result_class("_stats_py.ModeResult", "mode", "count")
SiegelslopesResult = result_class("_stats_mstats_common.SiegelslopesResult", "slope", "intercept")
TheilslopesResult = result_class("_stats_mstats_common.TheilslopesResult", "slope", "intercept", "low_slope", "high_slope")


@definition(st.trimboth)
def trimboth(a: Any, proportiontocut: Any, axis: Any = 0) -> Any:
    """The elements without the smallest and largest ones."""
    x = np.ravel(a) if axis is None else np.moveaxis(a, axis, 0)
    cut = int(proportiontocut * x.shape[0])
    return between(x, cut, x.shape[0] - cut, axis)


@definition(st.trim1)
def trim1(a: Any, proportiontocut: Any, tail: Any = "right", axis: Any = 0) -> Any:
    """The elements without the largest or, with ``tail="left"``, the smallest ones."""
    x = np.ravel(a) if axis is None else np.moveaxis(a, axis, 0)
    cut = int(proportiontocut * x.shape[0])
    return between(x, cut, x.shape[0], axis) if tail == "left" else between(x, 0, x.shape[0] - cut, axis)


def between(x: Any, low: Any, high: Any, axis: Any) -> Any:
    """Those from one rank to another along the first axis, in the order in which NumPy partitions them; that axis then goes back."""
    kept = np.take_along_axis(x, partition_places(x, low, high), axis=0)[low:high]
    return kept if axis is None or axis == 0 else np.moveaxis(kept, 0, axis)


def partition_places(x: Any, low: Any, high: Any) -> Any:
    return np.argpartition(x, (low, high - 1), axis=0)


def kept_places(a: Any, low: Any, high: Any) -> Any:
    """The places of what is clipped last from (where the limits come from), and of what is left."""
    at = np.arange(np.size(a))
    x = np.ravel(a)
    while True:
        mean, spread = np.mean(x[at]), np.std(x[at])
        inside = (x[at] >= mean - spread * low) & (x[at] <= mean + spread * high)
        if np.all(inside):
            return at
        at = at[inside]


def most_frequent(a: Any) -> Any:
    """The place, for each series along the first axis, of the smallest of the most frequent numbers."""
    rows = np.reshape(a, (np.shape(a)[0], -1))
    found = st.mode(rows, axis=0).mode
    return np.argmax(rows == found, axis=0).reshape(np.shape(a)[1:])


def counted(a: Any, place: Any) -> Any:
    """How often the number at a place occurs."""
    return np.sum(a == np.take_along_axis(a, np.expand_dims(place, 0), axis=0), axis=0)


def moment_weights(n: Any, count: Any) -> Any:
    """The matrix that makes L-moments of a sorted sample: a row a moment."""
    j = np.arange(n)
    raw = np.array([[math.comb(int(k), r) / math.comb(n - 1, r) / n if n > r else np.nan for k in j] for r in range(count)])
    legendre = np.array([[(-1.0) ** (r - k) * math.comb(r, k) * math.comb(r + k, k) if k <= r else 0.0 for k in range(count)]
                         for r in range(count)])
    return legendre @ raw


def normal_quantile(p: Any) -> Any:
    return float(st.norm.ppf(p))


constant(partition_places, kept_places, most_frequent, counted, moment_weights)
SHAPES.update({partition_places: lambda x, low, high: Arr("int64", x.type.dims) if isinstance(x.type, Arr) else None,
               kept_places: lambda *args: Arr("int64", (ANY,)), moment_weights: lambda *args: Arr("float64", (ANY, ANY)),
               most_frequent: lambda a: Arr("int64", a.type.dims[1:]) if isinstance(a.type, Arr) else None,
               counted: lambda a, place: place.type})


@definition(st.sigmaclip)
def sigmaclip(a: Any, low: Any = 4.0, high: Any = 4.0) -> Any:
    """Which numbers are left is constant."""
    x = np.ravel(a)[kept_places(a, low, high)]
    mean, spread = np.mean(x), np.std(x)
    return SigmaclipResult(x, mean - spread * low, mean + spread * high)


@statistic(st.mode, "a", result=ModeResult)
def mode(a: Any, axis: Any = 0) -> Any:
    """The place of the most frequent number, the smallest of them, is constant; of equals the first has the derivative."""
    x = np.moveaxis(a, axis, 0)
    place = most_frequent(x)
    return ModeResult(np.take_along_axis(x, np.expand_dims(place, 0), axis=0)[0], counted(x, place))


@definition(installed("scipy.stats.lmoment"))
def lmoment(sample: Any, order: Any = None, *, axis: Any = 0, sorted: Any = False, standardize: Any = True,
            nan_policy: Any = "propagate", keepdims: Any = False) -> Any:
    """With respect to the sample, whose order is constant; the first four by default."""
    only("lmoment", keepdims=keepdims, axis=isinstance(axis, tuple))
    x = whole("lmoment", nan_policy, np.ravel(sample) if axis is None else np.moveaxis(sample, axis, 0))
    if not sorted:
        x = np.sort(x, axis=0)
    wanted = np.array((1, 2, 3, 4) if order is None else order)
    found = np.tensordot(moment_weights(x.shape[0], int(np.max(wanted))), x, 1)
    if standardize:
        found = np.concatenate((found[:2], found[2:] / found[1:2]), axis=0)
    return found[wanted - 1]


@definition(installed("scipy.stats.quantile"))
def quantile(x: Any, p: Any, *, method: Any = "linear", axis: Any = 0, nan_policy: Any = "propagate", keepdims: Any = None,
             weights: Any = None) -> Any:
    """Of one probability, or of several for one series, by the methods that are NumPy's."""
    check(nan_policy, (x,))
    only("quantile", keepdims=keepdims, weights=weights is not None, method=method == "harrell-davis" or method.startswith(("round", "_")))
    if np.ndim(p) and np.ndim(x) != 1:
        raise NoDerivative("quantile has a derivative for one probability, or for several of one series")
    return (np.nanquantile if nan_policy == "omit" else np.quantile)(x, p, axis=axis, method=method)


@definition(st.expectile)
def expectile(a: Any, alpha: Any = 0.5, *, weights: Any = None) -> Any:
    """Which numbers lie below it is constant."""
    w = np.ones_like(a) if weights is None else weights * np.ones_like(a)
    share = w * np.abs(np.where(below_expectile(a, alpha, weights), 1.0, 0.0) - alpha)
    return np.sum(share * a) / np.sum(share)


def below_expectile(a: Any, alpha: Any, weights: Any) -> Any:
    return np.asarray(a) <= st.expectile(a, alpha, weights=weights)


constant(below_expectile)
SHAPES[below_expectile] = lambda a, *rest: Arr("bool", a.type.dims) if isinstance(a.type, Arr) else None


def intercept_of(y: Any, x: Any, slope: Any, joint: bool) -> Any:
    return np.median(y - slope * x) if joint else np.median(y) - slope * np.median(x)


@statistic(st.theilslopes, "y", "x", paired=True, result=TheilslopesResult)
def theilslopes(y: Any, x: Any = None, alpha: Any = 0.95, method: Any = "separate", *, axis: Any = None) -> Any:
    """Of two series whose numbers differ: the median of the slopes between all points; which points these are is constant."""
    only("theilslopes", axis=np.ndim(y) != 1)
    n = y.shape[0]
    places = np.arange(n) + 0.0 if x is None else x
    i, j = np.nonzero(places[:, None] > places)
    slopes = np.sort((y[i] - y[j]) / (places[i] - places[j]))
    slope = np.median(slopes)
    total = slopes.shape[0]
    reach = -normal_quantile(0.5 * (1.0 - alpha if alpha > 0.5 else alpha)) * np.sqrt(n * (n - 1.0) * (2.0 * n + 5.0) / 18.0)
    high = min(int(np.round((total + reach) / 2.0)), total - 1)
    low = max(int(np.round((total - reach) / 2.0)) - 1, 0)
    return TheilslopesResult(slope, intercept_of(y, places, slope, method == "joint"), slopes[low], slopes[high])


@statistic(st.siegelslopes, "y", "x", paired=True, result=SiegelslopesResult)
def siegelslopes(y: Any, x: Any = None, method: Any = "hierarchical", *, axis: Any = None) -> Any:
    """Of two series whose places differ: the median of the medians of the slopes at each point."""
    only("siegelslopes", axis=np.ndim(y) != 1)
    n = y.shape[0]
    places = np.arange(n) + 0.0 if x is None else x
    i, j = np.nonzero(np.arange(n)[:, None] != np.arange(n))
    if np.any(places[i] == places[j]):
        raise NoDerivative("siegelslopes has a derivative where no two points have the same place")
    slopes = np.reshape((y[i] - y[j]) / (places[i] - places[j]), (n, n - 1))
    slope = np.median(np.median(slopes, axis=1))
    if method == "hierarchical":
        return SiegelslopesResult(slope, np.median(y - slope * places))
    meeting = np.reshape((y[j] * places[i] - y[i] * places[j]) / (places[i] - places[j]), (n, n - 1))
    return SiegelslopesResult(slope, np.median(np.median(meeting, axis=1)))
