"""Where something else was chosen a derivative is zero, also behind functions that are steep there: forward as in reverse."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import transgrad as tg

V = np.array([-1.3, 0.7, -0.2, 1.9])


def variance(v: Any) -> Any:
    return np.sqrt(np.maximum(v, 0.0) * 0.25)


def clipped(v: Any) -> Any:
    return np.arcsin(np.clip(v, -0.5, 1.0)) + np.sqrt(np.clip(v, 0.0, None))


def chosen(v: Any) -> Any:
    return np.log1p(np.where(v > 0.0, v, 0.0) ** 0.3) + np.where(v > 0.0, np.sqrt(v), 0.0)


def quotient(v: Any) -> Any:
    u = np.maximum(v, 0.0)
    return np.cbrt(u * u) + np.sqrt(np.fmax(v, 0.0)) + u ** 0.3


def two_conditions(v: Any) -> Any:
    a, b = np.maximum(v, 0.0), np.minimum(-v, 0.0)
    return np.sqrt(-a * b) + np.sqrt(a - b)


def moved(v: Any) -> Any:
    return np.sqrt(np.maximum(v, 0.0)[::-1].reshape(2, 2).T * 0.3).ravel()


def path(v: Any) -> Any:
    out = np.zeros_like(v)
    for _ in range(3):
        u = np.maximum(v, 0.0)
        out = out + np.sqrt(u * 0.1) * 0.3
        v = v + 0.1 * (0.04 - u) + 0.2 * np.sqrt(u * 0.1)
    return out


def one_by_one(v: Any) -> Any:
    u = np.maximum(v, 0.0)
    out = 0.0
    for k in range(len(v)):
        out = out + np.sqrt(u[k] * 0.3) * v[k]
    return out


def written_to(v: Any) -> Any:
    u = np.maximum(v, 0.0)
    u[0] = 2.0 * v[0] * v[0]
    return np.sqrt(u[:2])


def added_to(v: Any) -> Any:
    u = np.maximum(v, 0.0)
    u += v * v
    return np.sqrt(u)


FUNCTIONS = [variance, clipped, chosen, quotient, two_conditions, moved, path, one_by_one, written_to, added_to]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("optimize", [True, False])
@pytest.mark.parametrize("f", FUNCTIONS)
@pytest.mark.filterwarnings("ignore:(divide by zero|invalid value)")
def test_forward_agrees_with_reverse(f: Callable[[Any], Any], optimize: bool, dtype: str) -> None:
    v = V.astype(dtype)
    t = np.linspace(0.5, 1.5, len(v)).astype(dtype)
    exact = dtype == "float64"
    want = np.dot([(np.sum(f(V + e)) - np.sum(f(V - e))) / 2e-6 for e in 1e-6 * np.eye(4)], t)
    found = np.sum(tg.jvp(f, (v,), (t,), fallback="error", optimize=optimize)[1])
    reverse = np.dot(tg.grad(lambda v: np.sum(f(v)), fallback="error", optimize=optimize)(v), t)
    np.testing.assert_allclose([found, reverse], want, rtol=1e-7 if exact else 1e-5)
    if exact:
        rows = tg.jacfwd(lambda v: np.sum(f(v)), fallback="error", optimize=optimize)(v)
        np.testing.assert_allclose(rows @ t, want, rtol=1e-7)


def of_a_number(x: Any) -> Any:
    return np.sqrt(max(x, 0.0)) + np.sqrt(np.maximum(x, 0.0) * 0.5)


def of_a_choice(x: Any) -> Any:
    u = x if x > 0.0 else 0.0
    return np.log1p(np.sqrt(u * 0.3))


def of_a_branch(x: Any) -> Any:
    u = 0.0
    if x > 0.0:
        u = x * x
    return np.sqrt(u)


def not_of_its_domain(x: Any) -> Any:
    return np.where(x > 0.0, np.sqrt(x), 0.0)


@pytest.mark.parametrize("x", [-1.3, 0.7])
@pytest.mark.parametrize("f", [of_a_number, of_a_choice, of_a_branch, not_of_its_domain])
@pytest.mark.filterwarnings("ignore:(divide by zero|invalid value)")
def test_numbers(f: Callable[[Any], Any], x: float) -> None:
    want = (f(x + 1e-6) - f(x - 1e-6)) / 2e-6
    for found in (tg.grad(f, fallback="error")(x), tg.jvp(f, (x,), (1.0,), fallback="error")[1], tg.jacfwd(f, fallback="error")(x)):
        np.testing.assert_allclose(found, want, rtol=1e-8, atol=1e-12)


def cube_root_of_a_cube(x: Any) -> Any:
    return np.cbrt(x ** 3)


@pytest.mark.filterwarnings("ignore:(divide by zero|invalid value)")
def test_a_slope_that_happens_to_be_zero_is_no_choice() -> None:
    """The derivative is 1 at 0, of which neither mode can know: it is not said to be 0."""
    assert np.isnan(tg.grad(cube_root_of_a_cube)(0.0)) and np.isnan(tg.jvp(cube_root_of_a_cube, (0.0,), (1.0,))[1])
