"""Large arrays: multiplied by small factors in turn, read before they are written over, and of known sizes in containers of arguments."""
from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import transgrad as tg
from tests import oracles

N = 200


def pairs(x: Any, m: Any) -> Any:
    d = np.sqrt((x[:, None] - x[None, :]) ** 2 + 1.0)
    return -0.5 * np.sum(m[:, None] * m[None, :] / d)


def two_divisors(x: Any, m: Any) -> Any:
    d = np.exp(np.sin(x[:, None] * m[None, :])) + 2.0
    e = np.cos(x[:, None] - m[None, :]) + 3.0
    return np.sum(np.sin(m[:, None] * x[None, :] / d / e))


def named(x: Any, m: Any) -> Any:
    """The product has a name, and is read twice."""
    outer = m[:, None] * m[None, :]
    d = np.sqrt((x[:, None] - x[None, :]) ** 2 + 1.0)
    return np.sum(outer / d) + np.sum(outer)


def written_between(x: Any, m: Any) -> Any:
    """What a factor is read from changes afterwards."""
    m = m.copy()
    d = np.sqrt((x[:, None] - x[None, :]) ** 2 + 1.0)
    total = np.sum(m[:, None] * m[None, :] / d)
    m *= 3.0
    return total + np.sum(m * x)


def not_finite(x: Any, m: Any) -> Any:
    d = np.abs(x[:, None] - x[None, :])
    return np.sum(m[:, None] * m[None, :] / d)


PROGRAMS = [pairs, two_divisors, named, written_between]


@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.parametrize("n", [3, N])
def test_gradients_are_the_same(f: Any, n: int) -> None:
    rng = np.random.default_rng(0)
    x, m = rng.normal(size=n), rng.uniform(0.5, 2.0, n)
    kept = x.copy(), m.copy()
    found = tg.grad(f, argnums=(0, 1), fallback="error")(x, m)
    plain = tg.grad(f, argnums=(0, 1), fallback="error", optimize=False)(x, m)
    for a, b in zip(found, plain):
        np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-12)
    if n < 10:
        np.testing.assert_allclose(found[0], oracles.gradient(lambda q: f(q, m), x)[0], rtol=1e-6, atol=1e-8)
        np.testing.assert_allclose(found[1], oracles.gradient(lambda q: f(x, q), m)[0], rtol=1e-6, atol=1e-8)
    np.testing.assert_array_equal(x, kept[0])
    np.testing.assert_array_equal(m, kept[1])


def test_no_outer_product_is_made_where_its_factors_will_do() -> None:
    # in this order, since a variant for large arrays takes small ones, too
    small = tg.grad(pairs, argnums=(0, 1), fallback="error").source_for(np.ones(5), np.ones(5))
    text = tg.grad(pairs, argnums=(0, 1), fallback="error").source_for(np.ones(N), np.ones(N))
    assert "m[:, None] * m[None, :]" not in text.split("np.sum")[-1].split("\n", 1)[1]     # but for the comment that has the user's line
    assert "*= -m[:, None]" in text
    assert text.index("m @ ") < text.index("/= d")      # what else reads the quotient comes before it is written over
    assert "m[:, None] * m[None, :]" in small.split("np.sum")[-1].split("# d =")[0].split("\n", 1)[1]


def test_not_a_number_stays_one() -> None:
    x, m = np.zeros(N), np.ones(N)
    with np.errstate(all="ignore"):
        found = tg.grad(not_finite, argnums=1, fallback="error")(x, m)
        plain = tg.grad(not_finite, argnums=1, fallback="error", optimize=False)(x, m)
    np.testing.assert_array_equal(np.isfinite(found), np.isfinite(plain))


# -- arrays in containers

Pair = namedtuple("Pair", "w b")


@dataclass
class Layer:
    w: Any
    b: Any


def network(params: Any, x: Any) -> Any:
    h = x
    for w, b in params:
        h = np.tanh(h @ w + b)
    return np.sum(h ** 2)


def of_pair(layer: Any, x: Any) -> Any:
    return np.sum(np.tanh(x @ layer.w + layer.b) ** 2)


def of_dict(layer: Any, x: Any) -> Any:
    return np.sum(np.tanh(x @ layer["w"] + layer["b"]) ** 2)


def _leaves(g: Any) -> list[Any]:
    if isinstance(g, np.ndarray):
        return [g]
    items = g.values() if isinstance(g, dict) else vars(g).values() if isinstance(g, Layer) else g
    return [leaf for item in items for leaf in _leaves(item)]


@pytest.mark.parametrize("kind", ["tuple", "list", "named", "dict", "object"])
def test_sizes_in_containers(kind: str) -> None:
    rng = np.random.default_rng(2)

    def make(n: int) -> tuple[Any, Any]:
        w, b = rng.normal(size=(4, 8)), rng.normal(size=8)
        params: Any = {"tuple": ((w, b),), "list": [(w, b)], "named": Pair(w, b), "dict": {"w": w, "b": b}, "object": Layer(w, b)}[kind]
        return params, rng.normal(size=(n, 4))

    f = {"named": of_pair, "object": of_pair, "dict": of_dict}.get(kind, network)
    gradient = tg.grad(f, fallback="error")
    plain = tg.grad(f, fallback="error", optimize=False)
    for n in (5, 100, 3, 4000, 100):     # a text for few elements is not taken for many
        params, x = make(n)
        for found, want in zip(_leaves(gradient(params, x)), _leaves(plain(params, x))):
            np.testing.assert_allclose(found, want, rtol=1e-12, atol=1e-13)
    if kind in ("tuple", "named"):
        assert any("out=" in v.source for v in gradient.variants)
        assert any("out=" not in v.source for v in gradient.variants)


def test_what_layers_keep_is_let_go_of() -> None:
    params = tuple((np.ones((n, m)), np.ones(m)) for n, m in zip((300, 256, 200), (256, 200, 150)))
    text = tg.grad(network, fallback="error").source_for(params, np.ones((256, 300)))
    assert "del " in text


def test_items_that_the_function_replaces() -> None:
    """The size that an item had is not that of what takes its place."""
    def f(items: Any) -> Any:
        items = list(items)
        items[0] = np.concatenate([items[0], items[1]])
        u = np.sin(items[0])
        return np.sum(np.exp(u) * u) + np.sum(items[1])

    rng = np.random.default_rng(3)
    for n, m in ((2, 3), (1 << 14, 5), (5, 1 << 14)):
        args = [rng.normal(size=n), rng.normal(size=m)]
        found, want = (tg.grad(f, fallback="error", optimize=o)(args) for o in (True, False))
        for a, b in zip(found, want):
            np.testing.assert_allclose(a, b, rtol=1e-12)
