"""Elementary functions of NumPy, math and cmath."""
from __future__ import annotations

import cmath
import math
from collections.abc import Iterator

import numpy as np

from transgrad import runtime

from .forms import Case, case, cplx, positive, real


def cases() -> Iterator[Case]:
    everywhere = ["exp", "exp2", "expm1", "sin", "cos", "tan", "arctan", "sinh", "cosh", "tanh", "arcsinh", "cbrt", "deg2rad", "rad2deg", "sinc",
                  "radians", "degrees"]
    for name in everywhere:
        fn = getattr(np, name)
        yield from (case(fn, x) for x in (0.7, -1.3, real(2, 3)))
    for name in ("log", "log2", "log10", "log1p", "sqrt"):
        yield from (case(getattr(np, name), x) for x in (0.7, positive(2, 3)))
    for name in ("arcsin", "arccos", "arctanh"):
        yield from (case(getattr(np, name), x) for x in (0.7, real(2, 3, low=-0.9, high=0.9)))
    yield case(np.arccosh, 1.0 + positive(3))
    for name in ("exp", "sin", "cos", "tan", "sinh", "cosh", "tanh", "log", "sqrt", "arcsin", "arccos", "arctan", "arcsinh", "arccosh", "arctanh",
                 "log10", "log2", "log1p", "expm1", "exp2", "square"):
        yield case(getattr(np, name), cplx(4))
    for name in ("exp", "exp2", "expm1", "sin", "cos", "tan", "atan", "sinh", "cosh", "tanh", "asinh", "cbrt", "radians", "degrees", "erf", "erfc",
                 "log", "log2", "log10", "log1p", "sqrt", "asin", "acos", "atanh", "lgamma", "gamma"):
        yield case(getattr(math, name), 0.7)
    yield case(runtime.digamma, 0.7)
    yield case(math.acosh, 1.7)
    yield case(math.log, 1.7, 3.0)
    yield case(math.log, 1.7, 10)
    for name in ("exp", "log", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh", "asin", "acos", "atan", "asinh", "acosh", "atanh", "log10"):
        yield case(getattr(cmath, name), 0.7 + 0.3j)
    for fn in (np.arctan2, np.hypot, np.logaddexp, np.logaddexp2):
        yield from (case(fn, *p) for p in ((0.7, 1.3), (real(3), 0.4), (real(2, 3), real(3))))
    yield case(math.atan2, 0.7, -0.4)
    yield case(math.hypot, 0.7, -0.4, 1.1)
    yield case(math.dist, [0.7, 1.0], [0.2, -0.4])
    yield case(math.fsum, [0.7, 1.0, -0.4])
    yield case(math.prod, [0.7, 1.0, -0.4])
    if hasattr(math, "sumprod"):        # of Python 3.12
        yield case(math.sumprod, [0.7, 1.0, -0.4], [1.3, -0.2, 0.6])
    yield case(np.sinc, np.array([0.0, 1.0, 0.5]))
    yield from (case(np.i0, x) for x in (0.0, 0.7, real(3)))
    yield case(runtime.bessel_i1, real(3))
    yield case(np.kaiser, 6, 2.3)
    yield case(cmath.phase, 0.7 + 0.3j)
    yield case(cmath.polar, 0.7 + 0.3j)
    yield case(cmath.rect, 0.7, 0.3)
    for name in ("fma",):
        if hasattr(math, name):
            yield case(getattr(math, name), 0.7, 0.3, -0.4)
