"""Transformations applied to one another: every ordered pair and a sample of triples, against JAX on rewritten functions."""
from __future__ import annotations

import functools
import itertools
import random
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import transgrad as tg

jax = pytest.importorskip("jax")
jnp = jax.numpy
jax.config.update("jax_enable_x64", True)


def loop(x):
    v = np.zeros(4)
    v[0] = x
    for i in range(1, 4):
        v[i] = np.sin(v[i - 1]) * x + 0.1 * i
    return np.sum(v * v)


def loop_by_jax(x):
    v = [x]
    for i in range(1, 4):
        v.append(jnp.sin(v[-1]) * x + 0.1 * i)
    return sum(u * u for u in v)


def branches(x):
    if x > 1.0:
        y = x ** 3
    elif x < -1.0:
        return np.exp(x)
    else:
        y = np.sin(x) + x
    return y * x


def branches_by_jax(x):
    return jnp.where(x > 1.0, x ** 4, jnp.where(x < -1.0, jnp.exp(x), (jnp.sin(x) + x) * x))


def written(x):
    a = np.array([[1.0, 0.3], [0.2, 2.0]]) * 1.0
    a[0, 1] += x
    a[1] *= x
    b = a[:, 0]
    b[1] = b[0] * x
    return np.sum(np.tanh(a @ np.array([x, 1.0])))


def written_by_jax(x):
    a = jnp.array([[1.0, 0.3], [0.2, 2.0]])
    a = a.at[0, 1].add(x)
    a = a.at[1].multiply(x)
    a = a.at[1, 0].set(a[0, 0] * x)
    return jnp.sum(jnp.tanh(a @ jnp.stack([x, 1.0 * x ** 0])))


def kept(x):
    y = x
    for _ in tg.checkpointed(range(5)):
        y = y + 0.3 * np.cos(y * x)
    return y


def kept_by_jax(x):
    y = x
    for _ in range(5):
        y = y + 0.3 * jnp.cos(y * x)
    return y


#: each, and what it is for JAX: derivatives (d) and a sum over three points (s), in the order they are applied
TRANSFORMATIONS: dict[str, tuple[Callable[..., Any], str]] = {
    "grad": (lambda f: tg.grad(f), "d"),
    "jvp": (lambda f: lambda x: tg.jvp(f, (x,), (1.0,))[1], "d"),
    "vjp": (lambda f: lambda x: tg.vjp(f, x)[1](1.0)[0], "d"),
    "vmap": (lambda f: lambda x: np.sum(tg.vmap(f)(np.array([x, 2.0 * x, 0.5]))), "s"),
    "jacfwd": (lambda f: tg.jacfwd(f), "d"),
    "jacrev": (lambda f: tg.jacrev(f), "d"),
    "hessian": (lambda f: tg.hessian(f), "dd"),
    "checkpoint": (lambda f: tg.checkpoint(f), ""),
    "compile": (lambda f: tg.compile(f), ""),
}
FUNCTIONS = {"loop": (loop, loop_by_jax), "branches": (branches, branches_by_jax), "written": (written, written_by_jax),
             "kept": (kept, kept_by_jax)}
POINTS = (0.7, 1.3, -1.2)
PAIRS = list(itertools.product(TRANSFORMATIONS, repeat=2))
TRIPLES = random.Random(0).sample(list(itertools.product(TRANSFORMATIONS, repeat=3)), 60)


@functools.cache
def by_jax(steps: str, which: str) -> Callable[[float], Any]:
    """The function of JAX after some steps: of numbers, all first derivatives are one, so that few functions are compiled."""
    if not steps:
        return FUNCTIONS[which][1]
    f = by_jax(steps[:-1], which)
    if steps[-1] == "d":
        return lambda x: jax.jvp(f, (x,), (1.0,))[1]
    return lambda x: jnp.sum(jax.vmap(f)(jnp.stack([x, 2.0 * x, 0.5 * x ** 0])))


@functools.cache
def value_by_jax(steps: str, which: str, x: float) -> float:
    return float(by_jax(steps, which)(x))


def _check(names: tuple[str, ...], which: str) -> None:
    ours = FUNCTIONS[which][0]
    for name in names:
        ours = TRANSFORMATIONS[name][0](ours)
    steps = "".join(TRANSFORMATIONS[name][1] for name in names)
    for x in POINTS[zlib.crc32("".join((*names, which)).encode()) % 3:][:1] if len(names) == 2 else POINTS[:2]:
        got, want = ours(x), value_by_jax(steps, which, x)
        assert np.ndim(got) == 0 and abs(float(got) - want) <= 1e-8 * max(1.0, abs(want)), (x, float(got), want)


@pytest.mark.filterwarnings("error::transgrad.TapeFallbackWarning")
@pytest.mark.parametrize("which", FUNCTIONS)
@pytest.mark.parametrize("names", PAIRS, ids="-".join)
def test_pairs(names: tuple[str, ...], which: str) -> None:
    _check(names, which)


@pytest.mark.parametrize("names", TRIPLES, ids="-".join)
def test_triples(names: tuple[str, ...]) -> None:
    _check(names, random.Random("-".join(names)).choice(list(FUNCTIONS)))


def changes_its_argument(x):
    x[0] = x[0] * x[1]
    x[1] *= 3.0
    return np.sum(x ** 3)


def test_each_sweep_of_a_hessian_starts_from_the_same_arguments() -> None:
    x = np.array([0.5, 0.7, 1.1])

    def pure(x):
        return changes_its_argument(x.copy())

    want = tg.hessian(pure)(x)
    assert np.allclose(tg.hessian(changes_its_argument, fallback="error")(x.copy()), want)
    assert np.allclose(tg.jacfwd(tg.grad(pure))(x), want)
    with pytest.warns(tg.TapeFallbackWarning, match="draws random numbers"):
        got = tg.hessian(lambda x, rng: np.sum(x * rng.normal(size=12)) ** 2)(np.ones(12), np.random.default_rng(0))
    drawn = np.random.default_rng(0).normal(size=12)
    assert np.allclose(got, 2.0 * np.outer(drawn, drawn))
    got = tg.hessian(lambda x, rng: np.sum((x * rng.normal(size=3)) ** 2), fallback="error")(x, np.random.default_rng(0))      # one sweep
    assert np.allclose(got, np.diag(2.0 * np.random.default_rng(0).normal(size=3) ** 2))
