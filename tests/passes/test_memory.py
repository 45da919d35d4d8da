"""Memory and masks of large arrays: let go of where nothing reads them, masked without branches; systems with triangular factors."""
from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import transgrad as tg
from transgrad.runtime import inverse_of_lower, kept_where, share_of_larger, share_of_smaller
from transgrad.transforms.memoized import forget


def likelihood(x: Any, y: Any, noise: Any) -> Any:
    d = x[:, None] - x[None, :]
    kernel = np.exp(-0.5 * d * d) + noise * np.eye(len(x))
    factor = np.linalg.cholesky(kernel)
    z = np.linalg.solve(factor, y)
    return 0.5 * z @ z + np.sum(np.log(np.diag(factor)))


def two_factors(x: Any, y: Any, noise: Any) -> Any:
    """One of them is written to, and a system with a matrix on the right."""
    kernel = np.exp(-np.abs(x[:, None] - x[None, :])) + noise * np.eye(len(x))
    factor = np.linalg.cholesky(kernel)
    inner = np.linalg.solve(factor, np.sin(np.outer(x, y)))
    other = np.linalg.cholesky(kernel + 2.0 * np.eye(len(x)))
    other[0, 0] = x[0] ** 2 + 1.0
    return np.sum(inner * np.linalg.solve(other, kernel)) + np.sum(factor * factor.T)


def chosen(x: Any, y: Any, noise: Any) -> Any:
    h = np.maximum(np.outer(x, y), noise) * np.minimum(np.outer(y, x), 0.5)
    return np.sum(np.where(h > 0.0, np.sqrt(np.maximum(h, 0.0) + 0.01), 0.1 * h) + np.sqrt(np.maximum(h, 0.0) + noise))


@pytest.mark.parametrize("n", [3, 40, 150])
@pytest.mark.parametrize("f", [likelihood, two_factors, chosen])
def test_the_derivative_is_the_same(f: Any, n: int) -> None:
    rng = np.random.default_rng(n)
    x, y = rng.normal(size=n), rng.normal(size=n)
    found = tg.grad(f, argnums=(0, 1, 2), fallback="error")(x, y, 0.3)
    for name in (False, {"systems": False}, {"choices": False}, {"reuse": False}):
        for a, b in zip(found, tg.grad(f, argnums=(0, 1, 2), fallback="error", optimize=name)(x, y, 0.3)):
            np.testing.assert_allclose(a, b, rtol=1e-8, atol=1e-10)


def test_against_differences() -> None:
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=50), rng.normal(size=50)
    for f in (likelihood, two_factors):
        along = rng.normal(size=50)
        found = tg.grad(f, fallback="error")(x, y, 0.3) @ along
        e = 1e-6
        np.testing.assert_allclose(found, (f(x + e * along, y, 0.3) - f(x - e * along, y, 0.3)) / (2 * e), rtol=1e-5)


def code(f: Any, n: int, **options: Any) -> str:
    """The text of a gradient without its comments."""
    text = tg.grad(f, argnums=(0, 1, 2), fallback="error", **options).source_for(np.ones(n), np.ones(n), 0.3)
    return "\n".join(line for line in text.splitlines() if not line.strip().startswith("#"))


def test_a_factor_is_inverted_once_and_multiplied_with_nothing_that_cancels() -> None:
    text = code(likelihood, 40)
    assert text.count("inverse_of_lower(") == 1 and "np.linalg.solve(" not in text
    both = tg.value_and_grad(likelihood, fallback="error").source_for(np.ones(40), np.ones(40), 0.3)
    assert both.count("np.linalg.solve(") == 1      # the value is computed as it is written
    assert "inverse_of_lower" not in code(likelihood, 40, optimize={"systems": False})


def test_a_factor_that_is_written_to_is_left_alone() -> None:
    assert code(two_factors, 40).count("inverse_of_lower(") == 1


def test_large_arrays_are_let_go_of_where_others_follow() -> None:
    forget()    # a variant for large arrays takes small ones, too
    small, large = code(likelihood, 20), code(likelihood, 200)
    lines = list(re.finditer(r"^    del (.*)$", large, re.M))
    assert "kernel" in [name for line in lines for name in line[1].split(", ")] and "del " not in small
    for line in lines:       # nothing reads them afterwards, unless they are made again
        for name in line[1].split(", "):
            found = re.search(rf"\b{name}\b(?! = )", large[line.end():])
            assert not found or re.search(rf"\b{name} = ", large[line.end():][:found.start()])


def test_choices_of_few_elements_stay() -> None:
    def f(x: Any) -> Any:
        return np.sum(np.maximum(x, 0.2) ** 2)
    assert "share_of_larger" not in tg.grad(f).source_for(np.ones(5))
    assert "share_of_larger" in tg.grad(f).source_for(np.ones(5000))


def test_a_condition_that_is_no_mask() -> None:
    x = np.arange(3000.0) % 3
    found = tg.grad(lambda x, c: np.sum(np.where(c, x * x, 3.0 * x)), fallback="error")(x, x * 0.5)
    np.testing.assert_array_equal(found, np.where(x, 2.0 * x, 3.0))


def test_an_infinite_slope_that_was_not_chosen_is_zero() -> None:
    x = np.where(np.arange(3000) % 2, -1.0, 4.0)
    found = tg.grad(lambda x: np.sum(np.sqrt(np.maximum(x, 0.0))), fallback="error")(x)
    np.testing.assert_array_equal(found, np.where(x > 0.0, 0.25, 0.0))


def test_helpers() -> None:
    rng = np.random.default_rng(0)
    g = np.array([1.0, -2.0, np.inf, np.nan, 3.0, -0.0])
    a, b = np.array([1.0, 2.0, 0.0, 0.0, np.nan, 5.0]), np.array([1.0, 1.0, 1.0, 1.0, 0.0, 7.0])
    np.testing.assert_array_equal(kept_where(a > b, g), np.where(a > b, g, 0.0))
    for share, lost in ((share_of_larger, a < b), (share_of_smaller, a > b)):
        np.testing.assert_array_equal(share(a, b, g), np.where(lost, 0.0, np.where(a == b, 0.5 * g, g)))
    np.testing.assert_array_equal(share_of_larger(a, 1.0, g[::-1]), np.where(a < 1.0, 0.0, np.where(a == 1.0, 0.5 * g[::-1], g[::-1])))
    for n in (1, 2, 33, 70, 129):
        lower = np.tril(rng.normal(size=(n, n))) + n * np.eye(n)
        np.testing.assert_allclose(inverse_of_lower(lower) @ lower, np.eye(n), atol=1e-10)
