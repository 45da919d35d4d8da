"""Functions that rules call."""
from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from transgrad import runtime

from .forms import Case, case, real


def cases() -> Iterator[Case]:
    yield case(runtime.place_diagonal, np.zeros((3, 4)), real(3))
    yield case(runtime.place_diagonal, np.zeros((3, 4)), real(2), -1)
    yield case(runtime.fold_pad, np.zeros(4), real(7), (2, 1), "edge")
    yield case(runtime.gradient_pullback, real(5), 2)
    for x in (real(4), np.array([0.0, 1.2, -0.7]), np.array([0.0, 1.2, 0.0, 0.4])):
        yield case(runtime.others_product, x)
        yield case(runtime.others_product_pullback, real(x.size), x)
        yield case(runtime.cumprod_pullback, real(x.size), x)
        yield case(runtime.cumprod_pushforward, real(x.size), x)
        yield case(runtime.product_slope, x, None, real(x.size), real(x.size))
        yield case(runtime.cumprod_slope, x, 0, real(x.size), real(x.size))
        yield case(runtime.cumprod_slope_back, real(x.size), x, 0, real(x.size))
    yield case(runtime.others_product, real(2, 3), 1)
    yield case(runtime.others_product, real(2, 3))
    for axis in (None, 1):
        yield case(runtime.product_slope, real(2, 3), axis, real(2, 3), real(2, 3))
        yield case(runtime.cumprod_slope_back, real(2, 3) if axis else real(6), real(2, 3), axis, real(2, 3), real(2, 3))
    yield from (case(runtime.quantile_weights, real(5), q, fixed=(0,)) for q in (0.3, np.array([0.3, 0.8])))
    yield case(runtime.quantile_weights, real(2, 5), 0.3, 1, fixed=(0,))
    yield case(runtime.unbroadcast, real(2, 3), real(3), fixed=(1,))
    yield case(np.add.reduceat, real(6), np.array([0, 2, 3]))
