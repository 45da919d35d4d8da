"""Arrays that a loop does not change are computed before it, and their cotangents handed on behind its reverse."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import transgrad as tg

from .by_differences import MODES, Programs, check

programs = Programs()
X = np.array([0.3, -0.7, 1.1, 0.4, -0.2, 0.9])


@programs
def diffusion(x: Any) -> Any:
    u, k = np.exp(x), x ** 2
    u = u.copy()
    for _ in range(4):
        u[1:-1] += 0.1 * k[1:-1] * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u ** 3)


@programs
def nested(x: Any) -> Any:
    total = 0.0
    for i in range(3):
        for _ in range(2):
            w = (0.5 * x) ** 2
            total += x[i] * np.sum(w * w)
    return total


@programs
def functions_of_arrays(x: Any) -> Any:
    total = 0.0
    for i in range(3):
        w = np.exp(0.2 * x) / np.cosh(x)
        total += x[i] * np.sum(w * w) + np.sum(np.tanh(x[1:]) * x[i])
    return total


@programs
def sums_along_axes(x: Any) -> Any:
    a = np.reshape(x, (2, 3)) * 1.5
    total = 0.0
    for i in range(3):
        rows, columns = np.sum(a, axis=0), a.sum(axis=1)
        total += np.sum(rows ** 2) * x[i] + np.sum(columns ** 3) - np.sum(a, axis=-1)[0] * np.sum(a)
    return total


@programs
def a_function_that_is_written_to(x: Any) -> Any:
    total = 0.0
    for i in range(3):
        w = np.exp(0.1 * x)
        w[i] = 2.0 * x[i]
        w *= x
        total += np.sum(w)
    return total


@programs
def a_function_of_what_is_written_to(x: Any) -> Any:
    u, total = x.copy(), 0.0
    for i in range(3):
        total += np.sum(np.sin(u)) * np.sum(u, axis=0)
        u[i] = u[i] * x[0]
    return total


@programs
def the_same_array_in_each_place(x: Any) -> Any:
    parts = []
    for _ in range(3):
        parts.append(np.exp(x))
    parts[0][1] = 0.0
    return np.sum(parts[0] * parts[1]) + np.sum(parts[2])


@programs
def no_iteration(x: Any) -> Any:
    total = np.sum(x)
    for _ in range(int(np.sum(x) * 0.0)):
        total += np.sum(np.log(-np.abs(x)))
    return total


@programs
def changed_in_the_loop(x: Any) -> Any:
    k, u = x * 2.0, x * 1.0
    for i in range(3):
        u = u * (0.3 * k[1:-1])[0] + 0.3 * k
        k[i] = k[i] + 1.0
    return np.sum(u ** 2)


@programs
def result_changed_in_the_loop(x: Any) -> Any:
    total = 0.0
    for i in range(3):
        w = 0.5 * x
        w[i] = 2.0
        total += np.sum(w ** 2)
    return total


@pytest.mark.parametrize("f", programs)
def test_derivatives_are_those_of_differences(f: Any) -> None:
    check(f, X)
    MODES["second"](f, X)


def test_a_loop_that_does_not_run() -> None:
    def none(x: Any, y: Any, n: Any) -> Any:
        total = np.sum(x)
        for _ in range(n):
            total = total + np.sum(x * y)
        return total
    np.testing.assert_array_equal(tg.grad(none)(X, X[:4], 0), np.ones(6))


def test_text() -> None:
    text = tg.grad(diffusion).source_for(X)
    before, behind = text.split("for _ in range(4)")
    assert "0.1 * k[1:-1]" in before
    assert "+= 0.1 * " in behind
    assert "0.1 * k[1:-1]" not in tg.grad(diffusion, optimize={"hoist": False}).source_for(X).split("for _ in range(4)")[0]


def multiplied(a: Any, x: Any, n: Any) -> Any:
    for _ in range(n):
        x = np.tanh(a @ x)
    return np.sum(x)


def tables(a: Any, n: Any) -> Any:
    total = 0.0
    for k in range(n):
        total += a[k, 0]
    return total + np.sum(np.exp(a @ a))


def test_sums_begin_with_their_first_term() -> None:
    a = np.outer(X, X)
    for n in (0, 3):
        np.testing.assert_allclose(tg.grad(multiplied)(a, X, n), tg.grad(multiplied, optimize=False)(a, X, n))
        np.testing.assert_allclose(tg.grad(tables)(a, n), tg.grad(tables, optimize=False)(a, n))
        assert tg.grad(multiplied)(a, X, n).shape == tg.grad(tables)(a, n).shape == (6, 6)


def squares(x: Any, m: Any) -> Any:
    return x @ x + np.dot(m[0], m[0]) + np.inner(x[1:], x[1:])


def test_products_with_oneself_have_one_term() -> None:
    text = tg.grad(squares, (0, 1)).source_for(X, np.outer(X, X))
    assert text.count("2.0 *") == 3
    found = tg.grad(squares, (0, 1))(X, np.outer(X, X))
    np.testing.assert_allclose(found[0], 2.0 * X + np.array([0.0, *2.0 * X[1:]]))
    np.testing.assert_allclose(found[1][0], 2.0 * X[0] * X)


@pytest.mark.parametrize("function", [np.log, np.sqrt, np.exp, np.tan, np.reciprocal, np.arcsin, np.cbrt, np.sin, lambda b: 1.0 / b, lambda b: b / b])
@pytest.mark.parametrize("loop", ["numbers", "rows", "nested"])
def test_a_loop_that_does_not_run_has_no_derivative(function: Any, loop: str) -> None:
    """Also where the derivative of what it computes is infinite: zero times infinity would be NaN."""
    def f(a: Any, b: Any, rows: Any) -> Any:
        total = np.sum(a)
        if loop == "numbers":
            for _ in range(rows.shape[0]):
                total += np.sum(function(b) * a)
        elif loop == "rows":
            for row in rows:
                total += np.sum(function(b) * a) * row[0]
        else:
            for i in range(3):
                for j in range(rows.shape[0] - i):
                    total += np.sum(function(b) * a) * rows[j, 0]
        return total
    gradient = tg.grad(f, (0, 1), fallback="error")
    a, b = np.ones(3), np.array([0.5, 0.7, 0.2])
    for n in (4, 0, 1, 0):
        rows, bad = np.ones((n, 2)), np.array([1.0, 0.0, 1e4]) if n == 0 else b
        found = gradient(a, bad, rows)
        want = tg.grad(f, (0, 1), fallback="error", optimize=False)(a, bad, rows)
        for have, expected in zip(found, want):
            assert np.isfinite(have).all()
            np.testing.assert_allclose(have, expected, rtol=1e-12)
