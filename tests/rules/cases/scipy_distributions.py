"""scipy.stats: the methods of each distribution, through variable, shapes, location and scale."""
from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from .forms import Case, case

#: shapes of continuous distributions; those that are left out have none
SHAPES: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys("gamma erlang chi2 chi invgamma nakagami weibull_min lomax gompertz fisk lognorm invgauss rice weibull_max "
                    "powerlaw alpha dgamma dweibull exponpow fatiguelife foldnorm genlogistic halfgennorm kappa3 powernorm rdist recipinvgauss "
                    "truncexpon".split(), (1.7,)),
    **dict.fromkeys("loggamma t skewnorm exponnorm gennorm vonmises vonmises_line pareto foldcauchy invweibull loglaplace argus".split(), (2.3,)),
    **dict.fromkeys("genextreme triang bradford genhalflogistic genpareto skewcauchy wrapcauchy tukeylambda laplace_asymmetric".split(), (0.4,)),
    **dict.fromkeys("gengamma burr12 beta exponweib johnsonsb johnsonsu jf_skew_t powerlognorm".split(), (1.4, 2.2)),
    **dict.fromkeys("f betaprime".split(), (5.5, 9.3)), "invgamma": (5.7,), "pareto": (5.3,), "triang": (0.35,), "genpareto": (0.1,),
    "loguniform": (0.5, 3.0), "reciprocal": (0.5, 3.0), "truncnorm": (-1.0, 1.5),
    "burr": (5.5, 1.3), "mielke": (3.1, 5.6), "truncpareto": (1.8, 5.3), "trapezoid": (0.25, 0.7), "crystalball": (1.1, 6.5),
    "genexpon": (0.9, 1.6, 0.7), "truncweibull_min": (2.5, 0.25, 1.75), "dpareto_lognorm": (0.3, 1.2, 1.5, 2.0), "rel_breitwigner": (3.6,),
    "norminvgauss": (1.25, 0.5), "genhyperbolic": (0.5, 1.5, -0.5), "geninvgauss": (2.3, 1.5), "kappa4": (0.3, 0.4), "pearson3": (0.6,),
    "ncx2": (3.4, 1.1), "ncf": (7.0, 9.0, 0.8), "nct": (5.0, 0.7), "gausshyper": (2.5, 3.1, 2.5, 1.2), "irwinhall": (4,), "ksone": (7,),
    "kstwo": (7,), "studentized_range": (3.0, 10.0), "levy_stable": (1.8, -0.5),
}
#: SciPy computes these by integrals or by searching, too slowly or too coarsely for differences
SLOW = frozenset("genhyperbolic geninvgauss gausshyper norminvgauss ncf ncx2 rel_breitwigner dpareto_lognorm recipinvgauss kappa4".split())
#: without mean and variance, or SciPy finds them by an integral
NO_MOMENTS = SLOW | frozenset("""
    alpha cauchy foldcauchy halfcauchy landau levy levy_l skewcauchy lomax crystalball kappa3 vonmises vonmises_line powerlognorm powernorm
    halfgennorm genextreme argus wrapcauchy invweibull fisk loglaplace exponpow exponweib genhalflogistic johnsonsb genexpon tukeylambda
    truncweibull_min betaprime bradford gompertz kstwobign ksone kstwo
""".split())
#: shapes of discrete distributions, and how many of them are counts in front
DISCRETE: dict[str, tuple[tuple[Any, ...], int]] = {
    "poisson": ((2.3,), 0), "bernoulli": ((0.3,), 0), "binom": ((5, 0.3), 1), "geom": ((0.3,), 0), "nbinom": ((2.4, 0.3), 0),
    "logser": ((0.6,), 0), "zipf": ((6.3,), 0), "planck": ((0.6,), 0), "dlaplace": ((0.6,), 0), "betabinom": ((5, 1.3, 2.2), 1),
    "betanbinom": ((5, 9.3, 1.4), 1), "skellam": ((2.3, 1.4), 0), "boltzmann": ((0.4, 9), 0), "yulesimon": ((6.5,), 0), "zipfian": ((0.7, 9), 0),
    "nchypergeom_fisher": ((14, 8, 6, 0.6), 3), "nchypergeom_wallenius": ((14, 8, 6, 0.6), 3), "hypergeom": ((14, 8, 6), 3),
    "nhypergeom": ((20, 7, 3), 3), "randint": ((2, 9), 2),
}


#: whose methods are all tried by every run of the tests
TYPICAL = frozenset("norm gamma truncnorm genextreme poisson nbinom nchypergeom_fisher".split())


def cases() -> Iterator[Case]:
    """Every method of typical distributions; of the others what is said for each by itself."""
    import scipy.stats as st
    said = ("logpdf", "cdf", "logpmf")
    for case_ in every():
        name, method = case_.fn.__self__.name, case_.fn.__name__
        if name in TYPICAL or method in said and not (name in SLOW and method == "cdf"):
            yield case_
    yield from forms(st)


def every() -> Iterator[Case]:
    """Every method of every distribution."""
    import scipy.stats as st
    for name in vars(st):
        if name != "trapz" and isinstance(getattr(st, name), st.rv_continuous):      # the old name of trapezoid
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")     # of erlang
                yield from continuous(getattr(st, name), SHAPES.get(name, ()))
    for name, (shapes, _) in DISCRETE.items():
        yield from discrete(getattr(st, name), shapes)


