"""Lists and tuples where an array is meant, displayed in the call, built beforehand, changed, nested, of numbers and of arrays."""
from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import transgrad as tg

ONES = np.ones(3)
FUNCTIONS: list[Callable[..., object]] = [
    np.sum, np.mean, np.max, np.min, np.prod, np.std, np.var, np.median, np.linalg.norm, np.nansum, np.nanmean, np.nanmax, np.ptp,
    np.add.reduce, np.trapezoid, np.average,
]


def appended(x):
    items = []
    for k in range(3):
        items.append(np.sin(x) * k)
    return np.sum(items)


def changed(x):
    items = [x, x**2]
    items[0] = x**3
    return np.sum(items)


def twice(x):
    items = (x, x**2)
    return np.sum(items) * np.mean(items)


PROGRAMS = [
    appended, changed, twice, lambda x: np.sum([np.sin(x) * k for k in range(3)]), lambda x: np.sum([np.sin(x), 2.0]),
    lambda x: np.sum(np.sum([x * ONES, ONES * x**2], axis=0) ** 2), lambda x: np.sum(np.sum([x * ONES, ONES * x**2], axis=1) ** 2),
    lambda x: np.sum(np.mean([[x, x**2], [x**3, 1.0]], axis=0) ** 2), lambda x: np.sum([[x, x**2], [x**3, 1.0]]),
    lambda x: np.sum([x * ONES, ONES * x**2]), lambda x: np.mean([x * ONES, ONES * x**2], axis=0)[1],
    lambda x: np.sum({"a": [x, x * 2.0]}["a"]), lambda x: np.sum(list((x, x**2))), lambda x: np.sum([x * ONES]),
    lambda x: np.dot([np.sin(x), np.cos(x)], [1.0, 2.0]), lambda x: np.cumsum([np.sin(x), np.cos(x)])[1],
    lambda x: np.average([np.sin(x), np.cos(x)], weights=[1.0, x]), lambda x: np.einsum("i->", [x, x**2]),
    lambda x: np.sum([x * ONES, ONES], axis=0, keepdims=True)[0, 1], lambda x: np.max([[x, 1.0], [2.0 * x, x]], axis=0)[0],
]


@pytest.mark.parametrize("x", [0.5, np.float64(0.7)])
@pytest.mark.parametrize("f", [*PROGRAMS, *(lambda x, fn=fn: fn([np.sin(x), np.cos(x), x]) for fn in FUNCTIONS)])
def test_derivatives(f, x):
    step = 1e-6
    want = (f(x + step) - f(x - step)) / (2 * step)
    assert tg.grad(f, fallback="error")(x) == pytest.approx(want, abs=1e-8)
    assert tg.grad(f, fallback="tape")(x) == pytest.approx(want, abs=1e-8)
    assert tg.jvp(f, (x,), (1.0,))[1] == pytest.approx(want, abs=1e-8)
    step = 1e-5
    twice = (tg.grad(f)(x + step) - tg.grad(f)(x - step)) / (2 * step)
    assert tg.grad(tg.grad(f))(x) == pytest.approx(twice, abs=1e-6)
