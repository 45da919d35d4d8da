"""Compares derivatives by labelled arguments with differences of the function on pandas' and xarray's own objects."""
from __future__ import annotations

import numpy as np

import transgrad as tg


def number(x):
    return float(np.asarray(x))


def check(fn, *args):
    """The value is the function's own, and the gradient by the first argument has its labels and agrees with central differences."""
    value, gradient = tg.value_and_grad(fn, fallback="error")(*args)
    np.testing.assert_allclose(number(value), number(fn(*args)), rtol=1e-12)
    x = args[0]
    assert type(gradient) is type(x)
    rng = np.random.default_rng(3)
    direction = x * 0.0 + 1.0
    direction = direction * rng.uniform(0.5, 1.5)
    h = 1e-6
    expected = (number(fn(x + h * direction, *args[1:])) - number(fn(x - h * direction, *args[1:]))) / (2 * h)
    found = number(np.asarray(sum_of(gradient * direction)))
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
    return gradient


def sum_of(x):
    """The sum of all numbers of a labelled value."""
    if hasattr(x, "data_vars"):
        return sum(number(v.sum()) for v in x.data_vars.values())
    return np.nansum(np.asarray(x))
