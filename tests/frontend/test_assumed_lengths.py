"""Parts of arguments that have one element for some lengths alone: there they are broadcast, and each call finds out."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import transgrad as tg


def inner_part(v: Any, w: Any) -> Any:
    return np.sum(v[1:-1] * w)



def second_differences(v: Any, w: Any) -> Any:
    d = v[1:] - v[:-1]
    e = d[1:] - d[:-1]
    return np.sum(e * w) + np.sum(np.where(w > 0.0, e, 0.0))


def _part(x: Any) -> Any:
    return x[1:]


def of_a_helper(v: Any, w: Any) -> Any:
    return np.sum(_part(_part(v)) * w)


def longer(v: Any, w: Any) -> Any:
    return np.sum(np.diff(v, n=2) * w)


FUNCTIONS = [inner_part, second_differences, of_a_helper, longer]


def by_differences(f: Callable[..., Any], args: tuple[Any, ...], k: int, h: float = 1e-6) -> Any:
    out = np.zeros(args[k].shape)
    for i in np.ndindex(*out.shape):
        step = np.zeros(out.shape)
        step[i] = h
        high, low = ([a + s if j == k else a for j, a in enumerate(args)] for s in (step, -step))
        out[i] = (f(*high) - f(*low)) / (2 * h)
    return out


@pytest.mark.parametrize("optimize", [True, False])
@pytest.mark.parametrize("f", FUNCTIONS)
def test_lengths_in_any_order(f: Any, optimize: bool) -> None:
    rng = np.random.default_rng(0)
    for order in ((5, 3), (3, 5), (3, 3, 5, 3)):
        derivative = tg.grad(f, argnums=(0, 1), fallback="error", optimize=optimize)
        for n in order:
            args = rng.normal(size=n), rng.normal(size=3)
            for k, found in enumerate(derivative(*args)):
                assert found.shape == args[k].shape
                np.testing.assert_allclose(found, by_differences(f, args, k), rtol=1e-6, atol=1e-8)


def in_containers(p: Any, w: Any) -> Any:
    return np.sum(p["a"][1:-1] * w) + np.sum(p["b"][0][2:] * w)


@pytest.mark.parametrize("lengths", [(5, 5), (3, 5), (5, 3), (3, 3)])
def test_arrays_in_containers(lengths: tuple[int, int]) -> None:
    rng = np.random.default_rng(1)
    a, b, w = rng.normal(size=lengths[0]), rng.normal(size=lengths[1]), rng.normal(size=3)
    derivative = tg.grad(in_containers, argnums=1, fallback="error")
    derivative({"a": np.ones(5), "b": (np.ones(5), 1.0)}, w)
    np.testing.assert_allclose(derivative({"a": a, "b": (b, 1.0)}, w), a[1:-1] + b[2:] + np.zeros(3))


@pytest.mark.parametrize("mode", [tg.jacfwd, tg.jacrev])
def test_jacobians(mode: Any) -> None:
    def f(v: Any, w: Any) -> Any:
        return v[2:] * w
    w = np.array([1.0, 2.0, 4.0])
    found = mode(f, argnums=(0, 1))
    found(np.ones(5), w)
    by_v, by_w = found(np.array([1.0, 2.0, 3.0]), w)
    np.testing.assert_allclose(by_v, np.outer(w, [0.0, 0.0, 1.0]))
    np.testing.assert_allclose(by_w, 3.0 * np.eye(3))


@pytest.mark.parametrize("axis", [0, 1])
def test_batches(axis: int) -> None:
    rng = np.random.default_rng(2)
    w = rng.normal(size=3)
    batched = tg.vmap(tg.grad(inner_part, argnums=(0, 1)), in_axes=(axis, None))
    for n in (5, 3, 5):
        v = rng.normal(size=(n, 4) if axis else (4, n))
        for k, (by_v, by_w) in enumerate(zip(*batched(v, w))):
            one = v[:, k] if axis else v[k]
            np.testing.assert_allclose(by_v, by_differences(inner_part, (one, w), 0), rtol=1e-6, atol=1e-8)
            np.testing.assert_allclose(by_w, np.zeros(3) + one[1:-1])
