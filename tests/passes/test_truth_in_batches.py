"""Conditions that differ between the examples of a batch, and are arrays with one element or ask for one object: such batches are loops."""
from __future__ import annotations

import numpy as np
import pytest

import transgrad as tg

X = np.array([[0.0, 1.0, 2.0], [3.0, 0.5, 1.0], [0.0, 0.2, 0.1], [1.0, 4.0, 0.0]])


def branch(x):
    m = x[:1] * 1.0
    s = np.sum(x ** 2) if m else np.sum(x)
    return s


def negated(x):
    return np.sum(x ** 2) if not x[:1] else np.sum(x)


def converted(x):
    return np.sum(x ** 2) * bool(x[:1]) + np.sum(x)


def loop(x):
    m, s = x[:1] * 1.0, 0.0
    while m:
        s += m[0]
        m = np.maximum(m - 1.0, 0.0)
    return s


def one_object(x):
    a, b, s = x * 2.0, x * 3.0, 0.0
    for k in range(3):
        s += np.sum(a) if a is b else np.sum(b * b)
        if k == 0:
            b = a
    return s


def optional(x):
    last, s = None, 0.0
    for k in range(3):
        s += x[k] if last else np.sum(x)
        last = x[k] * 1.0 if k else None
    return s


@pytest.mark.filterwarnings("ignore::transgrad.BatchLoopWarning", "ignore::transgrad.TapeFallbackWarning")
@pytest.mark.parametrize("f", [branch, negated, converted, loop, one_object, optional], ids=lambda f: f.__name__)
def test_each_example(f):
    np.testing.assert_allclose(tg.vmap(f)(X), [f(x) for x in X], rtol=1e-12)


@pytest.mark.filterwarnings("ignore::transgrad.BatchLoopWarning")
def test_another_object_for_some():
    def f(x, y):
        a, b = x * 2.0, y * 3.0
        s = np.sum(a * b)
        b = a
        return s + np.sum(a if a is b else b * b)

    np.testing.assert_allclose(tg.vmap(f, (None, 0))(X[0], X), [f(X[0], x) for x in X], rtol=1e-12)
