"""``out=``: gradients written into arrays of the caller."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import transgrad as tg

X = np.linspace(0.2, 1.4, 7)
M, W = np.linspace(0.1, 1.0, 15).reshape(5, 3), np.linspace(-1.0, 1.0, 12).reshape(3, 4)


def waves(x: Any, c: Any = 2.0) -> Any:
    return np.sum(c * x ** 3 + np.sin(x))


def layer(x: Any, w: Any) -> Any:
    return np.sum(np.tanh(x @ w) ** 2)


def recurrence(x: Any) -> Any:
    u = x.copy()
    for k in range(1, len(u)):
        u[k] = u[k] * u[k - 1]
    return np.sum(u)


def through(x: Any) -> Any:
    return np.sum(x)


def twice(x: Any, y: Any) -> Any:
    return np.sum((x + y) ** 2)


def ratio(x: Any) -> Any:
    return np.sum(1.0 / x) - np.sum(x[::2]) + np.sum(np.sort(x) * X)


def product(x: Any) -> Any:
    return np.prod(x[x > 0.5]) * np.max(x)


@pytest.mark.parametrize("f", [waves, recurrence, through, ratio, product])
def test_the_gradient_is_in_the_buffer(f: Callable[..., Any]) -> None:
    out = np.full_like(X, np.nan)
    df = tg.grad(f)
    want = df(X)
    for _ in range(2):
        assert df(X, out=out) is out
        np.testing.assert_allclose(out, want, rtol=1e-14)
    value, gradient = tg.value_and_grad(f)(X, out=out)
    assert gradient is out and value == f(X)
    np.testing.assert_allclose(out, want, rtol=1e-14)


@pytest.mark.parametrize("f, args", [(layer, (M, W)), (twice, (X, X[::-1].copy()))])
def test_several_gradients_go_into_a_tuple(f: Any, args: Any) -> None:
    out = tuple(map(np.empty_like, args))
    df = tg.grad(f, (0, 1))
    assert all(a is b for a, b in zip(df(*args, out=out), out, strict=True))
    for a, b in zip(out, df(*args), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-14)


def test_auxiliary_results_stay_beside_it() -> None:
    out = np.empty_like(X)
    found, aux = tg.grad(lambda x: (np.sum(x ** 2), x[0]), has_aux=True)(X, out=out)
    assert found is out and aux == X[0]
    np.testing.assert_array_equal(out, 2.0 * X)


def test_no_array_is_made_for_it() -> None:
    df = tg.grad(waves)
    df(X, out=np.empty_like(X))
    assert "np.cos(x, out=out)" in df.into_buffers.source


def test_a_buffer_need_not_be_contiguous_and_single_precision_stays() -> None:
    out = np.empty(14)[::2]
    np.testing.assert_allclose(tg.grad(waves)(X, out=out), tg.grad(waves)(X))
    x = X.astype(np.float32)
    single = np.empty_like(x)
    np.testing.assert_array_equal(tg.grad(waves)(x, out=single), tg.grad(waves)(x))


def test_what_runs_on_the_tape_is_written_there_too() -> None:
    table: dict[str, Any] = {}

    def f(x: Any) -> Any:
        exec("y = 1.0", table)
        return np.sum(x ** 2)

    out = np.empty_like(X)
    with pytest.warns(tg.TapeFallbackWarning):
        assert tg.grad(f)(X, out=out) is out
    np.testing.assert_allclose(out, 2.0 * X)


def test_a_parameter_of_that_name_is_the_functions() -> None:
    def f(x: Any, out: Any) -> Any:
        return np.sum(x * out)

    np.testing.assert_array_equal(tg.grad(f)(X, out=2.0), np.full_like(X, 2.0))


def read_only() -> Any:
    out = np.empty_like(X)
    out.flags.writeable = False
    return out


@pytest.mark.parametrize("out, error, message", [
    (np.empty(3), ValueError, r"out of grad_waves has shape \(3,\) and dtype float64, but x has shape \(7,\)"),
    (np.empty(7, np.float32), ValueError, "dtype float32"),
    ("out", TypeError, "out of grad_waves is an array like x, not str"),
    (X, ValueError, "shares memory with x"),
    (X[::-1], ValueError, "shares memory with x"),
    (read_only(), ValueError, "read-only"),
])
def test_a_buffer_that_is_none_is_refused(out: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        tg.grad(waves)(X, out=out)


def test_gradients_that_are_numbers_have_no_buffer() -> None:
    with pytest.raises(TypeError, match="c is float"):
        tg.grad(waves, 1)(X, 2.0, out=np.empty(1))


def test_a_tuple_of_buffers_is_checked() -> None:
    with pytest.raises(TypeError, match="tuple of 2 arrays, one for each of x, w"):
        tg.grad(layer, (0, 1))(M, W, out=np.empty_like(M))
    both = np.empty_like(X)
    with pytest.raises(ValueError, match=r"shares memory with out\[0\]"):
        tg.grad(twice, (0, 1))(X, X.copy(), out=(both, both))
