"""scipy.stats: statistics of samples, densities of several variables (see `scipy_distributions` for the others)."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from transgrad.rules.installed import at_least, installed

from .forms import Case, case, distinct, positive, real, spd_matrix


def cases() -> Iterator[Case]:
    import scipy.stats as st
    yield from samples(st)
    yield from hypotheses(st)
    yield from further(st)
    yield from estimates(st)
    yield from matrices(st)
    yield from multivariate(st)
    yield from tests_of_samples(st)
    yield from picked(st)
    yield from incomplete(st)


def samples(st: Any) -> Iterator[Case]:
    for fn in (st.zscore, st.skew, st.kurtosis, st.variation, st.sem):
        yield from (case(fn, 3.0 + real(6)), case(fn, 3.0 + real(5, 2), axis=1 if fn is st.zscore else 0))
    yield from (case(fn, real(6), bias=False) for fn in (st.skew, st.kurtosis))
    for fn in (st.gmean, st.hmean, st.entropy, st.gzscore, st.gstd):
        yield from (case(fn, positive(5)), case(fn, positive(3, 4), axis=1))
    yield case(st.gmean, positive(4), weights=positive(4))
    yield case(st.zmap, real(3), real(5))
    yield case(st.pmean, positive(4), 1.7)
    yield case(st.moment, real(5), 3)
    yield case(st.entropy, positive(4), positive(4), base=2)
    yield case(st.boxcox_llf, 0.7, positive(6))


def hypotheses(st: Any) -> Iterator[Case]:
    for alternative in ("two-sided", "less", "greater"):
        yield case(st.ttest_1samp, real(6), 0.3, alternative=alternative)
        yield case(st.ttest_ind, real(6), 0.5 + real(5), alternative=alternative)
        yield case(st.linregress, real(6), real(6), alternative=alternative)
    yield case(st.ttest_1samp, real(5, 3), 0.3, axis=1)
    yield case(st.ttest_rel, real(6), real(6))
    yield case(st.ttest_ind, real(3, 6), real(3, 5), axis=1, equal_var=False)
    yield case(st.f_oneway, real(4), 0.5 + real(5), real(6))
    yield case(st.chisquare, positive(5))
    yield case(st.chisquare, np.array([4.0, 6.0, 5.0]), np.array([5.0, 4.0, 6.0]), **({"sum_check": False} if at_least("scipy", 1, 15) else {}))
    yield case(st.jarque_bera, real(8))
    yield from (case(st.pearsonr, real(7), real(7), alternative=side) for side in ("two-sided", "less", "greater"))


def further(st: Any) -> Iterator[Case]:
    for fn in (st.circmean, st.circvar, st.circstd):
        yield from (case(fn, 1.0 + 0.4 * real(5)), case(fn, 1.0 + 0.4 * real(4, 3), axis=1), case(fn, 20.0 + positive(5), high=90.0, low=-10.0))
    yield case(st.circstd, 1.0 + 0.4 * real(5), normalize=True)
    for fn in (st.iqr, st.median_abs_deviation):
        yield from (case(fn, np.exp(distinct(7))), case(fn, np.exp(distinct(4, 5)), axis=1), case(fn, np.exp(distinct(9)), scale="normal"))
    yield from (case(st.trim_mean, distinct(9), 0.2), case(st.trim_mean, distinct(5, 4), 0.3, axis=1))
    yield from (case(st.yeojohnson_llf, 0.7, real(6)), case(st.scoreatpercentile, distinct(7), 30.0))
    yield from (case(st.boxcox, positive(4), 0.7), case(st.yeojohnson, real(5), 0.7))
    for fn in (st.wasserstein_distance, st.energy_distance):
        both = distinct(9)
        yield from (case(fn, both[:4], both[4:]), case(fn, both[:4], both[4:], positive(4), positive(5)))


def estimates(st: Any) -> Iterator[Case]:
    for fn in (st.tmean, st.tvar, st.tstd, st.tsem, st.tmin, st.tmax):
        yield from (case(fn, distinct(5)), case(fn, distinct(4, 3), axis=1))
    yield from (case(st.kstat, real(7), n) for n in (1, 2, 3, 4))
    yield from (case(st.kstatvar, real(7), n) for n in (1, 2))
    yield case(st.kstat, real(3, 6), 4, axis=1)
    yield case(st.pointbiserialr, np.array([0, 1, 1, 0, 1]), real(5))
    yield from (case(st.differential_entropy, distinct(9), method="vasicek"), case(st.differential_entropy, distinct(9), method="vasicek", base=2))
    for method in ("fisher", "pearson", "stouffer"):
        yield case(st.combine_pvalues, real(4, low=0.1, high=0.8), method)
    yield case(st.combine_pvalues, real(4, low=0.1, high=0.8), "stouffer", positive(4))
    for equal_var in (True, False):
        yield case(st.ttest_ind_from_stats, 1.3, 0.7, 8, 0.4, 1.2, 11, equal_var)


def matrices(st: Any) -> Iterator[Case]:
    yield case(st.multivariate_normal.entropy, real(3), spd_matrix(3), fixed=(0,))
    for fn in (st.dirichlet.entropy, st.dirichlet.mean, st.dirichlet.var, st.dirichlet.cov):
        yield case(fn, positive(3))
    for dist in (st.wishart, st.invwishart):
        yield from (case(fn, spd_matrix(3), 6.4, spd_matrix(3)) for fn in (dist.logpdf, dist.pdf))
        yield case(dist.mean, 6.4, spd_matrix(3))
    yield from (case(fn, real(2, 3), real(2, 3), spd_matrix(2), spd_matrix(3)) for fn in (st.matrix_normal.logpdf, st.matrix_normal.pdf))
    for fn in (st.multinomial.logpmf, st.multinomial.pmf):
        # from SciPy 1.18 on, NaN where the probabilities do not add up to 1: no differences can be taken
        yield case(fn, np.array([2, 1, 3]), 6, np.array([0.2, 0.3, 0.5]), fixed=(2,) if at_least("scipy", 1, 18) else ())
    for fn in (st.dirichlet_multinomial.logpmf, st.dirichlet_multinomial.pmf):
        yield case(fn, np.array([2, 1, 3]), positive(3), 6)
    for fn in (installed("scipy.stats.normal_inverse_gamma.logpdf"), installed("scipy.stats.normal_inverse_gamma.pdf")):
        yield case(fn, real(3), positive(3), 0.3, 1.2, 2.3, 0.8)


def multivariate(st: Any) -> Iterator[Case]:
    cov = spd_matrix(3)
    for method in ("logpdf", "pdf"):
        yield from (case(getattr(st.multivariate_normal, method), x, real(3), cov) for x in (real(3), real(4, 3)))
        yield case(getattr(st.multivariate_normal, method), real(4))
        yield case(getattr(st.multivariate_normal, method), real(4, 3), real(3), 0.7)
        yield case(getattr(st.multivariate_normal, method), real(4, 3), real(3), positive(3))
        yield case(getattr(st.multivariate_t, method), real(4, 3), real(3), cov, 3.4)
        yield case(getattr(st.dirichlet, method), np.array([0.2, 0.3, 0.5]), positive(3), fixed=(0,))


def tests_of_samples(st: Any) -> Iterator[Case]:
    for fn in (st.skewtest, st.kurtosistest):
        yield from (case(fn, real(12), alternative=alternative) for alternative in ("two-sided", "less", "greater"))
        yield case(fn, real(11, 2), axis=0, keepdims=True)
    yield from (case(st.normaltest, real(12)), case(st.normaltest, real(2, 11), axis=1))
    later = (st.levene,) if at_least("scipy", 1, 17) else ()      # before, it has no rule
    for fn in (st.bartlett, *later):
        yield from (case(fn, distinct(6), 0.5 + distinct(7), 2.0 * distinct(5)), case(fn, distinct(2, 7), 2.0 * distinct(2, 5), axis=1))
    yield from (case(fn, real(7), 2.0 * real(6), center=center, proportiontocut=0.2) for fn in later for center in ("mean", "trimmed"))
    for power in (None, "pearson", "log-likelihood", "neyman", "mod-log-likelihood", "freeman-tukey", 0.3):
        yield case(st.power_divergence, positive(5), lambda_=power)
    yield case(st.power_divergence, positive(3, 4), axis=1, ddof=1)
    yield from (case(st.chi2_contingency, 5.0 * positive(2, 3)), case(st.chi2_contingency, 20.0 * positive(2, 2)))
    yield case(st.chi2_contingency, 20.0 * positive(2, 2), correction=False, lambda_="log-likelihood")
    yield case(st.epps_singleton_2samp, real(10), 1.4 * real(12))
    yield case(st.false_discovery_control, real(7, low=0.01, high=0.9))
    yield case(st.false_discovery_control, real(2, 4, low=0.001, high=0.1), axis=1, method="by")


def picked(st: Any) -> Iterator[Case]:
    yield from (case(st.describe, distinct(8)), case(st.describe, distinct(3, 5), axis=1, bias=False))
    yield case(st.obrientransform, real(5), real(5))
    yield from (case(st.trimboth, distinct(9), 0.2), case(st.trimboth, distinct(5, 2), 0.25), case(st.trim1, distinct(9), 0.2, "left"))
    yield case(st.trim1, distinct(3, 7), 0.3, axis=1)
    yield from (case(st.mode, distinct(5)), case(st.mode, distinct(3, 4), axis=1))
    yield from (case(installed("scipy.stats.lmoment"), distinct(9)), case(installed("scipy.stats.lmoment"), distinct(3, 8), [1, 3], axis=1, standardize=False))
    yield from (case(installed("scipy.stats.quantile"), distinct(7), 0.3), case(installed("scipy.stats.quantile"), distinct(3, 5), 0.6, axis=1))
    yield case(installed("scipy.stats.quantile"), distinct(7), np.array([0.2, 0.6]), method="hazen")
    yield from (case(st.expectile, distinct(7), 0.7), case(st.expectile, distinct(7), 0.2, weights=positive(7)))
    for fn in (st.theilslopes, st.siegelslopes):
        yield from (case(fn, real(7)), case(fn, real(7), real(7)))
    yield case(st.theilslopes, real(7), real(7), method="joint")
    yield case(st.siegelslopes, real(7), real(7), method="separate")
    for limits in ((-1.1, 1.2), (None, 0.6), (0.1, None)):
        yield from (case(fn, distinct(9), limits) for fn in (st.tmean, st.tvar, st.tstd, st.tsem))
    yield case(st.tvar, distinct(4, 5), (-1.5, 1.6), (False, True), axis=1, ddof=0)
    yield from (case(st.tmin, distinct(7), -0.5), case(st.tmax, distinct(7), 0.5, inclusive=False))


def with_missing(x: Any) -> Any:
    """A sample in which two numbers are missing."""
    flat = np.ravel(x).copy()
    flat[[1, x.size // 2]] = np.nan
    return np.reshape(flat, x.shape)


def incomplete(st: Any) -> Iterator[Case]:
    """Statistics that leave out what is missing: of a series, along an axis, of the whole."""
    for fn in (st.skew, st.kurtosis, st.variation, st.sem, st.gstd, st.gmean, st.hmean, st.entropy, st.moment, st.tmean, st.tvar, st.tsem,
               st.tmin, st.tmax, st.kstat, st.circmean, st.circstd, st.iqr, st.median_abs_deviation, st.jarque_bera, st.skewtest,
               st.kurtosistest, st.mode, st.combine_pvalues):
        if fn is st.gstd and not at_least("scipy", 1, 16):
            continue
        yield case(fn, with_missing(real(14, low=0.1, high=0.9)), nan_policy="omit")
    for fn in (st.skew, st.gmean, st.median_abs_deviation, st.kurtosistest, st.ttest_1samp, *((st.trim_mean,) if at_least("scipy", 1, 17) else ())):
        more = {st.ttest_1samp: (0.3,), st.trim_mean: (0.23,)}.get(fn, ())
        for options in ({"axis": 1}, {"axis": -2}, {"axis": None}, {"axis": (0, 1)}, {"axis": 1, "keepdims": True}):
            yield case(fn, with_missing(real(8, 9, low=0.1, high=0.9)), *more, nan_policy="omit", **options)
    for fn in (st.ttest_ind, st.ttest_rel, st.f_oneway, *((st.linregress, st.theilslopes) if at_least("scipy", 1, 16) else ()),
               *((st.levene,) if at_least("scipy", 1, 17) else ())):
        yield case(fn, with_missing(distinct(9)), with_missing(real(9)), nan_policy="omit")
    for fn in (st.ttest_ind, st.ttest_rel, st.bartlett):
        yield case(fn, with_missing(distinct(3, 7)), with_missing(2.0 * real(3, 7)), axis=1, nan_policy="omit")
    yield case(st.gmean, with_missing(positive(8)), weights=with_missing(positive(8)[::-1]), nan_policy="omit")
    if at_least("scipy", 1, 16):
        yield case(st.boxcox_llf, 0.7, with_missing(positive(9)), nan_policy="omit")
    yield case(installed("scipy.stats.quantile"), with_missing(distinct(9)), 0.3, nan_policy="omit")
    # the weights are broadcast against the sample, as SciPy does it
    yield from (case(st.gmean, positive(3, 3), weights=positive(3), axis=axis) for axis in (0, 1))
    yield from (case(fn, real(3, 4), axis=(0, 1)) for fn in (st.skew, st.sem))
