"""scipy.special: noncentral distributions and inverses that SciPy solves for."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .forms import Case, case

rng = np.random.default_rng(3)     # of its own: SciPy's solvers are exact enough for differences at these, not everywhere


def positive(*shape: int) -> Any:
    return rng.uniform(0.3, 2.0, size=shape)


def real(*shape: int) -> Any:
    return rng.uniform(-2.0, 2.0, size=shape)


def unit(*shape: int) -> Any:
    return rng.uniform(0.2, 0.8, size=shape)


def cases() -> Iterator[Case]:
    import scipy.special as sp
    yield case(sp.chndtr, positive(3), 2.0 + positive(3), positive(3))
    yield case(sp.chndtr, np.array([3.0, 60.0]), 2.5, np.array([0.4, 50.0]))
    yield case(sp.chndtrix, unit(3), 2.0 + positive(3), positive(3))
    yield case(sp.chndtridf, 4.0 + positive(3), unit(3), positive(3))
    yield case(sp.chndtrinc, 6.0 + positive(3), 2.0 + positive(3), np.array([0.3, 0.4, 0.5]))
    yield case(sp.ncfdtr, 2.0 + positive(3), 3.0 + positive(3), positive(3), positive(3))
    yield case(sp.ncfdtr, 2.0 + positive(2, 1), 3.0, positive(3), 1.3)
    yield case(sp.ncfdtri, 2.0 + positive(3), 3.0 + positive(3), positive(3), unit(3))
    yield case(sp.nctdtr, 3.0 + positive(4), np.array([0.4, -1.2, 0.0, 2.5]), np.array([0.7, 0.3, 1.2, -0.4]))
    if sp.nctdtr(4.0, 0.4, 1e-6) != sp.nctdtr(4.0, 0.4, 0.0):       # SciPy 1.13 takes small ones for 0, and differences find no slope
        yield case(sp.nctdtr, 4.0, np.array([0.4, 6.0]), np.array([0.0, 8.0]))
    yield case(sp.nctdtridf, np.array([0.55, 0.6]), np.array([0.4, 0.5]), np.array([0.7, 0.9]))
    yield case(sp.nctdtrinc, 3.0 + positive(3), unit(3), positive(3))
    yield case(sp.nctdtrit, 3.0 + positive(3), real(3), unit(3))
    yield case(sp.bdtrik, unit(3), 9.0 + positive(3), unit(3))
    yield case(sp.bdtrin, 2.0 + positive(3), unit(3), unit(3))
    yield case(sp.nbdtrik, unit(3), 4.0 + positive(3), unit(3))
    yield case(sp.nbdtrin, 2.0 + positive(3), unit(3), unit(3))
    yield case(sp.pdtrik, unit(3), 4.0 + positive(3))
    m, x = 3.0 + positive(3), 1.5 + positive(3)
    yield case(sp.fdtridfd, m, sp.fdtr(m, np.array([2.5, 3.0, 4.0]), x), x)
