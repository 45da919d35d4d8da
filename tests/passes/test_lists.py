"""Arrays that loops read and write element by element, as lists: the same values, and only where it is worth it."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import transgrad as tg


def recurrence(x: Any, decay: Any) -> Any:
    s = 0.0
    for i in range(1, len(x)):
        s = decay * s + x[i] * x[i - 1]
    return s


def relaxed(x: Any, omega: Any) -> Any:
    u = x.copy()
    n = len(u)
    for _ in range(3):
        for i in range(1, n - 1):
            u[i] = (1.0 - omega) * u[i] + 0.5 * omega * (u[i - 1] + u[i + 1] + x[i])
    return np.sum(u ** 2)


def written_before(x: Any, c: Any) -> Any:
    n = len(x)
    y = np.zeros(n)
    y[0] = c
    y[1:3] = 2.0
    for i in range(1, n):
        y[i] += y[i - 1] * x[i]
    y[0] = 5.0
    y *= 2.0
    return np.sum(y * x)


def read_between(x: Any, c: Any) -> Any:
    y = np.zeros_like(x)
    for i in range(len(x)):
        y[i] = c * x[i]
    total = np.sum(y)
    for i in range(len(x)):
        y[i] = y[i] * total
    return np.sum(y)


def branches(x: Any, delta: Any) -> Any:
    level = cost = 0.0
    for i in range(len(x)):
        r = x[i] - level
        if abs(r) <= delta:
            cost += 0.5 * r * r
        else:
            cost += delta * (abs(r) - 0.5 * delta)
        level += 0.3 * r
    return cost


def divided(x: Any, c: Any) -> Any:
    y = np.zeros_like(x)
    for i in range(len(x)):
        y[i] = c / x[i]
    return np.sum(y)


def backwards(x: Any, c: Any) -> Any:
    y = np.empty(len(x))
    for i in range(len(x)):
        y[-i - 1] = c * x[i - 1] ** 2
    return y[0] * y[-1] + np.max(y)


def whole_numbers(x: Any, c: Any) -> Any:
    y = np.ones(len(x))
    for i in range(len(x)):
        y[i] = i
        y[i] *= c
    return np.sum(y / (1.0 + x))


def first_of_many(x: Any, c: Any) -> Any:
    s = 0.0
    for i in range(3):
        s += c * x[i] * x[i]
    return s


ALL = [recurrence, relaxed, written_before, read_between, branches, divided, backwards, whole_numbers, first_of_many]
X = np.linspace(0.3, 1.7, 9)


def without(transform: Callable[..., Any], f: Any, *names: str) -> Any:
    return transform(f, (0, 1), optimize={name: False for name in names})


@pytest.mark.parametrize("f", ALL)
@pytest.mark.parametrize("x", [X, X - 0.3, X[:3]], ids=["positive", "with zero", "short"])
def test_gradients_are_those_of_arrays(f: Any, x: Any) -> None:
    with np.errstate(all="ignore"):
        value, got = tg.value_and_grad(f, (0, 1))(x, 0.7)
        expected, want = without(tg.value_and_grad, f, "lists", "scalars")(x, 0.7)
    assert type(value) is type(expected)
    np.testing.assert_allclose(value, expected, rtol=1e-13)
    for a, b in zip(got, want, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-14)
    assert isinstance(got[0], np.ndarray) and got[0].dtype == np.float64


@pytest.mark.parametrize("f", ALL)
def test_compiled_functions_return_what_the_function_returns(f: Any) -> None:
    got, want = tg.compile(f)(X, 0.7), f(X, 0.7)
    assert type(got) is type(want)
    np.testing.assert_allclose(got, want, rtol=1e-13)


@pytest.mark.parametrize("f", ALL)
def test_second_derivatives(f: Any) -> None:
    v = np.cos(np.arange(9.0))
    got = tg.hvp(lambda x: f(x, 0.7), (X,), (v,))
    want = tg.hvp(lambda x: f(x, 0.7), (X,), (v,), optimize=False)
    np.testing.assert_allclose(got, want, rtol=1e-10, atol=1e-12)


def text(f: Any) -> str:
    return tg.grad(f, (0, 1)).source_for(X, 0.7)


def test_shadows_start_as_lists() -> None:
    assert "x_bar = [0.0] * " in text(recurrence) and "x.tolist()" in text(recurrence)


def test_few_elements_of_an_array_are_read_where_they_are() -> None:
    assert "tolist" not in text(first_of_many) and "x.item(i)" in text(first_of_many)


def test_arrays_read_as_a_whole_between_two_loops_stay_arrays() -> None:
    assert "y = np.zeros_like(x)" in text(read_between)


def test_an_argument_of_another_length_is_one_for_another_variant() -> None:
    def f(x: Any, y: Any) -> Any:
        s = 0.0
        for i in range(len(x)):
            s += x[i] * y[i]
        return s

    df = tg.grad(f)
    np.testing.assert_allclose(df(X, X), X)
    assert "y.tolist()" in df.source
    np.testing.assert_allclose(df(X, np.ones(1000)), np.ones(9))
    assert "y.tolist()" not in df.source


def test_an_index_out_of_bounds_is_one() -> None:
    def f(x: Any) -> Any:
        s = 0.0
        for i in range(len(x)):
            s += x[i + 1]
        return s

    with pytest.raises(IndexError, match="out of bounds"):
        tg.grad(f)(X)


def test_arguments_that_are_written_to_are_written_to() -> None:
    def f(x: Any, y: Any) -> Any:
        for i in range(len(x)):
            y[i] = x[i] * 2.0
        return y[0] * y[1]

    y = np.zeros(9)
    tg.grad(f)(X, y)
    np.testing.assert_allclose(y, 2.0 * X)
