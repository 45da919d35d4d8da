"""Derivatives of the third order and beyond, where rules call functions of their own; rules that raise."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import transgrad as tg

ZEROS = [np.array([1.2, -0.7, 0.4, 2.0]), np.array([1.2, 0.0, 0.4, 2.0]), np.array([0.0, 1.3, 0.0, -0.6])]
WEIGHTS = np.array([0.3, -1.1, 0.7, 0.4])


def product(x: Any) -> Any:
    return np.prod(x)


def running(x: Any) -> Any:
    return np.sum(np.cumprod(x) * WEIGHTS)


def directed(f: Any, order: int, x: Any, v: Any) -> float:
    """The derivative along a direction, as the coefficients of a polynomial in the step say."""
    h = np.arange(-3.0, 4.0)
    held = np.polynomial.polynomial.polyfit(h, [f(x + s * v) for s in h], 6)
    return float(np.prod(np.arange(1.0, order + 1.0)) * held[order])


@pytest.mark.parametrize("x", ZEROS)
@pytest.mark.parametrize("f", [product, running])
def test_products_to_the_fourth_order(f: Any, x: Any) -> None:
    v = np.array([0.5, 1.0, -0.3, 0.8])

    def along(g: Any) -> Any:
        return lambda x: tg.jvp(g, (x,), (v,))[1]

    def down(g: Any) -> Any:
        return lambda x: np.sum(tg.grad(g)(x) * v)
    forward, reverse = f, f
    for order in range(1, 5):
        forward, reverse = along(forward), down(reverse)
        want = directed(f, order, x, v)
        np.testing.assert_allclose(forward(x), want, rtol=1e-8, atol=1e-9)
        np.testing.assert_allclose(reverse(x), want, rtol=1e-8, atol=1e-9)


def test_three_nested_forward_derivatives_on_the_tape() -> None:
    from transgrad import func
    v = tg.tensor(np.array([0.5, 1.0, -0.3, 0.8]))      # type: ignore[attr-defined]
    g = product
    for _ in range(3):
        g = (lambda f: lambda x: func.jvp(f, (x,), (v,))[1])(g)
    got = g(tg.tensor(ZEROS[0]))        # type: ignore[attr-defined]
    np.testing.assert_allclose(got.numpy(), directed(product, 3, ZEROS[0], v.numpy()), rtol=1e-8)


def test_put_along_axis_twice_in_reverse() -> None:
    at = np.array([[0], [2]])

    def f(a: Any, v: Any) -> Any:
        y = a * a
        np.put_along_axis(y, at, v[:, None], 1)
        return np.sum(y ** 3)
    a, v = np.array([[0.3, 1.1, -0.4], [0.9, 0.2, 0.8]]), np.array([0.7, -1.2])
    got = tg.grad(lambda a, v: np.sum(tg.grad(f)(a, v) ** 2), argnums=(0, 1), fallback="error")(a, v)
    inner = 6.0 * a ** 5 * (np.arange(3) != at)
    np.testing.assert_allclose(got[0], 2.0 * inner * 30.0 * a ** 4 * (np.arange(3) != at), rtol=1e-12)
    np.testing.assert_array_equal(got[1], [0.0, 0.0])


def test_curvature_through_a_value_of_unknown_dimensions() -> None:
    weights = np.array([[1.0, 2.0], [3.0, 4.0]])

    def f(x: Any, y: Any) -> Any:
        return np.sum(weights * np.cov(x, y))
    x, y, u, v = np.random.default_rng(0).normal(size=(4, 5))
    got = tg.hvp(f, (x, y), (u, v), fallback="error")       # of a quadratic: its gradient at the direction
    np.testing.assert_allclose(got, tg.grad(f, argnums=(0, 1))(u, v), rtol=1e-12)


def doubled(x: Any) -> Any:
    return np.add(x, x)


@tg.rule(doubled)
def _(g: Any, y: Any, x: Any) -> Any:
    raise ValueError("not at these numbers")


@pytest.mark.parametrize("fallback", ("error", "tape"))
def test_what_a_rule_raises_is_raised(fallback: str) -> None:
    for x in (2.0, np.ones(3)):
        with pytest.raises(ValueError, match="not at these numbers"):
            tg.grad(lambda x: np.sum(doubled(x)), fallback=fallback)(x)
    with pytest.raises(ValueError, match="not at these numbers"):
        tg.jvp(lambda x: 3.0 * doubled(x), (2.0,), (1.0,))
