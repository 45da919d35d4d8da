"""Tests of one sample against a distribution: of normality by skewness and kurtosis, and of any by its distribution function."""
from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import scipy.special as sp
import scipy.stats as st

from ....ir.infer_shapes import SHAPES
from ....ir.types import ANY, Arr
from ...registry import constant, definition, rule
from ...static import NoDerivative
from .hypotheses import only
from .missing import statistic
from .results import TEST, result_class
from .samples import kurtosis, skew
from .types import broadcasts

SkewtestResult = result_class("_stats_py.SkewtestResult", *TEST)
KurtosistestResult = result_class("_stats_py.KurtosistestResult", *TEST)
NormaltestResult = result_class("_stats_py.NormaltestResult", *TEST)
KstestResult = result_class("_stats_py.KstestResult", *TEST)
CramerVonMisesResult = result_class("_hypotests.CramerVonMisesResult", *TEST)


def of_normal(z: Any, alternative: str) -> Any:
    """The probability of a value of a normal variable."""
    if alternative == "two-sided":
        return 2.0 * sp.ndtr(-np.abs(z))
    return sp.ndtr(-z) if alternative == "greater" else sp.ndtr(z)


def skewness_score(a: Any, axis: Any) -> Any:
    """D'Agostino's normal transform of the skewness."""
    n = float(a.shape[axis])
    y = skew(a, axis) * np.sqrt((n + 1.0) * (n + 3.0) / (6.0 * (n - 2.0)))
    beta = 3.0 * (n * n + 27.0 * n - 70.0) * (n + 1.0) * (n + 3.0) / ((n - 2.0) * (n + 5.0) * (n + 7.0) * (n + 9.0))
    w2 = np.sqrt(2.0 * (beta - 1.0)) - 1.0
    return np.arcsinh(y / np.sqrt(2.0 / (w2 - 1.0))) / np.sqrt(0.5 * np.log(w2))


def kurtosis_score(a: Any, axis: Any) -> Any:
    """Anscombe and Glynn's normal transform of the kurtosis."""
    n = float(a.shape[axis])
    spread = 24.0 * n * (n - 2.0) * (n - 3.0) / ((n + 1.0) ** 2 * (n + 3.0) * (n + 5.0))
    x = (kurtosis(a, axis, False) - 3.0 * (n - 1.0) / (n + 1.0)) / np.sqrt(spread)
    root = 6.0 * (n * n - 5.0 * n + 2.0) / ((n + 7.0) * (n + 9.0)) * np.sqrt(6.0 * (n + 3.0) * (n + 5.0) / (n * (n - 2.0) * (n - 3.0)))
    df = 6.0 + 8.0 / root * (2.0 / root + np.sqrt(1.0 + 4.0 / (root * root)))
    return (1.0 - 2.0 / (9.0 * df) - np.cbrt((1.0 - 2.0 / df) / (1.0 + x * np.sqrt(2.0 / (df - 4.0))))) / np.sqrt(2.0 / (9.0 * df))


@statistic(st.skewtest, "a", result=SkewtestResult, least=7)
def skewtest(a: Any, axis: Any = 0, alternative: Any = "two-sided") -> Any:
    """The probability of two sides has derivative 0 where the statistic is 0."""
    z = skewness_score(a, axis)
    return SkewtestResult(z, of_normal(z, alternative))


@statistic(st.kurtosistest, "a", result=KurtosistestResult, least=4)
def kurtosistest(a: Any, axis: Any = 0, alternative: Any = "two-sided") -> Any:
    """The probability of two sides has derivative 0 where the statistic is 0."""
    z = kurtosis_score(a, axis)
    return KurtosistestResult(z, of_normal(z, alternative))


@statistic(st.normaltest, "a", result=NormaltestResult, least=7)
def normaltest(a: Any, axis: Any = 0) -> Any:
    """The sum of the squares of both scores."""
    total = skewness_score(a, axis) ** 2 + kurtosis_score(a, axis) ** 2
    return NormaltestResult(total, np.exp(-0.5 * total))


def distribution_function(cdf: Any) -> Any:
    """What is given by name is SciPy's."""
    return getattr(st, cdf).cdf if isinstance(cdf, str) else cdf