def continuous(dist: Any, shapes: tuple[Any, ...]) -> Iterator[Case]:
    name = dist.name
    if name in ("studentized_range", "levy_stable"):        # by nothing but x, location and scale
        return
    counted = name in ("ksone", "kstwo", "irwinhall")
    x = np.array([float(0.3 + 1.2 * dist.ppf(q, *shapes)) for q in ((0.4,) if name in SLOW else (0.15, 0.4, 0.85))])
    place = (0.3, 1.2)
    fixed = tuple(range(1, 1 + len(shapes))) if name == "erlang" else ()
    if name not in ("ksone", "kstwo"):
        yield from (case(getattr(dist, method), x, *shapes, *place, fixed=fixed) for method in ("logpdf", "pdf"))
    for method in ("cdf",) if name in SLOW else ("cdf", "sf", "logcdf", "logsf"):
        yield case(getattr(dist, method), x, *shapes, *place, fixed=fixed)
    if name not in SLOW:
        yield from (case(getattr(dist, method), np.array([0.2, 0.7]), *shapes, *place, fixed=fixed) for method in ("ppf", "isf", "interval"))
        if name not in ("dgamma", "dweibull", "rdist"):     # whose density is 0, or has a pole, at the median
            yield case(dist.median, *shapes, *place, fixed=[k - 1 for k in fixed])
    if name not in NO_MOMENTS:
        fixed = tuple(k - 1 for k in fixed)
        yield from (case(getattr(dist, method), *shapes, *place, fixed=fixed) for method in ("mean", "var", "std", "entropy", "stats"))
        yield case(dist.stats, *shapes, *place, moments="m", fixed=fixed)
        yield case(dist.moment, 2, *shapes, *place, fixed=tuple(k + 1 for k in fixed))
        yield case(dist.fit_loc_scale, x, *shapes, fixed=tuple(k + 1 for k in fixed))
    if name not in (*SLOW, "erlang", "ksone", "kstwo"):
        yield case(dist.nnlf, [*shapes, *place], x, fixed=(0, 1)) if counted else case(dist.nnlf, (*shapes, *place), x)


def discrete(dist: Any, shapes: tuple[Any, ...]) -> Iterator[Case]:
    k = np.unique(dist.ppf([0.2, 0.6], *shapes)).astype(int)
    for method in ("logpmf", "pmf", "cdf", "sf", "logcdf", "logsf"):
        yield case(getattr(dist, method), k if dist.name != "bernoulli" or method.endswith("pmf") else k[:1], *shapes)
    yield from (case(getattr(dist, method), np.array([0.23, 0.71]), *shapes, 0.5, fixed=(0,)) for method in ("ppf", "isf", "interval"))
    yield from (case(getattr(dist, method), *shapes, 0.5) for method in ("mean", "var", "std", "entropy", "stats", "median"))
    yield case(dist.moment, 3, *shapes, 0.5)
    yield case(dist.nnlf, [*shapes, 0], k)


def forms(st: Any) -> Iterator[Case]:
    """Parameters by name, broadcast, in single precision, without dimensions, none at all, places outside of the support."""
    x = np.array([[0.4], [0.9]])
    for method in ("logpdf", "cdf", "logsf", "ppf"):
        fn = getattr(st.gamma, method)
        yield case(fn, 0.6, a=1.7, scale=1.2)
        yield case(fn, 0.6 * x, np.array([1.7, 2.4, 3.1]), 0.05, np.array([1.2, 0.8, 1.1]))
        yield case(fn, np.array(0.7), np.array(1.7))
        yield case(fn, np.zeros(0), 1.7, scale=np.zeros(0) + 1.0)
        yield case(fn, np.array([0.6, 0.8], np.float32), np.float32(1.7))
    for method in ("pdf", "cdf", "sf"):
        yield case(getattr(st.beta, method), np.array([-0.5, 0.4, 1.6]), 1.4, 2.2)
    yield case(st.gamma.mean, np.array([1.7, 2.4]), scale=x)
    yield case(st.gamma.stats, 1.7, scale=1.2, moments="mvsk")
    yield from (case(getattr(st, name).stats, 6.3, moments=letter) for name in ("gamma", "t", "invgamma") for letter in "sk")
    yield from (case(st.gamma.moment, order, 1.7, loc=0.3, scale=1.2) for order in (1, 3, 6))
    for name in ("norm", "gumbel_r", "burr", "pareto", "weibull_min", "truncexpon"):
        yield case(getattr(st, name).rvs, *SHAPES.get(name, ()), loc=0.3, scale=1.2, size=(2, 3), random_state=7)
    for name in ("uniform", "truncnorm", "truncpareto", "binom", "betabinom"):
        yield case(getattr(st, name).support, *(DISCRETE[name][0] if name in DISCRETE else SHAPES.get(name, ())), loc=0.3)
    yield case(st.poisson.cdf, np.array([0.5, 2.0, -3.0, 900.0]), np.array([[1.4], [2.3]]), fixed=(0,))
    yield case(st.gamma.expect, args=(1.7,), scale=1.2)
    yield case(st.poisson.expect, args=(2.3,))
    yield case(st.gamma.vecentropy, np.array([1.7, 2.2]))
    yield case(st.gamma.generic_moment, 3, 1.7)
