"""operator.itemgetter, attrgetter and methodcaller that were made outside of the function: what they pick is compiled."""
from __future__ import annotations

import functools
import operator

import numpy as np
import pytest

import transgrad as tg

SECOND, ENDS = operator.itemgetter(1), operator.itemgetter(0, -1)
TRANSPOSED = operator.attrgetter("T")
TOTAL = operator.methodcaller("sum", axis=0)
PUSH = operator.methodcaller("append", 1.0)
LAST = functools.partial(operator.methodcaller("pop"))
X = np.array([[1.0, 2.0], [3.0, 4.0]])


def second(x):
    return np.sum(SECOND(x) ** 2)


def ends(x):
    a, b = ENDS(x)
    return np.sum(a * b)


def transposed(x):
    return np.sum(TRANSPOSED(x) * x)


def total(x):
    return np.sum(TOTAL(x) ** 2)


def made_here(x):
    return np.sum(operator.methodcaller("sum", axis=1)(x) ** 2)


def by_key(x):
    first = min([(2.0, x), (1.0, 3.0 * x)], key=operator.itemgetter(0))
    return np.sum(operator.itemgetter(1)(first) ** 2)


@pytest.mark.parametrize("f", [second, ends, transposed, total, made_here, by_key])
def test_derivative(f):
    numeric = np.empty_like(X)
    for k in np.ndindex(X.shape):
        step = np.zeros_like(X)
        step[k] = 0.5
        numeric[k] = f(X + step) - f(X - step)      # of a quadratic, exactly
    np.testing.assert_allclose(tg.grad(f, fallback="error")(X), numeric)


def test_a_method_that_writes_runs_once_a_call():
    kept = [1.0]

    def f(x):
        PUSH(kept)
        return x * len(kept)

    def g(x):
        LAST(kept)
        return x * len(kept)
    pushed, popped = tg.grad(f, fallback="error"), tg.grad(g, fallback="error")
    assert [pushed(1.0), pushed(1.0), pushed(1.0), popped(1.0), popped(1.0)] == [2.0, 3.0, 4.0, 3.0, 2.0] and kept == [1.0, 1.0]
