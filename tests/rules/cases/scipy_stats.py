"""scipy.stats: the methods of each distribution, through variable and parameters; statistics of samples."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .forms import Case, case, positive, real, spd_matrix

#: shapes of continuous distributions, and standardized places inside the support
_CONTINUOUS: dict[str, tuple[tuple[float, ...], tuple[float, ...]]] = {
    **{name: ((), (-0.7, 0.4, 1.3)) for name in "norm laplace logistic hypsecant cauchy gumbel_r gumbel_l moyal".split()},
    **{name: ((), (0.2, 0.7, 1.3)) for name in "halfnorm expon halflogistic halfcauchy rayleigh maxwell levy gibrat".split()},
    **{name: ((), (0.2, 0.6)) for name in "uniform arcsine semicircular cosine anglit".split()},
    **{name: ((1.7,), (0.2, 0.9, 2.5)) for name in "gamma erlang chi2 chi invgamma nakagami weibull_min lomax gompertz fisk lognorm "
                                                     "invgauss genpareto rice".split()},
    **{name: ((2.3,), (-0.8, 0.5, 1.4)) for name in "loggamma t skewnorm exponnorm gennorm vonmises".split()},
    **{name: ((1.4, 2.2), (0.3, 0.8, 2.1)) for name in "gengamma betaprime f burr12".split()},
    "beta": ((1.4, 2.2), (0.2, 0.7)), "weibull_max": ((1.7,), (-0.8, -0.2)), "pareto": ((1.7,), (1.2, 3.0)), "powerlaw": ((1.7,), (0.3, 0.8)),
    "genextreme": ((0.3,), (-0.8, 0.5, 1.4)), "triang": ((0.4,), (0.2, 0.7)), "truncnorm": ((-1.0, 1.5), (-0.4, 0.9)),
    "loguniform": ((0.5, 3.0), (0.7, 2.2)), "reciprocal": ((0.5, 3.0), (0.7, 2.2)),
}
#: shapes of discrete distributions, and whether the distribution function has a derivative
_DISCRETE: dict[str, tuple[tuple[Any, ...], bool]] = {
    "poisson": ((2.3,), True), "bernoulli": ((0.3,), True), "binom": ((5, 0.3), True), "geom": ((0.3,), True),
    "nbinom": ((2.4, 0.3), True), "logser": ((0.3,), False), "zipf": ((2.3,), False), "planck": ((0.6,), True),
    "dlaplace": ((0.6,), False), "betabinom": ((5, 1.3, 2.2), False),
}


def cases() -> Iterator[Case]:
    import scipy.stats as st
    for name, (shapes, places) in _CONTINUOUS.items():
        yield from continuous(getattr(st, name), shapes, np.array(places))
    for name, (shapes, by_cdf) in _DISCRETE.items():
        k = np.array([0, 1]) if name == "bernoulli" else np.array([1, 2, 4])
        yield from (case(getattr(getattr(st, name), method), k, *shapes) for method in ("logpmf", "pmf"))
        if by_cdf:
            below = k[:-1]      # at its end a distribution function is 1
            yield from (case(getattr(getattr(st, name), method), below, *shapes) for method in ("cdf", "sf", "logcdf", "logsf"))
    yield from samples(st)
    yield from multivariate(st)


def continuous(dist: Any, shapes: tuple[float, ...], z: Any) -> Iterator[Case]:
    x = 0.3 + 1.2 * z
    fixed = tuple(range(1, 1 + len(shapes))) if dist.name in ("rice", "vonmises", "erlang") else ()
    for method in ("logpdf", "pdf"):
        yield case(getattr(dist, method), x, *shapes, 0.3, 1.2, fixed=fixed if dist.name == "erlang" else ())
    yield case(dist.logpdf, z, *shapes, fixed=fixed)
    if dist.name == "vonmises":     # its distribution function goes round the circle
        return
    for method in ("cdf", "sf", "logcdf", "logsf"):
        yield case(getattr(dist, method), x, *shapes, 0.3, 1.2, fixed=fixed)
    for method in ("ppf", "isf"):
        yield case(getattr(dist, method), np.array([0.2, 0.7]), *shapes, 0.3, 1.2, fixed=fixed)


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


def multivariate(st: Any) -> Iterator[Case]:
    cov = spd_matrix(3)
    for method in ("logpdf", "pdf"):
        yield from (case(getattr(st.multivariate_normal, method), x, real(3), cov) for x in (real(3), real(4, 3)))
        yield case(getattr(st.multivariate_normal, method), real(4))
        yield case(getattr(st.multivariate_normal, method), real(4, 3), real(3), 0.7)
        yield case(getattr(st.multivariate_normal, method), real(4, 3), real(3), positive(3))
        yield case(getattr(st.multivariate_t, method), real(4, 3), real(3), cov, 3.4)
        yield case(getattr(st.dirichlet, method), np.array([0.2, 0.3, 0.5]), positive(3), fixed=(0,))
