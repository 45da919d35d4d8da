"""scipy.stats: statistics of samples, densities of several variables (see `scipy_distributions` for the others)."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .forms import Case, case, positive, real, spd_matrix


def cases() -> Iterator[Case]:
    import scipy.stats as st
    yield from samples(st)
    yield from multivariate(st)


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
