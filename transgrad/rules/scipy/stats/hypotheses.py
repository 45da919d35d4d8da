"""Tests of hypotheses through their samples: statistic and probability, for real samples without missing numbers."""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.special as sp
import scipy.stats as st

from ...registry import definition
from ...static import NoDerivative
from .missing import statistic
from .results import TEST, result_class

TtestResult = result_class("_stats_py.TtestResult", *TEST)
FOnewayResult = result_class("_stats_py.F_onewayResult", *TEST)
PowerDivergenceResult = result_class("_stats_py.Power_divergenceResult", *TEST)
SignificanceResult = result_class("_stats_py.SignificanceResult", *TEST)
PearsonRResult = result_class("_stats_py.PearsonRResult", *TEST)
LinregressResult = result_class("_stats_py.LinregressResult", "slope", "intercept", "rvalue", "pvalue", "stderr")


def only(name: str, **options: Any) -> None:
    """Refuses options that are not left as they are by default (None, or False)."""
    for key, value in options.items():
        if value:
            raise NoDerivative(f"no derivative of scipy.stats.{name} with the option {key!r}")


def of_t(t: Any, df: Any, alternative: str) -> Any:
    """The probability of a value of Student's t."""
    if alternative == "two-sided":
        return 2.0 * sp.stdtr(df, -np.abs(t))
    return sp.stdtr(df, -t) if alternative == "greater" else sp.stdtr(df, t)


@statistic(st.ttest_1samp, "a", result=TtestResult)
def ttest_1samp(a: Any, popmean: Any, axis: Any = 0, alternative: Any = "two-sided") -> Any:
    """The probability of two sides has derivative 0 where the statistic is 0."""
    n = a.shape[axis]
    t = (np.mean(a, axis=axis) - popmean) / (np.std(a, axis=axis, ddof=1) / np.sqrt(n))
    return TtestResult(t, of_t(t, n - 1.0, alternative))


@statistic(st.ttest_rel, "a", "b", paired=True, result=TtestResult)
def ttest_rel(a: Any, b: Any, axis: Any = 0, alternative: Any = "two-sided") -> Any:
    """`ttest_1samp` of the differences."""
    return ttest_1samp(a - b, 0.0, axis, alternative)


@statistic(st.ttest_ind, "a", "b", result=TtestResult)
def ttest_ind(a: Any, b: Any, *, axis: Any = 0, equal_var: Any = True,
              alternative: Any = "two-sided", trim: Any = 0,
              method: Any = None) -> Any:
    """Student's or, with unequal variances, Welch's test; the probability of two sides has derivative 0 where the statistic is 0."""
    only("ttest_ind", trim=trim, method=method is not None)
    n, m = a.shape[axis], b.shape[axis]
    va, vb = np.var(a, axis=axis, ddof=1), np.var(b, axis=axis, ddof=1)
    if equal_var:
        df = n + m - 2.0
        error = np.sqrt(((n - 1.0) * va + (m - 1.0) * vb) / df * (1.0 / n + 1.0 / m))
    else:
        df = (va / n + vb / m) ** 2 / ((va / n) ** 2 / (n - 1.0) + (vb / m) ** 2 / (m - 1.0))
        error = np.sqrt(va / n + vb / m)
    t = (np.mean(a, axis=axis) - np.mean(b, axis=axis)) / error
    return TtestResult(t, of_t(t, df, alternative))


@statistic(st.f_oneway, result=FOnewayResult)
def f_oneway(*samples: Any, axis: Any = 0, equal_var: Any = True) -> Any:
    """The analysis of variance of groups of the same variance."""
    only("f_oneway", equal_var=not equal_var)
    every = np.concatenate(samples, axis=axis)
    total, groups = every.shape[axis], len(samples)
    mean = np.mean(every, axis=axis, keepdims=True)
    between = sum([a.shape[axis] * (np.mean(a, axis=axis, keepdims=True) - mean) ** 2 for a in samples])
    within = sum([np.sum((a - np.mean(a, axis=axis, keepdims=True)) ** 2, axis=axis) for a in samples])
    f = np.sum(between, axis=axis) / (groups - 1.0) / (within / (total - groups))
    return FOnewayResult(f, sp.fdtrc(groups - 1.0, total - groups, f))


@statistic(st.chisquare, "f_obs", "f_exp", paired=True, result=PowerDivergenceResult, least=-1)
def chisquare(f_obs: Any, f_exp: Any = None, ddof: Any = 0, axis: Any = 0, *, sum_check: Any = True) -> Any:
    """Pearson's test of frequencies, whose sums agree."""
    expected = np.mean(f_obs, axis=axis, keepdims=True) if f_exp is None else f_exp
    total = np.sum((f_obs - expected) ** 2 / expected, axis=axis)
    n = f_obs.shape[axis]
    return PowerDivergenceResult(total, sp.chdtrc(n - 1.0 - ddof, total))


@statistic(st.linregress, "x", "y", paired=True, result=LinregressResult, least=1)
def linregress(x: Any, y: Any, alternative: Any = "two-sided", axis: Any = 0) -> Any:
    """The line of least squares of one series; the error of the intercept, which is no item of the tuple, is not given."""
    only("linregress", axis=np.ndim(x) != 1)
    n = x.shape[0]
    if n < 3:
        raise NoDerivative("linregress has a derivative for three points and more: through two the line is (y[1] - y[0]) / (x[1] - x[0])")
    dx, dy = x - np.mean(x), y - np.mean(y)
    sxx, syy, sxy = np.mean(dx * dx), np.mean(dy * dy), np.mean(dx * dy)
    r, slope = sxy / np.sqrt(sxx * syy), sxy / sxx
    t = r * np.sqrt((n - 2.0) / ((1.0 - r) * (1.0 + r)))
    error = np.sqrt((1.0 - r * r) * syy / sxx / (n - 2.0))
    return LinregressResult(slope, np.mean(y) - slope * np.mean(x), r, of_t(t, n - 2.0, alternative), error)


@statistic(st.jarque_bera, "x", result=SignificanceResult)
def jarque_bera(x: Any, *, axis: Any = None) -> Any:
    """The test of normality by skewness and kurtosis."""
    n = x.shape[axis]
    d = x - np.mean(x, axis=axis, keepdims=True)
    m2, m3, m4 = (np.mean(d ** k, axis=axis) for k in (2, 3, 4))
    total = n / 6.0 * (m3 * m3 / m2 ** 3 + 0.25 * (m4 / (m2 * m2) - 3.0) ** 2)
    return SignificanceResult(total, np.exp(-0.5 * total))


@definition(st.pearsonr)
def pearsonr(x: Any, y: Any, *, alternative: Any = "two-sided", method: Any = None, axis: Any = 0) -> Any:
    """The correlation, and the probability of a larger one of normal samples."""
    only("pearsonr", method=method is not None, axis=axis is None)
    dx, dy = x - np.mean(x, axis=axis, keepdims=True), y - np.mean(y, axis=axis, keepdims=True)
    r = np.sum(dx * dy, axis=axis) / np.sqrt(np.sum(dx * dx, axis=axis) * np.sum(dy * dy, axis=axis))
    half = 0.5 * x.shape[axis] - 1.0
    if alternative == "two-sided":
        return PearsonRResult(r, 2.0 * sp.betainc(half, half, 0.5 * (1.0 - np.abs(r))))
    return PearsonRResult(r, sp.betainc(half, half, 0.5 * (1.0 - r) if alternative == "greater" else 0.5 * (1.0 + r)))
