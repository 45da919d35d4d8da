"""scipy.stats: results that are objects, functions handed over, distributions made inside."""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.stats as st

from . import use

_rng = np.random.default_rng(1)
X, Y, W = _rng.normal(size=9), _rng.normal(size=9), _rng.normal(size=12)
SHARES = _rng.uniform(0.3, 2.0, size=9)
ROWS = _rng.normal(size=(5, 3))
SPREAD = np.array([[2.0, 0.3], [0.3, 1.5]])
COUNTS = np.array([0, 2, 3])


@use(ROWS)
def directions(x: Any) -> Any:
    found = st.directional_stats(x)
    return np.sum(np.array([1.0, 2.0, 3.0]) * found.mean_direction) + found.mean_resultant_length


@use(X)
def frequencies(x: Any) -> Any:
    found, sums = st.relfreq(x, 4), st.cumfreq(x, 4, (-5.0, 6.0))
    return found.lowerlimit + 3.0 * found.binsize + np.sum(found.frequency) + sums.lowerlimit + np.sum(sums.cumcount * x[:4])


@use(X)
def believed(x: Any) -> Any:
    mean, variance, deviation = st.bayes_mvs(x)
    return mean.statistic + 2.0 * mean.minmax[0] + 3.0 * variance.minmax[1] + 0.5 * variance.statistic + deviation.statistic + deviation.minmax[0]


@use(X)
def believed_distributions(x: Any) -> Any:
    mean, variance, deviation = st.mvsdist(x)
    return mean.pdf(0.1) + variance.cdf(1.1) + deviation.mean()


@use(np.append(X, 9.0))
def clipped(x: Any) -> Any:
    kept, low, high = st.sigmaclip(x, 2.0, 2.0)
    return np.sum(kept ** 2) + 3.0 * low + high


@use(X, Y)
def in_bins(x: Any, v: Any) -> Any:
    total = 0.0
    for statistic in ("mean", "sum", "std", "count"):
        found = st.binned_statistic(x, v, statistic, bins=3)
        total = total + np.sum(np.nan_to_num(found.statistic) ** 2) + np.sum(found.bin_edges ** 2)
    return total


@use(X, Y, SHARES)
def in_bins_of_two(x: Any, y: Any, v: Any) -> Any:
    found, other = st.binned_statistic_2d(x, y, v, "sum", bins=[2, 3]), st.binned_statistic_dd([x, y], v, "sum", bins=2)
    return np.sum(found.statistic ** 2) + np.sum(found.x_edge ** 2) + np.sum(other[0] ** 2)


@use(W, 0.3)
def kolmogorov(x: Any, m: Any) -> Any:
    two, less = st.ks_1samp(x, st.norm.cdf, (m, 1.2)), st.kstest(x, "norm", alternative="less")
    return two.statistic + two.pvalue + less.statistic + 2.0 * st.ks_1samp(x, st.norm.cdf, alternative="greater").pvalue


@use(W, 0.3)
def kolmogorov_limit(x: Any, m: Any) -> Any:
    return st.ks_1samp(x, st.norm.cdf, (m,), method="asymp").pvalue


@use(W, 0.8)
def cramer(x: Any, a: Any) -> Any:
    return st.cramervonmises(x, "norm", (a,)).statistic + st.cramervonmises(x, lambda t: 1.0 / (1.0 + np.exp(-t * a))).statistic


@use(W)
def anderson(x: Any) -> Any:
    found = st.anderson(x, method="interpolate")
    return found.statistic + found.pvalue + st.anderson(0.5 + x * x, "expon").statistic


@use(X[:6], Y[:7], SHARES[:5])
def alexander(a: Any, b: Any, c: Any) -> Any:
    found = st.alexandergovern(a, b, c)
    return found.statistic + found.pvalue


@use(0.41)
def binomial(p: Any) -> Any:
    total = 0.0
    for alternative in ("two-sided", "less", "greater"):
        found = st.quantile_test(W, q=0.1, p=p, alternative=alternative)
        total = total + st.binomtest(3, 12, p, alternative=alternative).pvalue + 2.0 * found.pvalue
    return total


@use(X[:4].reshape(2, 2), Y[:6].reshape(3, 2), SHARES[:2], SHARES[2:5])
def transport(u: Any, v: Any, p: Any, q: Any) -> Any:
    return st.wasserstein_distance_nd(u, v, p, q) + st.wasserstein_distance_nd(u, v)


@use(X, Y[:3], 0.6)
def kernels(d: Any, x: Any, width: Any) -> Any:
    return np.sum(st.gaussian_kde(d)(x) ** 2) + np.sum(st.gaussian_kde(d, width).logpdf(x))


