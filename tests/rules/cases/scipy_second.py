"""Functions that SciPy's rules call."""
from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .forms import Case, case, positive, real


def cases() -> Iterator[Case]:
    import scipy.stats as st

    from transgrad.rules import scipy
    scipy.load_all()
    from transgrad.rules.scipy.special.ellipsoidal import lame_polynomial
    from transgrad.rules.scipy.stats import bessel, discrete, integrals, mixed, sums, transport
    for order in (0, 1):
        yield case(lame_polynomial, 1.2, 2.3, 4, 3, np.array([1.7, 2.1]), order, fixed=(0, 1))
    yield case(integrals.cdf_slope, st.gamma.logpdf, 0, positive(3), np.array([1.7, 2.3, 1.1]), fixed=(3,))
    yield case(sums.cumulated, st.poisson.logpmf, 0, np.array([1.2, 3.4]), 2.3, fixed=(3,))
    yield case(discrete.mean_logarithm, positive(3), 9)
    yield case(mixed.gauss_mass, 2.5, 3.1, 2.5, positive(3))
    yield case(bessel.log_of_kv, positive(3), positive(3))
    cost = positive(3, 4)
    yield case(transport.cheapest, cost, np.full(3, 1 / 3), np.full(4, 0.25), fixed=(1, 2))
    yield case(transport.cheapest, cost + np.abs(real(3, 4)), np.array([0.2, 0.5, 0.3]), np.array([0.4, 0.1, 0.3, 0.2]), fixed=(1, 2))
