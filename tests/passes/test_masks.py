"""Cotangents masked by bits, beside what `np.where` makes of them; into new memory, and over the cotangent itself."""
from __future__ import annotations

import numpy as np
import pytest

import transgrad as tg
from transgrad.runtime import kept_where, share_of_larger, share_of_smaller

RNG = np.random.default_rng(3)
SPECIAL = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-320])
A, B = (RNG.choice(SPECIAL, (40, 30)) for _ in range(2))
G = RNG.choice([0.0, -0.0, 2.0, -3.0, np.inf, np.nan, 1e308], (40, 30))


def by_where(lost, a, b, g):
    return np.where(lost, 0.0, np.where(a == b, 0.5 * g, g))


@pytest.mark.parametrize("layout", ["rows", "columns", "strided"])
@pytest.mark.parametrize("over_itself", [False, True])
@pytest.mark.parametrize("b", [B, 0.0], ids=["array", "number"])
def test_shares(b, over_itself, layout):
    def given(x):
        if layout == "strided":
            return np.repeat(np.repeat(x, 2, axis=0), 3, axis=1)[::2, ::3]
        return np.asfortranarray(x) if layout == "columns" else x.copy()

    a = given(A)
    for share, lost in ((share_of_larger, A < b), (share_of_smaller, A > b)):
        g = given(G)
        found = share(a, b, g, g) if over_itself else share(a, b, g)
        np.testing.assert_array_equal(found, by_where(lost, A, b, G))
        assert (found is g) == over_itself
        if not over_itself:
            np.testing.assert_array_equal(g, G)
    g = given(G)
    found = kept_where(a > b, g, g) if over_itself else kept_where(a > b, g)
    np.testing.assert_array_equal(found, np.where(A > b, G, 0.0))


def rectified(x, w):
    h = np.maximum(x @ w, 0.0)
    return np.sum(np.maximum(h @ w, 0.0) ** 2)


def read_again(x, w):
    h = np.maximum(x @ w, 0.0)
    return np.sum(h ** 2) + np.sum(np.minimum(x, 0.5) * np.maximum(x, -0.5))


@pytest.mark.parametrize("n", [8, 300])
@pytest.mark.parametrize("f", [rectified, read_again], ids=lambda f: f.__name__)
def test_gradients(f, n):
    x, w = RNG.normal(size=(n, n)), RNG.normal(size=(n, n)) / n ** 0.5
    x[0], x[1] = 0.0, 0.5       # ties
    found, want = (tg.grad(f, argnums=(0, 1), fallback="error", optimize=o)(x, w) for o in (True, False))
    for a, b in zip(found, want):
        np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-12 * np.max(np.abs(b)))
    text = tg.grad(f, argnums=(0, 1), fallback="error").source_for(x, w)
    assert ("out=" in text and "share_of_larger" in text) == (n > 8)
