"""What stands in a tuple, as an index does, or in a list, and is written to after it was read: the reverse part reads what it was."""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import transgrad as tg
from tests import oracles

from .of_two_matrices import WAYS, X, Y, check


def pair(x, y):
    rows, cols = np.arange(3), np.array([0, 1, 0])
    p = x[rows, cols]
    rows[0] = 1
    return np.sum(p * p)


def named(x, y):
    rows = np.zeros(3, dtype=int)
    at = (rows, slice(None))
    p = np.sum(x[at] ** 2 * y)
    rows[1] = 2
    return p


def numbers_in_a_list(x, y):
    cols = [2, 0, 1]
    p = x[:, cols]
    cols[0] = 1
    return np.sum(p ** 2 * y)


def mask(x, y):
    chosen = np.array([True, False, True])
    p = x[chosen, 0]
    chosen[0] = False
    return np.sum(p * p)


def grid(x, y):
    some = np.array([0, 1, 1])
    p = x[np.ix_(some, some)]
    some[0] = 1
    return np.sum(p * p)


def parts(x, y):
    rows = np.array([2, 0, 1])
    p = x[rows[:2], rows[1:]]
    rows[0] = 1
    return np.sum(p ** 2 * y[0, :2])


def written_at(x, y):
    rows = np.array([0, 1])
    z = x.copy()
    z[rows, 1] = y[rows, 0] ** 2
    rows[0] = 2
    z[rows, 0] *= x[rows, 2]
    rows[1] = 0
    return np.sum(z ** 2)


def of_either_form(x, y):
    rows = np.array([0, 1, 2])
    at = (rows,) if y[0, 0] > 0 else (rows, 0)
    p = x[at]
    rows[0] = 2
    return np.sum(p * p)


def rolled(x, y):
    by = np.array([1, 1])
    p = np.roll(x, tuple(by), axis=(0, 1))
    by[0] = 2
    return np.sum(p * p * y)


def each_turn(x, y):
    rows, total = [0, 1, 2], 0.0
    for k in range(3):
        at = (rows, k)
        total = total + np.sum(x[at] ** 2)
        rows[k] = (k + 1) % 3
    return total


def row_of(z, at):
    return z[at]


def by_helper(x, y):
    rows = np.array([0, 1, 2])
    p = row_of(x, (rows, 0))
    rows[0] = 2
    return np.sum(p * p)


def products(terms):
    total = 0.0
    for a in terms:
        total = total + np.sum(a * a) * np.sum(Y * a)
    return total


def list_for_helper(x, y):
    a = x.copy()
    p = products([a, y])
    a[0] = 0.0
    return p


def grown_list_for_helper(x, y):
    a = x.copy()
    terms = [a, y]
    terms.append(a * 2.0)
    p = products(terms)
    a[0] = 0.0
    return p


def dict_for_helper(x, y):
    def first(d):
        return np.sum(d["a"] ** 3 * d["b"])
    d = {"a": x.copy(), "b": y}
    p = first(d)
    d["a"][0] = 0.0
    return p + np.sum(d["a"])


@tg.checkpoint
def again(terms, y):
    return np.sum(terms[0] * terms[0] * y)


@dataclass
class Terms:
    first: np.ndarray


@tg.checkpoint
def again_of_object(terms, y):
    return np.sum(terms.first * terms.first * y)


def tuple_for_another_run(x, y):
    a = x.copy()
    p = again((a, 1), y)
    a[0] = 0.0
    return p


def list_for_another_run(x, y):
    a, total = x.copy(), 0.0
    for k in range(3):
        total = total + again([a, y], y)
        a[k] *= 0.5
    return total


def object_for_another_run(x, y):
    a = x.copy()
    p = again_of_object(Terms(a), y)
    a[0] = 0.0
    return p


FUNCTIONS = [pair, named, numbers_in_a_list, mask, grid, parts, written_at, of_either_form, rolled, each_turn, by_helper,
             list_for_helper, grown_list_for_helper, dict_for_helper, tuple_for_another_run, list_for_another_run, object_for_another_run]


#: what is refused, and is right on the tape
REFUSED = {(of_either_form, "forward"), (rolled, "forward"), *((f, "pullback") for f in (
    list_for_helper, grown_list_for_helper, tuple_for_another_run, list_for_another_run))}


@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_gradients(f, way):
    if (f, way) not in REFUSED:
        check(f, way)
        return
    with pytest.raises(tg.TransgradError):
        check(f, way)
    found = tg.vjp(f, X, Y)[1](1.0) if way == "pullback" else tg.jacfwd(f, argnums=(0, 1))(X, Y)
    for part, want in zip(found, tg.grad(f, argnums=(0, 1), fallback="error")(X, Y)):
        np.testing.assert_allclose(part, want, rtol=1e-12)


@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_second_derivatives(f):
    def along(x):
        return np.sum(tg.grad(f)(x, Y) * Y)

    want, error = oracles.gradient(oracles.Problem(lambda x: np.sum(tg.grad(f, fallback="error")(x, Y) * Y), (X,), (0,)), X.ravel())
    np.testing.assert_allclose(tg.grad(along)(X).ravel(), want, rtol=1e-6, atol=1e-7 + 10 * np.max(error))
    np.testing.assert_allclose(tg.hvp(f, (X, Y), (Y, 0.0 * Y))[0].ravel(), want, rtol=1e-6, atol=1e-7 + 10 * np.max(error))


def test_no_copy_of_what_stays():
    def f(x, y):
        rows = np.array([2, 0, 1])
        rows[0] = 1
        return np.sum(x[rows, y] ** 2)

    assert "copy" not in tg.grad(f, fallback="error").source_for(X, np.array([0, 1, 0]))


def through_memory(x):
    a = np.zeros(4)
    b = memoryview(a)
    b[0] = 3.0
    return np.sum(a) * x


def test_memory_of_an_array():
    assert tg.compile(through_memory, fallback="error")(2.0) == 6.0
    assert tg.grad(through_memory, fallback="error")(2.0) == 3.0
