"""Polynomials by their coefficients, and sets."""
from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .forms import Case, case, distinct, real


def cases() -> Iterator[Case]:
    yield from (case(fn, real(4), real(n)) for fn in (np.polyadd, np.polysub, np.polymul) for n in (2, 4, 5))
    yield from (case(np.polydiv, real(n), np.array([0.7, 0.3])) for n in (4, 2, 1))
    yield from (case(np.polyder, real(5), m) for m in (1, 2))
    yield from (case(np.polyint, real(3), m) for m in (1, 2))
    yield case(np.polyint, real(3), 1, 4)
    yield case(np.roots, np.array([1.0, -6.2, 11.3, -5.9]))
    yield case(np.poly, real(3))
    yield case(np.vander, real(3), 4, increasing=True)
    x = distinct(6)
    yield from (case(np.polyfit, x, real(6), 2, **k) for k in ({}, {"w": np.arange(1, 7)}, {"cov": True}, {"cov": "unscaled"}))
    yield case(np.polyfit, x, real(6, 2), 2)
    yield case(np.setdiff1d, np.array([0.7, -0.2, 1.4]), np.array([0.1, 1.5, 2.0]), fixed=(1,))
    yield case(np.intersect1d, np.array([0.7, -0.2, 1.4]), np.array([0.1, 1.4, 2.0]), fixed=(0, 1))
    yield from (case(fn, np.array([0.7, -0.2, 1.4]), np.array([0.1, 1.5, 2.0])) for fn in (np.union1d, np.setxor1d))
