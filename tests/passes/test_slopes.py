"""What is computed for its slope or its shape alone is not computed."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import transgrad as tg

Z = np.array([-1e4, -800.0, -709.5, -30.0, -1.0, 0.0, 2.0, 40.0, 709.5, 1e4])


def softplus(z: Any, y: Any) -> Any:
    return np.mean(np.logaddexp(0.0, z) - y * z)


def both(z: Any, y: Any) -> Any:
    return np.sum(np.logaddexp(z, y))


def squared(z: Any, y: Any) -> Any:
    """Its value is needed, too."""
    return np.sum(np.logaddexp(z, y) ** 2)


@pytest.mark.parametrize("f", [softplus, both, squared])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_slopes_of_logaddexp(f: Any, dtype: Any) -> None:
    z, y = Z.astype(dtype), np.linspace(-1.0, 1.0, len(Z)).astype(dtype)
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        for k in range(2):
            found, plain = tg.grad(f, argnums=k, fallback="error")(z, y), tg.grad(f, argnums=k, optimize=False)(z, y)
            assert found.dtype == plain.dtype == dtype
            np.testing.assert_allclose(found, plain, rtol=1e-5 if dtype == "float32" else 1e-12, atol=1e-37)


def test_the_value_is_computed_only_where_it_is_needed() -> None:
    quoted = "# return np.mean(np.logaddexp(0.0, z) - y * z)"
    assert "logaddexp" not in tg.grad(softplus, fallback="error").source_for(Z, Z).replace(quoted, "")
    assert tg.value_and_grad(softplus, fallback="error").source_for(Z, Z).replace(quoted, "").count("logaddexp") == 1
    assert "logaddexp" in tg.grad(squared, fallback="error").source_for(Z, Z)


def test_nan_comes_through_and_infinity_has_a_slope() -> None:
    z = np.array([np.nan, np.inf, -np.inf, 0.0])
    found = tg.grad(lambda z: np.sum(np.logaddexp(0.0, z)), fallback="error")(z)
    np.testing.assert_allclose(found, [np.nan, 1.0, 0.0, 0.5], rtol=0, atol=1e-300)


def test_an_operand_is_asked_for_the_shape() -> None:
    def mean(x: Any, y: Any) -> Any:
        return np.mean(np.exp(x * y) - np.cos(x))
    x, y = np.array([0.1, 0.2, 0.3]), np.array([1.0, 2.0, 3.0])
    text = tg.grad(mean, fallback="error").source_for(x, y)
    assert "cos" not in text.replace("# return np.mean(np.exp(x * y) - np.cos(x))", "")
    np.testing.assert_allclose(tg.grad(mean)(x, y), (y * np.exp(x * y) + np.sin(x)) / 3)


@pytest.mark.parametrize(("x", "y"), [(np.ones((3, 1)), np.ones(4)), (np.ones(1), np.ones(5)), (np.ones((2, 3)), np.ones((1, 3)))])
def test_an_operand_that_is_stretched_is_not_asked(x: Any, y: Any) -> None:
    def mean(x: Any, y: Any) -> Any:
        return np.mean(x + np.exp(y))
    for k in range(2):
        found = tg.grad(mean, argnums=k, fallback="error")(x, y)
        np.testing.assert_allclose(found, tg.grad(mean, argnums=k, optimize=False)(x, y), rtol=1e-14)
