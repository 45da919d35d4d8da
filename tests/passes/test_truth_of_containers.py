"""Branches taken by whether a container or an array is true, which changes later: the reverse part takes the branch that ran."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import transgrad as tg

from .of_two_matrices import WAYS, X, check


def grown(x, y):
    found, s = [], 0.0
    for k in range(3):
        if found:
            s += np.sum(found[-1] ** 2 * y[k])
        found.append(x[k] * y[k])
    return s


def either(x, y):
    seen, s = [], 0.0
    for k in range(3):
        s += np.sum(x[k] ** 2) if seen else np.sum(y[k] ** 3)
        seen.append(k)
    return s


def emptied(x, y):
    waiting = [0, 1]
    s = np.sum(x ** 2) if waiting else np.sum(y)
    waiting.clear()
    return s * np.sum(y)


def of_dict(x, y):
    kept: dict[int, Any] = {}
    s = 0.0
    for k in range(3):
        if kept:
            s += np.sum(x[k] ** 2 * kept[k - 1])
        else:
            s += np.sum(y)
        kept[k] = y[k] * x[0]
    return s


def of_set(x, y):
    seen: set[int] = set()
    s = 1.0
    for k in [0, 1, 0, 2, 1]:
        if seen:
            s *= np.sum(x[k] ** 2)
        else:
            s += np.sum(y[k])
        seen.add(k)
    return s


def of_an_array(x, y):
    on, s = np.array(False), 1.0
    for k in range(3):
        if on:
            s *= np.sum(x[k] ** 2)
        else:
            s += np.sum(y[k])
        on[...] = k % 2 == 0
    return s


def of_one_element(x, y):
    m = x[0, :1] * 1.0
    m[0] = 0.0
    s = np.sum(x ** 2) if m else np.sum(x ** 3)
    m += x[0, 0]
    return s * np.sum(m)


class Counter:
    def __init__(self):
        self.seen, self.total = [], 0.0

    def add(self, v):
        if self.seen:
            self.total = self.total + v * self.seen[-1]
        self.seen.append(v)


def of_an_attribute(x, y):
    c = Counter()
    for k in range(3):
        c.add(np.sum(x[k] * y[k]))
    return c.total + sum(c.seen)


def update(found, v):
    if found:
        v = v * found[-1]
    found.append(v)
    return v


def by_helper(x, y):
    found, s = [], 0.0
    for k in range(3):
        s += update(found, np.sum(x[k] ** 2 * y[k]))
    return s


def two_loops(x, y):
    """The direction of a quasi-Newton method with a limited memory."""
    steps, changes, g, at = [], [], x[0] ** 3 + y[0] * x[0], x[0]
    for _ in range(4):
        q, alphas = g.copy(), []
        for s, c in zip(reversed(steps), reversed(changes)):
            a = (s @ q) / (c @ s)
            alphas.append(a)
            q -= a * c
        if steps:
            q *= (steps[-1] @ changes[-1]) / (changes[-1] @ changes[-1])
        for s, c, a in zip(steps, changes, reversed(alphas)):
            q += (a - (c @ q) / (c @ s)) * s
        to = at - 0.3 * q
        new = to ** 3 + y[0] * to
        steps.append(to - at)
        changes.append(new - g)
        if len(steps) > 2:
            steps.pop(0)
            changes.pop(0)
        at, g = to, new
    return np.sum(at ** 2)


FUNCTIONS = [grown, either, emptied, of_dict, of_set, of_an_array, of_one_element, of_an_attribute, by_helper, two_loops]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_gradients(f, way):
    check(f, way)


def test_a_list_that_is_an_argument():
    """The caller may change it before the pullback runs."""
    def f(x, names):
        return np.sum(x ** 3) if names else np.sum(x)

    names = ["a"]
    _, pullback = tg.vjp(f, X, names)
    names.clear()
    np.testing.assert_allclose(pullback(1.0)[0], 3 * X ** 2, rtol=1e-12)


def test_nothing_is_kept_of_what_stays():
    def f(x, names):
        return np.sum(x ** 3) if names else np.sum(x)

    assert "bool" not in tg.grad(f, fallback="error").source_for(X, ["a"])
