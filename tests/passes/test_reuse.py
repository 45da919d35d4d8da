"""Large arrays that nothing reads again are written over: the same numbers, and no array that anybody sees is touched."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import transgrad as tg

N = 1 << 15


def wave(x: Any, y: Any) -> Any:
    return np.sum(np.exp(-x * x) * np.sin(y) + np.tanh(x * y))


def viewed(x: Any, y: Any) -> Any:
    """A part of an array is read after the array is."""
    u = x * y
    part = u[::2]
    v = np.exp(u)
    return np.sum(v) + np.sum(part ** 2)


def read_later(x: Any, y: Any) -> Any:
    u = np.sin(x)
    v = np.exp(u)
    return np.sum(u * v * y)


def in_a_loop(x: Any, y: Any) -> Any:
    u = x * 0.5
    for _ in range(3):
        u = np.tanh(u * y)
    return np.sum(u)


def kept(x: Any, y: Any) -> Any:
    """Arrays that end in a list."""
    found = []
    for k in range(3):
        u = x * float(k)
        found.append(u)
        u = np.sin(u)
        found.append(u * y)
    return sum(np.sum(f ** 2) for f in found)


def stretched(x: Any, y: Any) -> Any:
    """The result is larger than the operand."""
    u = np.sin(x)
    return np.sum(np.exp(u[:, None] * np.ones((1, 2))) * u[:, None]) + np.sum(y)


PROGRAMS = [wave, viewed, read_later, in_a_loop, kept, stretched]


@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.parametrize("n", [5, N])
def test_derivatives_are_the_same(f: Any, n: int) -> None:
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=n), rng.normal(size=n)
    copies = x.copy(), y.copy()
    gradient = tg.grad(f, argnums=(0, 1), fallback="error")
    plain = tg.grad(f, argnums=(0, 1), fallback="error", optimize={"reuse": False})(x, y)
    for found, want in zip(gradient(x, y), plain):
        np.testing.assert_allclose(found, want, rtol=1e-13, atol=1e-15)
    np.testing.assert_array_equal(x, copies[0])
    np.testing.assert_array_equal(y, copies[1])
    again, second = gradient(x, y), gradient(x, y)
    assert not any(np.shares_memory(a, b) for a in again for b in (*second, x, y))


def test_large_arrays_are_written_over_and_small_ones_are_not() -> None:
    def damped(x: Any, y: Any) -> Any:          # of this test alone: a variant for large arrays takes small ones, too
        return np.sum(np.exp(-x * x) * np.sin(y) + np.tanh(x * y))

    small, large = np.ones(100), np.ones(N)
    gradient = tg.grad(damped, argnums=(0, 1), fallback="error")
    assert "out=" not in gradient.source_for(small, small)
    assert "out=" in gradient.source_for(large, large)
    gradient(small, small), gradient(large, large)
    assert len(gradient.variants) == 2


def test_what_is_returned_is_not_written_over() -> None:
    def both(x: Any) -> Any:
        u = np.sin(x)
        v = np.exp(u)
        return u, v
    u, v = tg.compile(both)(np.linspace(0, 1, N))
    np.testing.assert_array_equal(u, np.sin(np.linspace(0, 1, N)))
    np.testing.assert_array_equal(v, np.exp(u))


def test_a_pullback_can_be_called_again() -> None:
    x = np.linspace(0.0, 1.0, N)
    _, pullback = tg.vjp(lambda x: np.exp(np.sin(x) * x) * x, x)
    first = pullback(np.ones(N))
    np.testing.assert_array_equal(first[0], pullback(np.ones(N))[0])


@pytest.mark.parametrize("dtype", [np.float32, np.complex128])
def test_other_types_stay_as_they_are(dtype: Any) -> None:
    def f(x: Any) -> Any:
        return np.sum(np.abs(np.exp(np.sin(x) * x)))
    x = np.linspace(0.1, 1.0, N).astype(dtype)
    np.testing.assert_allclose(tg.grad(f, fallback="error")(x), tg.grad(f, optimize=False)(x), rtol=1e-5)
