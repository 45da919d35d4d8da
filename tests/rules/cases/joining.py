"""Joining and splitting, and grids."""
from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from transgrad.rules.installed import installed

from .forms import Case, case, positive, real


def cases() -> Iterator[Case]:
    a, b, c = real(2, 3), real(2, 3), real(2, 1)
    yield from (case(np.concatenate, [a, b], axis=x) for x in (0, 1, -1, None))
    yield case(np.concatenate, (a, c), 1)
    yield case(np.concatenate, [real(3), real(1), real(2)])
    yield from (case(np.stack, [a, b], axis=x) for x in (0, 1, 2, -1))
    yield from (case(fn, [a, b]) for fn in (np.vstack, np.hstack, np.column_stack, np.dstack))
    yield from (case(fn, [real(3), real(3)]) for fn in (np.vstack, np.hstack, np.column_stack, np.dstack))
    yield case(np.column_stack, [a, real(2)])
    yield case(np.hstack, [0.7, real(2), 1.2])
    yield case(np.vstack, [a, real(3)])
    yield from (case(np.append, *x) for x in ((real(3), real(2)), (real(3), 0.7), (a, b)))
    yield case(np.append, a, b, axis=0)
    yield case(np.block, [[a, c], [b, c]])
    yield case(np.block, [real(2), real(3)])
    for fn in (np.split, np.array_split):
        yield case(fn, real(6), 3)
        yield case(fn, real(4, 6), [1, 3], axis=1)
    yield case(np.array_split, real(5), 2)
    yield from (case(fn, real(4, 4, 2), 2) for fn in (np.vsplit, np.hsplit, np.dsplit))
    yield case(np.hsplit, real(4), 2)
    yield case(installed("numpy.unstack"), real(2, 3), axis=1)
    for options in ({}, {"indexing": "ij"}, {"sparse": True}):
        yield case(np.meshgrid, real(3), real(2), **options)
    yield case(np.meshgrid, real(3), real(2), real(2))
    yield case(np.broadcast_arrays, real(3), real(2, 1))
    yield case(np.linspace, 0.3, 1.7, 5)
    yield from (case(np.arange, *args) for args in ((0.3, 1.7, 0.4), (-0.2, 2.15), (2.0, -1.1, -0.55)))
    yield case(np.linspace, 0.3, 1.7, 5, endpoint=False)
    yield case(np.full, (2, 3), 0.7)
    yield case(np.full_like, np.array([1, 2]), 0.7, dtype=np.float64)
    yield case(np.geomspace, 0.3, 1.7, 5)
    yield case(np.logspace, 0.3, 1.7, 5)
    yield case(np.vander, real(3), 4)
    yield case(np.full, (2, 3), real(3))
    yield case(np.full_like, real(2, 3), real(3), fixed=(0,))
    for fn, low in ((np.linspace, real), (np.geomspace, positive)):
        yield from (case(fn, low(3), low(3), 4, axis=x) for x in (0, 1))
        yield case(fn, low(2, 1), 0.7, 3)
    yield from (case(np.linspace, 0.3, 1.7, 5, retstep=True, endpoint=e) for e in (True, False))
    yield case(np.logspace, real(2), 0.3, 4, base=positive(2))
    yield case(np.logspace, 0.1, 0.3, 4, base=2.5)
    yield case(np.block, [[[real(2), real(1)]], [[real(1), real(2)]]])
    yield case(np.block, [[real(2, 2), 0.7 * np.ones((2, 1))], [real(1, 3)]])
