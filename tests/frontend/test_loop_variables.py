"""A loop's own variable that has a value before the loop: the body is not lowered once more for it."""
import numpy as np

from transgrad import value_and_grad
from transgrad.frontend.statements import loop_fixpoint


def twice(x):
    total = x[0]
    for i in range(1, 3):
        total += x[i]
    for i in range(2):
        total *= x[i]
    return total + i * x[2]


def of_another_kind(x):
    i = x[0]
    total = i * i
    for i in range(2):
        total += x[i + 1] * i
    return total * i


def rounds(f, monkeypatch):
    """How often the bodies of the loops of a function are lowered."""
    found, settle = [], loop_fixpoint._settle
    monkeypatch.setattr(loop_fixpoint, "_settle", lambda *args: found.append(args) or settle(*args))
    value_and_grad(f, fallback="error").source_for(np.ones(3))
    return len(found)


def test_bodies_are_lowered_once(monkeypatch):
    assert rounds(twice, monkeypatch) == 2


def test_values_and_derivatives():
    x = np.array([2.0, 3.0, 5.0])
    value, gradient = value_and_grad(twice, fallback="error")(x)
    assert value == twice(x)
    np.testing.assert_allclose(gradient, [36.0, 26.0, 7.0])
    value, gradient = value_and_grad(of_another_kind, fallback="error")(x)
    assert value == of_another_kind(x)
    np.testing.assert_allclose(gradient, [4.0, 0.0, 1.0])
