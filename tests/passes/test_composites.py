"""The derivative of the logistic function, written out by the user, is that of the whole."""
from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import transgrad as tg

X = np.array([-750.0, -30.0, -1.0, 0.0, 0.5, 3.0, 36.0, 800.0])


def sigmoid(x: Any) -> Any:
    return 1.0 / (1.0 + np.exp(-x))


def plain(x: Any, c: Any) -> Any:
    return np.sum(c * sigmoid(x) ** 2)


def other_order(x: Any, c: Any) -> Any:
    return np.sum(1 / (np.exp(-c * x) + 1.0))


def rising(x: Any, c: Any) -> Any:
    return np.sum(1.0 / (1.0 + np.exp(c * x)))


def parts_are_used(x: Any, c: Any) -> Any:
    e = np.exp(-x)
    t = 1.0 + e
    return np.sum(1.0 / t) + c * np.sum(np.log(t)) + np.sum(np.sin(e))


def overwritten(x: Any, c: Any) -> Any:
    """The argument changes before the quotient is formed."""
    u = x * c
    e = np.exp(-u)
    u[1:3] = 2.0 * u[1:3]
    return np.sum(1.0 / (1.0 + e)) + np.sum(u * u)


def written_over(x: Any, c: Any) -> Any:
    e = np.exp(-x)
    e += 1.0
    return np.sum(c / e) + np.sum(1.0 / e)


@pytest.mark.parametrize("f", [plain, other_order, rising, parts_are_used, overwritten, written_over])
def test_gradients(f: Any) -> None:
    x = X[1:6]
    for k in range(2):
        found = tg.grad(f, argnums=k, fallback="error")(x, 0.7)
        np.testing.assert_allclose(found, tg.grad(f, argnums=k, optimize=False)(x, 0.7), rtol=1e-11, atol=1e-15)


def test_overflow_has_a_slope_of_zero() -> None:
    with np.errstate(over="ignore"):
        found = tg.grad(lambda x: np.sum(sigmoid(x)), fallback="error")(X)
    assert np.isfinite(found).all() and found[0] == 0.0 and found[-1] == 0.0
    np.testing.assert_allclose(found[1:-1], (sigmoid(X) * sigmoid(-X))[1:-1], rtol=1e-12, atol=1e-15)


def test_one_value_is_kept() -> None:
    def layers(x: Any, n: Any) -> Any:
        for _ in range(n):
            x = 1.0 / (1.0 + math.exp(-x))
        return x
    text = tg.grad(layers, fallback="error").source_for(0.3, 4)
    assert text.count(".append(") == 1
    np.testing.assert_allclose(tg.grad(layers, fallback="error")(0.3, 4), tg.grad(layers, optimize=False)(0.3, 4), rtol=1e-13)


def test_second_derivatives() -> None:
    x = X[1:6]
    found = tg.hessian(lambda x: np.sum(sigmoid(x)), fallback="error")(x)
    s = sigmoid(x)
    np.testing.assert_allclose(np.diag(found), s * (1 - s) * (1 - 2 * s), rtol=1e-9, atol=1e-15)
