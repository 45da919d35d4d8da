"""Estimates of a population from a sample: trimmed means and variances, k-statistics, correlation, entropy, probabilities combined."""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.special as sp
import scipy.stats as st

from ...registry import definition
from .hypotheses import SignificanceResult, of_t, only
from .missing import statistic
from .results import TEST, result_class

TtestIndResult = result_class("_stats_py.Ttest_indResult", *TEST)


def within(a: Any, limits: Any, inclusive: Any) -> Any:
    """Which numbers lie between limits; which they are is constant."""
    inside = np.ones_like(a, dtype=bool)
    if limits is not None and limits[0] is not None:
        inside = inside & ((a >= limits[0]) if inclusive[0] else (a > limits[0]))
    if limits is not None and limits[1] is not None:
        inside = inside & ((a <= limits[1]) if inclusive[1] else (a < limits[1]))
    return inside


@statistic(st.tmean, "a")
def tmean(a: Any, limits: Any = None, inclusive: Any = (True, True), axis: Any = None) -> Any:
    """The mean of the elements between the limits."""
    return mean_within(a, within(a, limits, inclusive), axis, False)


def mean_within(a: Any, inside: Any, axis: Any, keepdims: Any) -> Any:
    return np.sum(np.where(inside, a, 0.0), axis=axis, keepdims=keepdims) / np.sum(inside, axis=axis, keepdims=keepdims)


@statistic(st.tvar, "a")
def tvar(a: Any, limits: Any = None, inclusive: Any = (True, True), axis: Any = 0, ddof: Any = 1) -> Any:
    """The variance of the elements between the limits."""
    inside = within(a, limits, inclusive)
    distance = np.where(inside, a - mean_within(a, inside, axis, True), 0.0)
    return np.sum(distance * distance, axis=axis) / (np.sum(inside, axis=axis) - ddof)


@statistic(st.tstd, "a")
def tstd(a: Any, limits: Any = None, inclusive: Any = (True, True), axis: Any = 0, ddof: Any = 1) -> Any:
    """The standard deviation of the elements between the limits."""
    return np.sqrt(tvar(a, limits, inclusive, axis, ddof))


@statistic(st.tsem, "a")
def tsem(a: Any, limits: Any = None, inclusive: Any = (True, True), axis: Any = 0, ddof: Any = 1) -> Any:
    """The standard error of the mean of the elements between the limits."""
    count = np.sum(within(a, limits, inclusive), axis=axis)
    return np.sqrt(tvar(a, limits, inclusive, axis, ddof) / count)


@statistic(st.tmin, "a")
def tmin(a: Any, lowerlimit: Any = None, axis: Any = 0, inclusive: Any = True) -> Any:
    """The smallest element above the limit, which must exist; ties share equally."""
    inside = within(a, (lowerlimit, None), (inclusive, True))
    return np.min(np.where(inside, a, np.inf), axis=axis, initial=np.inf)


@statistic(st.tmax, "a")
def tmax(a: Any, upperlimit: Any = None, axis: Any = 0, inclusive: Any = True) -> Any:
    """The largest element below the limit, which must exist; ties share equally."""
    inside = within(a, (None, upperlimit), (True, inclusive))
    return np.max(np.where(inside, a, -np.inf), axis=axis, initial=-np.inf)


@statistic(st.kstat, "data")
def kstat(data: Any, n: Any = 2, *, axis: Any = None) -> Any:
    """The unbiased estimate of a cumulant."""
    size = data.shape[axis]
    if n == 1:
        return np.mean(data, axis=axis)
    d = data - np.mean(data, axis=axis, keepdims=True)
    m2 = np.mean(d * d, axis=axis)
    if n == 2:
        return m2 * size / (size - 1.0)
    if n == 3:
        return np.mean(d ** 3, axis=axis) * size * size / ((size - 1.0) * (size - 2.0))
    m4 = np.mean(d ** 4, axis=axis)
    return size * size * ((size + 1.0) * m4 - 3.0 * (size - 1.0) * m2 * m2) / ((size - 1.0) * (size - 2.0) * (size - 3.0))


