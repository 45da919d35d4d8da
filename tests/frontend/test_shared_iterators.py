"""Iterators that several consumers take items from in turn: ``zip(it, it)``, ``next(it)`` in a loop over ``it``."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import transgrad as tg


def pairs_of_a_list(v):
    it = iter([v[0], v[1], v[0] * v[1], 2.0])
    s = 0.0
    for a, b in zip(it, it):
        s += a * b
    return s


def pairs_in_a_sum(v):
    it = iter(v)
    return sum(a * b for a, b in zip(it, it))


def next_in_the_loop(v):
    it = iter(v)
    s = 0.0
    for a in it:
        s += a * next(it)
    return s


def numbered(v):
    it = enumerate(v)
    s = 0.0
    for (i, a), (j, b) in zip(it, it):
        s += i * a * b * j + a
    return s


def mapped(v):
    it = iter(v)
    s = 0.0
    for a, b in zip(it, map(lambda x: x * 2, it)):
        s += a * b * b
    return s


def three_of_a_generator(v):
    it = (x * 2 for x in v)
    s = 0.0
    for a, b, c in zip(it, it, it):
        s += a * b * b - c
    return s


def two_speeds(v):
    it = iter(v)
    s = 0.0
    for a, b in zip(v, it):
        s += a * b * b
        next(it, None)
    return s


def grouped(v):
    it = iter(v)
    return sum(a * b * b for a, b in zip(*[it] * 2))


@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
@pytest.mark.parametrize("f", [pairs_of_a_list, pairs_in_a_sum, next_in_the_loop, numbered, mapped, three_of_a_generator, two_speeds, grouped])
def test_derivatives(f: Any) -> None:
    v = np.array([0.5, 1.5, 2.0, 3.0])
    want = np.array([(f(v + d) - f(v - d)) / 2e-6 for d in 1e-6 * np.eye(4)])
    for _ in range(2):
        value, found = tg.value_and_grad(f)(v)
        assert value == pytest.approx(f(v))
        np.testing.assert_allclose(found, want, atol=1e-5)
        value, tangent = tg.jvp(f, (v,), (np.ones(4),))
        assert value == pytest.approx(f(v)) and tangent == pytest.approx(np.sum(want), abs=1e-4)
