"""Numbers have no items: the error of Python or NumPy reaches the caller, whether the value is needed or not."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import transgrad as tg


def stored_in_a_float(x):
    s = 0.0
    s[1] = x[0]
    return x[1]


def stored_in_a_scalar(x):
    s = np.sum(x)
    s[0] = x[0]
    return s


def stored_in_a_product(x):
    s = x[0] * 2
    s[1] = x[0]
    return s * 2


def added_to_an_item(x):
    s = np.sum(x)
    s[1] += 1.0
    return x[1]


def read_of_an_integer(x):
    n = len(x)
    n[0]
    return x[1]


def read_of_a_float(x):
    s = float(x[0])
    return s[0] + x[1]


def read_of_a_scalar(x):
    s = np.sum(x)
    s[1]
    return x[1]


def part_of_a_scalar(x):
    s = np.sum(x)
    s[:2]
    return x[1]


def caught(x):
    s = np.sum(x)
    try:
        s[0] = 1.0
    except TypeError:
        s = s * 2
    return s


def not_reached(x):
    s = 0.0
    if x[0] > 5:
        s[0] = 1.0
    return s + x[0]


def indices_of_no_axis(x):
    s = np.sum(x)
    return x[0] * s[()] * s[...] + np.sum(s[None] * x)


@pytest.mark.parametrize("transform", [lambda f, x: tg.grad(f)(x), lambda f, x: tg.value_and_grad(f)(x), lambda f, x: tg.jvp(f, (x,), (x,)),
                                       lambda f, x: tg.hessian(f)(x), lambda f, x: tg.vmap(tg.grad(f))(np.stack([x, x]))])
@pytest.mark.parametrize("f", [stored_in_a_float, stored_in_a_scalar, stored_in_a_product, added_to_an_item, read_of_an_integer,
                               read_of_a_float, read_of_a_scalar, part_of_a_scalar])
def test_errors(f: Any, transform: Any) -> None:
    x = np.array([1.0, 2.0, 3.0])
    with pytest.raises((TypeError, IndexError)) as plain:
        f(x)
    with pytest.raises(type(plain.value)) as found:
        transform(f, x)
    assert str(found.value) == str(plain.value)


@pytest.mark.parametrize("f", [caught, not_reached, indices_of_no_axis])
def test_values(f: Any) -> None:
    x = np.array([1.0, 2.0, 3.0])
    value, found = tg.value_and_grad(f, fallback="error")(x)
    want = [(f(x + h) - f(x - h)) / 2e-6 for h in 1e-6 * np.eye(3)]
    assert value == f(x)
    np.testing.assert_allclose(found, want, rtol=1e-6)
