"""Second and third derivatives of recursive functions of arrays, by every composition of transformations."""
from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import transgrad as tg

X = np.array([0.3, 0.7])
V = np.array([0.4, -1.1])


def nest(n: int, x: Any) -> Any:
    if n == 0:
        return x
    return np.cos(nest(n - 1, x)) * x[0]


def shrink(a: Any) -> Any:
    if len(a) == 1:
        return np.sin(a) * a
    inner = shrink(a[1:] * a[0])
    return np.exp(-inner) * np.sum(a)


def two_cases(n: int, x: Any) -> Any:
    if n <= 0:
        return np.tanh(x)
    if n % 2:
        y = two_cases(n - 1, x * x)
        return y * np.cos(y)
    z = two_cases(n - 2, np.sin(x))
    return z + z[0] * x


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "nested": lambda x: np.sum(nest(3, x)),
    "shorter": lambda x: np.sum(shrink(np.concatenate([x, x * x]))),
    "two cases": lambda x: np.sum(two_cases(3, x)),
}
COMPOSITIONS: dict[str, Callable[[Callable[[Any], Any]], Any]] = {
    "hessian": lambda f: tg.hessian(f, fallback="error")(X) @ V,
    "hvp": lambda f: tg.hvp(f, (X,), (V,), fallback="error"),
    "vjp of grad": lambda f: tg.vjp(tg.grad(f), X, fallback="error")[1](V)[0],
    "jvp of grad": lambda f: tg.jvp(tg.grad(f), (X,), (V,), fallback="error")[1],
    "linearize of grad": lambda f: tg.linearize(tg.grad(f), X, fallback="error")[1](V),
    "grad of grad": lambda f: tg.grad(lambda x: np.sum(tg.grad(f)(x) * V), fallback="error")(X),
    "grad of jvp": lambda f: tg.grad(lambda x: tg.jvp(f, (x,), (V,))[1], fallback="error")(X),
    "jacrev of grad": lambda f: tg.jacrev(tg.grad(f), fallback="error")(X) @ V,
}


@pytest.mark.parametrize("how", COMPOSITIONS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_second_derivative(name: str, how: str) -> None:
    f, h = FUNCTIONS[name], 1e-4
    gradient = tg.grad(f)

    def central(h: float) -> Any:
        return (gradient(X + h * V) - gradient(X - h * V)) / (2 * h)
    found = np.squeeze(COMPOSITIONS[how](f))
    np.testing.assert_allclose(found, (4 * central(h / 2) - central(h)) / 3, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_first_derivative(name: str) -> None:
    f, h = FUNCTIONS[name], 1e-3

    def central(h: float) -> Any:
        return (f(X + h * V) - f(X - h * V)) / (2 * h)
    np.testing.assert_allclose(tg.grad(f, fallback="error")(X) @ V, (4 * central(h / 2) - central(h)) / 3, rtol=1e-8)


@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_third_derivative(name: str) -> None:
    f, h = FUNCTIONS[name], 1e-3

    def along(x: Any) -> Any:
        return np.sum(tg.grad(lambda y: np.sum(tg.grad(f)(y) * V))(x) * V)

    def second(t: float) -> Any:
        return V @ tg.hessian(f)(X + t * V) @ V

    def central(h: float) -> Any:
        return (second(h) - second(-h)) / (2 * h)
    want = (4 * central(h / 2) - central(h)) / 3
    found: list[float] = []
    ways: tuple[Callable[[], Any], ...] = (
        lambda: tg.jvp(along, (X,), (V,))[1], lambda: tg.linearize(along, X)[1](V), lambda: tg.vjp(along, X)[1](1.0)[0] @ V)
    for how in ways:
        with contextlib.suppress(tg.TransgradError):        # arrays with two names across a call that writes are refused
            found.append(how())
    assert len(found) == 3 or name != "nested"
    assert found == pytest.approx([want] * len(found), rel=1e-8)
