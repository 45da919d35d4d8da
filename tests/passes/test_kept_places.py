"""Elements that a loop has written are read again where they stay as they are, and nowhere else."""
from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import transgrad as tg

RNG = np.random.default_rng(41)


def recurrence(x: Any) -> Any:
    c = np.zeros(len(x))
    c[0] = x[0]
    for i in range(1, len(x)):
        s = math.sin(c[i - 1] * x[i])
        c[i] = s
        c[0] += 0.0
    return np.sum(c * c)


def once(x: Any) -> Any:
    c = np.zeros(len(x) + 1)
    for i in range(len(x)):
        s = math.tanh(x[i] + c[i]) / (1.0 + x[i] ** 2)
        c[i + 1] = s
    return c[-1] * np.sum(c)


def backwards(x: Any) -> Any:
    c = np.zeros(len(x))
    for i in range(len(x) - 2, -1, -1):
        s = math.exp(-x[i] ** 2 * c[i + 1])
        c[i] = s
    return np.sum(c ** 3)


def written_again(x: Any) -> Any:
    c = np.zeros(len(x))
    total = 0.0
    for i in range(len(x)):
        s = math.sin(x[i])
        c[i] = s
        total += s ** 3
    c[:] = 0.5 * c
    return total + np.sum(c)


def one_place(x: Any) -> Any:
    c = np.zeros(2)
    total = 0.0
    for i in range(len(x)):
        s = math.sin(x[i] + c[0])
        c[0] = s
        total += s ** 3
    return total


def round_the_end(x: Any) -> Any:
    """The first index is one from the end."""
    c = np.zeros(max(len(x) - 1, 1))
    total = 0.0
    for i in range(len(x)):
        c[i - 1] = math.sin(x[i])
        y = c[i - 1]
        total += y ** 3
    return total


def from_the_end(x: Any) -> Any:
    """The first indices are some from the end."""
    c = np.zeros(3)
    total = 0.0
    for i in range(-2, min(len(x), 5) - 2):
        s = math.sin(x[i + 2] + c[i])
        c[i] = s
        total += s ** 3 * c[i]
    return total


def ahead_of_the_end(x: Any) -> Any:
    """What is written behind what is read may be what was read before."""
    c = np.ones(5)
    total = 0.0
    for i in range(-2, min(len(x), 5) - 2):
        y = c[i]
        c[i + 1] = math.sin(x[i + 2]) + y
        total += y ** 3
    return total


def eliminated(x: Any) -> Any:
    d = np.zeros(len(x))
    d[0] = x[0]
    for i in range(1, len(x)):
        d[i] = (x[i] - 0.5 * d[i - 1]) / (3.0 + x[i] * d[i - 1])
    return np.sum(d * d)


CASES = [eliminated, recurrence, once, backwards, written_again, one_place, round_the_end, from_the_end, ahead_of_the_end]


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(CASES), st.sampled_from([1, 2, 3, 5, 6]), st.sampled_from([True, False, "places", "lists", "scalars", "carry"]),
       st.integers(0, 2 ** 32))
def test_gradients(f: Any, n: int, off: Any, seed: int) -> None:
    x, e = np.random.default_rng(seed).uniform(-1.0, 1.0, n), 1e-6
    optimize = off if isinstance(off, bool) else {off: False}
    want = [(f(x + e * unit) - f(x - e * unit)) / (2 * e) for unit in np.eye(n)]
    np.testing.assert_allclose(tg.grad(f, fallback="error", optimize=optimize)(x), want, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("f", CASES)
def test_second_derivatives(f: Any) -> None:
    x, v, e = RNG.normal(size=5), RNG.normal(size=5), 1e-5
    g = tg.grad(f, fallback="error")
    np.testing.assert_allclose(tg.hvp(f, (x,), (v,))[0], (g(x + e * v) - g(x - e * v)) / (2 * e), rtol=1e-4, atol=1e-5)


def test_the_text() -> None:
    def code(f: Any, **options: Any) -> str:
        return tg.grad(f, fallback="error", **options).source_for(np.ones(6))
    assert "saved" not in code(eliminated) and "saved" in code(eliminated, optimize={"places": False})
    for f in (written_again, one_place, from_the_end):
        assert "saved" in code(f)
