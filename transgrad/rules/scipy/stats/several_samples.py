"""Tests whether several samples, or the cells of a table, come from one distribution: of variances, means, counts."""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.special as sp
import scipy.stats as st

from ...installed import at_least
from ...registry import definition
from ...static import NoDerivative
from .figures_of_samples import trim_mean
from .hypotheses import PowerDivergenceResult, only
from .missing import statistic
from .results import TEST, result_class

BartlettResult = result_class("_morestats.BartlettResult", *TEST)
LeveneResult = result_class("_morestats.LeveneResult", *TEST)
AlexanderGovernResult = result_class("_stats_py.AlexanderGovernResult", *TEST)
EppsSingletonResult = result_class("_hypotests.Epps_Singleton_2sampResult", *TEST)
Chi2ContingencyResult = result_class("contingency.Chi2ContingencyResult", *TEST, "dof", "expected_freq")


def last(a: Any, axis: Any) -> Any:
    """A sample with its numbers along the last axis."""
    return np.moveaxis(a, axis, -1)


@statistic(st.bartlett, result=BartlettResult)
def bartlett(*samples: Any, axis: Any = 0) -> Any:
    """Of variances of normal samples."""
    groups = [last(a, axis) for a in samples]
    k, n = len(groups), sum([a.shape[-1] for a in groups])
    variances = [np.var(a, axis=-1, ddof=1) for a in groups]
    pooled = sum([(a.shape[-1] - 1.0) * v for a, v in zip(groups, variances)]) / (n - k)
    apart = (n - k) * np.log(pooled) - sum([(a.shape[-1] - 1.0) * np.log(v) for a, v in zip(groups, variances)])
    total = apart / (1.0 + (sum([1.0 / (a.shape[-1] - 1.0) for a in groups]) - 1.0 / (n - k)) / (3.0 * (k - 1.0)))
    return BartlettResult(total, sp.chdtrc(k - 1.0, total))


@statistic(st.levene if at_least("scipy", 1, 17) else None, result=LeveneResult)      # older versions compute something else
def levene(*samples: Any, center: Any = "median", proportiontocut: Any = 0.05, axis: Any = 0) -> Any:
    """Of the distances from median, mean or trimmed mean; a distance of 0 has derivative 0."""
    distances = [np.abs(a - middle_of(a, center, proportiontocut)) for a in [last(s, axis) for s in samples]]
    k, n = len(distances), sum([z.shape[-1] for z in distances])
    means = [np.mean(z, axis=-1, keepdims=True) for z in distances]
    mean = sum([z.shape[-1] * m for z, m in zip(distances, means)]) / n
    between = sum([z.shape[-1] * (m - mean) ** 2 for z, m in zip(distances, means)])
    within = sum([np.sum((z - m) ** 2, axis=-1, keepdims=True) for z, m in zip(distances, means)])
    w = np.squeeze((n - k) * between / ((k - 1.0) * within), axis=-1)
    return LeveneResult(w, sp.fdtrc(k - 1.0, n - k, w))


def middle_of(a: Any, center: str, cut: Any) -> Any:
    """The middle of each sample along the last axis."""
    if center == "trimmed":
        return np.expand_dims(trim_mean(a, cut, -1), -1)
    return np.mean(a, axis=-1, keepdims=True) if center == "mean" else np.median(a, axis=-1, keepdims=True)


@statistic(st.alexandergovern, result=AlexanderGovernResult, least=1)
def alexandergovern(*samples: Any, axis: Any = 0) -> Any:
    """Of means of samples whose variances differ."""
    groups = [last(a, axis) for a in samples]
    means = [np.mean(a, axis=-1) for a in groups]
    weights = [a.shape[-1] / np.var(a, axis=-1, ddof=1) for a in groups]
    mean = sum([w * m for w, m in zip(weights, means)]) / sum(weights)
    total = sum([normal_score((m - mean) * (m - mean) * w, a.shape[-1] - 1.0) ** 2 for a, m, w in zip(groups, means, weights)])
    return AlexanderGovernResult(total, sp.chdtrc(len(groups) - 1.0, total))


def normal_score(squared_t: Any, df: Any) -> Any:
    """Hill's normal transform of Student's t."""
    a = df - 0.5
    b = 48.0 * a * a
    c = np.sqrt(a * np.log1p(squared_t / df))
    return (c + (c ** 3 + 3.0 * c) / b
            - (4.0 * c ** 7 + 33.0 * c ** 5 + 240.0 * c ** 3 + 855.0 * c) / (10.0 * b * b + 8.0 * b * c ** 4 + 1000.0 * b))


#: names of the exponents of Cressie and Read
EXPONENTS = {"pearson": 1, "log-likelihood": 0, "freeman-tukey": -0.5, "mod-log-likelihood": -1, "neyman": -2, "cressie-read": 2 / 3}


def divergence(observed: Any, expected: Any, power: Any, axis: Any) -> Any:
    """Cressie's and Read's divergence of counts from what is expected."""
    exponent = EXPONENTS[power] if isinstance(power, str) else power
    if exponent is None or exponent == 1:
        terms = (observed - expected) ** 2 / expected
    elif exponent == 0:
        terms = 2.0 * sp.xlogy(observed, observed / expected)
    elif exponent == -1:
        terms = 2.0 * sp.xlogy(expected, expected / observed)
    else:
        terms = observed * ((observed / expected) ** exponent - 1.0) / (0.5 * exponent * (exponent + 1.0))
    return np.sum(terms, axis=axis)


