"""Dataclasses whose initializer does more than to store its arguments, and fields of any name."""
from dataclasses import dataclass, field

import numpy as np
import pytest

import transgrad as tg


@dataclass
class Squared:
    a: float
    square: float = field(init=False)
    count: int = field(init=False, default=3)
    name: str = "x"

    def __post_init__(self):
        self.square = self.a ** 2


@dataclass(frozen=True)
class Row:
    a: float
    row: np.ndarray = field(init=False)

    def __post_init__(self):
        object.__setattr__(self, "row", np.array([self.a, 2.0]))


@dataclass
class Positive:
    w: np.ndarray
    type: str = "p"

    def __post_init__(self):
        if np.any(self.w < 0):
            raise ValueError("negative")
        self.w = self.w / np.sum(self.w)


@dataclass
class Doubled:
    a: float

    def __post_init__(self):
        self.a = self.a * 2


@dataclass(init=False)
class OwnInit:
    a: float
    b: float

    def __init__(self, total):
        self.a, self.b = total / 4, total * 3 / 4


def of_squared(p):
    return p.square * p.a * p.count


def of_row(p):
    return np.sum(p.row) * p.a


def of_positive(p):
    return -np.sum(p.w ** 2)


def of_own(p):
    return p.a * p.b ** 2


CASES = [(of_squared, Squared(1.5), {"a": 6.75, "square": 4.5, "count": None, "name": None}), (of_row, Row(1.5), {"a": 3.5, "row": [1.5, 1.5]}),
         (of_positive, Positive(np.array([1.0, 3.0])), {"w": [-0.5, -1.5], "type": None}), (of_own, OwnInit(4.0), {"a": 9.0, "b": 6.0})]


def check_fields(found, p, want):
    assert type(found) is type(p) and vars(found).keys() >= vars(p).keys()
    for name, value in want.items():
        np.testing.assert_array_equal(getattr(found, name), value)


@pytest.mark.parametrize("f, p, want", CASES)
def test_arguments(f, p, want):
    """Every field is an argument of its own; the gradient is no argument of the initializer."""
    check_fields(tg.grad(f)(p), p, want)
    check_fields(tg.grad(f, optimize=False)(p), p, want)
    check_fields(tg.vjp(f, p)[1](1.0)[0], p, want)
    check_fields(tg.jacrev(f)(p), p, want)
    check_fields(tg.jacfwd(f)(p), p, {name: value for name, value in want.items() if value is not None})
    tangent = tg.grad(f)(p)
    slope = sum(np.sum(np.square(value)) for value in want.values() if value is not None)
    assert tg.jvp(f, (p,), (tangent,))[1] == pytest.approx(slope)
    assert tg.linearize(f, p)[1](tangent) == pytest.approx(slope)


@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
def test_arguments_on_the_tape():
    for f, p, want in CASES:
        check_fields(tg.grad(lambda p, f=f: eval("2.0") * f(p) / 2)(p), p, want)


def test_results():
    value, dot = tg.jvp(lambda a: Squared(a), (1.5,), (1.0,))
    assert (value.square, value.name, dot.a, dot.square) == (2.25, "x", 1.0, 3.0)
    value, dot = tg.jvp(lambda a: {"p": Doubled(a), "q": [Row(a)]}, (1.5,), (1.0,))
    assert (value["p"].a, dot["p"].a) == (3.0, 2.0)
    np.testing.assert_array_equal(dot["q"][0].row, [1.0, 0.0])
    assert tg.vjp(lambda a: Doubled(a), 1.5)[1](Doubled(0.5))[0] == 2.0
    w = np.array([1.0, 3.0])
    value, push = tg.linearize(lambda w: Positive(w), w)
    np.testing.assert_allclose(value.w, [0.25, 0.75])
    np.testing.assert_allclose(push(np.array([-1.0, 1.0])).w, [-0.25, 0.25])


def test_a_field_called_as_an_option_of_the_compiler():
    @dataclass
    class Named:
        a: float
        name: str = "x"
        type: str = "y"
        fn: float = 2.0

    h = tg.hessian(lambda p: p.a * p.fn)(Named(1.5))
    assert (h.a.fn, h.fn.a, h.a.a) == (1.0, 1.0, 0.0)
