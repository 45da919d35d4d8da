"""Attributes that a function gives to a class which did not have them."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import transgrad as tg


class Base:
    pass


class Derived(Base):
    pass


HELD = Derived()


@pytest.fixture(autouse=True)
def clean() -> Any:
    yield
    for name in vars(Base).keys() - {"__module__", "__dict__", "__weakref__", "__doc__"}:
        delattr(Base, name)


def by_the_class(v: Any) -> Any:
    Base.q = 2.0 * v[0]     # type: ignore[attr-defined]
    return Base.q * v[1]    # type: ignore[attr-defined]


def by_a_subclass(v: Any) -> Any:
    Base.q = 2.0 * v[0]     # type: ignore[attr-defined]
    return Derived.q * v[1]     # type: ignore[attr-defined]


def by_an_instance(v: Any) -> Any:
    Base.q = 2.0 * v[0]     # type: ignore[attr-defined]
    return Derived().q * v[1]   # type: ignore[attr-defined]


def by_an_instance_from_outside(v: Any) -> Any:
    Base.q = 2.0 * v[0]     # type: ignore[attr-defined]
    return HELD.q * v[1]    # type: ignore[attr-defined]


@pytest.mark.parametrize("f", [by_the_class, by_a_subclass, by_an_instance, by_an_instance_from_outside], ids=lambda f: f.__name__)
def test_attribute(f: Any) -> None:
    for _ in range(2):
        np.testing.assert_allclose(tg.grad(f, fallback="error")(np.array([3.0, 5.0])), [10.0, 6.0])
        assert Base.q == 6.0    # type: ignore[attr-defined]
        np.testing.assert_allclose(tg.jvp(f, (np.array([3.0, 5.0]),), (np.array([1.0, 0.0]),))[1], 10.0)


@pytest.mark.filterwarnings("ignore:.*:transgrad.TapeFallbackWarning")
def test_deleted_again() -> None:
    def f(v: Any) -> Any:
        Base.q = v[0]   # type: ignore[attr-defined]
        y = Base.q ** 2     # type: ignore[attr-defined]
        del Base.q  # type: ignore[attr-defined]
        return y
    for _ in range(2):
        np.testing.assert_allclose(tg.grad(f)(np.array([3.0, 5.0])), [6.0, 0.0])
        assert not hasattr(Base, "q")
