"""Operators of objects that the function finds outside of it: Python functions are compiled, anything else is refused out loud."""
from __future__ import annotations

import copy
import datetime
import fractions
import functools
import operator
from typing import Any

import numpy as np
import pytest

import transgrad as tg
from transgrad.errors import UnsupportedSyntax


class Pair:
    def __init__(self, x: Any, y: Any) -> None:
        self.x, self.y = x, y

    def __add__(self, other: Any) -> Pair:
        return Pair(self.x + other.x, self.y + other.y) if isinstance(other, Pair) else Pair(self.x + other, self.y + other)

    def __mul__(self, other: Any) -> Pair:
        return Pair(self.x * other, self.y * other)

    __rmul__ = __mul__

    def __rsub__(self, other: Any) -> Pair:
        return Pair(other - self.x, other - self.y)

    def __pow__(self, other: Any) -> Pair:
        return Pair(self.x ** other, self.y ** other)

    def __neg__(self) -> Pair:
        return Pair(-self.x, -self.y)

    def __lt__(self, other: Any) -> Any:
        return self.x < other


class Quarter(Pair):
    def __mul__(self, other: Any) -> Any:
        return NotImplemented

    def __rmul__(self, other: Any) -> Any:
        return other * 0.25


PAIR, OTHER, QUARTER, HALF = Pair(1.5, 2.0), Pair(0.5, -1.0), Quarter(1.0, 1.0), fractions.Fraction(1, 2)


def left(t):
    return (PAIR * t).y


def right(t):
    return (t * PAIR).y * (t * OTHER).x


def reflected(t):
    return (t - PAIR).x * t


def both(t):
    return ((PAIR + OTHER) * t + t).y


def power(t):
    return (PAIR ** t).y


def unary(t):
    return (-PAIR * t).x


def compared(t):
    return t * t if PAIR < t else 3.0 * t


def by_function(t):
    return operator.add(PAIR, t).x * functools.reduce(operator.mul, [t, t], OTHER).y


def in_a_loop(t):
    total = OTHER
    for _ in range(3):
        total = total + PAIR * t
    return total.x * total.y


def not_implemented(t):
    return t * QUARTER


def fraction(t):
    return HALF * t + t * HALF


def of_numpy(t):
    return (np.sin(t) * PAIR).y


@pytest.mark.parametrize("f", [left, right, reflected, both, power, unary, compared, by_function, in_a_loop, not_implemented, fraction,
                               of_numpy])
def test_compiled(f):
    kept = copy.deepcopy(vars(PAIR)), copy.deepcopy(vars(OTHER))
    h = 1e-6
    for t in (1.2, 2.5):
        numeric = (f(t + h) - f(t - h)) / (2 * h)
        value, slope = tg.value_and_grad(f, fallback="error")(t)
        assert value == pytest.approx(f(t), rel=1e-14) and slope == pytest.approx(numeric, rel=1e-7)
        assert tg.jvp(f, (t,), (1.0,), fallback="error")[1] == pytest.approx(slope, rel=1e-12)
    assert kept == (vars(PAIR), vars(OTHER))


SECONDS = datetime.timedelta(seconds=2.0)


def test_compiled_operators_are_refused():
    def f(t):
        return (SECONDS * t).total_seconds()
    for how in ("error", "tape"):
        with pytest.raises((UnsupportedSyntax, TypeError), match="whose operators are its own|plain float"):
            tg.grad(f, fallback=how)(1.5)


HELD: dict[str, Any] = {}
PARTS = [(1, "b"), (2, "a")]


def make():
    PARTS.sort(key=lambda part: (-part[0], part[1] + "q"))      # which the compiler does not take: nothing is known of what is returned
    return HELD["pair"]


def test_an_attribute_of_what_an_operator_of_the_unknown_returns():
    HELD["pair"] = Pair(1.0, 2.0)

    def f(t):
        return (make() * t).y
    with pytest.raises(UnsupportedSyntax, match="operands are of a type that is not known"):
        tg.grad(f, fallback="error")(1.5)
    assert tg.grad(f)(1.5) == 2.0


def number_times_unknown(t):
    return (t * make()).x * t


def unknown_times_number(t):
    return (make() * t).y * t


def scalar_of_numpy_times_unknown(t):
    return (np.sin(t) * make()).x * t


@pytest.mark.parametrize("f", [number_times_unknown, unknown_times_number, scalar_of_numpy_times_unknown])
def test_on_the_tape_too(f):
    HELD["pair"] = Pair(1.0, 2.0)
    h = 1e-6
    gradient = tg.grad(f)
    with pytest.warns(tg.TapeFallbackWarning):
        found = [gradient(1.5), gradient(1.5)]
    assert found == pytest.approx([(f(1.5 + h) - f(1.5 - h)) / (2 * h)] * 2, rel=1e-7)


def test_an_array_beside_an_object_is_refused_on_the_tape():
    HELD["pair"] = Pair(1.0, 2.0)
    with pytest.raises((UnsupportedSyntax, TypeError), match="whose operators are its own"):
        tg.grad(lambda x: sum(pair.x for pair in x * make()))(np.ones(3))
