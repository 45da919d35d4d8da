"""Indices that count an axis up name no element twice; and shapes are asked of indices, not of what is picked by them."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import transgrad as tg
from tests import oracles


def entropy(p: Any, y: Any) -> Any:
    return -np.mean(np.log(p)[np.arange(len(y)), y])


def with_a_slice(p: Any, y: Any) -> Any:
    return np.sum(np.stack([p, p ** 2])[:, np.arange(len(y)), y] ** 2)


def changed(p: Any, y: Any) -> Any:
    """No longer what it was made as."""
    r = np.arange(len(y))
    r[0] = 1
    return np.sum(p[r, y] ** 2)


def of_two_axes(p: Any, y: Any) -> Any:
    """Each row is read twice, at the same place."""
    return np.sum(p[np.arange(len(y))[:, None], np.stack([y, y], axis=1)] ** 2)


def from_below(p: Any, y: Any) -> Any:
    """-1 is the last row, which is counted as well."""
    return np.sum(p[np.arange(-1, len(y) - 0), 0] ** 2)


def taken_twice(p: Any, y: Any) -> Any:
    return np.sum(p[np.arange(len(y)) // 2, 0] ** 2)


def broadcast(p: Any, y: Any) -> Any:
    return np.sum(p[np.arange(len(y)), np.zeros((2, len(y)), int)] ** 2)


def of_lists(p: Any, y: Any) -> Any:
    return np.sum(p[np.arange(len(y)), [list(y), list(y)]] ** 2)


def of_tuples(p: Any, y: Any) -> Any:
    return np.sum(p[np.arange(len(y)), (y, y)] ** 2)


def of_one_number(p: Any, y: Any) -> Any:
    """Which is read once for each of the others."""
    return np.sum(p[np.arange(1), y] ** 2)


def of_few_rows(p: Any, y: Any) -> Any:
    """Of how many is not known: maybe one."""
    q = p[3:]
    return np.sum(q[np.arange(len(q)), y] ** 2)


def in_place(p: Any, y: Any) -> Any:
    p = p * 1.0
    r = np.arange(len(y))
    p[r, y] *= 3.0
    p[r, y] += p[0, 0]
    p[r, y] = np.sin(p[r, y])
    return np.sum(p ** 3)


COUNTED = [entropy, with_a_slice, in_place]
OTHERS = [changed, of_two_axes, from_below, taken_twice, broadcast, of_lists, of_tuples, of_one_number, of_few_rows]
P, Y = np.random.default_rng(0).uniform(0.2, 1.0, (4, 3)), np.array([0, 2, 2, 1])


@pytest.mark.parametrize("f", COUNTED + OTHERS)
@pytest.mark.parametrize("optimize", [True, False])
def test_gradients(f: Any, optimize: bool) -> None:
    found = tg.grad(f, fallback="error", optimize=optimize)(P, Y)
    np.testing.assert_allclose(found, oracles.gradient(lambda q: f(q.reshape(P.shape), Y), P.ravel())[0].reshape(P.shape), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("f", COUNTED + OTHERS)
def test_what_is_added_up_in_place(f: Any) -> None:
    text = tg.grad(f, fallback="error").source_for(P, Y)
    assert ("np.add.at" in text) == (f in OTHERS), text


def of_all_rows(p: Any, y: Any) -> Any:
    n = p.shape[0]
    return np.sum(p[np.arange(n), y] ** 2)


def test_one_row_of_which_several_elements_are_read() -> None:
    gradient, p, y = tg.grad(of_all_rows, fallback="error"), np.array([[1.0, 2.0, 3.0]]), np.array([0, 2, 2])
    assert "np.add.at" not in gradient.source_for(P, Y)
    gradient(P, Y)
    np.testing.assert_array_equal(gradient(p, y), [[2.0, 0.0, 12.0]])


def test_shapes_are_asked_of_indices_and_operands() -> None:
    text = tg.grad(entropy, fallback="error").source_for(P, Y)
    assert "log" not in text.split("np.zeros_like")[1]
    powers = tg.grad(lambda x: np.mean(np.sin(x) ** 2), fallback="error").source_for(np.ones(3))
    assert "x.size" in powers


def test_an_index_outside_still_raises() -> None:
    with pytest.raises(IndexError):
        tg.grad(entropy, fallback="error")(P, np.array([0, 2, 5, 1]))


@pytest.mark.parametrize("y", [np.array([], int), np.array([1]), np.array([1, 0, 2, 2]), np.array([True, False, True, True])])
def test_sizes_of_what_is_picked(y: Any) -> None:
    """By numbers as many as there are; by truth values as many as are true."""
    def f(x: Any, y: Any) -> Any:
        return np.sum(np.log(x)[y]) / max(np.log(x)[y].size, 1)

    x = np.array([1.0, 2.0, 3.0, 4.0])
    found = tg.grad(f, fallback="error")(x, y)
    np.testing.assert_allclose(found, oracles.gradient(lambda q: f(q, y), x)[0], rtol=1e-6, atol=1e-8)