@statistic(st.kstatvar, "data")
def kstatvar(data: Any, n: Any = 2, *, axis: Any = None) -> Any:
    """The unbiased estimate of the variance of the mean or of the variance."""
    size = data.shape[axis]
    k2 = kstat(data, 2, axis=axis)
    if n == 1:
        return k2 / size
    k4 = kstat(data, 4, axis=axis)
    return (2.0 * size * k2 * k2 + (size - 1.0) * k4) / (size * (size + 1.0))


@statistic(st.pointbiserialr, "x", "y", paired=True, result=SignificanceResult, least=1)
def pointbiserialr(x: Any, y: Any, *, axis: Any = 0) -> Any:
    """Pearson's correlation with a sample of two values."""
    only("pointbiserialr", axis=np.ndim(y) != 1)
    n = y.shape[0]
    dx, dy = x - np.mean(x), y - np.mean(y)
    r = np.sum(dx * dy) / np.sqrt(np.sum(dx * dx) * np.sum(dy * dy))
    half = 0.5 * n - 1.0
    return SignificanceResult(r, 2.0 * sp.betainc(half, half, 0.5 * (1.0 - np.abs(r))))


@statistic(st.differential_entropy, "values")
def differential_entropy(values: Any, *, window_length: Any = None, base: Any = None, axis: Any = 0, method: Any = "auto") -> Any:
    """Vasicek's estimate, by the spacings of the sorted sample; other methods are refused."""
    only("differential_entropy", method=method != "vasicek")
    x = np.sort(np.moveaxis(values, axis, -1), axis=-1)
    n = x.shape[-1]
    m = int(np.floor(np.sqrt(n) + 0.5)) if window_length is None else window_length
    if not 2 <= 2 * m < n:
        return np.nan * np.sum(x, axis=-1)
    low, high = np.repeat(x[..., :1], m, axis=-1), np.repeat(x[..., -1:], m, axis=-1)
    wide = np.concatenate((low, x, high), axis=-1)
    total = np.mean(np.log(n / (2.0 * m) * (wide[..., 2 * m:] - wide[..., :-2 * m])), axis=-1)
    return total if base is None else total / np.log(base)


@statistic(st.combine_pvalues, "pvalues", "weights", paired=True, result=SignificanceResult)
def combine_pvalues(pvalues: Any, method: Any = "fisher", weights: Any = None, *, axis: Any = 0) -> Any:
    """By Fisher's, Pearson's, Stouffer's method, or George and Mudholkar's."""
    n = pvalues.shape[axis]
    if method == "stouffer":
        z = -sp.ndtri(pvalues)
        w = np.ones(n) if weights is None else weights
        total = np.tensordot(np.moveaxis(z, axis, -1), w, 1) / np.sqrt(np.sum(w * w))
        return SignificanceResult(total, sp.ndtr(-total))
    if method == "fisher":
        total = -2.0 * np.sum(np.log(pvalues), axis=axis)
        return SignificanceResult(total, sp.chdtrc(2.0 * n, total))
    only("combine_pvalues", method=method != "pearson")
    total = 2.0 * np.sum(np.log1p(-pvalues), axis=axis)
    return SignificanceResult(total, sp.chdtr(2.0 * n, -total))


@definition(st.ttest_ind_from_stats)
def ttest_ind_from_stats(mean1: Any, std1: Any, nobs1: Any, mean2: Any, std2: Any, nobs2: Any, equal_var: Any = True,
                         alternative: Any = "two-sided") -> Any:
    """Student's or Welch's test of two samples with given means and deviations."""
    va, vb = std1 * std1, std2 * std2
    if equal_var:
        df = nobs1 + nobs2 - 2.0
        error = np.sqrt(((nobs1 - 1.0) * va + (nobs2 - 1.0) * vb) / df * (1.0 / nobs1 + 1.0 / nobs2))
    else:
        df = (va / nobs1 + vb / nobs2) ** 2 / ((va / nobs1) ** 2 / (nobs1 - 1.0) + (vb / nobs2) ** 2 / (nobs2 - 1.0))
        error = np.sqrt(va / nobs1 + vb / nobs2)
    t = (mean1 - mean2) / error
    return TtestIndResult(t, of_t(t, df, alternative))
