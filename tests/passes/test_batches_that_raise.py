"""What may raise, in a branch that no example of a batch takes, is not raised; results that are the same for all are a row for each."""
from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
import pytest

import transgrad as tg

X = np.array([-0.5, 0.2, 0.7])


def raised_in_a_handler(x, y):
    if y < -0.4 or x > 1.0:
        try:
            raise ValueError("stop")
        except ValueError:
            raise ValueError("again")
    return x * y + 0.5


def raised_in_a_loop(x, y):
    z = 0.5
    if x < 2.0:
        return z
    n = 0
    while n < 2 and -2.0 < z < 1.0:
        n += 1
        raise ValueError("stop")
    else:
        for _ in range(2):
            return z
    return x * y + z


def refuses(n):
    if n > 1:
        raise ValueError("stop")


def raised_in_a_helper(x, y):
    if x > 1.0:
        refuses(2)
        return x
    return x * y


@pytest.mark.parametrize("f", [raised_in_a_handler, raised_in_a_loop, raised_in_a_helper])
def test_what_no_example_raises(f: Callable[[float, float], float]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tg.BatchLoopWarning)
        batched = tg.vmap(f, fallback="error")
        np.testing.assert_allclose(batched(X, X + 0.3), [f(x, x + 0.3) for x in X])
        if f is not raised_in_a_loop:
            with pytest.raises(ValueError, match="stop|again"):
                batched(X + 0.6, X)


@pytest.mark.parametrize("axis", [0, -1])
def test_what_is_the_same_for_all_has_a_row_for_each(axis: int) -> None:
    def f(x, y):
        m = None
        if len(y) > 2:
            m = np.sin(y)
        if m is None:
            m = 0.5
        return m
    for y in (np.ones(3), np.ones(2)):
        want = np.stack([np.asarray(f(x, y)) for x in X], axis=axis)
        np.testing.assert_allclose(tg.vmap(f, (0, None), axis, fallback="error")(X, y), want)
