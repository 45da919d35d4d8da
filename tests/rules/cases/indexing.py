"""Reads of parts, and orders."""
from __future__ import annotations

import operator
from collections.abc import Iterator

import numpy as np

from transgrad import runtime

from .forms import Case, case, distinct, real


def cases() -> Iterator[Case]:
    for index in (0, -1, slice(1, None), (0, 1), (slice(None), 2), (Ellipsis, None), np.array([0, 0, 1]), (np.array([0, 1, 0]), np.array([2, 2, 1])),
                  np.array([[True, False, True], [False, True, True]]), [1, 0], (slice(None, None, -1), slice(0, 2))):
        yield case(operator.getitem, real(2, 3), index)
    yield from (case(np.take, real(2, 3), np.array([0, 2, 2]), axis=x) for x in (None, 1))
    yield case(np.take, real(4), 2)
    yield case(np.take_along_axis, real(2, 3), np.array([[0, 2], [1, 1]]), axis=1)
    yield case(np.compress, np.array([True, False, True]), real(2, 3), axis=1)
    yield case(np.ndarray.compress, real(3), np.array([True, False, True]))
    yield case(np.extract, np.array([True, False, True]), real(3))
    yield from (case(np.delete, real(3, 4), *x) for x in ((1, 0), ([0, 2], 1), (3,)))
    yield case(np.insert, real(4), 2, 0.7)
    yield case(np.insert, real(2, 3), 1, 0.7, axis=1)
    yield from (case(np.sort, distinct(2, 5), axis=x) for x in (0, 1, -1))
    yield case(np.sort, distinct(5))
    yield case(np.sort, distinct(2, 3), axis=None)
    yield case(np.partition, distinct(7), 3)
    yield case(sorted, [0.7, -0.2, 1.0])
    yield case(sorted, [0.7, -0.2, 1.0], reverse=True)
    yield case(np.unique, distinct(5))
    conditions = [np.array([True, False, False]), np.array([True, True, False])]
    yield case(np.select, conditions, [real(3), real(3)], 0.7)
    yield case(np.select, conditions, [real(3), real(3)])
    yield case(np.choose, np.array([0, 1, 0]), [real(3), real(3)])
    yield case(runtime.scatter, np.zeros(4), np.array([0, 0, 2]), real(3))
    yield case(runtime.scatter_along, np.zeros((2, 3)), np.array([[0, 2], [1, 1]]), real(2, 2), 1)
    yield case(np.bincount, np.array([0, 1, 1, 3]), weights=real(4))
    yield case(np.take, real(2, 3, 2), np.array([1, 0]), axis=-1)
    yield from (case(fn, distinct(4)) for fn in (np.unique_all, np.unique_counts, np.unique_inverse))
    yield case(np.unique, distinct(4), return_index=True, return_counts=True)
    yield case(np.unique, distinct(2, 3))
    yield case(np.unique, distinct(3, 2), axis=0)
    yield case(np.unique_values, distinct(5))
    yield case(np.partition, distinct(5, 2), 2, axis=0)
    for obj in ([1, 3], np.array([3, 1, 1]), slice(0, 3)):
        yield case(np.insert, real(5), obj, 0.7)
    yield from (case(np.insert, real(5), *x) for x in (([1, 3], real(2)), (2, real(3)), (-1, 0.3)))
    yield from (case(np.insert, real(3, 4), *x, axis=a) for a, *x in ((1, 1, real(3)), (0, [0, 2], real(2, 4)), (0, 2, real(4)), (1, 2, real(2, 3)),
                                                                      (None, 3, 0.3)))
    for mode, a in (("wrap", np.array([0, 3, -1])), ("clip", np.array([0, 3, -1]))):
        yield case(np.choose, a, [real(3), real(3)], mode=mode)
        yield case(np.choose, a, real(2, 3), mode=mode)
    yield case(np.choose, np.array([0, 1, 1]), real(2))
