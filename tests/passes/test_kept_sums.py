"""What turns of a loop keep for one sum is added up first."""
from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import transgrad as tg

RNG = np.random.default_rng(23)


def relaxed(x: Any, omega: Any) -> Any:
    """A weight and what is left of one."""
    u = x.copy()
    for _ in range(3):
        for i in range(1, len(u) - 1):
            u[i] = (1.0 - omega) * u[i] + omega * math.sin(u[i - 1] + u[i + 1])
    return np.sum(u * u)


def less(x: Any, omega: Any) -> Any:
    """Both are taken away."""
    s = 1.0
    for i in range(len(x)):
        s = s * 0.5 - 3.0 * omega * math.sin(s) - omega * math.tanh(s * x[i])
    return s


def other_way(x: Any, omega: Any) -> Any:
    """The first is taken away, the second comes with a factor."""
    s = 0.3
    for i in range(len(x)):
        s = math.cos(s) * omega * 2.0 + math.tanh(s + x[i]) * (1.0 - omega) + s * s
    return s


def read_twice(x: Any, omega: Any) -> Any:
    """What is multiplied is needed for something else, too."""
    s = 0.3
    for i in range(len(x)):
        a = math.exp(-s * s)
        b = math.tanh(s * x[i])
        s = (1.0 - omega) * a + omega * b + a * b
    return s


def stopped(x: Any, omega: Any) -> Any:
    """A loop that may end early."""
    s, i = 1.0, 0
    while s > 0.05 and i < len(x):
        s = (1.0 - omega) * math.sin(s) * 0.9 + omega * math.tanh(s) * x[i] ** 2
        if s > 10.0:
            break
        i += 1
    return s


def in_branches(x: Any, omega: Any) -> Any:
    s = 0.4
    for i in range(len(x)):
        if x[i] > 0.0:
            s = (1.0 - omega) * math.sin(s) + omega * math.tanh(s)
        else:
            s = s - 0.1 * omega * math.cos(s)
    return s




def averaged(x: Any, omega: Any) -> Any:
    u = x.copy()
    for _ in range(3):
        for i in range(1, len(u) - 1):
            u[i] = (1.0 - omega) * u[i] + 0.5 * omega * (u[i - 1] + u[i + 1])
    return np.sum(u * u)


CASES = [relaxed, averaged, less, other_way, read_twice, stopped, in_branches]


@pytest.mark.parametrize("f", CASES)
@pytest.mark.parametrize("n", [0, 1, 2, 6])
def test_gradients(f: Any, n: int) -> None:
    x = RNG.normal(size=n)
    found = tg.grad(f, (0, 1), fallback="error")(x, 0.7)
    for optimize in (False, {"sums": False}, {"lists": False}, {"scalars": False}):
        for a, b in zip(found, tg.grad(f, (0, 1), fallback="error", optimize=optimize)(x, 0.7), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-13)
    e = 1e-6
    np.testing.assert_allclose(found[1], (f(x, 0.7 + e) - f(x, 0.7 - e)) / (2 * e), rtol=1e-6, atol=1e-8)


@settings(deadline=None, max_examples=20)
@given(st.floats(-2.0, 2.0), st.sampled_from(CASES))
def test_second_derivatives(omega: float, f: Any) -> None:
    x, e = np.array([0.3, 0.8, 1.1, 0.2]), 1e-5
    g = tg.grad(f, 1, fallback="error")
    want = (g(x, omega + e) - g(x, omega - e)) / (2 * e)
    np.testing.assert_allclose(tg.grad(g, 1)(x, omega), want, rtol=1e-4, atol=1e-5)


def test_one_list_is_kept() -> None:
    args = np.ones(6), 0.7
    text = tg.grad(averaged, (0, 1), fallback="error").source_for(*args)
    plain = tg.grad(averaged, (0, 1), fallback="error", optimize={"sums": False}).source_for(*args)
    assert (text.count(".append("), plain.count(".append(")) == (2, 4)


def test_what_is_not_a_number_is_seen() -> None:
    x = np.array([0.1, np.nan, 0.3, 0.4])
    for a, b in zip(tg.grad(relaxed, (0, 1))(x, 0.5), tg.grad(relaxed, (0, 1), optimize=False)(x, 0.5), strict=True):
        np.testing.assert_array_equal(np.isnan(a), np.isnan(b))
