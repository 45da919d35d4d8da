"""Tangents of squares: twice one product, whose factor meets that of a root, and whose sum is a contraction for many directions."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import transgrad as tg
from transgrad.testing import numeric_jvp

RNG = np.random.default_rng(5)
X, M = RNG.normal(size=(4, 3)), RNG.normal(size=(3, 3))


def tangent(f: Any, *args: Any) -> str:
    """The lines of a text of `jacfwd` that compute the tangent."""
    text = tg.jacfwd(f, fallback="error").source_for(*args)
    return text[text.index("def jvp"):text.index("def jacfwd")].rstrip()


def by_product(x: Any) -> Any:
    return np.sqrt(np.sum(x * x) + 1.0)


def by_square(x: Any) -> Any:
    return np.sqrt(np.sum(np.square(x)) + 1.0)


def by_power(x: Any) -> Any:
    return np.sqrt(np.sum(x ** 2) + 1.0)


def rooted(x: Any) -> Any:
    return np.sqrt(x @ x)


def halved(x: Any) -> Any:
    return 0.5 * np.mean(x ** 2)


def thirds(x: Any) -> Any:
    return 0.3 * np.sum(x * x)


def waves(x: Any) -> Any:
    return np.sum(np.sin(np.multiply(x, x)))


def through_dot(x: Any) -> Any:
    y = np.exp(x)
    return np.dot(y, y) + np.inner(x, x) + np.vdot(x, x)


def rows(x: Any) -> Any:
    y = np.outer(x, x) + 1.0
    return np.sqrt(np.sum(y * y, axis=1))


def kept_apart(x: Any) -> Any:
    """The square is read again."""
    y = x * x
    return np.sum(y) + np.prod(y)


def overwritten(x: Any) -> Any:
    """What is squared changes before the squares are summed."""
    y = x * 1.0
    z = y * y
    y[0] = 5.0 * x[1]
    return np.sum(z) + np.sum(y ** 2)


def squares_overwritten(x: Any) -> Any:
    y = x * x
    y[1] = x[0]
    return np.sum(y)


def squared_in_place(x: Any) -> Any:
    y = np.sin(x)
    y *= y
    return np.sum(y)


def matrices(x: Any) -> Any:
    """The product of a matrix with itself is not symmetric."""
    y = np.outer(x, np.sin(x))
    return np.sum((y @ y) * M[:1, :1])


def masked(x: Any) -> Any:
    return np.sum(x * x, where=x > 0.0) + np.sum(x * x, initial=3.0)


FUNCTIONS = [by_product, by_square, by_power, rooted, halved, thirds, waves, through_dot, rows, kept_apart, overwritten, squares_overwritten,
             squared_in_place, matrices, masked]


@pytest.mark.parametrize("f", FUNCTIONS)
def test_agrees_with_differences(f: Any) -> None:
    x = np.array([0.4, -1.3, 0.7])
    expected = np.stack([numeric_jvp(f, [x], [e]) for e in np.eye(3)], axis=-1)
    np.testing.assert_allclose(tg.jacfwd(f, fallback="error")(x), expected, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(tg.jvp(f, (x,), (M[0],))[1], expected @ M[0], rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(tg.jacfwd(f, optimize=False)(x), expected, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(tg.hessian(f)(x), tg.hessian(f, optimize=False)(x), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("f", [by_product, by_square, by_power])
def test_the_two_meets_the_half_of_the_root(f: Any) -> None:
    assert tangent(f, np.ones(3)).splitlines()[-1].startswith("    return x_dot @ x / np.sqrt(")


def test_forms() -> None:
    x = np.ones(3)
    assert "return x @ x_dot / np.sqrt(x @ x)" in tangent(rooted, x)
    assert "return np.mean(x * x_dot, axis=1)" in tangent(halved, x)
    assert "return 0.6 * (x_dot @ x)" in tangent(thirds, x)
    assert "return 2.0 * x * x_dot @ np.cos(np.multiply(x, x))" in tangent(waves, x)


def test_squares_that_are_read_again_are_not_computed_twice() -> None:
    assert "y_dot = 2.0 * x * x_dot" in tangent(kept_apart, np.ones(3))


@pytest.mark.parametrize("f", [overwritten, squares_overwritten])
def test_what_is_written_to_is_left_as_it_is(f: Any) -> None:
    assert "@" not in tangent(f, np.ones(3))


@pytest.mark.parametrize("dtype", [np.float32, np.complex128])
def test_types_of_numbers(dtype: Any) -> None:
    x, t = np.array([0.5, 1.5]).astype(dtype), np.array([1.0, -2.0]).astype(dtype)
    if dtype is np.complex128:
        x = x * (1 + 2j)
    for f in (lambda x: x * x, lambda x: x @ x, lambda x: np.vdot(x, x), lambda x: np.sum(x * x)):
        found, plain = tg.jvp(f, (x,), (t,))[1], tg.jvp(f, (x,), (t,), optimize=False)[1]
        assert found.dtype == plain.dtype == dtype
        np.testing.assert_allclose(found, plain, rtol=1e-6)
        np.testing.assert_allclose(found, (f(x + 1e-3 * t) - f(x - 1e-3 * t)) / 2e-3, rtol=1e-3)


def test_nan_and_infinity_come_through() -> None:
    x = np.array([np.inf, 1.0, np.nan])
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(tg.jacfwd(waves)(x), tg.jacfwd(waves, optimize=False)(x))
        for f in (by_product, thirds):
            np.testing.assert_array_equal(tg.jvp(f, (x,), (np.ones(3),))[1], tg.jvp(f, (x,), (np.ones(3),), optimize=False)[1])


def test_no_elements() -> None:
    assert tg.jvp(by_product, (np.ones(0),), (np.ones(0),))[1] == 0.0


def test_a_row_vector_beside_a_matrix() -> None:
    """Sums along the last axis are products with the vector; along another one they stay."""
    def last(x: Any, w: Any) -> Any:
        return np.sum(x * w, axis=1)

    def first(x: Any, w: Any) -> Any:
        return np.sum(x * w, axis=0)
    w = RNG.normal(size=3)
    for f, by in ((last, "return x @ w"), (first, "return np.sum(x * w, axis=0)")):
        assert by in tg.compile(f).source_for(X, w)
        np.testing.assert_allclose(tg.compile(f)(X, w), f(X, w), rtol=1e-14)
    assert "@" not in tg.compile(last).source_for(X[:, :1], w), "a column beside a row"
    assert "@" not in tg.compile(last).source_for(X.astype(np.float32), w.astype(np.float32))
    np.testing.assert_array_equal(tg.compile(last)(np.ones((2, 0)), np.ones(0)), np.zeros(2))


def test_a_rule_of_ones_own_is_not_taken_for_a_product() -> None:
    def half_of_product(a: Any, b: Any) -> Any:
        return 0.5 * a * b

    @tg.rule(half_of_product)
    def _(g: Any, y: Any, a: Any, b: Any) -> Any:
        return 10.0 * g * b, 20.0 * g * a
    found = tg.jvp(lambda x: half_of_product(x, x), (np.array([3.0]),), (np.ones(1),))[1]
    np.testing.assert_allclose(found, [90.0])


def test_a_tangent_is_as_long_as_its_value() -> None:
    """The remainder of a column by a row is a matrix, and its tangent no column."""
    a, b = np.array([[1.3], [2.6], [3.9]]), np.array([[0.7, 0.9, 1.1]])

    def length(r: Any) -> Any:
        return np.sqrt(np.sum(r * r, axis=1) + 1.0)

    def f(a: Any) -> Any:
        _, r = divmod(a, b)
        return length(r) * length(2.0 * r) + length(-r)
    t = np.ones((3, 1))
    np.testing.assert_allclose(tg.jvp(f, (a,), (t,), fallback="error")[1], numeric_jvp(f, [a], [t]), rtol=1e-6)


def _both(x: Any, v: Any) -> Any:
    return np.tanh(x), np.sin(v) * x


def test_a_square_that_no_direction_moves() -> None:
    """One of the results of a call depends on ``v``; the sum of the squares of the other has no tangent."""
    def f(x: Any, v: Any) -> Any:
        y, z = _both(x, v)
        return np.sum(z) * np.sum(y ** 2)
    x, v = X[0], M[1]
    found = tg.jvp(lambda v: f(x, v), (v,), (np.ones(3),), fallback="error")[1]
    np.testing.assert_allclose(found, numeric_jvp(lambda v: f(x, v), [v], [np.ones(3)]), rtol=1e-6)
    across = tg.hessian(f, (0, 1), fallback="error")(x, v)[0][1]
    step = 1e-6 * np.eye(3)
    slopes = [(tg.grad(f)(x, v + e) - tg.grad(f)(x, v - e)) / 2e-6 for e in step]
    np.testing.assert_allclose(across, np.transpose(slopes), rtol=1e-5, atol=1e-8)
