"""scipy.linalg."""
from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .forms import Case, case, real, spd_matrix


def cases() -> Iterator[Case]:
    import scipy.linalg
    square = real(3, 3) + 2 * np.eye(3)
    yield from (case(fn, square) for fn in (scipy.linalg.inv, scipy.linalg.det, scipy.linalg.norm, scipy.linalg.expm))
    yield case(scipy.linalg.expm_frechet, square, real(3, 3), compute_expm=False, fixed=(0,))
    yield from (case(scipy.linalg.solve, square, b) for b in (real(3), real(3, 2)))
    for lower in (False, True):
        yield case(scipy.linalg.cholesky, spd_matrix(3), lower=lower)
        for trans in (0, 1):
            yield case(scipy.linalg.solve_triangular, square, real(3), trans=trans, lower=lower)
            yield case(scipy.linalg.solve_triangular, square, real(3, 2), trans=trans, lower=lower, unit_diagonal=True)
