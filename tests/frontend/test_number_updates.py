"""``total += x`` of what can only be a number is no write, though only running tells which kind of number it is."""
from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import transgrad as tg
from transgrad.errors import TransgradError

X = np.array([0.3, -0.8, 1.2], np.float32)


def total_of_squares(x: Any) -> Any:
    total = 0.0
    for v in x:
        total += v * v
    return total


def product(x: Any) -> Any:
    p = 1
    for v in x:
        p *= v + 2.0
    return p


def in_branches(x: Any) -> Any:
    up, down = 0.0, 0.0
    for v in x:
        if v > 0:
            up += np.exp(v)
        else:
            down -= v ** 2
    return up * down


def until_large(x: Any) -> Any:
    total, k = 0.0, 0
    while total < 1.0 and k < 3:
        total += x[k] ** 2
        k += 1
    total /= k
    return total


def in_loops_in_each_other(x: Any) -> Any:
    total = 0.0
    for v in x:
        part = 0.0
        for w in x:
            part += v * w
        total += max(part, 0.1) + np.sqrt(part * part + 0.5)
    return total


def read_meanwhile(x: Any) -> Any:
    total, seen = 0.0, []
    for v in x:
        total += v
        seen.append(total)
        total *= 0.5
    return seen[0] * seen[2] + math.exp(total)


FUNCTIONS = (total_of_squares, product, in_branches, until_large, in_loops_in_each_other, read_meanwhile)


@pytest.mark.parametrize("optimize", [True, False])
@pytest.mark.parametrize("f", FUNCTIONS)
def test_sums_of_float32(f: Any, optimize: bool) -> None:
    exact = tg.grad(f, fallback="error")(X.astype(np.float64))
    value, found = tg.value_and_grad(f, fallback="error", optimize=optimize)(X)
    assert value == f(X) and found.dtype == np.float32
    np.testing.assert_allclose(found, exact, rtol=1e-4)
    _, tangent = tg.jvp(f, (X,), (np.ones_like(X),), fallback="error")
    assert tangent == pytest.approx(np.sum(exact), rel=1e-4)
    y, pullback = tg.vjp(f, X, fallback="error")
    np.testing.assert_allclose(pullback(type(y)(1.0))[0], exact, rtol=1e-4)


def test_twice() -> None:
    np.testing.assert_allclose(tg.jacrev(tg.grad(product, fallback="error"))(X), tg.hessian(product)(X.astype(np.float64)), rtol=1e-4)


def an_array_on_one_path(x: Any, k: int) -> Any:
    t = 0.0
    if k > 0:
        t = x * 2.0
    u = t
    t += 1.0
    return np.sum(u) + np.sum(x)


def an_array_in_a_later_turn(x: Any, k: int) -> Any:
    t, u = 0.0, x
    for j in range(k):
        u = t
        t += 1.0
        t = t * x if j else x * 2.0
    return np.sum(u) * np.sum(t)


def _differences(f: Any, x: Any, k: int) -> Any:
    return [(f(x + h, k) - f(x - h, k)) / 2e-6 for h in 1e-6 * np.eye(3)]


@pytest.mark.parametrize("k", [1, 3])
def test_what_may_be_an_array_is_written_to(k: int) -> None:
    """An array of two names changes under both."""
    x = X.astype(np.float64)
    with pytest.raises(TransgradError):
        tg.grad(an_array_on_one_path, fallback="error")(x, k)
    np.testing.assert_allclose(tg.grad(an_array_on_one_path)(x, k), _differences(an_array_on_one_path, x, k), rtol=1e-6)


@pytest.mark.parametrize("k", [1, 3])
def test_an_array_from_the_first_iteration_on(k: int) -> None:
    x = X.astype(np.float64)
    np.testing.assert_allclose(tg.grad(an_array_in_a_later_turn, fallback="error")(x, k), _differences(an_array_in_a_later_turn, x, k),
                               rtol=1e-6)
