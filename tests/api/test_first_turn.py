"""Variables that only the first turn of a loop assigns: the turns after it read them, and without it reading them is an error."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import transgrad as tg

X = np.array([0.3, 0.5, 0.2])


def number(x):
    for i in range(3):
        if i == 0:
            s = x[0]
        else:
            s = s * x[i]
    return s


def flagged(x):
    first = True
    for t in x:
        if first:
            s = t
            first = False
        else:
            s = s * np.sin(t)
    return s


def array(x):
    for i in range(3):
        if i > 0:
            h = np.tanh(h + x[i]) * x
        else:
            h = x * 2.0
    return np.sum(h)


def pair(x):
    for i in range(3):
        if not i:
            a, b = x[0], 1.0
        else:
            a, b = b * x[i], a + x[i]
    return a * b


def array_written_to(x):
    for i in range(3):
        if i == 0:
            out = np.zeros(3)
        out[i] = x[i] ** 2
        if i == 2:
            total = out.sum() * out[0]
    return total


def two_loops(x):
    total = 0.0
    for j in range(2):
        for i in range(3):
            if i + j == 0:
                s = x[0]
            else:
                s = s * x[i] + x[j]
        total = total + s
    return total


def previous(x):
    total = 0.0
    for i in range(3):
        if i > 0:
            total += last * x[i]
        last = x[i] ** 2
    return total


def by_while(x):
    i = 0
    while i < 3:
        if i == 0:
            s = x[0]
        else:
            s = s * x[i]
        i += 1
    return s


def never_assigned_first(x):
    for i in range(3):
        if i == 1:
            s = x[0]
        else:
            s = s * x[i]
    return s


ALL = (number, flagged, array, pair, array_written_to, two_loops, previous, by_while)


@pytest.mark.parametrize("f", ALL, ids=lambda f: f.__name__)
def test_derivatives(f: Any) -> None:
    tg.testing.check_grad(f, (X,))
    gradient = tg.grad(f, fallback="error")
    steps = [(gradient(X + 1e-6 * e) - gradient(X - 1e-6 * e)) / 2e-6 for e in np.eye(3)]
    assert np.allclose(tg.hessian(f, fallback="error")(X), steps, atol=1e-6)


def test_a_program_that_fails_still_fails() -> None:
    for derivative in (tg.grad(never_assigned_first), tg.jacfwd(never_assigned_first)):
        with pytest.raises((UnboundLocalError, TypeError)):        # there is nothing in it yet
            derivative(X)
