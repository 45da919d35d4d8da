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


def bisect(f: Any, x: Any) -> Any:
    low, high = 0.0, 10.0
    for _k in range(60):
        middle = 0.5 * (low + high)
        if f(middle) > 0:
            high = middle
        else:
            low = middle
    return 0.5 * (low + high)


def bisected(a: Any) -> Any:
    return tg.custom_root(lambda x: x * x - a, 1.0, bisect)


A = np.array([[0.4, 0.1], [0.2, 0.3]])


def unrolled(a: Any, b: Any) -> Any:
    x, y = np.zeros((2, 2)), 0.0
    for _k in range(100):
        x, y = 0.3 * np.tanh(a @ x) + 0.1 * y, 0.2 * np.sum(x) + b
    return np.sum(x ** 2) + y


def of_a_tuple(a: Any, b: Any) -> Any:
    x, y = tg.custom_fixed_point(lambda s: (0.3 * np.tanh(a @ s[0]) + 0.1 * s[1], 0.2 * np.sum(s[0]) + b), (np.zeros((2, 2)), 0.0), iterate)
    return np.sum(x ** 2) + y


def of_a_dict(a: Any, b: Any) -> Any:
    s = tg.custom_fixed_point(lambda s: {"x": 0.3 * np.tanh(a @ s["x"]) + 0.1 * s["y"], "y": 0.2 * np.sum(s["x"]) + b},
                              {"x": np.zeros((2, 2)), "y": 0.0}, iterate)
    return np.sum(s["x"] ** 2) + s["y"]


@pytest.mark.parametrize("f", [of_a_tuple, of_a_dict])
def test_unknowns_in_structures(f: Any) -> None:
    for got, want in zip(tg.grad(f, (0, 1), fallback="error")(A, 0.5), tg.grad(unrolled, (0, 1), fallback="error")(A, 0.5)):
        np.testing.assert_allclose(got, want, rtol=1e-12)
    np.testing.assert_allclose(tg.hessian(f, 1, fallback="error")(A, 0.5), tg.hessian(unrolled, 1, fallback="error")(A, 0.5), rtol=1e-10)
    np.testing.assert_allclose(tg.jvp(lambda b: f(A, b), (0.5,), (1.0,), fallback="error")[1],
                               tg.grad(unrolled, 1, fallback="error")(A, 0.5), rtol=1e-12)


def matrix_root(a: Any) -> Any:
    return np.sum(tg.custom_fixed_point(lambda x: 0.5 * (x + a @ np.linalg.inv(x)), np.eye(2), iterate) ** 3)


def test_a_matrix() -> None:
    check_grad(matrix_root, (np.array([[4.0, 1.0], [0.5, 3.0]]),))


def test_a_tuple_from_around() -> None:
    def scaled(x: Any, pair: Any) -> Any:       # called twice, so that it is a function of the text
        return x * pair[0] if x > 100 else scaled(x, pair) if x < -100 else x * pair[0] + pair[1]

    def f(a: Any, b: Any) -> Any:
        pair = (a, b)
        return tg.custom_root(lambda x: scaled(x, pair) + scaled(2 * x, pair), 1.0, newton)
    # 3 a x + 2 b = 0
    assert tg.grad(f, (0, 1), fallback="error")(2.0, 1.0) == pytest.approx((2 / (3 * 4.0), -2 / (3 * 2.0)), rel=1e-9)


def test_on_the_tape() -> None:
    assert tg.grad(bisected, fallback="error")(4.0) == pytest.approx(0.25, rel=1e-12)
    a = tg.tensor(4.0, dtype=tg.float64, requires_grad=True)
    found, slopes = bisected(a), []
    assert found.item() == 2.0
    for _k in range(4):
        found, = tg.autograd.grad(found, a, create_graph=True)
        slopes.append(found.item())
    np.testing.assert_allclose(slopes, [0.25, -0.25 * 4 ** -1.5, 0.375 * 4 ** -2.5, -0.9375 * 4 ** -3.5], rtol=1e-10)

    def with_eval(a: Any) -> Any:
        return bisected(a) * eval("1.0")
    with pytest.warns(tg.TapeFallbackWarning, match="eval"):
        assert tg.grad(with_eval)(4.0) == pytest.approx(0.25, rel=1e-12)

    a = tg.tensor(A, requires_grad=True)
    of_a_tuple(a, 0.5).backward()
    np.testing.assert_allclose(a.grad.numpy(), tg.grad(unrolled)(A, 0.5), rtol=1e-10)


def test_as_many_equations_as_unknowns() -> None:
    a = tg.tensor([1.0, 2.0], requires_grad=True)
    with pytest.raises(ValueError, match="2 results for 1 unknowns"):
        tg.custom_root(lambda x: x - a, 1.0, lambda f, x: x)
