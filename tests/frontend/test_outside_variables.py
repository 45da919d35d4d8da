"""Attributes of objects and classes from outside, globals and closure variables that are given differentiated values."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import transgrad as tg


class Holder:
    total = 0.0
    made = 0

    def __init__(self) -> None:
        type(self).made += 1
        self.v = 1.0


class Special(Holder):
    pass


HELD = Holder()
SEVERAL = [HELD, Holder()]
LEVEL = 1.0


def _raise_level(x: Any) -> None:
    global LEVEL
    LEVEL = LEVEL * 0.5 + x


def _scaled(x: Any) -> Any:
    return LEVEL * x


def _counter() -> tuple[Callable[[Any], Any], Callable[[], Any]]:
    n = 0.0

    def add(x: Any) -> Any:
        nonlocal n
        n += x
        return n

    def get() -> Any:
        return n
    return add, get


ADD, GET = _counter()


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    _reset()
    yield
    _reset()


def _reset() -> None:
    global LEVEL, ADD, GET
    LEVEL, HELD.v, SEVERAL[1].v = 1.0, 1.0, 1.0
    Holder.total, Holder.made = 0.0, 0
    if "made" in vars(Special):
        del Special.made
    ADD, GET = _counter()


def a_global(x: float) -> Any:
    _raise_level(x)
    y = _scaled(x)
    for k in range(3):
        _raise_level(y)
        if k == 1:
            _raise_level(0.1 * x)
    return _scaled(y) * LEVEL


def a_closure(x: float) -> Any:
    ADD(x)
    a = GET()
    ADD(x * x)
    return GET() * a


def an_attribute(x: float) -> Any:
    HELD.v = HELD.v * 0.5 + x * x
    return HELD.v * x


def a_class(x: float) -> Any:
    Holder()
    Special()
    Holder.total = Holder.total + x * x
    return Holder.total * Special.made + Holder.made * x


def _state() -> Any:
    return LEVEL, HELD.v, SEVERAL[1].v, Holder.total, Holder.made, vars(Special).get("made"), GET()


@pytest.mark.parametrize("f", [a_global, a_closure, an_attribute, a_class], ids=lambda f: f.__name__)
@pytest.mark.parametrize("forward", [False, True])
def test_each_call_starts_from_what_the_one_before_left(f: Any, forward: bool) -> None:
    def runs(call: Callable[[int], Any]) -> list[Any]:
        _reset()
        return [call(k) for k in range(3)]

    def plain(k: int, x: float = 0.7) -> Any:
        return f(x), _state()
    want = runs(plain)
    slopes = []
    for k in range(3):
        ends = []
        for x in (0.7 + 1e-6, 0.7 - 1e-6):
            _reset()
            for _ in range(k):
                f(0.7)
            ends.append(f(x))
        slopes.append((ends[0] - ends[1]) / 2e-6)
    _reset()
    derivative = tg.value_and_grad(f, fallback="error")

    def differentiated(k: int) -> Any:
        both = tg.jvp(f, (0.7,), (1.0,), fallback="error") if forward else derivative(0.7)
        return both, _state()
    for (value, state), ((found, slope), left), expected in zip(want, runs(differentiated), slopes):
        np.testing.assert_allclose((found, slope), (value, expected), rtol=1e-6)
        assert all(type(b) in (int, float, type(None)) for b in left)
        np.testing.assert_allclose([b or 0 for b in left], [b or 0 for b in state], rtol=1e-12)


def test_a_counter_makes_no_variants() -> None:
    derivative = tg.grad(a_class, fallback="error")
    for _ in range(4):
        derivative(0.7)
    assert len(derivative.variants) <= 2     # the second call finds an attribute of the subclass's own


def through_a_list(x: float) -> Any:
    HELD.v = x * 2
    return SEVERAL[0].v * 3


def through_an_index(x: float, k: int) -> Any:
    HELD.v = x * 2
    return SEVERAL[k].v * 3


def _value_of(holder: Any) -> Any:
    return holder.v


def through_a_helper(x: float) -> Any:
    HELD.v = x * 2
    return _value_of(HELD) * _value_of(SEVERAL[0])


@pytest.mark.parametrize(("f", "more", "want"), [(through_a_list, (), 6.0), (through_an_index, (0,), 6.0), (through_an_index, (1,), 0.0),
                                                 (through_a_helper, (), 8.0 * 0.7)])
@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
def test_what_is_read_again_under_another_name(f: Any, more: tuple[int, ...], want: float) -> None:
    with pytest.raises(tg.UnsupportedSyntax, match="under another name"):
        tg.grad(f, fallback="error")(0.7, *more)
    with pytest.raises(tg.UnsupportedSyntax, match="under another name"):
        tg.jvp(lambda x: f(x, *more), (0.7,), (1.0,), fallback="error")
    np.testing.assert_allclose(tg.grad(f)(0.7, *more), want)
    assert type(HELD.v) is float


def interrupted(x: float) -> Any:
    HELD.v = x * x
    if x > 1:
        raise ValueError("large")
    return HELD.v


def test_an_exception_leaves_numbers() -> None:
    for call in (tg.grad(interrupted), lambda x: tg.jvp(interrupted, (x,), (1.0,))):
        with pytest.raises(ValueError, match="large"):
            call(1.5)
        assert type(HELD.v) is float and HELD.v == 2.25
