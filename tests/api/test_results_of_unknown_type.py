"""Gradients of functions of which only running tells whether they return one real number."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import transgrad as tg

V = np.array([0.7, 0.2])


def complex_below_zero(x: Any) -> Any:
    if x > 0:
        return np.sqrt(x)
    return np.sqrt(x + 0j)


def complex_sum(v: Any) -> Any:
    if v[0] > 0:
        return np.sum(v * v)
    return np.sum(v * 1j)


def real_or_complex_array(v: Any) -> Any:
    return v * 2 if v[0] > 0 else v * 1j


def array_or_number(v: Any) -> Any:
    return v * 2 if v[0] > 0 else 1.0


def number_or_nothing(v: Any) -> Any:
    best = None
    for x in v:
        if x > 0 and (best is None or x * x > best):
            best = x * x
    return best


WAYS: dict[str, Callable[[Any], Any]] = {
    "grad": lambda f: tg.grad(f, fallback="error"), "plain": lambda f: tg.grad(f, fallback="error", optimize=False),
    "value_and_grad": lambda f: lambda x: tg.value_and_grad(f, fallback="error")(x)[1],
    "inside": lambda f: tg.compile(lambda x: tg.grad(f)(x), fallback="error"),
    "batch": lambda f: lambda x: tg.vmap(tg.grad(f))(np.stack([x, x]))[0],
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.filterwarnings("ignore::transgrad.BatchLoopWarning")
def test_numbers(way: str) -> None:
    derive = WAYS[way]
    np.testing.assert_allclose(derive(complex_below_zero)(0.64), 0.625)
    np.testing.assert_allclose(derive(complex_sum)(V), 2 * V)
    np.testing.assert_allclose(derive(number_or_nothing)(V), [1.4, 0.0])


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("f, x, said", [
    (complex_below_zero, -0.64, "returns a complex one"), (complex_sum, -V, "returns a complex one"),
    (real_or_complex_array, V, r"returns an array of shape \(2,\)"), (real_or_complex_array, -V, r"returns an array of shape \(2,\)"),
    (array_or_number, V, r"returns an array of shape \(2,\)"), (number_or_nothing, -V, "returns None"),
], ids=lambda p: getattr(p, "__name__", None))
@pytest.mark.filterwarnings("ignore::transgrad.BatchLoopWarning")
def test_anything_else(f: Callable[[Any], Any], x: Any, said: str, way: str) -> None:
    with pytest.raises(TypeError, match=said):
        WAYS[way](f)(x)


def total(x: Any) -> Any:
    t = 0.0
    for v in x:
        t = t * 0.5 + v * v
    return t


def test_nothing_is_asked_of_what_is_known_to_be_one() -> None:
    assert "one_number" not in tg.grad(total, fallback="error").source_for(V.astype(np.float32))
