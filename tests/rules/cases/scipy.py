"""SciPy."""
from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .forms import Case, case, cplx, positive, real, spd_matrix


def cases() -> Iterator[Case]:
    import scipy.integrate
    import scipy.linalg
    import scipy.special as sp
    for name in ("erf", "erfc", "erfcx", "ndtr", "log_ndtr", "gammaln", "gamma", "rgamma", "digamma", "expit", "log_expit", "exprel", "entr", "j0", "j1",
                 "y0", "y1", "i0", "i1", "i0e", "i1e", "dawsn", "spence", "loggamma"):
        yield case(getattr(sp, name), positive(4))
    yield from (case(getattr(sp, name), real(3, low=0.1, high=0.9)) for name in ("erfinv", "erfcinv", "ndtri", "logit"))
    yield case(sp.lambertw, cplx(3))
    yield from (case(getattr(sp, name), positive(3), positive(3)) for name in ("beta", "betaln", "xlogy", "xlog1py", "rel_entr", "kl_div"))
    yield from (case(getattr(sp, name), positive(3), positive(3), fixed=(0,)) for name in ("gammainc", "gammaincc", "iv", "jv", "yv", "kv"))
    yield case(sp.polygamma, 2, positive(3))
    yield case(sp.multigammaln, 4.2, 3)
    yield case(sp.betainc, 1.2, 0.7, real(3, low=0.1, high=0.9), fixed=(0, 1))
    for axis in (None, 0, 1):
        yield from (case(fn, real(2, 3), axis=axis) for fn in (sp.logsumexp, sp.softmax, sp.log_softmax))
    yield case(sp.logsumexp, real(2, 3), axis=1, keepdims=True)
    yield case(sp.logsumexp, real(3), b=positive(3))
    square = real(3, 3) + 2 * np.eye(3)
    yield from (case(fn, square) for fn in (scipy.linalg.inv, scipy.linalg.det, scipy.linalg.norm, scipy.linalg.expm))
    yield case(scipy.linalg.expm_frechet, square, real(3, 3), compute_expm=False, fixed=(0,))
    yield from (case(scipy.linalg.solve, square, b) for b in (real(3), real(3, 2)))
    for lower in (False, True):
        yield case(scipy.linalg.cholesky, spd_matrix(3), lower=lower)
        for trans in (0, 1):
            yield case(scipy.linalg.solve_triangular, square, real(3), trans=trans, lower=lower)
            yield case(scipy.linalg.solve_triangular, square, real(3, 2), trans=trans, lower=lower, unit_diagonal=True)
    yield from (case(scipy.integrate.trapezoid, real(3, 4), dx=0.5, axis=a) for a in (0, 1))
    yield case(scipy.integrate.trapezoid, real(4), np.cumsum(positive(4)))
    yield from (case(scipy.integrate.cumulative_trapezoid, real(3, 4), axis=a, initial=0) for a in (0, 1))
    yield case(scipy.integrate.cumulative_trapezoid, real(4))
