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


def stepped(z0: Any, c: Any, n: int) -> Any:
    """Rows that are unpacked, and a view of the shadow that is read when the loop is done."""
    z = np.empty((n, 2))
    z[0] = z0
    for k in range(n - 1):
        x, v = z[k]
        z[k + 1, 0] = x + c * v
        z[k + 1, 1] = v - c * x * x
    return np.sum(z ** 2)


def rows_of_an_argument(z: Any, c: Any) -> Any:
    total = 0.0
    for k in range(len(z)):
        x, y = z[k]
        total = total * 0.5 + c * x * y
    return total


def row_is_kept(z: Any, c: Any) -> Any:
    """A row is more than unpacked: it stays a view."""
    u = z * c
    for k in range(1, len(u)):
        row = u[k]
        x, y = row
        u[k, 0] = x + u[k - 1, 0] * y
        row *= 2.0
    return np.sum(u ** 2)


def view_in_between(z: Any, c: Any) -> Any:
    """A view is read while elements are written."""
    u = z * c
    first = u[0]
    total = 0.0
    for k in range(1, len(u)):
        u[k, 0] = u[k, 0] * u[k - 1, 1]
        u[0, 1] = u[k, 0]
        total = total + first[1] * c
    return total + np.sum(u)


def test_rows_that_are_unpacked_are_lists() -> None:
    z0 = np.array([0.4, -0.3])
    gradient = tg.grad(stepped, argnums=(0, 1), fallback="error")
    for found, plain in zip(gradient(z0, 0.3, 30), tg.grad(stepped, argnums=(0, 1), optimize=False)(z0, 0.3, 30)):
        np.testing.assert_allclose(found, plain, rtol=1e-12)
    text = gradient.source_for(z0, 0.3, 30)
    assert "= z_list[k]" in text and "z_bar_list" in text and ".item(" not in text
    with pytest.raises(IndexError):
        gradient(z0, 0.3, 0)


@pytest.mark.parametrize("f", [rows_of_an_argument, row_is_kept, view_in_between])
@pytest.mark.parametrize("n", [1, 2, 30])
def test_rows_and_views(f: Callable[..., Any], n: int) -> None:
    z = np.random.default_rng(n).normal(size=(n, 2))
    gradient = tg.grad(f, argnums=(0, 1), fallback="error")
    for found, plain in zip(gradient(z, 0.7), tg.grad(f, argnums=(0, 1), optimize=False)(z, 0.7)):
        np.testing.assert_allclose(found, plain, rtol=1e-12, atol=1e-14)


def test_rows_of_another_length_raise_what_they_did() -> None:
    gradient = tg.grad(rows_of_an_argument, fallback="error")
    gradient(np.ones((9, 2)), 0.7)
    with pytest.raises(ValueError, match="values to unpack"):
        gradient(np.ones((9, 3)), 0.7)
