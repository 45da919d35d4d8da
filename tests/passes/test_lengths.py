"""Lengths that have a name while they are one length: derivatives where lengths differ from turn to turn, and plain text where not."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import transgrad as tg
from tests.random_programs.oracle import compile_text


def every_other(x, y):
    return np.sum(x[::2] ** 2 * 3.0 + np.sin(x[::2]))


def joined(x, y):
    z = np.concatenate([x, y])
    return np.sum(z ** 2 * np.exp(-z))


def same_part(x, y):
    k = len(y) - 2
    return np.sum(np.cumsum(x)[k:] * x[k:])


def chosen(x, y):
    z = x[x > 0.0]
    return np.sum(z * np.sin(z))


def one_beside_many(x, y):
    """The part may have one element, and stands for as many as there are."""
    b = x[::8]
    return np.sum(b * x) + np.sum(np.exp(x * b))


def halved(x, y):
    """The length differs from turn to turn; in the last ones it is 1."""
    total = 0.0
    while len(x) > 1:
        x = x[::2] * y[0] + x[:1]
        total += np.sum(x * x)
    return total + np.sum(x * y)


def before(x, y):
    """What one turn leaves for the next is of another length, which broadcasts."""
    total = 0.0
    kept = x[:1]
    for i in range(1, 4):
        now = x[: (1 if i == 2 else 4)]
        total += np.sum(kept * now)
        kept = now * y[0]
    return total


def grown(x, y):
    z = x[:1]
    for _ in range(3):
        z = z * y[1:2] + x
    return np.sum(z * z)


def listed(x, y):
    parts = []
    for i in range(1, 4):
        parts.append(x[:i] * y[0])
    return np.sum(parts[0] * parts[2]) + np.sum(parts[0] * parts[1])


def branched(x, y):
    if y[0] > 0.0:
        z = x[::4]
    else:
        z = x[::2]
    return np.sum(z * x[::4]) + np.sum(z * z)


def part(x, n):
    return x[::n] * x[0]


def called_twice(x, y):
    return np.sum(part(x, 1) * part(x, 8)) + np.sum(part(y, 1) * part(x, 1)[:3])


def nothing_yet(x, y):
    kept = None
    total = 0.0
    for i in range(1, 4):
        now = x[:i] * y[0]
        if kept is not None:
            if i == 2:
                total += np.sum(kept * now)
        kept = now
    return total


X, Y = np.array([0.3, -0.7, 1.1, 0.4, 0.9, -0.2]), np.array([0.5, 1.3, 0.8])
ALL = [every_other, joined, same_part, chosen, grown, listed, branched, called_twice, nothing_yet, before, one_beside_many]
PLAIN = [every_other, joined, same_part, chosen]


def differences(f: Any, k: int, given: list[Any]) -> Any:
    out = np.zeros_like(given[k])
    for n in range(len(out)):
        values = []
        for step in (1e-6, -1e-6):
            moved = [a.copy() for a in given]
            moved[k][n] += step
            values.append(f(*moved))
        out[n] = (values[0] - values[1]) / 2e-6
    return out


@pytest.mark.parametrize("f", [*ALL, halved])
@pytest.mark.parametrize("x", [X, X[:5], X[:4]], ids=len)
def test_gradients(f, x):
    y = Y[:1] if f is halved else Y
    found = tg.grad(f, (0, 1), fallback="error")(x, y)
    for k in range(2):
        np.testing.assert_allclose(found[k], differences(f, k, [x, y]), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("f", ALL)
def test_second_derivatives(f):
    found = tg.hessian(f, fallback="error")(X, Y)
    df = tg.grad(f)
    expected = np.array([(df(X + 1e-6 * e, Y) - df(X - 1e-6 * e, Y)) / 2e-6 for e in np.eye(6)])
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("f", PLAIN)
def test_no_broadcasting_is_undone(f):
    assert "unbroadcast" not in tg.grad(f).source_for(X, Y)


@pytest.mark.parametrize("name", ["const", "arg", "batch", "made", "fresh", "rows", "turns", "spans", "directions", "times"])
def test_arguments_may_be_called_anything(name):
    """Also what a kind of length is called inside of the compiler: the lengths of their axes are those of arguments."""
    f = compile_text(f"def program({name}, w):\n    z = {name}[:, 1:]\n    total = 0.0\n    for i in range(len(z)):\n        total += np.sum(z[i] * w)\n"
                     "    return total\n", "program", {"np": np})
    x_bar, w_bar = tg.grad(f, (0, 1), fallback="error")(np.arange(9.0).reshape(3, 3), np.array([1.0, 2.0]))
    np.testing.assert_array_equal(x_bar, [[0.0, 1.0, 2.0]] * 3)
    np.testing.assert_array_equal(w_bar, [12.0, 15.0])
