"""How many variants are compiled: instances are keyed by their classes and fields, and numbers that change are not compiled in."""
import numpy as np
import pytest

import transgrad as tg


class Scaled:
    def __init__(self, w, n=2):
        self.w, self.n = w, n

    def __call__(self, x):
        return np.sum(self.w * x) * self.n


class Squared(Scaled):
    def __call__(self, x):
        return super().__call__(x) ** 2


class Tanh:
    def __call__(self, x):
        return np.tanh(x)


class Outer:
    def __init__(self, inner):
        self.inner = inner

    def __call__(self, x):
        return np.sum(self.inner(x))


def of_model(x, model):
    return model(x)


def of_first(x, models):
    return np.sum(models[0](x))


def of_entry(x, models):
    return np.sum(models["first"](x))


@pytest.mark.parametrize("f, make", [
    (of_model, lambda k: Scaled(np.ones(2) * k, k)), (of_model, lambda k: Outer(Tanh())), (of_first, lambda k: [Tanh()]),
    (of_entry, lambda k: {"first": Tanh()}),
], ids=["model", "nested", "list", "dict"])
def test_callable_instances_are_keyed_by_their_class(f, make):
    derivative = tg.grad(lambda x, model: f(x, model))      # one of its own
    for k in range(4):
        x, model = np.array([0.5, 1.5]), make(k)
        want = [(f(x + e, model) - f(x - e, model)) / 2e-6 for e in np.eye(2) * 1e-6]
        np.testing.assert_allclose(derivative(x, model), want, atol=1e-8)
    assert len(derivative.variants) == 1
    if f is of_model and isinstance(make(1), Scaled):
        assert derivative(x, Squared(np.ones(2), 1)) == pytest.approx(4.0 * np.ones(2))
        derivative(x, Scaled(1.0, 1))       # another type of field
        assert len(derivative.variants) == 3


def test_functions_are_keyed_by_identity():
    derivative = tg.grad(lambda x, f: f(x))
    assert [derivative(2.0, f) for f in (lambda x: x ** 2, lambda x: x ** 3)] == [4.0, 12.0]


RATE = 1.0
TABLE = {"rate": 1.0}
CALLS = 0


class Settings:
    rate = 1.0


class Default:
    rate = 1.0


DEFAULT = Default()


def closure():
    rate = 1.0

    def f(x):
        return x * rate

    def change(value):
        nonlocal rate
        rate = value
    return f, change


def of_global(x):
    return x * RATE


def of_table(x):
    return x * TABLE["rate"]


def of_class(x):
    return x * Settings.rate


def of_default(x):
    return x * DEFAULT.rate


def count(x):
    global CALLS
    CALLS += 1
    return x ** 2 * CALLS


def change_global(value):
    global RATE
    RATE = value


OF_CLOSURE, CHANGE_CLOSURE = closure()


@pytest.mark.parametrize("f, change", [
    (of_global, change_global), (of_table, lambda value: TABLE.update(rate=value)),
    (of_class, lambda value: setattr(Settings, "rate", value)), (of_default, lambda value: setattr(Default, "rate", value)),
    (OF_CLOSURE, CHANGE_CLOSURE),
], ids=["global", "table", "class", "default", "closure"])
def test_numbers_that_change_between_calls(f, change):
    """The first change compiles a variant that reads the number; later ones compile nothing."""
    derivative = tg.grad(lambda x: f(x))
    for k in range(6):
        change(k + 0.5)
        assert derivative(3.0) == k + 0.5
    assert len(derivative.variants) == 2
    change(7)       # of another class
    assert derivative(3.0) == 7.0 and len(derivative.variants) == 3
    change(2.5)
    assert tg.jvp(f, (3.0,), (2.0,)) == (7.5, 5.0)


def test_a_counter_compiles_once():
    derivative = tg.grad(lambda x: count(x))
    start = CALLS
    found = [derivative(2.0) for _ in range(4)]
    assert found == [4.0 * (start + k) for k in range(1, 5)] and len(derivative.variants) == 1 and start + 4 == CALLS
