"""scipy.sparse.linalg: solvers of matrices made inside."""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as sl

from . import use

ROWS, COLUMNS = np.array([0, 1, 1, 2, 2]), np.array([0, 0, 1, 1, 2])
D, B = np.array([2.0, 0.4, 3.0, -0.6, 1.7]), np.array([0.3, 1.2, -0.8])


@use(D, B)
def triangular(d: Any, b: Any) -> Any:
    a = sp.csr_array((d, (ROWS, COLUMNS)), shape=(3, 3))
    return np.sum(np.sin(sl.spsolve_triangular(a, b)))


@use(D, B)
def least_squares(d: Any, b: Any) -> Any:
    a = sp.csr_array((d, (ROWS, COLUMNS)), shape=(3, 3))
    return np.sum(np.sin(sl.lsmr(a, b, 0.3, atol=1e-14, btol=1e-14)[0]))
