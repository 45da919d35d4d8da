"""A tuple inside the index of an array reads and writes several elements, as a list does; a list of lists has several dimensions."""
from __future__ import annotations

import collections
from typing import Any

import numpy as np
import pytest

import transgrad as tg
from tests import oracles

Place = collections.namedtuple("Place", "row column")
PLACES = ((0, 0), (1, 0))


def rows(x: Any) -> Any:
    return np.sum(x[(0, 0, 1), :] ** 2)


def elements(x: Any) -> Any:
    return np.sum(x[(0, 0, 1), (1, 1, 0)] ** 2)


def alone(x: Any) -> Any:
    return np.sum(x[(0, 0, 1),] ** 2)


def changed(x: Any) -> Any:
    y = x * 1.0
    y[(0, 1), 1] *= x[0, 0]
    y[(1, 1), 0] = x[1, 1]
    return np.sum(y ** 3)


def a_copy(x: Any) -> Any:
    """What is written to it is not written to the array."""
    y = x * 2.0
    v = y[PLACES]
    v *= x[1, 0]
    return np.sum(y ** 2) * np.sum(v)


def added(x: Any) -> Any:
    y = x * 2.0
    np.add.at(y, ((0, 0), (1, 1)), x[1] ** 2)
    return np.sum(y ** 2)


def of_numbers(x: Any, i: int = 1) -> Any:
    return np.sum(x[(i, i, 0), 1] ** 2)


def of_places(x: Any, places: Any = (((0, 0), 1), ((1, 1), 0))) -> Any:
    total = 0.0
    for p in places:
        total = total + np.sum(x[p] ** 2) * x[0, 0]
    return total


def named(x: Any, p: Any = Place((0, 0), 1)) -> Any:
    return np.sum(x[p] ** 2) + np.sum(x[Place(0, 1)])


def of_lists(x: Any) -> Any:
    return np.sum(x[[[0, 1], [1, 1]]].sum(axis=1)[0, 1] ** 2)


def of_tuples(x: Any, i: int = 1) -> Any:
    return np.sum(x[[(0, i), (i, i)]].sum(axis=1)[0, 1] ** 2)


def of_arrays(x: Any) -> Any:
    r = np.array([0, 1, 1])
    return np.sum((x[[r, r]].sum(axis=1) ** 2).sum(axis=0)[1])


def of_masks(x: Any) -> Any:
    return np.sum(x[[[True, False], [True, True]]] ** 2)


def taken(x: Any) -> Any:
    return np.sum(np.take(x, (0, 0, 1), axis=0) ** 2) + np.sum(x.take((2, 2)) ** 3)


def of_unknown(x: Any, places: Any = np.array([[0, 0], [1, 1]])) -> Any:
    return np.sum(x[tuple(places)] ** 2)


def as_keys(x: Any) -> Any:
    """Of a dict, it is a key."""
    return {((0, 0), 1): x[0, 0], ((0, 1), 1): x[1, 1] ** 2}[(0, 1), 1]


@pytest.mark.parametrize("f", [rows, elements, alone, changed, a_copy, added, of_numbers, of_places, named, of_lists, of_tuples, of_arrays,
                               of_masks, taken, of_unknown, as_keys])
@pytest.mark.parametrize("optimize", [True, False])
def test_gradients(f: Any, optimize: bool) -> None:
    x = np.random.default_rng(0).uniform(0.5, 1.5, (2, 2))
    want = oracles.gradient(lambda q: f(q.reshape(x.shape)), x.ravel())[0].reshape(x.shape)
    np.testing.assert_allclose(tg.grad(f, fallback="error", optimize=optimize)(x), want, rtol=1e-6, atol=1e-8)
    tangent = np.array([[0.5, -1.0], [2.0, 0.25]])
    _, found = tg.jvp(f, (x,), (tangent,), fallback="error")
    np.testing.assert_allclose(found, np.sum(want * tangent), rtol=1e-6, atol=1e-8)


def test_places_that_are_arguments() -> None:
    f = tg.grad(lambda x, p: np.sum(x[p] ** 2), fallback="error")
    x = np.arange(4.0).reshape(2, 2) + 1.0
    np.testing.assert_array_equal(f(x, (0, 1)), [[0, 4], [0, 0]])
    np.testing.assert_array_equal(f(x, ((0, 0), 1)), [[0, 8], [0, 0]])
    np.testing.assert_array_equal(f(x, ((0, 0), (1, 0))), [[2, 4], [0, 0]])
