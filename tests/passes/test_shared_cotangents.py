"""Cotangents and tangents that a callee hands on: who may write to them."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.linalg

import transgrad as tg
from transgrad.testing import check_grad

WEIGHTS = np.arange(12.0).reshape(3, 4)


def total(a: Any, b: Any, n: Any) -> Any:
    if n > 3:
        return total(a, b, n - 1)
    return a + b


def shifted(a: Any, n: Any) -> Any:
    if n > 3:
        return shifted(a, n - 1)
    return a + 1.0


def hands_on_twice(a: Any, b: Any) -> Any:
    first = np.sum(a[0] * 3.0)
    return np.sum(WEIGHTS * total(a, b, 5)) + first


def writes_to_the_result(a: Any) -> Any:
    y = shifted(a, 5)
    y[0] *= 2.0
    return np.sum(y * y) + np.sum(a**3)


def writes_to_the_argument(a: Any) -> Any:
    z = a * 1.0
    y = shifted(z, 5)
    z[0] = 7.0
    return np.sum(y * y) + np.sum(z**3)


def spread(a: Any, n: Any) -> Any:
    if n > 3:
        return spread(a, n - 1)
    return np.diag(2.0 * a)


def diagonal_of(a: Any, n: Any) -> Any:
    if n > 3:
        return diagonal_of(a, n - 1)
    return np.diag(a)


def pivots(a: Any) -> Any:
    return np.diag(scipy.linalg.lu_factor(a.T)[0])


def an_element_before_a_diagonal(a: Any) -> Any:
    c = np.sin(a)
    return c[1]**2 + np.sum(np.diag(c) * WEIGHTS[:, :3])


def diagonals_of_what_is_written_to(a: Any) -> Any:
    c = np.zeros(3)
    c += np.sin(a)
    y = spread(c, 5) + np.diag(c)
    c[1:] *= a[0]
    return np.sum(y * WEIGHTS[:, :3]) + np.sum(c**2) + np.sum(diagonal_of(y, 5)**2)


def pivots_of_what_is_written_to(a: Any) -> Any:
    c = np.eye(3)
    c += np.cos(a) * WEIGHTS[:, :3]
    c -= 0.3 * np.diag(c.sum(axis=1))
    return np.sum(pivots(c)**2)


def reads_overlapping_parts(x: Any) -> Any:
    return np.sum(np.corrcoef(x, x[0]) * WEIGHTS[:3, :3]) + np.sum(np.diff(x, append=x[:, :2]) ** 2)


def test_one_cotangent_is_not_handed_on_as_two() -> None:
    kept = WEIGHTS.copy()
    check_grad(hands_on_twice, [np.ones((3, 4)), np.full((3, 4), 0.3)])
    got = tg.grad(hands_on_twice, argnums=(0, 1), fallback="error")(np.ones((3, 4)), np.ones((3, 4)))
    np.testing.assert_array_equal(got[1], kept)
    np.testing.assert_array_equal(WEIGHTS, kept)


@pytest.mark.parametrize("f", [writes_to_the_result, writes_to_the_argument])
def test_a_tangent_that_is_written_to_is_the_results_alone(f: Callable[..., Any]) -> None:
    a, t = np.array([0.3, -1.2, 0.7]), np.array([0.2, 0.5, -0.4])
    given = t.copy()
    check_grad(f, [a])
    np.testing.assert_allclose(tg.jvp(f, (a,), (t,), fallback="error")[1], tg.grad(f, fallback="error")(a) @ given)
    np.testing.assert_array_equal(t, given)


def test_parts_of_one_array_in_several_places_of_a_call() -> None:
    x = np.random.default_rng(0).normal(size=(2, 5))
    check_grad(reads_overlapping_parts, [x])
    t = np.random.default_rng(1).normal(size=(2, 5))
    gradient = tg.grad(reads_overlapping_parts, fallback="error")
    want = (gradient(x + 1e-5 * t) - gradient(x - 1e-5 * t)) / 2e-5
    np.testing.assert_allclose(tg.hvp(reads_overlapping_parts, (x,), (t,), fallback="error")[0], want, rtol=1e-4, atol=1e-4)


def polynomial(c: Any) -> Any:
    return np.sum(np.real(np.polyval([1.0, c], np.array([1j, 2.0])) * np.array([1.0 + 2.0j, 0.3 - 1.0j])))


def handed(b: Any) -> Any:
    return np.sum(np.real(np.polyval(b, np.array([1j, 2.0])) * np.array([1.0 + 2.0j, 0.3 - 1.0j])))


def in_a_list(c: Any) -> Any:
    return handed([1.0, c])


@pytest.mark.parametrize("f", [an_element_before_a_diagonal, diagonals_of_what_is_written_to, pivots_of_what_is_written_to])
def test_cotangents_that_numpy_lets_nobody_write_to(f: Callable[..., Any]) -> None:
    tg.grad(f, fallback="error")(np.array([0.3, -1.2, 0.7]))
    check_grad(f, [np.array([0.3, -1.2, 0.7])])


@pytest.mark.parametrize("f", [polynomial, in_a_list])
def test_the_cotangent_of_a_list_of_real_numbers_is_real(f: Callable[..., Any]) -> None:
    assert not np.iscomplexobj(tg.grad(f, fallback="error")(0.3))
    check_grad(f, [0.3])


def rows(x: Any) -> Any:
    return tuple(x)


def of_rows(x: Any) -> Any:
    a, b = rows(x * 2.0)
    return np.sum(a * b) + np.sum(a**3)


def test_a_tuple_that_a_call_returns_has_a_cotangent_that_is_written_to() -> None:
    check_grad(of_rows, [np.array([[0.3, 1.2], [-0.4, 0.7]])])


def of_a_sum(a: Any, b: Any) -> Any:
    """The sum has one cotangent, which is that of both; to one of them a loop adds more."""
    v = a.copy()
    for _ in range(2):
        v = np.tanh(v * a)
    return np.sum((b + a) ** 2) + np.sum(v)


def of_a_sum_in_a_tuple(p: Any) -> Any:
    a, b = p
    return of_a_sum(a, b)


def of_a_sum_in_a_dict(p: Any) -> Any:
    v = p["a"] * 1.0
    for _ in range(2):
        v = np.tanh(v * p["a"])
    return np.sum((p["b"] + p["a"]) ** 2) + np.sum(v)


@pytest.mark.parametrize("optimize", [True, False])
def test_arrays_in_containers_have_cotangents_of_their_own(optimize: bool) -> None:
    a, b = np.array([1.0, 2.0, -3.0]), np.array([0.1, 0.2, -5.0])
    want = tg.grad(of_a_sum, argnums=(0, 1), fallback="error")(a, b)
    np.testing.assert_allclose(want[1], 2.0 * (a + b))
    of_pair = tg.grad(of_a_sum_in_a_tuple, fallback="error", optimize=optimize)((a, b))
    of_record = tg.grad(of_a_sum_in_a_dict, fallback="error", optimize=optimize)({"a": a, "b": b})
    for found in (of_pair, (of_record["a"], of_record["b"])):
        np.testing.assert_allclose(found[0], want[0])
        np.testing.assert_allclose(found[1], want[1])
