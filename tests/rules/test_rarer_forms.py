"""Rarer forms of calls that write, take lists of options, or meet arrays without dimensions: right, or refused."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import transgrad as tg
from transgrad.testing import check_grad

from ..releases import since

WEIGHT = np.array(2.0)
MASK = np.array([True, False, True])


def copies_where(x: Any, t: Any) -> Any:
    z = x.copy()
    np.copyto(z, t, where=MASK)
    return np.sum(z * x)


def copies_nothing(x: Any, t: Any) -> Any:
    z = x.copy()
    np.copyto(z, t, where=False)
    return np.sum(z * x)


def in_memory(x: Any) -> Any:
    a, b, c = np.ravel(x.T, "K"), x.T.flatten("A"), x[::-1, ::2].T.ravel(order="K")
    return np.sum(a**2 * np.arange(12.0)) + np.sum(b**3 * np.arange(12.0)) + np.sum(c**2 * np.arange(6.0))


def test_ravel_in_the_order_of_memory() -> None:
    x = np.random.default_rng(1).normal(size=(3, 4))
    check_grad(in_memory, [x])
    t = np.random.default_rng(2).normal(size=(4, 3)).T
    got = tg.jvp(in_memory, (x,), (t,), fallback="error")[1]
    np.testing.assert_allclose(got, np.sum(tg.grad(in_memory, fallback="error")(x) * t))


def overwritten_behind(x: Any) -> Any:
    total = 0.0
    for k in range(3):
        y = np.copy(x.T) * (1.0 + k)
        c = y.flatten("A") ** 2
        y[0] = 0.0
        total += np.sum(c * np.arange(12.0)) + np.sum(np.sin(y))
    return total


@pytest.mark.parametrize("x", [np.arange(12.0).reshape(3, 4) / 7.0, np.asfortranarray(np.arange(12.0).reshape(3, 4) / 7.0)])
def test_flatten_in_the_order_of_memory_of_what_is_overwritten(x: Any) -> None:
    check_grad(overwritten_behind, [x])


def horner(x: Any, c: Any) -> Any:
    y = c[-1]
    for i in range(2, len(c) + 1):
        y = c[-i] + y * x
    return y


def weighed(h: Any, c: Any) -> Any:
    return WEIGHT * horner(h, c)


@pytest.mark.parametrize("f", [copies_where, copies_nothing])
def test_copyto_heeds_a_mask_that_is_known(f: Callable[..., Any]) -> None:
    check_grad(f, [np.array([0.3, -1.2, 0.7]), 0.4])


def test_a_cotangent_that_is_somebodys_array_is_not_written_to() -> None:
    """``y_bar *= x`` of a number that was read from an array without dimensions."""
    gradient = tg.grad(weighed, argnums=(0, 1), fallback="error")
    for _again in range(2):
        check_grad(weighed, [0.37, np.array([0.1, 0.5, 1.2, 1.4])])
        gradient(0.37, np.array([0.1, 0.5, 1.2, 1.4]))
        assert WEIGHT == 2.0


def test_the_width_of_a_grid_is_not_taken_as_constant() -> None:
    values = np.array([0.3, 1.0, -0.4, 0.2])
    f, h = tg.tensor(values, requires_grad=True), tg.tensor(np.float64(0.3), requires_grad=True)  # type: ignore[attr-defined]
    np.gradient(f, h).sum().backward()
    np.testing.assert_allclose(h.grad.item(), -np.sum(np.gradient(values, 0.3)) / 0.3)


def integrated(p: Any, k: Any) -> Any:
    return np.sum(np.polyint(p, 2, k=[k, 1.0]))


def test_a_list_of_options_is_looked_into() -> None:
    with pytest.raises(tg.UnsupportedCall, match="'k'"):
        tg.grad(integrated, argnums=(0, 1), fallback="error")(np.array([0.3, 0.2]), 0.4)


def scaled_in_place(x: Any, t: Any) -> Any:
    z = eval("x.copy()")
    z *= t
    z[1:] *= z[:-1]
    np.multiply(z, t, z)
    return np.sum(z)


def test_products_in_place_on_the_tape() -> None:
    x = np.array([0.3, -1.2, 0.7])
    with pytest.warns(tg.TapeFallbackWarning):
        got = tg.grad(scaled_in_place, argnums=(0, 1))(x, 0.4)
    slow = np.array([0.4**2 + 0.4**3 * x[1], 0.4**3 * (x[0] + x[2]), 0.4**3 * x[1]])
    np.testing.assert_allclose(got[0], slow)
    np.testing.assert_allclose(got[1], 2 * 0.4 * x[0] + 3 * 0.4**2 * (x[0] * x[1] + x[1] * x[2]))


def written(x: Any, t: Any) -> Any:
    z = x.copy()
    np.put_along_axis(z, np.array([1, 5]), t, axis=None)
    np.fill_diagonal(z, x[0] * t)
    return np.sum(z**2 * np.arange(12.0).reshape(3, 4))


def roots_of_negative_numbers(x: Any, t: Any) -> Any:
    return np.sum(np.real(np.emath.sqrt(x * t) * (1.0 + 2.0j) + np.emath.log(x)))


def padded_by_names_of_axes(x: Any, t: Any) -> Any:
    return np.sum(np.pad(x, {-1: 2}, constant_values=t) ** 2)


@pytest.mark.parametrize("f", [written, roots_of_negative_numbers, pytest.param(padded_by_names_of_axes, marks=since("NumPy 2.4"))])
def test_rarer_writes_roots_and_widths(f: Callable[..., Any]) -> None:
    x = np.random.default_rng(1).normal(size=(3, 4))
    check_grad(f, [x, 0.37])
    assert tg.grad(f, fallback="error")(x, 0.37).dtype == np.float64
