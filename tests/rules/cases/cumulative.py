"""Running sums and products, differences, integrals and interpolation of samples."""
from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from transgrad.rules.installed import installed

from .forms import Case, case, distinct, positive, real


def cases() -> Iterator[Case]:
    for fn in (np.cumsum, np.cumprod, np.ndarray.cumsum, np.nancumsum):
        yield from (case(fn, real(4)), case(fn, real(2, 3)), case(fn, real(2, 3), axis=0), case(fn, real(2, 3), axis=-1))
    for ufunc in (np.add, np.multiply, np.maximum, np.minimum, np.fmax, np.fmin):
        yield case(ufunc.accumulate, distinct(5))
        yield case(ufunc.accumulate, distinct(2, 4), axis=1)
    yield from (case(np.diff, real(5), **k) for k in ({}, {"n": 2}))
    yield from (case(np.diff, real(3, 4), axis=a) for a in (0, 1, -1))
    yield case(np.ediff1d, real(2, 3))
    yield from (case(np.gradient, real(6)), case(np.gradient, real(6), 2), case(np.gradient, real(4, 5), axis=1), case(np.gradient, real(6), edge_order=2))
    yield case(np.gradient, real(5), np.array([0, 1, 3, 4, 8]))
    yield case(np.gradient, real(5), np.array([0, 1, 3, 4, 8]), edge_order=2)
    yield case(np.gradient, real(4, 5), 2, 3)
    yield from (case(np.trapezoid, real(5)), case(np.trapezoid, real(5), np.cumsum(positive(5))), case(np.trapezoid, real(3, 4), dx=0.5, axis=0),
                case(np.trapezoid, real(3, 4), np.cumsum(positive(4))))
    yield case(np.interp, np.array([0.3, 1.7, -1.0, 9.0]), np.array([0.0, 1.0, 2.5]), real(3))
    yield case(np.interp, 0.3, np.array([0.0, 1.0, 2.5]), real(3), left=0.4, right=-0.2)
    yield case(np.polyval, real(4), real(3))
    yield case(np.polyval, real(4), 0.7)
    yield case(np.polyval, real(4, 3), real(3))
    yield case(np.polyval, real(4, 1), real(3))
    yield case(np.polyval, real(4, 2, 3), real(3))
    yield case(np.nancumprod, np.array([0.7, np.nan, 1.2, -0.4]))
    for fn in (installed("numpy.cumulative_sum"), installed("numpy.cumulative_prod")):
        yield from (case(fn, real(4)), case(fn, real(2, 3), axis=1), case(fn, real(2, 3), axis=0, include_initial=True))
    yield from (case(np.diff, real(4), prepend=0.7), case(np.diff, real(2, 3), append=real(2, 1)), case(np.diff, real(2, 4), 2, 0, 0.3, 0.7))
    yield case(np.ediff1d, real(4), real(2), 0.7)
    yield case(np.interp, np.array([0.3, 1.7, -1.0, 9.0]), np.array([0.0, 1.0, 2.5]), real(3), period=3.2)
