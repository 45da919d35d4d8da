"""What loops keep for the reverse part: nothing that it computes again for a derivative anyway; and signs, which are kept to the end."""
from __future__ import annotations

import math

import numpy as np

import transgrad as tg


def turning(x, c):
    total = 0.0
    for _ in range(5):
        x = x + c * math.sin(x) * math.cos(x)
        total += x * x
    return total


def waves(x, c):
    for _ in range(3):
        x = x * np.sin(x) * np.cos(x) + c
    return np.sum(x)


def replaced(x, c):
    y = x.copy()
    total = 0.0
    for _ in range(3):
        s = np.sin(y)
        total += np.sum(s * np.cos(y))
        y[:] = s * c
    return total


def signs(x, c):
    a = -x / c
    b = 1.0 / (1.0 + np.exp(-a))
    return np.sum(-b * (c - a) - x / b)


def differences(f, x, c):
    e = 1e-6
    if isinstance(x, float):
        dx = (f(x + e, c) - f(x - e, c)) / (2 * e)
    else:
        dx = np.array([(f(x + e * u, c) - f(x - e * u, c)) / (2 * e) for u in np.eye(len(x))])
    return dx, (f(x, c + e) - f(x, c - e)) / (2 * e)


def test_derivatives():
    x = np.array([0.3, -0.7, 1.1])
    for f, at in ((turning, 0.4), (waves, x), (replaced, x), (signs, x)):
        for found, expected in zip(tg.grad(f, (0, 1), fallback="error")(at, 0.6), differences(f, at, 0.6), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-8)


def code(f, *args, **options):
    """The text without its comments."""
    return "\n".join(line for line in tg.grad(f, (0, 1), **options).source_for(*args).split("\n") if not line.lstrip().startswith("#"))


def test_sines_and_cosines_of_arrays_are_not_kept():
    text = code(turning, 0.4, 0.6, optimize={"functions": False})
    assert text.count(".append(") == 1 and text.count("math.sin(") == text.count("math.cos(") == 2
    text = code(waves, np.ones(3), 0.6)
    assert text.count("np.sin(") == 2


def test_sines_and_cosines_of_numbers_are_kept_instead_of_their_argument():
    text = code(turning, 0.4, 0.6)
    assert text.count("math.sin(") == text.count("math.cos(") == 1


def test_signs_go_to_the_end():
    text = code(signs, np.ones(3), 0.6)
    assert " * -" not in text and "+= -" not in text and "-= -" not in text
