"""Solutions of equations, differentiated by the equation."""
from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import transgrad as tg
from transgrad.testing import check_grad


def newton(f: Any, x: Any) -> Any:
    for _k in range(20):
        x = x - f(x) * 1e-6 / (f(x + 1e-6) - f(x))
    return x


def iterate(f: Any, x: Any) -> Any:
    for _k in range(100):
        x = f(x)
    return x


def square_root(a: Any) -> Any:
    return tg.custom_root(lambda x: x * x - a, 1.0, newton)


def kepler(e: Any) -> Any:
    return tg.custom_fixed_point(lambda x: 1.0 + e * math.sin(x), 1.0, iterate)


def test_root() -> None:
    assert abs(square_root(4.0) - 2.0) < 1e-9
    gradient = tg.grad(square_root, fallback="error")
    np.testing.assert_allclose(gradient(4.0), 0.25, rtol=1e-9)
    np.testing.assert_allclose(tg.grad(gradient, fallback="error")(4.0), -0.25 * 4.0 ** -1.5, rtol=1e-9)
    np.testing.assert_allclose(tg.jvp(square_root, (4.0,), (1.0,), fallback="error"), (2.0, 0.25), rtol=1e-9)


def test_the_solver_is_not_differentiated() -> None:
    gradient = tg.grad(square_root, fallback="error")
    gradient(4.0)
    assert gradient.source.count("for ") == 1


def test_fixed_point() -> None:
    x = kepler(0.3)
    np.testing.assert_allclose(tg.grad(kepler, fallback="error")(0.3), math.sin(x) / (1.0 - 0.3 * math.cos(x)), rtol=1e-12)


def test_systems() -> None:
    rng = np.random.default_rng(0)

    def f(a: Any, b: Any) -> Any:
        return np.sum(tg.custom_fixed_point(lambda x: np.tanh(a @ x) + b, np.zeros(3), iterate) ** 2)
    check_grad(f, (0.3 * rng.normal(size=(3, 3)), rng.normal(size=3)))


def test_unknowns_in_a_matrix_are_refused() -> None:
    def f(a: Any) -> Any:
        return np.sum(tg.custom_fixed_point(lambda x: np.tanh(a * x) + 1.0, np.zeros((2, 2)), iterate))
    with pytest.raises(tg.UnsupportedCall, match="one vector"):
        tg.grad(f, fallback="error")(0.3)
