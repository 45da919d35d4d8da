"""scipy.optimize: what is said by a formula, or by constraints that hold."""
from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .forms import Case, case, real


def cases() -> Iterator[Case]:
    import scipy.optimize as so
    yield from (case(fn, real(4)) for fn in (so.rosen, so.rosen_der, so.rosen_hess))
    yield case(so.rosen_hess_prod, real(4), real(4))
    matrix = real(6, 3)
    yield case(so.nnls, matrix, matrix @ np.array([1.0, -1.0, 2.0]) + 0.1 * real(6))
