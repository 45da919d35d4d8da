"""Rows of adjoints that are added to, handed on and set to zero, with and without what makes that shorter."""
from __future__ import annotations

import numpy as np
import pytest

import transgrad as tg
from transgrad.testing import check_grad

RNG = np.random.default_rng(41)


def state_of_layers(w, s):
    now = s.copy()
    x = w[0] * 1.0
    for _ in range(3):
        for k in range(len(w)):
            now[k] = np.tanh(now[k] * w[k] + x)
            x = now[k]
    return np.sum(x * now[0])


def two_rows_a_layer(w, s):
    now, total = s.copy(), 0.0
    for t in range(3):
        x = w[0] * t
        for k in range(len(w)):
            now[2 * k + 1] = now[2 * k + 1] * w[k] + np.sin(now[2 * k] * x)
            now[2 * k] = np.tanh(now[2 * k + 1]) * w[k]
            x = now[2 * k]
        total += np.sum(np.sin(x * w[0]))
    return total


def from_the_end(w, s):
    """Row -1 is the last one, and 0 the one that follows it."""
    now = s.copy()
    for k in range(-1, len(w) - 2):
        now[k + 1] = now[k + 1] * w[k] + np.sin(now[k])
        now[k] = np.tanh(now[k + 1]) + now[k] ** 2
    return np.sum(now[0] * now[-1] * np.sin(now[1]))


def one_row_twice(w, s):
    now = s.copy()
    for k in range(len(w)):
        row = now[k]
        now[k] = row * w[k]
        now[k] = np.sin(now[k]) * row
        now[k] += w[k] ** 2
    return np.sum(now ** 2)


def numbers_for_rows(w, s):
    now = s.copy()
    for k in range(1, len(w)):
        now[k] = 0.5
        now[k] = now[k] * w[k] + np.sum(now[k - 1]) * w[k - 1]
        now[k - 1] = np.mean(now[k])
    return np.sum(now * w)


def row_read_in_part(w, s):
    now, x = s.copy(), w[0, :2]
    for _ in range(3):
        now[0] = np.tanh(now[0])
        x = x * now[0, :2]
    return np.sum(x)


CASES = [state_of_layers, two_rows_a_layer, from_the_end, one_row_twice, numbers_for_rows, row_read_in_part]


@pytest.mark.parametrize("f", CASES)
@pytest.mark.parametrize("rows", [2, 3, 1])
def test_gradients_are_those_of_differences(f, rows):
    if f is from_the_end and rows == 1:
        pytest.skip("it reads the second row")
    args = 0.4 * RNG.normal(size=(rows, 4)), 0.4 * RNG.normal(size=(rows * (2 if f is two_rows_a_layer else 1), 4))
    check_grad(f, args)
    want = tg.grad(f, (0, 1), optimize=False)(*args)
    for options in ({}, {"optimize": {"simplify": False}}, {"optimize": {"lists": False, "carry": False}}):
        for a, b in zip(tg.grad(f, (0, 1), fallback="error", **options)(*args), want):
            np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("f", CASES)
def test_cotangents_that_another_reverse_part_reads_are_kept_as_they_were(f):
    shapes = (3, 4), (6 if f is two_rows_a_layer else 3, 4)
    args, v = (tuple(0.4 * RNG.normal(size=shape) for shape in shapes) for _ in range(2))
    gradient = tg.grad(f, (0, 1))

    def along(w, s):
        a, b = gradient(w, s)
        return np.sum(a * v[0]) + np.sum(b * v[1])
    _, want = tg.jvp(gradient, args, v)
    for a, b in zip(tg.grad(along, (0, 1), fallback="error")(*args), want):
        np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-12)


@pytest.mark.usefixtures("rows_stay_arrays")
def test_the_text():
    text = tg.grad(two_rows_a_layer, (0, 1)).source_for(np.ones((2, 4)), np.ones((4, 4)))
    assert "] = 0.0" not in text and "+ now_bar[" in text and "].copy()" not in text