@statistic(st.power_divergence, "f_obs", "f_exp", paired=True, result=PowerDivergenceResult, least=-1)
def power_divergence(f_obs: Any, f_exp: Any = None, ddof: Any = 0, axis: Any = 0, lambda_: Any = None) -> Any:
    """Frequencies whose sums agree."""
    expected = np.mean(f_obs, axis=axis, keepdims=True) if f_exp is None else f_exp
    total = divergence(f_obs, expected, lambda_, axis)
    n = f_obs.shape[axis]
    return PowerDivergenceResult(total, sp.chdtrc(n - 1.0 - ddof, total))


@definition(st.chi2_contingency)
def chi2_contingency(observed: Any, correction: Any = True, lambda_: Any = None, *, method: Any = None) -> Any:
    """For a two-dimensional table. If Yates' correction moves a count to the expected one, its derivative is 0."""
    only("chi2_contingency", method=method is not None)
    if np.ndim(observed) != 2:
        raise NoDerivative("chi2_contingency has a derivative for tables of two dimensions")
    expected = np.sum(observed, axis=1, keepdims=True) * np.sum(observed, axis=0, keepdims=True) / np.sum(observed)
    dof = (observed.shape[0] - 1) * (observed.shape[1] - 1)
    if dof == 1 and correction:
        apart = expected - observed
        observed = observed + np.sign(apart) * np.minimum(0.5, np.abs(apart))
    total = divergence(observed, expected, lambda_, None)
    return Chi2ContingencyResult(total, sp.chdtrc(dof, total), dof, expected)


def characteristic(x: Any, t: Any) -> Any:
    """The cosines and sines of which the empirical characteristic function is the mean, a row a function."""
    angles = np.reshape(t, (-1, 1)) * x
    return np.concatenate((np.cos(angles), np.sin(angles)), axis=0)


@statistic(st.epps_singleton_2samp, "x", "y", result=EppsSingletonResult, least=4)
def epps_singleton_2samp(x: Any, y: Any, t: Any = (0.4, 0.8), *, axis: Any = 0) -> Any:
    """Of two series, where the covariance of their characteristic functions has full rank."""
    only("epps_singleton_2samp", axis=np.ndim(x) != 1)
    nx, ny = float(x.shape[0]), float(y.shape[0])
    n = nx + ny
    places = np.asarray(t)
    half = 0.5 * np.diff(np.percentile(np.concatenate((x, y)), (25.0, 75.0)))
    gx, gy = characteristic(x, places / half), characteristic(y, places / half)
    mx, my = np.mean(gx, axis=1, keepdims=True), np.mean(gy, axis=1, keepdims=True)
    apart = (mx - my)[:, 0]
    cov = n / nx ** 2 * ((gx - mx) @ (gx - mx).T) + n / ny ** 2 * ((gy - my) @ (gy - my).T)
    w = n * (apart @ np.linalg.solve(cov, apart))
    if max(nx, ny) < 25:
        w = w / (1.0 + n ** -0.45 + 10.1 * (nx ** -1.7 + ny ** -1.7))
    return EppsSingletonResult(w, sp.chdtrc(2.0 * places.shape[0], w))


class Comparison:
    """The differences of the means of samples, and how probable larger ones are."""

    def __init__(self, statistic: Any, pvalue: Any):
        self.statistic, self.pvalue = statistic, pvalue


@definition(st.tukey_hsd)
def tukey_hsd(*args: Any, equal_var: Any = True) -> Any:
    """With respect to all samples."""
    count = len(args)
    sizes = np.array([float(a.shape[0]) for a in args])
    means, variances = np.stack([np.mean(a) for a in args]), np.stack([np.var(a, ddof=1) for a in args])
    if equal_var:
        df = np.sum(sizes) - count
        error = np.sqrt(0.5 * (1.0 / sizes + 1.0 / sizes[:, None]) * np.sum(variances * (sizes - 1.0)) / df)
    else:
        share = variances / sizes
        both = share + share[:, None]
        error = np.sqrt(0.5 * both)
        df = both ** 2 / ((share ** 2 / (sizes - 1.0))[:, None] + share ** 2 / (sizes - 1.0))
    apart = means[:, None] - means
    return Comparison(apart, st.studentized_range.sf(np.abs(apart) / error, count, df))


@definition(st.false_discovery_control)
def false_discovery_control(ps: Any, *, axis: Any = 0, method: Any = "bh") -> Any:
    """Benjamini's and Hochberg's or Yekutieli's adjustment; the order of the probabilities is constant."""
    p = last(ps, axis)
    order = np.argsort(p, axis=-1)
    rank = np.arange(1.0, p.shape[-1] + 1.0)
    factor = p.shape[-1] / rank * (np.sum(1.0 / rank) if method.lower() == "by" else 1.0)
    raised = np.flip(np.take_along_axis(p, order, axis=-1) * factor, -1)
    kept = np.flip(np.minimum.accumulate(raised, axis=-1), -1)
    found = np.clip(np.take_along_axis(kept, np.argsort(order, axis=-1), axis=-1), 0.0, 1.0)
    return found if axis is None else np.moveaxis(found, -1, axis)
