"""Numbers whose type is not known when compiling: ``+=`` replaces them, and no cotangent gets lost; never a zero in silence."""
from __future__ import annotations

import enum
import warnings
from typing import Any

import numpy as np
import pytest

import transgrad as tg


class Mode(enum.Enum):
    A = 1
    B = 2


class Gain:
    def __init__(self, v):
        self.v = v


GAINS = [Gain(1.0), Gain(2.0)]


def add(b, t, m):
    t += b * m.value
    return t


def add_all(b, t):
    for m in list(Mode):
        t = add(b, t, m)
    return t


def add_gain(b, t, g):
    t += b * g.v
    return t


def add_gains(b, t):
    for g in GAINS:
        t = add_gain(b, t, g)
    return t


def in_the_function(b):
    t = 0.0
    for m in Mode:
        t += b * m.value
    return t


def replaced(b):
    t = 0.0
    for m in list(Mode):
        t = t + b * m.value
    return t


def in_a_helper(b):
    t = 0.0
    for m in list(Mode):
        t = add(b, t, m)
    return t


def in_a_helper_of_a_helper(b):
    return add_all(b, 0.0)


def objects(b):
    return add_gains(b, 0.0)


def one_of_two(b):
    t = 0.0
    for m in Mode:
        t += b ** m.value if m is Mode.A else 2.0 * b
    return t


@pytest.mark.parametrize("f", (in_the_function, replaced, in_a_helper, in_a_helper_of_a_helper, objects, one_of_two), ids=lambda f: f.__name__)
def test_right_on_the_tape_or_compiled(f: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tg.TapeFallbackWarning)
        gradient = tg.grad(f)
        for _ in range(4):      # in which it learns what runs on the tape alone
            assert gradient(0.7) == pytest.approx(3.0)
        try:
            assert tg.grad(f, fallback="error")(0.7) == pytest.approx(3.0)
        except tg.TransgradError:
            pass        # refused, which is said out loud


def test_dimensions_that_may_go() -> None:
    """What np.squeeze leaves of a slice, of which nobody knows how long it is."""
    a = np.arange(24.0).reshape(2, 3, 4) / 7.0

    def f(a):
        return np.squeeze(a[:1]).trace() * np.squeeze(a[1:], axis=0)[0, 1]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tg.TapeFallbackWarning)
        tg.testing.check_grad(f, (a,))
