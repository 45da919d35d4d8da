"""Cotangents of arrays of float32 are such arrays, also where they are numbers that have to be stretched."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import transgrad as tg


def stretched(v: Any, row: Any) -> Any:
    return np.sum(row * row) + np.sum(row - row * v)


def mean_of_a_product(v: Any, row: Any) -> Any:
    t = (row * row)[0, 0] * v
    return t.mean() + np.sum(row ** 2)


@pytest.mark.parametrize("optimize", [True, False])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("f", [stretched, mean_of_a_product])
@pytest.mark.parametrize("lengths", [(4, 4), (1, 1), (4, 1)])
def test_the_precision_stays(f: Any, dtype: Any, optimize: bool, lengths: tuple[int, int]) -> None:
    rng = np.random.default_rng(0)
    v, row = rng.uniform(0.5, 1.5, lengths[0]).astype(dtype), rng.uniform(0.5, 1.5, (1, lengths[1])).astype(dtype)
    found = tg.grad(f, argnums=(0, 1), fallback="error", optimize=optimize)(v, row)
    exact = tg.grad(f, argnums=(0, 1), fallback="error", optimize=False)(v.astype(np.float64), row.astype(np.float64))
    assert [g.dtype for g in found] == [dtype, dtype]
    for a, b in zip(found, exact):
        np.testing.assert_allclose(a, b, rtol=1e-5 if dtype is np.float32 else 1e-12)


#: doubles, whose sums are NumPy's numbers
DOUBLES = np.linspace(0.5, 1.5, 3)


def scaled(t: float, y: Any) -> Any:
    return t * y


def mean_square(y: Any) -> float:
    return float(np.mean(y * y))


def weighted(t: float) -> float:
    return float(np.sum(DOUBLES * t))


def carried(x: Any) -> Any:
    t = 0.3
    for _ in range(3):
        x = x + t
        t = x.mean().item()
    return np.sum(DOUBLES) * t


def computed_by_a_callee(x: Any) -> Any:
    return weighted(mean_square(x)) * np.sum(x)


def given_to_a_callee(x: Any) -> Any:
    t = 0.5
    for _ in range(3):
        x = scaled(t, x)
        t = weighted(mean_square(x))
    return t + np.sum(x)


def in_a_list(x: Any) -> Any:
    ts = [0.5]
    for _ in range(3):
        x = x * ts[-1]
        ts.append(float(np.sum(DOUBLES * float(np.mean(x)))))
    return sum(ts)


def in_a_tuple(x: Any) -> Any:
    t = (0.5, mean_square(x))
    for _ in range(3):
        x = x * t[0]
        t = (t[1], float(np.sum(DOUBLES * t[0] + t[1])))
    return np.sum(x) + t[0]


def in_a_branch(x: Any) -> Any:
    t = mean_square(x)
    if t > 0.1:
        z = np.sum(DOUBLES * t)
    else:
        z = np.sum(DOUBLES)
    return z + t


def none_at_first(x: Any) -> Any:
    t, u = mean_square(x), None
    for _ in range(3):
        u = t if u is None else float(np.dot(DOUBLES, DOUBLES * u))
    return u * np.sum(x)


def a_number(x: Any) -> float:
    return float(np.sum(x * x)) * float(np.dot(DOUBLES, DOUBLES))


MIXED = (carried, computed_by_a_callee, given_to_a_callee, in_a_list, in_a_tuple, in_a_branch, none_at_first, a_number)
X = np.array([0.3, 0.8, 1.2], np.float32)


@pytest.mark.parametrize("optimize", [True, False])
@pytest.mark.parametrize("f", MIXED)
def test_cotangents_of_numbers_are_numbers(f: Any, optimize: bool) -> None:
    """`np.float64` would make arrays of float64 of those of float32."""
    exact = tg.grad(f, fallback="error", optimize=optimize)(X.astype(np.float64))
    found = tg.grad(f, fallback="error", optimize=optimize)(X)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, exact, rtol=1e-4)
    y, pullback = tg.vjp(f, X, fallback="error")
    for g in (1.0, np.float64(1.0)):
        if not isinstance(y, np.float32):
            assert pullback(g)[0].dtype == np.float32
            np.testing.assert_allclose(pullback(g)[0], exact, rtol=1e-4)


@pytest.mark.parametrize("f", [g for g in MIXED if g not in (carried, in_a_branch, a_number)])
def test_so_are_tangents(f: Any) -> None:
    value, tangent = tg.jvp(f, (X,), (np.ones_like(X),), fallback="error")
    assert np.result_type(tangent) in (np.result_type(value), np.float32)
    assert tangent == pytest.approx(np.sum(tg.grad(f, fallback="error")(X.astype(np.float64))), rel=1e-4)


def steps(x: Any, h: float) -> Any:
    for _ in range(3):
        x = x - h * x
        h = 0.5 * h
    return np.sum(x * x)


def test_a_tangent_that_is_given_is_a_number() -> None:
    value, tangent = tg.jvp(steps, (X, 0.1), (np.ones_like(X), np.float64(1.0)), fallback="error")
    assert value.dtype == tangent.dtype == np.float32


def root_where_positive(x: Any) -> Any:
    return np.sum(np.where(x > 0, np.sqrt(x), 0.0))


def roots_of_either(x: Any) -> Any:
    return np.sum(np.where(x > 0, 0.0, np.sqrt(-x)) * np.where(x < 0, 1.0, np.sqrt(x)))


@pytest.mark.parametrize("optimize", [True, False])
@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.float64])
@pytest.mark.parametrize("f", [root_where_positive, roots_of_either])
def test_what_was_not_chosen_has_no_slope(f: Any, dtype: Any, optimize: bool) -> None:
    """The mask of a cotangent is that of the same cotangent in another precision."""
    x = np.array([0.0, 0.25, 1.0])
    with np.errstate(all="ignore"):
        found = tg.grad(f, fallback="error", optimize=optimize)(x.astype(dtype))
        exact = tg.grad(f, fallback="error", optimize=optimize)(x)
    assert found.dtype == dtype
    np.testing.assert_allclose(found, exact, rtol=1e-2)


def of_either_precision(a: Any, b: Any) -> Any:
    try:
        x = np.linalg.solve(a, b)
    except np.linalg.LinAlgError:
        x = np.linalg.solve(a.T @ a + 0.1 * np.eye(2), a.T @ b)
    return np.sum(x ** 2)


@pytest.mark.parametrize("optimize", [True, False])
@pytest.mark.parametrize("last", [1.5, 0.045])
def test_what_only_running_tells(last: float, optimize: bool) -> None:
    """A value that is float32 on one path, and float64 on another."""
    a, b = np.array([[2.0, 0.3], [0.3, last]], np.float32), np.array([0.8, -1.1], np.float32)
    found = tg.grad(of_either_precision, argnums=(0, 1), fallback="error", optimize=optimize)(a, b)
    assert [g.dtype for g in found] == [np.float32, np.float32]
    exact = tg.grad(of_either_precision, argnums=(0, 1), fallback="error")(a.astype(np.float64), b.astype(np.float64))
    for g, e in zip(found, exact) if last == 1.5 else ():
        np.testing.assert_allclose(g, e, rtol=1e-4)


def items(x: Any) -> Any:
    v = list(x)
    return sum(p * q for p, q in zip(v, v[1:] + v[:1]))


@pytest.mark.parametrize("optimize", [True, False])
def test_of_a_list_of_numbers(optimize: bool) -> None:
    found = tg.grad(items, fallback="error", optimize=optimize)(X)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, [2.0, 1.5, 1.1], rtol=1e-5)
