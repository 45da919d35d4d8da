"""Sums of products as contractions: the same numbers, and only where all lengths are known to agree."""
from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import transgrad as tg

RNG = np.random.default_rng(3)
X, Y, M = RNG.normal(size=(6, 3)), RNG.normal(size=(6, 3)), RNG.normal(size=6)


def squares(x: Any, y: Any, m: Any) -> Any:
    return np.sum(np.sqrt(np.sum(x * x, axis=1) + 1.0) * m)


def powers(x: Any, y: Any, m: Any) -> Any:
    return np.sum(np.exp(-np.sum((x - y) ** 2, axis=-1)))


def first_axis(x: Any, y: Any, m: Any) -> Any:
    return np.sum(np.tanh(np.sum(x * y, axis=0)))


def pairs(x: Any, y: Any, m: Any) -> Any:
    r = x[:, None, :] - x[None, :, :]
    return np.sum(m[:, None] * m[None, :] / np.sqrt(np.sum(r * r, axis=2) + 0.1))


def weighed(x: Any, y: Any, m: Any) -> Any:
    return np.sum(np.sin(np.sum(m[:, None] * x, axis=0)))


def stacked(x: Any, y: Any, m: Any) -> Any:
    return np.sum(np.cos(np.sum(x[:, :, None] * y[:, None, :], axis=0)))


CONTRACTED = [(squares, "np.vecdot"), (powers, "np.vecdot"), (first_axis, "np.einsum"), (pairs, "np.einsum"), (weighed, "@"), (stacked, "np.einsum")]


def kept_product(x: Any, y: Any, m: Any) -> Any:
    """The products are read for something else, too."""
    p = np.sin(x) * y
    return np.sum(np.sum(p, axis=1) ** 2) + np.sum(p)


def overwritten(x: Any, y: Any, m: Any) -> Any:
    """A factor changes between the product and its sum."""
    u = x * 1.0
    p = u * y
    u[0] = 7.0
    return np.sum(np.sum(p, axis=1) ** 3) + np.sum(u)


def stretched(x: Any, y: Any, m: Any) -> Any:
    """A factor that is stretched by hand."""
    return np.sum(np.sum(x * y[:1], axis=0) ** 2) + np.sum(np.sum(x * 2.0, axis=0) ** 2)


def integers(x: Any, y: Any, m: Any) -> Any:
    k = np.arange(6).reshape(2, 3)
    return np.sum(x) * np.sum(np.sum(k * k, axis=1))


@pytest.mark.parametrize("f", [f for f, _ in CONTRACTED] + [kept_product, overwritten, stretched, integers])
def test_derivatives_are_the_same(f: Any) -> None:
    value, found = tg.value_and_grad(f, argnums=(0, 1, 2), fallback="error")(X, Y, M)
    _, plain = tg.value_and_grad(f, argnums=(0, 1, 2), optimize=False)(X, Y, M)
    np.testing.assert_allclose(value, f(X, Y, M), rtol=1e-13)
    for g, p in zip(found, plain):
        np.testing.assert_allclose(g, p, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize(("f", "by"), CONTRACTED)
def test_no_array_of_the_products_is_made(f: Any, by: str) -> None:
    assert by in tg.grad(f, argnums=(0, 1, 2), fallback="error").source_for(X, Y, M)


@pytest.mark.parametrize("f", [kept_product, overwritten])
def test_products_that_are_needed_stay(f: Any) -> None:
    assert "einsum" not in tg.compile(f).source_for(X, Y, M)


def test_single_precision_is_summed_by_numpy() -> None:
    x, y = X.astype(np.float32), Y.astype(np.float32)
    assert "einsum" not in tg.grad(first_axis, fallback="error").source_for(x, y, M.astype(np.float32))


def test_nan_and_infinity_come_through() -> None:
    x = X.copy()
    x[0, 0], x[1, 1] = np.nan, np.inf
    with np.errstate(all="ignore"):
        for f, _ in CONTRACTED:
            found, plain = tg.grad(f, fallback="error")(x, Y, M), tg.grad(f, optimize=False)(x, Y, M)
            np.testing.assert_allclose(found, plain, rtol=1e-12, atol=1e-13)


def through_rows(x: Any, w: Any) -> Any:
    """The cotangent of ``b`` is a sum over rows of a product of matrices."""
    b = x[0] * 2.0
    return np.sum(np.tanh((x - b) @ w) ** 2)


def through_stacks(x: Any, w: Any) -> Any:
    means = np.stack([x[0], 2.0 * x[1], x[2] * x[0]])
    factors = np.stack([w, w.T @ w, 2.0 * w])
    z = (x - means[:, None, :]) @ np.swapaxes(factors, 1, 2)
    return np.sum(z * np.sin(z))


@pytest.mark.parametrize("f", [through_rows, through_stacks])
def test_rows_of_products_are_summed_before_the_product(f: Any) -> None:
    rng = np.random.default_rng(0)
    x, w = rng.normal(size=(7, 4)), rng.normal(size=(4, 4))
    gradient = tg.grad(f, argnums=(0, 1), fallback="error")
    for found, plain in zip(gradient(x, w), tg.grad(f, argnums=(0, 1), optimize=False)(x, w)):
        np.testing.assert_allclose(found, plain, rtol=1e-11, atol=1e-12)
    assert not [line for line in gradient.source_for(x, w).splitlines() if re.search(r"^ *[^# ].*np\.sum\(.* @ ", line)]


def test_a_product_that_a_contraction_reads_stays():
    """Two sums of ``w`` and two of ``v * w``: the latter, once they are contractions, read ``w`` too."""
    def f(x, m):
        return np.sum((m[:, None] + 0.0 * x + (np.sin(x)[:, None] - x[None, :]) ** 3) * m[:, None])
    x = RNG.normal(size=6)
    for got, plain in zip(tg.grad(f, (0, 1), fallback="error")(x, M), tg.grad(f, (0, 1), fallback="error", optimize=False)(x, M)):
        np.testing.assert_allclose(got, plain, rtol=1e-12, atol=1e-12)
