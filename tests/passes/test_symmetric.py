"""Sums along two axes of a symmetric array: one of them is made, where the array is symmetric whatever is in it."""
from __future__ import annotations

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

import transgrad as tg
from tests.random_programs.oracle import compile_text

RNG = np.random.default_rng(5)
X, M = RNG.normal(size=(6, 3)), RNG.uniform(0.5, 2.0, 6)


def energy(x, m):
    r = x[:, None, :] - x[None, :, :]
    return -0.5 * np.sum(m[:, None] * m[None, :] / np.sqrt(np.sum(r * r, axis=2) + 0.01))


def by_norm(x, m):
    r = x[:, None] - x[None, :]
    d = np.linalg.norm(r + 1e-3, axis=2)
    return np.sum(np.outer(m, m) * np.exp(-d))


def kernel(x, m):
    d = np.expand_dims(x, 1) - x
    k = np.exp(-0.5 * np.sum(d ** 2, axis=2))
    return np.sum(m[:, None] * k * m)


def turned(x, m):
    a = x @ np.ones((3, 6)) * m
    s = a + a.T
    return np.sum(np.sum(s * s, axis=0) * m) + np.sum(np.sum(s ** 3, axis=1) * m)


def weighed(x, m):
    r = x[:, None, :] - x[None, :, :]
    return np.sum(m[:, None] * np.sum(r * r, axis=2))


def two_sets(x, m):
    r = x[:, None, :] - np.sin(x)[None, :, :]
    return np.sum(np.exp(-np.sum(r * r, axis=2)))


def written(x, m):
    r = x[:, None, :] - x[None, :, :]
    s = np.sum(r * r, axis=2)
    s[0, -1] = 7.0
    return np.sum(np.sqrt(s + 1.0))


def masked(x, m):
    y = x[:, 0]
    r = y[:, None] - y[None, :]
    return np.sum(np.where(r > 0.0, r, 0.1 * r) * m)


def odd(x, m):
    y = x[:, 0]
    r = y[:, None] - y[None, :]
    return np.sum(np.outer(m, m) * np.exp(r))


def inverse(x, m):
    """Where two points meet, ``r`` is a zero on both sides, and its inverse infinite with the same sign."""
    y = x[:, 0]
    r = y[:, None] - y[None, :]
    return np.sum(1.0 / (r + 0.0) * m[:, None] + 1.0 / r)


def products(x, m):
    """A product of two that change their signs is symmetric but for the signs of its zeros."""
    y, z = x[:, 0], x[:, 1]
    r, q = y[:, None] - y[None, :], z[:, None] - z[None, :]
    return np.sum(1.0 / (r * q))


def in_a_loop(x, m):
    total = 0.0
    for k in range(3):
        r = (k + 1.0) * x[:, None, :] - x[None, :, :] * (k + 1.0)
        total += np.sum(np.outer(m, m) / (np.sum(r * r, axis=2) + 1.0))
    return total


FUNCTIONS = [energy, by_norm, kernel, turned, weighed, two_sets, written, masked, odd, inverse, products, in_a_loop]


def both(f, *args):
    found = [tg.grad(f, (0, 1), fallback="error", optimize=o)(*args) for o in ({}, {"symmetric": False}, False)]
    for other in found[1:]:
        for p, q in zip(found[0], other):
            np.testing.assert_allclose(p, q, rtol=1e-9, atol=1e-11)
    return found[0]


@pytest.mark.parametrize("f", FUNCTIONS)
@pytest.mark.parametrize("n", [1, 2, 6])
def test_the_same_with_and_without(f, n):
    if f is turned and n < 6:
        return
    with np.errstate(all="ignore"):
        both(f, X[:n], M[:n])


@pytest.mark.parametrize("f", [energy, by_norm, kernel, turned, weighed, written, odd, in_a_loop])
def test_against_differences(f):
    tg.testing.check_grad(f, (X, M), argnums=(0, 1))


@pytest.mark.parametrize("f", FUNCTIONS)
def test_points_that_meet_and_points_that_are_not_finite(f):
    for x in (np.zeros((6, 3)), np.vstack([X[:3], X[:3]]), np.vstack([X[:4], np.full((1, 3), np.inf), np.full((1, 3), -np.inf)]),
              np.vstack([X[:5], np.full((1, 3), np.nan)]), np.where(RNG.random((6, 3)) < 0.5, 0.0, -0.0)):
        with np.errstate(all="ignore"):
            both(f, x, M)


def source(f):
    g = tg.grad(f, (0, 1), fallback="error")
    g(X, M)
    return g.source


def test_each_pair_is_summed_once():
    assert source(energy).count(" @ ") == 2 and "swapaxes" not in source(energy)


@pytest.mark.parametrize("f", [two_sets, weighed, written, inverse, products])
def test_no_symmetry_where_there_is_none(f):
    other = tg.grad(f, (0, 1), fallback="error", optimize={"symmetric": False})
    with np.errstate(all="ignore"):
        other(X, M)
        assert source(f) == other.source


def test_gradients_that_are_equal_are_arrays_of_their_own():
    def f(a, b):
        return np.sum((a[:, None] - a[None, :]) ** 2 * 0.0 + np.exp(-(b[:, None] + a[None, :])) + np.exp(-(a[:, None] + b[None, :])))
    p, q = both(f, M, M.copy())
    assert not np.may_share_memory(p, q)


LEAVES = ("(x[:, None] - x[None, :])", "(x[:, None] + x)", "(m[:, None] * m[None, :])", "(m[None, :] + 0.0 * x[:, None])",
          "(m[:, None] + 0.0 * x)", "np.outer(x, m)")
ONE = ("(-{})", "np.square({})", "({} ** 3)", "np.exp(-{} ** 2)", "{}.T", "np.sqrt({} ** 2 + 1.0)", "(0.5 * {})", "np.sin({})")
TWO = ("({} + {})", "({} - {})", "({} * {})", "({} / ({} ** 2 + 1.0))", "({} / {})")
TERMS = st.recursive(st.sampled_from(LEAVES), lambda inner: st.builds(str.format, st.sampled_from(ONE), inner) | st.builds(
    str.format, st.sampled_from(TWO), inner, inner), max_leaves=5)


@settings(max_examples=25, deadline=None)
@given(TERMS, st.sampled_from(["", " * m", " * m[:, None]"]))
def test_random_pairs(term, weight):
    f = compile_text(f"import numpy as np\n\ndef program(x, m):\n    return np.sum({term}{weight})\n", "pairs")
    with np.errstate(all="ignore"):
        for x in (X[:, 0], np.array([0.5, 0.5, -1.0, 0.0, -0.0, 2.0])):
            both(f, x, M)