@use(ROWS.T, ROWS[:, :2], SHARES[:5])
def kernels_of_three(d: Any, x: Any, p: Any) -> Any:
    return np.sum(st.gaussian_kde(d, weights=p).logpdf(x[:3]))


@use(X, -0.3)
def kernels_integrated(d: Any, low: Any) -> Any:
    whole = st.gaussian_kde(d, "silverman")
    return whole.integrate_box_1d(low, 1.0) + whole.integrate_gaussian(low, 0.3) + whole.integrate_kde(st.gaussian_kde(d ** 2))


@use(ROWS[0], 2.3)
def on_the_sphere(v: Any, kappa: Any) -> Any:
    middle = np.array([0.6, 0.0, 0.8])
    x = v / np.sqrt(np.sum(v * v))
    return st.vonmises_fisher.logpdf(x, middle, kappa) + st.vonmises_fisher.entropy(middle, kappa) + st.vonmises_fisher.pdf(x, middle, kappa)


@use(ROWS[:2, :2], ROWS[2:4, :2], SPREAD, SPREAD + np.eye(2), 2.3)
def matrix_t(x: Any, mean: Any, rows: Any, columns: Any, df: Any) -> Any:
    rows, columns = rows @ rows.T, columns @ columns.T
    return st.matrix_t.logpdf(x, mean, rows, columns, df) + st.matrix_t.pdf(x, mean, rows, columns, df)


@use(np.array([0.2, 0.5, 0.7, 0.4]))
def successes(p: Any) -> Any:
    d = st.poisson_binom
    return np.sum(d.logpmf(COUNTS, p)) + np.sum(d.cdf(COUNTS, p) * COUNTS) + d.mean(p) + d.var(p) + d.sf(1, p) + d.pmf(2, p)


@use(X, 0.2, 1.3)
def normal(x: Any, m: Any, s: Any) -> Any:
    d = st.Normal(mu=m, sigma=s)
    return np.sum(d.logpdf(x)) + d.cdf(0.2) + d.cdf(0.2, 0.7) + d.icdf(0.2) + d.entropy() + d.variance() + d.logccdf(0.4)


@use(X, -4.0, 4.5)
def uniform(x: Any, a: Any, b: Any) -> Any:
    d = st.Uniform(a=a, b=b)
    return np.sum(d.logpdf(x)) + d.cdf(0.2) + d.standard_deviation()


@use(0.3)
def binomial_variable(p: Any) -> Any:
    d = st.Binomial(n=5, p=p)
    return np.sum(d.logpmf(COUNTS)) + d.mean() + d.skewness() + d.kurtosis() + np.sum(d.ccdf(COUNTS))


@use(X, 0.3, 1.2, 0.8)
def mixture(x: Any, m: Any, s: Any, t: Any) -> Any:
    d = st.Mixture([st.Normal(mu=m, sigma=s), st.Normal(mu=-m, sigma=t)], weights=[0.4, 0.6])
    return np.sum(d.logpdf(x)) + d.cdf(0.3) + d.mean() + d.standard_deviation()


@use(SHARES[:4], np.array([-1.0, -0.3, 0.2, 1.1, 1.9]), np.array([-0.4, 0.1, 1.5]))
def histogram(heights: Any, edges: Any, x: Any) -> Any:
    d = st.rv_histogram((heights, edges), density=False)
    return np.sum(d.pdf(x)) + np.sum(d.cdf(x)) + d.ppf(0.3) + d.mean() + d.std()


@use(X)
def logistic(x: Any) -> Any:
    return np.sum(st.Logistic().logpdf(x) * st.Logistic().cdf(x))


#: made before the function is called
FROZEN, DENSITY = st.gamma(1.7, scale=1.2), st.gaussian_kde(X)
if hasattr(st, "Binomial"):     # from SciPy 1.16 on
    STANDARD, PLACED = st.Normal(), st.Normal(mu=0.2, sigma=1.3)
    FLAT, LOGISTIC, COUNTED = st.Uniform(a=-4.0, b=4.5), st.Logistic(), st.Binomial(n=5, p=0.3)


@use(SHARES)
def variables_made_before(x: Any) -> Any:
    return np.sum(FLAT.cdf(x) * LOGISTIC.logpdf(x)) + FLAT.icdf(0.3 * x[0]) + x[1] * COUNTED.mean()


@use(SHARES)
def made_before(x: Any) -> Any:
    return (np.sum(FROZEN.logpdf(x) * STANDARD.cdf(x)) + np.sum(PLACED.logpdf(x)) + np.sum(DENSITY.logpdf(x)) + FROZEN.ppf(x[0] / 3.0)
            + np.sum(st.norm(0.3, 1.2).sf(x)))
