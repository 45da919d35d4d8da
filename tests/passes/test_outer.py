"""Outer products that a loop adds up: one product of matrices behind it, where nothing else looks at the sum."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import transgrad as tg

RNG = np.random.default_rng(5)
W, B, H = RNG.normal(size=(4, 4)) / 2, RNG.normal(size=4), RNG.normal(size=4)


def recurrent(w: Any, b: Any, h: Any, n: Any) -> Any:
    for _ in range(n):
        h = np.tanh(w @ h + b)
    return np.sum(h ** 2)


def until(w: Any, b: Any, h: Any, n: Any) -> Any:
    k = 0
    while k < n:
        h = np.sin(w @ h + b)
        k += 1
    return np.sum(h * b)


def two_layers(w: Any, b: Any, h: Any, n: Any) -> Any:
    g = h
    for _ in range(n):
        h = np.tanh(w @ h + b)
        g = np.tanh(w @ g + h)
    return np.sum(g)


def penalised(w: Any, b: Any, h: Any, n: Any) -> Any:
    """The derivative by the matrix has other terms in each turn."""
    total = 0.0
    for _ in range(n):
        h = np.tanh(w @ h + b)
        total = total * 0.9 + np.sum(w * w) * np.sum(h)
    return total


def changing(w: Any, b: Any, h: Any, n: Any) -> Any:
    """The matrix is another one in each turn."""
    for _ in range(n):
        h = np.tanh(w @ h + b)
        w = w * 0.9
    return np.sum(h)


def nested(w: Any, b: Any, h: Any, n: Any) -> Any:
    for _ in range(n):
        for _ in range(2):
            h = np.tanh(w @ h + b)
        h = h * 0.5
    return np.sum(h)


@pytest.mark.parametrize("f", [recurrent, until, two_layers, penalised, changing, nested])
@pytest.mark.parametrize("n", [0, 1, 5])
def test_gradients(f: Any, n: int) -> None:
    found = tg.grad(f, argnums=(0, 1, 2), fallback="error")(W, B, H, n)
    for g, p in zip(found, tg.grad(f, argnums=(0, 1, 2), optimize=False)(W, B, H, n)):
        assert g.shape == p.shape
        np.testing.assert_allclose(g, p, rtol=1e-11, atol=1e-14)


@pytest.mark.parametrize("f", [recurrent, until])
def test_no_outer_product_is_left(f: Any) -> None:
    text = tg.grad(f, argnums=(0, 1), fallback="error").source_for(W, B, H, 5)
    assert "np.outer" not in text and "[::-1])" in text


def test_lists_of_different_lengths() -> None:
    """A sum of the user's own, over what ends with the shorter of two lists."""
    def f(c: Any, n: Any) -> Any:
        xs = [c * float(k) for k in range(n + 2)]
        ys = [np.sin(c) + float(k) for k in range(n)]
        total = np.zeros((4, 4))
        for x, y in zip(xs, ys):
            total += np.outer(x, y)
        return np.sum(total ** 2)
    for n in (0, 1, 3):
        np.testing.assert_allclose(tg.compile(f)(B, n), f(B, n), rtol=1e-12)
        np.testing.assert_allclose(tg.grad(f)(B, n), tg.grad(f, optimize=False)(B, n), rtol=1e-11)


def test_a_sum_that_is_read_in_the_loop_stays() -> None:
    def f(c: Any, n: Any) -> Any:
        total, xs = np.zeros((4, 4)), [c * float(k) for k in range(n)]
        found = 0.0
        for x in xs:
            total += np.outer(x, c)
            found = found + total[0, 1]
        return found + np.sum(total)
    np.testing.assert_allclose(tg.compile(f)(B, 3), f(B, 3), rtol=1e-12)
    np.testing.assert_allclose(tg.grad(f)(B, 3), tg.grad(f, optimize=False)(B, 3), rtol=1e-11)


def test_vectors_of_one_number_are_stretched() -> None:
    def f(c: Any, d: Any) -> Any:
        total = np.zeros((3, 3))
        for x in [c, c * 2.0]:
            total += np.outer(x, d)
        return np.sum(total ** 2)
    c, d = np.array([0.5]), np.array([1.0, 2.0, 3.0])
    np.testing.assert_allclose(tg.compile(f)(c, d), f(c, d), rtol=1e-12)
