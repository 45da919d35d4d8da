"""Products of triangular matrices, and halves of matrices without masks."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import transgrad as tg
from transgrad.runtime import lower_half, product_of_triangles

RNG = np.random.default_rng(17)


def triangle(a: Any, kind: str) -> Any:
    return np.tril(a) if kind == "lower" else np.triu(a) if kind == "upper" else a


@settings(deadline=None, max_examples=60)
@given(st.sampled_from([1, 2, 63, 64, 65, 130]), st.sampled_from(["", "lower", "upper"]), st.sampled_from(["", "lower", "upper"]),
       st.integers(0, 3), st.booleans(), st.integers(0, 2 ** 32))
def test_products(n: int, left: str, right: str, wider: int, turned: bool, seed: int) -> None:
    rng = np.random.default_rng(seed)
    a = triangle(rng.normal(size=(n if left else n + wider, n)), left)
    b = triangle(rng.normal(size=(n, n if right else n + wider)), right)
    if turned:
        a, b = np.asfortranarray(a), np.asfortranarray(b)
    np.testing.assert_allclose(product_of_triangles(a, b, left, right), a @ b, atol=1e-12)


@pytest.mark.parametrize("n", [0, 1, 2, 7])
def test_half_of_a_matrix(n: int) -> None:
    a = RNG.normal(size=(n, n))
    for x in (a, np.asfortranarray(a), a.T):
        kept = x.copy()
        np.testing.assert_array_equal(lower_half(x), np.tril(x) - 0.5 * (x * np.eye(n)))
        np.testing.assert_array_equal(x, kept)


def likelihood(k: Any, y: Any) -> Any:
    factor = np.linalg.cholesky(k @ k.T + len(k) * np.eye(len(k)))
    return np.sum(np.log(np.diag(factor))) + np.sum(np.linalg.solve(factor, y) ** 2)


def of_the_factor(k: Any, y: Any) -> Any:
    factor = np.linalg.cholesky(k @ k.T + len(k) * np.eye(len(k)))
    return np.sum(np.sin(factor)) + factor[-1, 0] * np.sum(factor.T @ y)


def written(k: Any, y: Any) -> Any:
    factor = np.linalg.cholesky(k @ k.T + len(k) * np.eye(len(k)))
    half = np.tril(factor)
    half[0, -1] = np.sum(k)
    return np.sum(half @ factor) + np.sum(np.linalg.solve(factor, y) ** 2)


def upper(k: Any, y: Any) -> Any:
    factor = np.linalg.cholesky(k @ k.T + len(k) * np.eye(len(k)), upper=True)
    return np.sum(factor ** 3) + np.sum(factor @ y)


CASES = [likelihood, of_the_factor, written, upper]


@pytest.mark.parametrize("f", CASES)
@pytest.mark.parametrize("n", [1, 5, 90])
def test_gradients(f: Any, n: int) -> None:
    k, y = RNG.normal(size=(n, n)), RNG.normal(size=n)
    found = tg.grad(f, (0, 1), fallback="error")(k, y)
    for optimize in (False, {"systems": False}):
        for a, b in zip(found, tg.grad(f, (0, 1), fallback="error", optimize=optimize)(k, y), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-8, atol=1e-9)
    along, e = RNG.normal(size=(n, n)), 1e-6
    np.testing.assert_allclose(np.sum(found[0] * along), (f(k + e * along, y) - f(k - e * along, y)) / (2 * e), rtol=1e-4, atol=1e-6)


def test_second_derivatives() -> None:
    k, y, v = RNG.normal(size=(4, 4)), RNG.normal(size=4), RNG.normal(size=(4, 4))
    for f in CASES:
        g, e = tg.grad(f, fallback="error"), 1e-6
        (found,) = tg.hvp(lambda k, f=f: f(k, y), (k,), (v,))
        np.testing.assert_allclose(found, (g(k + e * v, y) - g(k - e * v, y)) / (2 * e), rtol=1e-4, atol=1e-6)


def test_the_text() -> None:
    text = tg.grad(likelihood, fallback="error").source_for(np.eye(5), np.ones(5))
    assert text.count("product_of_triangles(") >= 2 and "lower_half(" in text and "np.tril" not in text
    plain = tg.grad(likelihood, fallback="error", optimize={"systems": False}).source_for(np.eye(5), np.ones(5))
    assert "product_of_triangles" not in plain and "lower_half" not in plain


def test_a_triangle_that_is_written_to_is_a_matrix() -> None:
    text = tg.grad(written, fallback="error").source_for(np.eye(5), np.ones(5))
    assert "product_of_triangles(half" not in text


def test_a_singular_matrix_is_refused_as_before() -> None:
    with pytest.raises(np.linalg.LinAlgError):
        tg.grad(lambda k: np.sum(np.linalg.solve(np.linalg.cholesky(k), np.ones(2))), fallback="error")(np.zeros((2, 2)))
