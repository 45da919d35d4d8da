"""A class that stands for one of the user's on the tape is found where that is looked for: as a key of a table, in a set, by ==."""
from __future__ import annotations

import abc
import types
from typing import Any

import pytest

import transgrad as tg


class Made:
    """Makes its instances itself, which is not compiled."""

    def __new__(cls, *_: Any) -> Made:
        return object.__new__(cls)

    def __init__(self, x: Any) -> None:
        self.x = x

    def area(self) -> Any:
        return self.x * self.x


class Other(Made):
    def area(self) -> Any:
        return self.x * 3.0


class Abstract(abc.ABC):
    def __new__(cls, *_: Any) -> Any:
        return object.__new__(cls)

    def __init__(self, x: Any) -> None:
        self.x = x

    @abc.abstractmethod
    def area(self) -> Any:
        ...


class Concrete(Abstract):
    def area(self) -> Any:
        return self.x * 5.0


FACTORS = {Made: 2.0, (Made, Other): 7.0, Concrete: 4.0}
KNOWN = frozenset((Made, Concrete))
OUTSIDE = Made(3.0)


def by_a_class(x):
    made = Made(x)
    return made.area() * FACTORS[type(made)]


def by_two(x):
    a, b = Made(x), Other(x)
    return a.area() * b.area() * FACTORS[type(a), b.__class__]


def by_an_abstract_one(x):
    made = Concrete(x)
    return made.area() * FACTORS[type(made)] if isinstance(made, Abstract) else x


def in_a_set(x):
    made, other = Made(x), Other(x)
    return made.area() * (2.0 if type(made) in KNOWN else 3.0) + other.area() * (2.0 if type(other) in KNOWN else 3.0)


def compared(x):
    made = Made(x)
    return made.area() if type(made) == type(OUTSIDE) and type(made) != Other else x


@pytest.mark.parametrize("f", [by_a_class, by_two, by_an_abstract_one, in_a_set, compared])
def test_found(f):
    # code that differs from the source is not compiled
    code = f.__code__.replace(co_consts=(*f.__code__.co_consts, object()))
    gradient = tg.grad(types.FunctionType(code, f.__globals__, f.__name__))
    with pytest.warns(tg.TapeFallbackWarning):
        found = [gradient(1.5), gradient(1.5)]
    assert tg.grad(f)(1.5) == pytest.approx(found[0])
    h = 1e-6
    assert found == pytest.approx([(f(1.5 + h) - f(1.5 - h)) / (2 * h)] * 2)
    assert type(OUTSIDE) is Made and FACTORS.keys() == {Made, (Made, Other), Concrete}
