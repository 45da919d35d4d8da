"""Branches of a batch that all examples take index by slices, and products of vectors call a helper: the same numbers either way."""
from __future__ import annotations

import numpy as np
import pytest

import transgrad as tg
from transgrad.runtime import cross

RNG = np.random.default_rng(23)


def turned(r, x):
    square = np.sum(r * r)
    if square > 0.0:
        angle = np.sqrt(square)
        axis = r / angle
        return np.cos(angle) * x + np.sin(angle) * np.cross(axis, x)
    return x + np.cross(r, x)


def written(r, x):
    """A branch that writes to what it is given of the examples that take it."""
    y = x * 1.0
    if r[0] > 0.0:
        y[0] = np.sqrt(r[0])
        y[1:] += x[1:] * r[0]
    else:
        y[:2] *= np.exp(r[1])
    return y * x


def handed_on(r, x):
    """What a branch returns is not to be a part of an argument."""
    if r[0] > 0.0:
        y, scale = x[1:], np.sqrt(r[0])
    else:
        y, scale = np.exp(x)[:-1], 1.0 / r[1]
    return y, scale * x[::-1]


CASES = [turned, written, handed_on]


def examples(which: str) -> tuple[np.ndarray, np.ndarray]:
    r, x = RNG.normal(size=(5, 3)), RNG.normal(size=(5, 3))
    r[:, 0] = np.abs(r[:, 0]) + 0.1
    if which == "none":
        r[:, :] = 0.0
        r[:, 1] = 1.0
        r[:, 0] = -1.0
    if which == "some":
        r[1], r[3, 0] = [0.0, 1.0, 0.0], -2.0
    return r, x


@pytest.mark.parametrize("which", ["all", "none", "some", "no examples"])
@pytest.mark.parametrize("f", CASES)
def test_examples_that_part_or_do_not(f, which):
    r, x = examples(which)
    if which == "no examples":
        r, x = r[:0], x[:0]
    kept = r.copy(), x.copy()
    for make in (tg.vmap, lambda g, **options: tg.vmap(tg.jacrev(g, (0, 1), **options), **options)):
        one = make(f, fallback="error", optimize={"columns": False})
        found, plain = one(r, x), make(f, fallback="error", optimize={"simplify": False})(r, x)
        for a, b in zip(_leaves(found), _leaves(plain)):
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-14)
            assert not np.shares_memory(a, x) and not np.shares_memory(a, r)
        np.testing.assert_array_equal(kept, (r, x))
        assert f is written or "slice(None)" in one.source


def _leaves(found):
    return [leaf for part in found for leaf in _leaves(part)] if isinstance(found, tuple) else [found]


@pytest.mark.parametrize("a, b", [((3,), (3,)), ((4, 3), (4, 3)), ((2, 4, 3), (2, 4, 3)), ((4, 3), (3,)), ((0, 3), (0, 3))])
def test_the_helper(a, b):
    x, y = RNG.normal(size=a), RNG.normal(size=b)
    np.testing.assert_array_equal(cross(x, y), np.cross(x, y))
    if x.size:
        x.flat[0], y.flat[1] = np.inf, np.nan
        with np.errstate(invalid="ignore"):
            np.testing.assert_array_equal(cross(x, y), np.cross(x, y))


def test_where_the_helper_is_called():
    def f(x, y):
        return np.sum(np.cross(x, y) ** 2)
    x, y = RNG.normal(size=3), RNG.normal(size=3)
    df = tg.grad(f, (0, 1), fallback="error")
    for found, want in zip(df(x, y), tg.grad(f, (0, 1), fallback="error", optimize=False)(x, y)):
        np.testing.assert_allclose(found, want, rtol=1e-13)
    assert "x_bar = cross(" in df.source
    assert df(x.astype(np.float32), y.astype(np.float32))[0].dtype == np.float32
    assert "x_bar = np.cross(" in df.source
