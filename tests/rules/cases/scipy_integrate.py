"""scipy.integrate."""
from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .forms import Case, case, positive, real


def cases() -> Iterator[Case]:
    import scipy.integrate
    yield from (case(scipy.integrate.trapezoid, real(3, 4), dx=0.5, axis=a) for a in (0, 1))
    yield case(scipy.integrate.trapezoid, real(4), np.cumsum(positive(4)))
    yield case(scipy.integrate.trapezoid, real(4), np.cumsum(positive(4)), 0.5)
    yield from (case(scipy.integrate.cumulative_trapezoid, real(3, 4), axis=a, initial=0) for a in (0, 1))
    yield case(scipy.integrate.cumulative_trapezoid, real(4))
    yield case(scipy.integrate.cumulative_trapezoid, real(4), np.cumsum(positive(4)))
    yield from (case(scipy.integrate.cumulative_trapezoid, real(3, 4), np.cumsum(positive(3 + a)), 1.0, a, 0) for a in (0, 1))
    yield case(scipy.integrate.cumulative_trapezoid, real(3, 4), real(3, 4), axis=0)
    yield case(scipy.integrate.cumulative_trapezoid, real(3, 4), dx=0.3, initial=0)
    yield case(scipy.integrate.cumulative_simpson, real(3, 5), x=np.cumsum(positive(5)), initial=real(3, 1))
    for n in (3, 4, 5, 8):
        yield case(scipy.integrate.simpson, real(n))
        yield case(scipy.integrate.simpson, real(n), np.cumsum(positive(n)))
    yield case(scipy.integrate.simpson, real(5, 2), dx=0.5, axis=0)
    yield case(scipy.integrate.romb, real(2, 5), dx=0.5)
    for initial in ({}, {"initial": 0.5}):
        yield from (case(scipy.integrate.cumulative_simpson, real(n), **initial) for n in (2, 5, 6))
    yield case(scipy.integrate.cumulative_simpson, real(2, 6), x=np.cumsum(positive(6)))
    yield case(scipy.integrate.cumulative_simpson, real(5, 2), dx=0.3, axis=0)
