"""Functions that run on the tape see what has been assigned to classes and functions since they last ran."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import transgrad as tg
from transgrad.transforms.fallback import TapedVariant

X = np.array([1.0, 2.0])


def on_tape(f: Callable[..., Any]) -> Any:
    """The gradient, by the tape alone."""
    return TapedVariant(tg.grad(f), {}, None).call_with({"x": X})


def classes() -> tuple[type, type]:
    class Base:
        def scale(self) -> float:
            return 1.5

        @staticmethod
        def of_nothing() -> float:
            return 1.5

        @property
        def size(self) -> float:
            return 1.5

    class Derived(Base):
        pass
    return Base, Derived


READS: dict[str, Callable[[type, Any], Callable[[Any], Any]]] = {
    "made inside": lambda cls, k: lambda x: np.sum(x * cls().scale()),
    "by the class": lambda cls, k: lambda x: np.sum(x * cls.scale(None)),  # type: ignore[attr-defined]
    "of an instance": lambda cls, k: lambda x: np.sum(x * k.scale()),
    "static": lambda cls, k: lambda x: np.sum(x * cls.of_nothing()),  # type: ignore[attr-defined]
    "property": lambda cls, k: lambda x: np.sum(x * k.size),
    "property of one made inside": lambda cls, k: lambda x: np.sum(x * cls().size),
}


@pytest.mark.parametrize("inherited", [False, True])
@pytest.mark.parametrize("how", READS)
def test_method_that_was_replaced(how: str, inherited: bool) -> None:
    base, derived = classes()
    cls = derived if inherited else base
    f = READS[how](cls, cls())
    np.testing.assert_array_equal(on_tape(f), [1.5, 1.5])
    new: dict[str, Any] = {"scale": lambda self: -0.5, "of_nothing": staticmethod(lambda: -0.5), "size": property(lambda self: -0.5)}
    for name, value in new.items():
        setattr(base, name, value)
    np.testing.assert_array_equal(on_tape(f), [-0.5, -0.5])
    if inherited:
        derived.scale = lambda self: 3.0  # type: ignore[attr-defined]
        derived.of_nothing = staticmethod(lambda: 3.0)  # type: ignore[attr-defined]
        derived.size = property(lambda self: 3.0)  # type: ignore[attr-defined]
        np.testing.assert_array_equal(on_tape(f), [3.0, 3.0])
        for name in new:
            delattr(derived, name)
        np.testing.assert_array_equal(on_tape(f), [-0.5, -0.5])


def test_code_that_was_replaced() -> None:
    def helper() -> float:
        return 1.5

    def other() -> float:
        return -0.5

    def scaled(by: float = 1.5) -> float:
        return by

    def f(x: Any) -> Any:
        return np.sum(x * helper())

    def g(x: Any) -> Any:
        return np.sum(x * scaled())
    np.testing.assert_array_equal(on_tape(f), [1.5, 1.5])
    np.testing.assert_array_equal(on_tape(g), [1.5, 1.5])
    helper.__code__ = other.__code__
    scaled.__defaults__ = (-0.5,)
    np.testing.assert_array_equal(on_tape(f), [-0.5, -0.5])
    np.testing.assert_array_equal(on_tape(g), [-0.5, -0.5])


def test_closure_variable_that_was_assigned() -> None:
    def one() -> float:
        return 1.5

    def other() -> float:
        return -0.5
    helper: Any = one

    def f(x: Any) -> Any:
        return np.sum(x * helper()) if callable(helper) else np.sum(x * helper)
    np.testing.assert_array_equal(on_tape(f), [1.5, 1.5])
    helper = other
    np.testing.assert_array_equal(on_tape(f), [-0.5, -0.5])
    helper = 4.0
    np.testing.assert_array_equal(on_tape(f), [4.0, 4.0])
    helper = lambda: np.sum(np.ones(3))
    np.testing.assert_array_equal(on_tape(f), [3.0, 3.0])


def test_recursion_in_a_cell() -> None:
    def power(x: Any, n: int) -> Any:
        return x if n == 1 else x * power(x, n - 1)

    def f(x: Any) -> Any:
        return np.sum(power(x, 3))
    for _ in range(2):
        np.testing.assert_allclose(on_tape(f), 3 * X ** 2)
