"""A negative Python float to a fractional power is complex: a TypeError in every transformation, never a complex or partial gradient."""
from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import transgrad as tg
from transgrad.testing import check_grad


def root(x: float) -> Any:
    return x ** 0.5


def any_power(x: float, p: float = 1.7) -> Any:
    return 3.0 + pow(x, p) * x


def of_a_difference(x: float) -> Any:
    d = (x - 1.0) * 2.0
    return d ** 1.5 + d


def in_a_loop(x: float) -> Any:
    total = 0.0
    for k in range(3):
        total += (x - 0.1 * k) ** (k + 0.5)
    return total


def in_a_helper(x: float) -> Any:
    return 2.0 * root(root(x * x * x))


FUNCTIONS = [root, any_power, of_a_difference, in_a_loop, in_a_helper]
WAYS: dict[str, Callable[[Any], Callable[[float], Any]]] = {
    "grad": lambda f: tg.grad(f, fallback="error"), "value_and_grad": lambda f: tg.value_and_grad(f, fallback="error"),
    "jvp": lambda f: lambda x: tg.jvp(f, (x,), (1.0,), fallback="error"), "vjp": lambda f: lambda x: tg.vjp(f, x, fallback="error")[1](1.0),
    "linearize": lambda f: lambda x: tg.linearize(f, x, fallback="error")[1](1.0), "hessian": lambda f: tg.hessian(f, fallback="error"),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("f", FUNCTIONS)
def test_negative_base(f: Callable[[float], Any], way: str) -> None:
    assert isinstance(f(-0.5), complex)
    derivative = WAYS[way](f)
    with pytest.raises(TypeError, match="complex"):
        derivative(-0.5)


def prints(x: float) -> Any:
    print("x is", x)
    return x ** 0.25


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_where_the_value_is_not_computed() -> None:
    """The derivative over the real numbers is NaN."""
    assert np.isnan(tg.grad(prints, fallback="error")(-0.5))
    with pytest.raises(TypeError, match="complex"):
        tg.value_and_grad(prints, fallback="error")(-0.5)


@pytest.mark.parametrize("f", FUNCTIONS)
def test_positive_base(f: Callable[[float], Any]) -> None:
    check_grad(f, [1.3])


@pytest.mark.parametrize("f", [lambda x: x ** 0.5, lambda x: 2.0 * x ** 0.5 + x], ids=["root", "sum"])
def test_at_zero(f: Callable[[float], Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        assert tg.grad(f, fallback="error")(0.0) == np.inf


def test_an_element_of_an_array() -> None:
    """The gradient is an array, into which NumPy would cast a complex number with a warning."""
    f = lambda x: sum([float(v) ** 1.5 for v in x])
    with pytest.raises(TypeError, match="complex"):
        tg.grad(f, fallback="error")(np.array([1.0, -2.0]))
