"""Recomputing instead of storing."""
from __future__ import annotations

import functools
import random
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import transgrad as tg
from transgrad import tree
from transgrad.runtime import binomial_middle, binomial_stretch

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


def _peak(f: Any, steps: int, size: int) -> float:
    """The most memory that a gradient takes at any time, in states."""
    x = np.linspace(-1.0, 1.0, size)
    gradient = tg.grad(f, fallback="error")
    gradient(x, 4, 0.3)
    tracemalloc.start()
    gradient(x, steps, 0.3)
    found = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return found / (8 * size)


def test_memory() -> None:
    assert _peak(root_kept, 1000, 1000) < 0.15 * _peak(plain, 1000, 1000)


def relaxed(x, n, c):
    for _ in tg.checkpointed(range(n), snapshots=4):
        x = x + c * (np.tanh(x) - x)
    return np.sum(x ** 2)


def test_memory_by_schedule() -> None:
    # 4 snapshots, a cotangent for each of the 4 or 5 sweeps that 100 steps take, and what one step computes
    assert _peak(relaxed, 100, 20_000) < 17


@functools.cache
def _fewest(n: int, snapshots: int) -> int:
    """The fewest steps to compute besides the one of each that is reversed at once (by trying all)."""
    if n <= 1:
        return 0
    if snapshots == 1:
        return n * (n - 1) // 2
    return min(m + _fewest(n - m, snapshots - 1) + _fewest(m, snapshots) for m in range(1, n))


@pytest.mark.parametrize("snapshots", [1, 2, 3, 5, 9])
def test_the_schedule_is_the_best(snapshots: int) -> None:
    def taken(first: int, end: int, left: int) -> int:
        if end - first <= 1:
            return 0
        middle = binomial_middle(first, end, left, 1)
        return middle - first + taken(middle, end, max(left - 1, 1)) + taken(first, middle, left)

    for n in range(1, 60):
        assert taken(0, n, snapshots) == _fewest(n, snapshots)


def test_few_snapshots_for_many_steps() -> None:
    assert binomial_stretch(1000, 10) == 1
    assert binomial_stretch(100_000, 1) > 1000
    x = np.ones(2)
    assert np.allclose(tg.grad(one_kept, fallback="error")(x, 3000, 1e-3), tg.grad(none_kept, fallback="error")(x, 3000, 1e-3))


def one_kept(x, n, c):
    for _ in tg.checkpointed(range(n), snapshots=1):
        x = x + c * np.sin(x)
    return np.sum(x)


def none_kept(x, n, c):
    for _ in range(n):
        x = x + c * np.sin(x)
    return np.sum(x)


def test_a_pullback_twice() -> None:
    for f in (kept, root_kept):
        _, pullback = tg.vjp(lambda x, c, f=f: f(x, 20, c), X, 0.3, fallback="error")
        first, second = pullback(1.0), pullback(2.0)
        assert np.allclose(2 * first[0], second[0]) and np.isclose(2 * first[1], second[1])


RNG = np.random.default_rng(0)


def drop(w, x, g):
    keep = np.random.random(x.shape) < 0.5
    a, b = RNG.standard_normal(x.shape), g.uniform(0, 1, x.shape)
    c = np.random.default_rng(3).normal(size=x.shape)
    return np.where(keep, w * x * a, np.sin(w) * b) * c * random.gauss(0, 1)


def dropped(w, x, g):
    total = 0.0
    for _ in range(3):
        total = total + np.sum(drop(w, x, g) ** 2)
    return total


def dropped_again(w, x, g):
    total = 0.0
    for _ in range(3):
        total = total + np.sum(tg.checkpoint(drop)(w, x, g) ** 2)
    return total


def noisy(w, x, g):
    for _ in range(7):
        x = np.tanh(x * w) + 0.1 * g.normal(size=x.shape) + np.random.normal()
    return np.sum(x)


def noisy_kept(w, x, g):
    for _ in tg.checkpointed(range(7), snapshots=2):
        x = np.tanh(x * w) + 0.1 * g.normal(size=x.shape) + np.random.normal()
    return np.sum(x)


@pytest.mark.parametrize("with_all, with_some", [(dropped, dropped_again), (noisy, noisy_kept)])
def test_random_numbers_are_drawn_again(with_all: Callable[..., Any], with_some: Callable[..., Any]) -> None:
    def run(f: Callable[..., Any]) -> Any:
        np.random.seed(3)
        random.seed(4)
        RNG.bit_generator.state = np.random.default_rng(7).bit_generator.state
        g = np.random.default_rng(1)
        value, slope = tg.value_and_grad(f, fallback="error")(2.0, np.ones(3), g)
        return value, slope, np.random.random(), random.random(), RNG.random(), g.random()     # and all go on from where they were

    assert np.allclose(run(with_all), run(with_some), rtol=1e-13)


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


class Source:
    def __init__(self):
        self.rng = np.random.default_rng(0)


@tg.checkpoint
def draws(x, source):
    return x * source.rng.normal()


@tg.checkpoint
def asks_the_time(x):
    return x * x * time.perf_counter()


@pytest.mark.parametrize("call, words", [
    (lambda: tg.grad(writes, fallback="error")(1.0, 4), "writes into an array or list from outside"),
    (lambda: tg.grad(leaves, fallback="error")(1.0, 4), "not left early"),
    (lambda: tg.grad(lambda x, s: draws(x, s), fallback="error")(1.0, Source()), "random numbers from a generator that is neither"),
    (lambda: tg.grad(lambda x: asks_the_time(x), fallback="error")(1.0), "perf_counter"),
])
def test_refusals(call: Any, words: str) -> None:
    with pytest.raises((tg.UnsupportedSyntax, tg.UnsupportedCall), match=words):
        call()


def test_wrong_use() -> None:
    with pytest.raises(ValueError, match="snapshots"):
        tg.checkpointed(range(3), snapshots=-1)


def outer(x, n, c):
    for i in range(3):
        x = inner(x, n, c * (i + 1))
    total = 0.0
    for v in x:
        total = total + v * v
    return total


def inner(x, n, c):
    for _ in range(n):
        x = x + c * np.sin(x)
    return x


@pytest.mark.parametrize("checkpoint", [True, 3])
def test_option(checkpoint: Any) -> None:
    for transform in (tg.grad, tg.value_and_grad):
        got = transform(outer, (0, 2), checkpoint=checkpoint, fallback="error")
        want = transform(outer, (0, 2), fallback="error")
        tuple(map(np.testing.assert_allclose, tree.flatten(got(X, 9, 0.1))[0], tree.flatten(want(X, 9, 0.1))[0]))
    assert "outer_steps" in got.source and "outer_steps" not in want.source
    _, pullback = tg.vjp(lambda x, c: outer(x, 9, c), X, 0.1, checkpoint=checkpoint)
    assert np.allclose(pullback(1.0)[0], tg.grad(outer)(X, 9, 0.1))


def test_option_where_there_is_nothing_to_do() -> None:
    with pytest.raises(ValueError, match="loops over a range"):
        tg.grad(lambda x: np.sum(x * x), checkpoint=True)(X)
    with pytest.raises(ValueError, match="number of states"):
        tg.grad(outer, checkpoint=-1)