@statistic(st.ks_1samp, "x", result=KstestResult)
def ks_1samp(x: Any, cdf: Any, args: Any = (), alternative: Any = "two-sided", method: Any = "auto", *, axis: Any = 0) -> Any:
    """Of one series: the largest distance of the distribution functions (ties share), and its probability by SciPy's exact law or the
    limit ("asymp")."""
    only("ks_1samp", method=method not in ("auto", "exact", "asymp"), axis=np.ndim(x) != 1)
    n = x.shape[0]
    p = cdf(np.sort(x), *args)
    above, below = np.arange(1.0, n + 1.0) / n - p, p - np.arange(0.0, n) / n
    if alternative == "two-sided":
        d = np.maximum(np.max(above), np.max(below))
        return KstestResult(d, st.kstwobign.sf(d * np.sqrt(n)) if method == "asymp" else st.kstwo.sf(d, n))
    d = np.max(above) if alternative == "greater" else np.max(below)
    return KstestResult(d, st.ksone.sf(d, n))


@statistic(st.kstest, "rvs", result=KstestResult)
def kstest(rvs: Any, cdf: Any, args: Any = (), N: Any = 20, alternative: Any = "two-sided", method: Any = "auto", axis: Any = 0) -> Any:
    """A sample against a distribution function; of two samples see ks_2samp, which is constant."""
    only("kstest", rvs=isinstance(rvs, str) or callable(rvs), cdf=not isinstance(cdf, str) and not callable(cdf))
    return ks_1samp(rvs, distribution_function(cdf), args, alternative, method)


def cramer_probability(w: Any, n: Any) -> Any:
    """The probability of a larger value of Cramér's and von Mises' statistic of n numbers."""
    places = (2.0 * np.arange(1, n + 1) - 1.0) / (2.0 * n)
    shift = np.sqrt(max(w - 1.0 / (12.0 * n), 0.0) / n)
    return st.cramervonmises(places, lambda x: x + shift).pvalue


broadcasts(cramer_probability)


@rule(cramer_probability, kind="general", jvp=(None,))
def _(g, y, w, n):
    """SciPy has the law by a series of which it does not hand out the terms: no derivative."""
    return None


@statistic(st.cramervonmises, "rvs", result=CramerVonMisesResult, least=1)
def cramervonmises(rvs: Any, cdf: Any, args: Any = (), *, axis: Any = 0) -> Any:
    """Of one series: the statistic has a derivative, its probability has none."""
    only("cramervonmises", axis=np.ndim(rvs) != 1)
    n = rvs.shape[0]
    middle = (2.0 * np.arange(1.0, n + 1.0) - 1.0) / (2.0 * n)
    w = 1.0 / (12.0 * n) + np.sum((middle - distribution_function(cdf)(np.sort(rvs), *args)) ** 2)
    return CramerVonMisesResult(w, cramer_probability(w, n))


class Fitted:
    """Anderson's and Darling's statistic, and the values that it rarely passes."""

    def __init__(self, statistic: Any, critical: Any, pvalue: Any):
        self.statistic, self.critical_values, self.pvalue = statistic, critical, pvalue
        self.significance_level = np.array([15.0, 10.0, 5.0, 2.5, 1.0])


def critical_values(n: Any, dist: Any) -> Any:
    """The values that the statistic of n numbers rarely passes, which SciPy has in a table."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")     # of what a later SciPy returns
        return st.anderson(np.arange(1.0, n + 1.0), dist).critical_values


constant(critical_values)
SHAPES[critical_values] = lambda *args: Arr("float64", (ANY,))


@definition(st.anderson)
def anderson(x: Any, dist: Any = "norm", *, method: Any = None) -> Any:
    """Of one series, against the normal or exponential distribution that fits it."""
    n = x.shape[0]
    y = np.sort(x)
    if dist == "norm":
        w = (y - np.mean(y)) / np.std(y, ddof=1)
        below, above = st.norm.logcdf(w), st.norm.logsf(w)
    elif dist == "expon":
        w = y / np.mean(y)
        below, above = st.expon.logcdf(w), st.expon.logsf(w)
    else:
        raise NoDerivative("anderson has a derivative for 'norm' and 'expon': the others are fitted by a search")
    total = -n - np.sum((2.0 * np.arange(1.0, n + 1.0) - 1.0) / n * (below + np.flip(above)))
    critical = critical_values(n, dist)
    return Fitted(total, critical, np.interp(total, critical, np.array([0.15, 0.1, 0.05, 0.025, 0.01])))
