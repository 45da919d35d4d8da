"""Differentiated values in attributes of objects that a function finds in containers from outside, by several reads of the container."""
from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest

import transgrad as tg

pytestmark = pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")


class OfClass:
    v = 1.0


class OfInstance:
    def __init__(self) -> None:
        self.v = 1.0


class Holder:
    def __init__(self, held: Any) -> None:
        self.held = held


def only_read(x: Any, objects: Any) -> Any:
    return objects[0].v * x


def written_and_read(x: Any, objects: Any) -> Any:
    objects[0].v = x * 2
    return objects[0].v * x


def one_of_two(x: Any, objects: Any) -> Any:
    i = 1 if x > 1 else 0
    objects[i].v = x * 2
    return objects[0].v * x + objects[1].v * x


def both(x: Any, objects: Any) -> Any:
    first = objects[0]
    objects[1].v = x
    first.v = x * x
    return objects[0].v * objects[1].v


def by_a_helper(x: Any, objects: Any) -> Any:
    def put(o: Any, w: Any) -> None:
        o.v = w
    put(objects[0], 3 * x)
    put(objects[1], x)
    return objects[0].v - objects[1].v * x


def in_place(x: Any, objects: Any) -> Any:
    objects[0].v += x
    objects[0].v *= x
    return objects[0].v


def by_name(x: Any, objects: Any) -> Any:
    setattr(objects[1], "v", x * x)
    return getattr(objects[1], "v") + objects[0].v * x


PROGRAMS = [only_read, written_and_read, one_of_two, both, by_a_helper, in_place, by_name]
CONTAINERS: dict[str, tuple[Callable[[Any, Any], Any], Callable[[Any], Any]]] = {
    "tuple": (lambda a, b: (a, b), lambda c: c),
    "list": (lambda a, b: [a, b], lambda c: c),
    "dict": (lambda a, b: {0: a, 1: b}, lambda c: c),
    "tuple of tuples": (lambda a, b: ((a, b),), lambda c: c[0]),
    "attribute": (lambda a, b: Holder((a, b)), lambda c: c.held),
}


def two(cls: Any, own: bool) -> tuple[Any, Any]:
    a, b = cls(), cls()
    if own:
        a.v, b.v = 5.0, 7.0
    return a, b


OUTSIDE: Any = None


def as_argument(f: Any, part: Any, held: Any) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    return lambda x, c: f(x, part(c)), (held,)


def from_a_closure(f: Any, part: Any, held: Any) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    given = (held,)
    return lambda x: f(x, *map(part, given)), ()


def from_a_global(f: Any, part: Any, held: Any) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    global OUTSIDE
    OUTSIDE = held
    return lambda x: f(x, part(OUTSIDE)), ()


MODES: dict[str, Callable[[Any, Any], Any]] = {
    "grad": lambda f, given: tg.grad(f)(1.5, *given),
    "jacfwd": lambda f, given: tg.jacfwd(f)(1.5, *given),
    "vjp": lambda f, given: tg.vjp(lambda x: f(x, *given), 1.5)[1](1.0)[0],
    "linearize": lambda f, given: tg.linearize(lambda x: f(x, *given), 1.5)[1](1.0),
}
#: every program in every container from everywhere; the class and the mode change from case to case
CASES = [(f, name, where, cls, own, mode) for (f, name, where), (cls, own), mode in zip(
    itertools.product(PROGRAMS, CONTAINERS, (as_argument, from_a_closure, from_a_global)),
    itertools.cycle([(OfClass, False), (OfInstance, False), (OfClass, True)]), itertools.cycle([*MODES, "grad"]))]


@pytest.mark.parametrize(("f", "name", "where", "cls", "own", "mode"), CASES)
def test_attribute_of_an_object_from_outside(f: Any, name: str, where: Any, cls: Any, own: bool, mode: str) -> None:
    make, part = CONTAINERS[name]

    def value(x: float) -> Any:
        return f(x, part(make(*two(cls, own))))
    h = 1e-5
    want = (value(1.5 + h) - value(1.5 - h)) / (2 * h)
    function, given = where(f, part, make(*two(cls, own)))
    assert MODES[mode](function, given) == pytest.approx(want, rel=1e-8, abs=1e-8)
    function, given = where(f, part, make(*two(cls, own)))
    assert tg.compile(function)(1.5, *given) == value(1.5)
