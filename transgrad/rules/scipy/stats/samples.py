"""Statistics of samples, said with sums, means and products."""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.special as sp
import scipy.stats as st

from ...registry import definition
from .missing import check, statistic


@definition(st.zscore)
def zscore(a: Any, axis: Any = 0, ddof: Any = 0, nan_policy: Any = "propagate") -> Any:
    """Numbers in units of their deviation from the mean."""
    return zmap(a, a, axis, ddof, nan_policy)


@definition(st.zmap)
def zmap(scores: Any, compare: Any, axis: Any = 0, ddof: Any = 0, nan_policy: Any = "propagate") -> Any:
    """Scores relative to another sample. Missing values stay missing and have derivative 0."""
    check(nan_policy, (scores, compare))
    if nan_policy == "omit":
        there = ~np.isnan(scores)
        distance = np.where(there, scores, 0.0) - np.nanmean(compare, axis=axis, keepdims=True)
        return np.where(there, distance / np.nanstd(compare, axis=axis, ddof=ddof, keepdims=True), np.nan)
    return (scores - np.mean(compare, axis=axis, keepdims=True)) / np.std(compare, axis=axis, ddof=ddof, keepdims=True)


@definition(st.gzscore)
def gzscore(a: Any, *, axis: Any = 0, ddof: Any = 0, nan_policy: Any = "propagate") -> Any:
    """`zscore` of the logarithms."""
    there = ~np.isnan(a)
    logs = np.where(there, np.log(np.where(there, a, 1.0)), np.nan) if nan_policy == "omit" else np.log(a)
    return zmap(logs, logs, axis, ddof, nan_policy)


@statistic(st.gmean, "a", "weights", paired=True)
def gmean(a: Any, axis: Any = 0, dtype: Any = None, weights: Any = None) -> Any:
    """The geometric mean."""
    return np.exp(np.average(np.log(a), axis, weights))


@statistic(st.hmean, "a", "weights", paired=True)
def hmean(a: Any, axis: Any = 0, dtype: Any = None, *, weights: Any = None) -> Any:
    """The harmonic mean."""
    return 1.0 / np.average(1.0 / a, axis, weights)


@statistic(st.pmean, "a", "weights", paired=True)
def pmean(a: Any, p: Any, *, axis: Any = 0, dtype: Any = None, weights: Any = None) -> Any:
    """The power mean, of an exponent that is not 0."""
    return np.average(a ** p, axis, weights) ** (1.0 / p)


def central(a: Any, order: int, axis: Any) -> Any:
    """A central moment."""
    return np.mean((a - np.mean(a, axis=axis, keepdims=True)) ** order, axis=axis)


@statistic(st.moment, "a")
def moment(a: Any, order: Any = 1, axis: Any = 0, *, center: Any = None) -> Any:
    """A moment about the mean, or about ``center``."""
    middle = np.mean(a, axis=axis, keepdims=True) if center is None else center
    return np.mean((a - middle) ** order, axis=axis)


@statistic(st.skew, "a")
def skew(a: Any, axis: Any = 0, bias: Any = True) -> Any:
    """The third standardized moment."""
    value = central(a, 3, axis) / central(a, 2, axis) ** 1.5
    if bias:
        return value
    n = a.shape[axis]
    return value * np.sqrt(n * (n - 1.0)) / (n - 2.0)


@statistic(st.kurtosis, "a")
def kurtosis(a: Any, axis: Any = 0, fisher: Any = True, bias: Any = True) -> Any:
    """The fourth standardized moment, less that of a normal distribution with ``fisher``."""
    value = central(a, 4, axis) / central(a, 2, axis) ** 2
    if not bias:
        n = a.shape[axis]
        value = ((n * n - 1.0) * value - 3.0 * (n - 1.0) ** 2) / ((n - 2.0) * (n - 3.0)) + 3.0
    return value - 3.0 if fisher else value


@statistic(st.variation, "a")
def variation(a: Any, axis: Any = 0, ddof: Any = 0) -> Any:
    """The standard deviation over the mean."""
    return np.std(a, axis=axis, ddof=ddof) / np.mean(a, axis=axis)


@statistic(st.sem, "a")
def sem(a: Any, axis: Any = 0, ddof: Any = 1) -> Any:
    """The standard error of the mean."""
    n = a.shape[axis]
    return np.std(a, axis=axis, ddof=ddof) / np.sqrt(n)


@statistic(st.gstd, "a")
def gstd(a: Any, axis: Any = 0, ddof: Any = 1) -> Any:
    """The geometric standard deviation."""
    return np.exp(np.std(np.log(a), axis=axis, ddof=ddof))


@statistic(st.entropy, "pk", "qk", paired=True)
def entropy(pk: Any, qk: Any = None, base: Any = None, axis: Any = 0) -> Any:
    """The entropy of a distribution, or its divergence from another."""
    p = pk / np.sum(pk, axis=axis, keepdims=True)
    if qk is None:
        terms = sp.entr(p)
    else:
        terms = sp.rel_entr(p, qk / np.sum(qk, axis=axis, keepdims=True))
    total = np.sum(terms, axis=axis)
    return total if base is None else total / np.log(base)


@statistic(st.boxcox_llf, "data")
def boxcox_llf(lmb: Any, data: Any, *, axis: Any = 0) -> Any:
    """The log-likelihood of a power transform."""
    n = data.shape[axis]
    logs = np.log(data)
    spread = np.log(np.var(np.exp(lmb * logs) / lmb, axis=axis))
    return (lmb - 1.0) * np.sum(logs, axis=axis) - 0.5 * n * spread
