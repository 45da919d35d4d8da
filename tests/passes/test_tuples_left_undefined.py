"""Loops that carry tuples and that a return leaves: on that path, the carried tuple has no value."""
import numpy as np
import pytest

import transgrad as tg


def numbers(x):
    while True:
        if x[0] > 3.0:
            return x
        x = (x[0] + x[1], x[1] * 1.5)


def arrays(x):
    while True:
        if x[0][0] > 3.0:
            return x
        x = (x[0] + x[1], x[1] * 1.5)


def mixed(x):
    for k in range(9):
        if k > 2:
            return x
        x = (x[0] * np.sum(x[1]), x[1] + x[0])
    return x


def product(f):
    def of(x):
        a, b = f(x)
        return np.sum(a * b)
    return of


def only_first(x):
    while True:
        if x[0] > 3.0:
            return x[0] * x[1]
        x = (x[0] + x[1], x[1] * 1.5)


CASES = [(product(numbers), (1.0, 1.9)), (product(arrays), (np.array([1.0, 0.5]), np.array([1.9, 0.3]))),
         (product(mixed), (0.5, np.array([0.2, 0.3]))), (only_first, (1.0, 1.9))]


@pytest.mark.parametrize("optimize", [True, False])
@pytest.mark.parametrize(("f", "x"), CASES, ids=["numbers", "arrays", "mixed", "only the first"])
def test_the_gradient_is_the_numerical_one(f, x, optimize):
    got = tg.grad(f, fallback="error", optimize=optimize)(x)
    assert type(got) is tuple
    for k, part in enumerate(x):
        for at in np.ndindex(np.shape(part)):
            step = np.zeros(np.shape(part))
            step[at] = 1e-6
            moved = [f(tuple(p + s * step if i == k else p for i, p in enumerate(x))) for s in (1, -1)]
            assert np.shape(got[k]) == np.shape(part)
            np.testing.assert_allclose(np.asarray(got[k])[at], (moved[0] - moved[1]) / 2e-6, rtol=1e-6)
