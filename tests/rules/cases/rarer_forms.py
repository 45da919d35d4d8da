"""Calls of NumPy in forms that are met rarely: numbers among arrays, rows beside columns, several bases."""
from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .forms import Case, case, cplx, positive, real


def cases() -> Iterator[Case]:
    for n, m in ((4, 5), (2, 5), (5, 2), (3, 3)):
        yield from (case(np.correlate, f(n), f(m), mode="same") for f in (real, cplx))
        yield case(np.convolve, real(n), real(m), mode="same")
    for fn in (np.convolve, np.outer, np.kron):
        yield from (case(fn, 0.7, real(3)), case(fn, real(3), 0.7))
    yield case(np.outer, 0.7, 1.2)
    grid = np.cumsum(positive(4))
    yield from (case(np.trapezoid, real(3, 4), x) for x in (grid[None], grid + positive(3, 1), grid + positive(3, 4)))
    yield from (case(np.trapezoid, real(3, 4), np.cumsum(positive(3))[:, None], axis=0), case(np.trapezoid, real(4), grid + positive(3, 1)))
    yield from (case(np.logspace, 0.3, 1.0, 4, base=positive(3)), case(np.logspace, real(2), 1.0, 4, base=positive(2), axis=-1))
    yield from (case(fn, cplx(3, 4), **k) for fn in (np.nanvar, np.nanstd) for k in ({}, {"axis": 0}, {"axis": 1, "ddof": 1}))
    yield from (case(fn, real(4), k) for fn in (np.tril, np.triu) for k in (0, -1))
    yield case(np.expand_dims, real(3), [0, 2])
    yield from (case(np.take, real(3, 4), np.array([5, -7]), axis=x, mode=mode) for x in (None, 1) for mode in ("wrap", "clip"))
    yield from (case(fn, [real(3), real(2, 3)]) for fn in (np.vstack,))
    yield from (case(fn, [0.7, 1.2]) for fn in (np.vstack, np.hstack, np.dstack, np.column_stack))
    yield from (case(np.meshgrid, real(3), 0.7, real(2), indexing=word) for word in ("ij", "xy"))
    yield case(np.meshgrid, real(2, 2), real(3))
    well = real(2, 3, 3) + 4.0 * np.eye(3)
    yield from (case(np.linalg.solve, well[:n], real(3)) for n in (1, 2))
    yield from (case(np.average, positive(2, 3, 4), axis=a, weights=positive(*s)) for a, s in (((1,), (3,)), ((2, 0), (4, 2)), ((0, -1), (2, 4))))
    for fn in (np.logaddexp.reduce, np.logaddexp2.reduce, np.hypot.reduce):
        yield from (case(fn, real(3, 4), **k) for k in ({}, {"axis": 1, "keepdims": True}))
    yield case(np.logaddexp.reduce, real(3, 4), axis=(0, 1))
    yield from (case(np.percentile, real(3, 4), q, axis=1) for q in ([25, 75], (10, 60)))
    yield case(np.interp, np.array([0.3, 2.0]), np.array([1.0]), real(1))
