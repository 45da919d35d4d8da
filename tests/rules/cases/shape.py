"""Rearrangements of one array."""
from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .forms import Case, case, distinct, real


def cases() -> Iterator[Case]:
    yield from (case(np.reshape, real(2, 3), s) for s in ((3, 2), -1, (6,), (1, -1)))
    yield case(np.ndarray.reshape, real(2, 3), 3, 2)
    yield case(np.ndarray.reshape, real(2, 3), (3, 2), order="F")
    yield from (case(fn, real(2, 3)) for fn in (np.ravel, np.ndarray.ravel, np.ndarray.flatten, np.transpose, np.ndarray.transpose, np.matrix_transpose,
                                                np.flip, np.fliplr, np.flipud, np.rot90, np.tril, np.triu, np.copy, np.ndarray.copy, np.atleast_1d,
                                                np.atleast_2d, np.atleast_3d, np.diag, np.diagflat, np.diagonal, np.trace, np.array, np.asarray,
                                                np.fft.fftshift, np.fft.ifftshift, np.ndarray.tolist, np.ndarray.view))
    yield case(np.ravel, real(2, 3), order="F")
    yield case(np.transpose, real(2, 3, 4), (1, 2, 0))
    yield case(np.ndarray.transpose, real(2, 3, 4), 1, 2, 0)
    yield case(np.ndarray.transpose, real(2, 3, 4), (2, 0, 1))
    yield case(np.swapaxes, real(2, 3, 4), 0, 2)
    yield from (case(np.moveaxis, real(2, 3, 4), *a) for a in ((0, -1), ((0, 1), (2, 0))))
    yield from (case(np.rollaxis, real(2, 3, 4), *a) for a in ((2,), (0, 2), (1, 3), (2, 1)))
    yield from (case(np.squeeze, real(1, 3, 1), **k) for k in ({}, {"axis": 0}, {"axis": (0, 2)}))
    yield from (case(np.expand_dims, real(3), a) for a in (0, 1, (0, 2)))
    yield from (case(fn, x) for fn in (np.atleast_1d, np.atleast_2d, np.atleast_3d) for x in (0.7, real(3)))
    yield from (case(np.broadcast_to, x, (2, 3)) for x in (0.7, real(3), real(2, 1)))
    yield case(np.flip, real(2, 3), axis=1)
    yield case(np.rot90, real(2, 3), k=3)
    yield from (case(np.roll, real(2, 3), *a) for a in ((1,), (1, 0), (-2, 1), ((1, 2), (0, 1))))
    yield from (case(np.tile, real(2, 3), r) for r in (2, (2,), (2, 1), (2, 2, 2)))
    yield case(np.tile, real(3), (2, 2))
    yield from (case(np.repeat, real(2, 3), *a) for a in ((2,), (2, 0), (3, -1), (np.array([1, 2]), 0)))
    yield case(np.repeat, 0.7, 3)
    yield from (case(np.diag, x, k) for x in (real(3), real(3, 3), real(2, 4)) for k in (0, 1, -1))
    yield from (case(np.diagonal, real(2, 3, 4), *a) for a in ((), (1,), (0, 1, 2), (-1, 0, 2)))
    yield from (case(np.trace, x, *a) for x, a in ((real(3, 3), (1,)), (real(2, 4), ()), (real(2, 3, 3), (0, 1, 2))))
    yield case(np.linalg.trace, real(2, 3, 3))
    yield case(np.linalg.diagonal, real(2, 3, 3), offset=1)
    yield from (case(np.tril, real(3, 4), k) for k in (1, -1))
    yield case(np.triu, real(2, 3, 3), 1)
    for width in (1, (1, 2), ((0, 1), (2, 0)), ((1, 1),)):
        yield case(np.pad, real(3, 4), width)
    yield from (case(np.pad, real(5), (2, 1), mode=m) for m in ("edge", "wrap", "reflect", "symmetric"))
    yield case(np.pad, real(3, 4), ((1, 0), (2, 2)), mode="edge")
    yield case(np.pad, real(3), 1, mode="constant", constant_values=7)
    yield case(np.array, [0.7, 1.2, 0.1])
    yield case(np.array, [[0.7, 1.2], [0.1, -0.3]])
    yield case(np.array, [real(3), real(3)])
    yield case(np.array, 0.7)
    yield case(np.asarray, real(3), dtype=np.float64)
    yield case(np.ndarray.astype, real(3), np.float64)
    yield case(np.ndarray.item, np.array(0.7))
    yield case(np.lib.stride_tricks.sliding_window_view, real(6), 3)
    yield case(list, [0.7, 1.0])
    yield from (case(np.repeat, real(3), r) for r in ([0, 2, 1], np.array([1, 0, 0])))
    yield from (case(np.lib.stride_tricks.sliding_window_view, real(4, 5), w, axis=a) for w, a in (((2, 2), None), (3, 1), ((2, 2), (0, 0))))
    for mode in ("linear_ramp", "mean", "maximum", "minimum", "median"):
        yield case(np.pad, distinct(4), (2, 1), mode=mode)
        yield case(np.pad, distinct(3, 4), ((1, 0), (2, 2)), mode=mode)
    yield case(np.pad, distinct(6), 2, mode="mean", stat_length=3)
    yield case(np.pad, real(4), 2, mode="linear_ramp", end_values=(0.7, -0.2))
    yield case(np.pad, real(4), 2, constant_values=np.array(0.7))
    yield from (case(np.pad, real(4), 2, mode=m, reflect_type="odd") for m in ("reflect", "symmetric"))
    yield case(np.resize, real(3), (2, 4))
    yield case(np.trim_zeros, np.array([0.0, 0.0, 0.7, 0.0, 1.2, 0.0]), fixed=(0,))
    yield case(np.sort_complex, distinct(4))
