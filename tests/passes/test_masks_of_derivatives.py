"""Masks of derivatives do not depend on the numbers that the derivatives happen to be: linear maps and second derivatives where these are 0.

A function that selects elements of a singular function, and a loss whose first derivative is zero at the point.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import transgrad as tg

CHOSEN = np.array([[True, False, True], [False, True, True], [True, True, False]])


def upper(x: Any) -> Any:
    return np.triu(np.sqrt(x))


def rows(x: Any) -> Any:
    return np.log(x)[[0, 2]]


def elements(x: Any) -> Any:
    s = 1.0 / x
    return np.array([s[0, 0], s[1, 2], s[2, 2]])


def window(x: Any) -> Any:
    return np.cbrt(x)[1:]


def chosen(x: Any) -> Any:
    return (np.linalg.norm(x, axis=1, keepdims=True) * x)[CHOSEN]


def overwritten(x: Any) -> Any:
    s = np.std(x, axis=1, keepdims=True) * x
    s[0] = 0.0
    return s


def without_nan(x: Any) -> Any:
    s = x[~np.isnan(x)]
    inside = np.ones_like(s, dtype=bool)
    total = np.sum(np.where(inside, s, 0.0)) / np.sum(inside)
    return np.where(len(s) < 1, np.nan, total)


def upper_loss(x: Any, c: float) -> Any:
    r = np.sum(np.triu(np.sqrt(x))) - c
    return 0.5 * r * r + r * r * r


def rows_loss(x: Any, c: float) -> Any:
    r = np.sum(np.log(x)[[0, 2]]) - c
    return 0.5 * r * r + r * r * r


def elements_loss(x: Any, c: float) -> Any:
    s = 1.0 / x
    r = np.sum(np.array([s[0, 0], s[1, 2], s[2, 2]])) - c
    return 0.5 * r * r + r * r * r


def overwritten_loss(x: Any, c: float) -> Any:
    s = np.sqrt(x) / x
    s[0] = 0.0
    r = np.sum(s) - c
    return 0.5 * r * r + r * r * r


SELECTIONS = [upper, rows, elements, window, chosen, overwritten, without_nan]
LOSSES = [upper_loss, rows_loss, elements_loss, overwritten_loss]


@pytest.fixture
def x() -> np.ndarray:
    return np.random.default_rng(3).uniform(0.5, 2.0, (3, 3))


@pytest.mark.parametrize("f", SELECTIONS)
def test_linearize(f: Callable[..., Any], x: np.ndarray) -> None:
    """The pullback is linear in the cotangent, also at the cotangent zero, where `linearize` takes its derivative."""
    v = np.random.default_rng(4).normal(size=x.shape)
    want = (f(x + 1e-6 * v) - f(x - 1e-6 * v)) / 2e-6
    np.testing.assert_allclose(tg.linearize(f, x)[1](v), want, atol=1e-7)
    np.testing.assert_allclose(tg.jvp(f, (x,), (v,))[1], want, atol=1e-7)


SECOND = {
    "hessian": lambda f, x, c, v: np.tensordot(tg.hessian(f)(x, c), v, 2),
    "hvp": lambda f, x, c, v: tg.hvp(lambda x: f(x, c), (x,), (v,))[0],
    "grad of grad": lambda f, x, c, v: tg.grad(lambda x: np.sum(tg.grad(f)(x, c) * v))(x),
    "grad of jvp": lambda f, x, c, v: tg.grad(lambda x: tg.jvp(lambda x: f(x, c), (x,), (v,))[1])(x),
    "grad of vmap of grad": lambda f, x, c, v: tg.grad(lambda x: np.sum(tg.vmap(tg.grad(f), in_axes=(0, None))(x[None], c) * v))(x),
    "jacrev of grad": lambda f, x, c, v: np.tensordot(tg.jacrev(tg.grad(f))(x, c), v, 2),
}


@pytest.mark.parametrize("f", LOSSES)
@pytest.mark.parametrize("way", SECOND)
def test_second_order_where_the_first_is_zero(f: Callable[..., Any], way: str, x: np.ndarray) -> None:
    c = _root(f, x)
    assert abs(f(x, c)) < 1e-20
    v = np.random.default_rng(5).normal(size=x.shape)
    first = tg.grad(f)
    want = (first(x + 1e-6 * v, c) - first(x - 1e-6 * v, c)) / 2e-6
    assert np.max(np.abs(want)) > 0.01
    np.testing.assert_allclose(SECOND[way](f, x, c, v), want, atol=1e-6)


def _root(f: Callable[..., Any], x: np.ndarray) -> float:
    """The constant for which the residual is zero."""
    sums = {upper_loss: lambda: np.sum(np.triu(np.sqrt(x))), rows_loss: lambda: np.sum(np.log(x)[[0, 2]]),
            elements_loss: lambda: 1 / x[0, 0] + 1 / x[1, 2] + 1 / x[2, 2], overwritten_loss: lambda: np.sum((np.sqrt(x) / x)[1:])}
    return float(sums[f]())


@pytest.mark.parametrize("way", ["hessian", "hvp", "grad of jvp"])
def test_unselected_elements_where_the_derivative_is_infinite(way: str, x: np.ndarray) -> None:
    """What is not selected stays out of second derivatives, by forward over reverse."""
    x[2, 0] = 0.0
    v = np.random.default_rng(6).normal(size=x.shape) * (x != 0)
    for c in (0.3, _root(upper_loss, x)):
        first = tg.grad(upper_loss)
        want = (first(x + 1e-6 * v, c) - first(x - 1e-6 * v, c)) / 2e-6
        with np.errstate(all="ignore"):
            np.testing.assert_allclose(SECOND[way](upper_loss, x, c, v), want, atol=1e-5)
