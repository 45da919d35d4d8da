"""Members of enumerations, the __init__ that dataclasses write for a base class, and slots that are still empty."""
from __future__ import annotations

import dataclasses
import enum

import pytest

import transgrad as tg


class Unit(enum.Enum):
    M = 1.0
    KM = 1000.0
    TEXT = "x"


class Kind(str, enum.Enum):
    SQUARE = "square"


@dataclasses.dataclass
class Base:
    a: float = 1.0
    b: float = 2.0

    def __post_init__(self):
        self.c = self.a * self.b


@dataclasses.dataclass
class Derived(Base):
    d: float = 0.0

    def __init__(self, x):
        super().__init__(a=x)
        self.d = x


class Plain(Base):
    def __init__(self, x):
        Base.__init__(self, x, b=x)

    def __post_init__(self):
        super().__post_init__()
        self.c = self.c * 3.0


class Slotted:
    __slots__ = ("_double", "x")

    def __init__(self, x):
        self.x = x

    @property
    def double(self):
        if not hasattr(self, "_double"):
            self._double = self.x * 2.0
        return self._double


def member(x):
    return x * Unit.KM.value + len(Unit.TEXT.value) + len(Unit.M.name)


def member_of_text(x, kind="square"):
    return x * x if kind == Kind.SQUARE.value else x


def members(x):
    return sum(x * u.value for u in Unit if isinstance(u.value, float))


def super_init(x):
    made = Derived(x)
    return made.c * made.d


def init_of_the_base(x):
    return Plain(x).c


def kept_in_a_slot(x):
    made = Slotted(x)
    return made.double * made.double


@pytest.mark.parametrize("f", [member, member_of_text, members, super_init, init_of_the_base, kept_in_a_slot])
def test_compiled(f):
    value, slope = tg.value_and_grad(f, fallback="error")(1.5)
    assert value == f(1.5)
    assert slope == pytest.approx(f(2.0) - f(1.0))      # exact of a quadratic
    assert tg.jvp(f, (1.5,), (1.0,), fallback="error") == (value, slope)


def test_members_that_are_passed_in():
    def f(x, unit):
        return x * unit.value if unit.name != "TEXT" else x * len(unit.value)
    g = tg.grad(f, fallback="error")
    assert [g(1.0, unit) for unit in (Unit.KM, Unit.M, Unit.TEXT, Unit.KM)] == [1000.0, 1.0, 1.0, 1000.0]
