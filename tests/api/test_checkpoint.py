"""Recomputing instead of storing."""
from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest

import transgrad as tg

X = np.linspace(-1.0, 1.0, 7)


def step(x, c, t):
    return np.tanh(x + 0.1 * c * np.sin(x) + 0.01 * t)


def plain(x, n, c):
    total = 0.0
    for i in range(n):
        x = step(x, c, i / n)
        total = total + np.sum(x ** 2)
    return total + np.sum(x)


def kept(x, n, c):
    total = 0.0
    for i in tg.checkpointed(range(n), snapshots=3):
        x = step(x, c, i / n)
        total = total + np.sum(x ** 2)
    return total + np.sum(x)


def root_kept(x, n, c):
    total = 0.0
    for i in tg.checkpointed(range(n)):
        x = step(x, c, i / n)
        total = total + np.sum(x ** 2)
    return total + np.sum(x)


@pytest.mark.parametrize("f", [kept, root_kept])
@pytest.mark.parametrize("n", [0, 1, 2, 3, 7, 20, 21])
def test_loops(f: Any, n: int) -> None:
    want = tg.value_and_grad(plain, (0, 2))(X, n, 0.3)
    got = tg.value_and_grad(f, (0, 2), fallback="error")(X, n, 0.3)
    assert np.isclose(got[0], want[0]) and np.allclose(got[1][0], want[1][0]) and np.isclose(got[1][1], want[1][1])
    assert f(X, n, 0.3) == plain(X, n, 0.3)


def test_second_derivatives_and_forward_mode() -> None:
    v = np.cos(X)
    assert np.allclose(tg.jvp(lambda x: root_kept(x, 9, 0.3), (X,), (v,)), tg.jvp(lambda x: plain(x, 9, 0.3), (X,), (v,)))
    want = tg.hvp(lambda x: plain(x, 9, 0.3), (X,), (v,))[0]
    assert np.allclose(tg.hvp(lambda x: root_kept(x, 9, 0.3), (X,), (v,))[0], want)
    assert np.allclose(tg.grad(lambda x: np.sum(tg.grad(root_kept)(x, 9, 0.3) * v))(X), want)


def test_memory() -> None:
    x = np.linspace(-1.0, 1.0, 1000)

    def peak(f: Any) -> int:
        gradient = tg.grad(f, fallback="error")
        gradient(x, 4, 0.3)
        tracemalloc.start()
        gradient(x, 1000, 0.3)
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    assert peak(root_kept) < 0.15 * peak(plain)


@tg.checkpoint
def layer(w, x):
    """A layer."""
    return np.tanh(w @ x)


def network(w, x):
    for _ in range(4):
        x = layer(w, x)
    return np.sum(x)


def network_plain(w, x):
    for _ in range(4):
        x = np.tanh(w @ x)
    return np.sum(x)


def test_functions() -> None:
    w, x = np.random.default_rng(0).normal(size=(3, 3)), np.ones(3)
    gradient = tg.grad(network, (0, 1), fallback="error")
    for got, want in zip(gradient(w, x), tg.grad(network_plain, (0, 1))(w, x)):
        assert np.allclose(got, want)
    assert "layer_forward(w, x)" in gradient.source.partition("def grad_network")[2].partition("reversed")[2]
    assert layer.__name__ == "layer" and layer.__doc__ == "A layer." and np.allclose(layer(w, x), np.tanh(w @ x))
    assert np.allclose(tg.grad(lambda w: np.sum(tg.grad(network)(w, x)))(w), tg.grad(lambda w: np.sum(tg.grad(network_plain)(w, x)))(w))


def test_inside_a_function() -> None:
    def f(x):
        g = tg.checkpoint(lambda y: np.sin(y) * x)
        return np.sum(g(x) ** 2)

    assert np.allclose(tg.grad(f, fallback="error")(X), tg.grad(lambda x: np.sum((np.sin(x) * x) ** 2))(X))


def writes(x, n):
    out = np.zeros(n)
    for i in tg.checkpointed(range(n)):
        out[i] = x * i
    return np.sum(out)


def leaves(x, n):
    for i in tg.checkpointed(range(n)):
        x = x * 1.1
        if x > 10.0:
            break
    return x


@tg.checkpoint
def draws(x, rng):
    return x * rng.normal()


@pytest.mark.parametrize("call, words", [
    (lambda: tg.grad(writes, fallback="error")(1.0, 4), "writes into an array or list from outside"),
    (lambda: tg.grad(leaves, fallback="error")(1.0, 4), "not left early"),
    (lambda: tg.grad(lambda x, r: draws(x, r), fallback="error")(1.0, np.random.default_rng(0)), "random"),
])
def test_refusals(call: Any, words: str) -> None:
    with pytest.raises((tg.UnsupportedSyntax, tg.UnsupportedCall), match=words):
        call()


def test_wrong_use() -> None:
    with pytest.raises(ValueError, match="snapshots"):
        tg.checkpointed(range(3), snapshots=-1)
