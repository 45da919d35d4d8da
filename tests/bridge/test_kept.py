"""What on the tape is neither lost in silence nor changed: results beside numbers, inputs that may be overwritten, classes, closures."""
from __future__ import annotations

import abc
import contextlib
from typing import Any

import numpy as np
import pytest
import scipy.linalg

import transgrad as tg
from transgrad.autograd import dispatch
from transgrad.rules.registry import rule
from transgrad.rules.static import NoDerivative
from transgrad.transforms.fallback import TapedVariant

from ..oracles import gradient

SPD = np.array([[6.0, 1.0, 0.5], [1.0, 5.0, -1.0], [0.5, -1.0, 4.0]])
B = np.array([1.0, -2.0, 0.5])
X = np.array([0.3, -1.2, 2.5, 0.9, -0.4])
pytestmark = pytest.mark.filterwarnings("ignore::transgrad.errors.TapeFallbackWarning")


def _check(f: Any, x: np.ndarray) -> None:
    want, _ = gradient(lambda v: f(v.reshape(x.shape)), x.ravel())
    np.testing.assert_allclose(tg.grad(f)(x).ravel(), want, rtol=1e-6, atol=1e-8)


def solved(a: Any) -> Any:
    return np.sum(scipy.linalg.cho_solve(scipy.linalg.cho_factor(a), B) ** 2)


def solved_on_the_tape(a: Any) -> Any:
    exec("")
    c, lower = scipy.linalg.cho_factor(a, lower=True)
    return np.sum(scipy.linalg.cho_solve((c, lower), B) ** 2) + np.sum(np.log(np.diag(c)))


def solved_by_a_constant(b: Any) -> Any:
    return b @ scipy.linalg.cho_solve(scipy.linalg.cho_factor(SPD), b)


@pytest.mark.parametrize(("f", "x"), [(solved, SPD), (solved_on_the_tape, SPD), (solved_by_a_constant, B)])
def test_factors_beside_numbers(f: Any, x: np.ndarray) -> None:
    _check(f, x)


def nested(x: Any) -> Any:
    return (x * 2.0, [x * 3.0]), "text"


@rule(nested, kind="general", jvp=lambda t, y, x: ((t * 2.0, [t * 3.0]), None))
def _(g: Any, y: Any, x: Any) -> Any:
    return g[0][0] * 2.0


def test_results_that_cannot_be_recorded() -> None:
    x = tg.tensor(np.ones(2), requires_grad=True)
    with pytest.raises(NoDerivative, match="the tape cannot record"):
        dispatch.apply(nested, x)
    with tg.no_grad():
        assert dispatch.apply(nested, x)[1] == "text"


def spread(x: Any) -> Any:
    s = np.abs(x - np.median(x))
    return np.median(s, overwrite_input=True) + 0.0 * s[0]


def spread_by_position(x: Any) -> Any:
    s = np.abs(x - 0.1)
    return np.median(s, None, None, True) + np.percentile(s, 30.0, overwrite_input=True)


def spread_on_the_tape(x: Any) -> Any:
    exec("")
    return (lambda s: np.quantile(s, 0.3, overwrite_input=True) + np.nanmedian(s, overwrite_input=True))(np.abs(x - 0.1))


@pytest.mark.parametrize("f", [spread, spread_by_position, spread_on_the_tape])
def test_inputs_are_not_overwritten(f: Any) -> None:
    _check(f, X)


class Base(abc.ABC):
    @property
    @abc.abstractmethod
    def scale(self) -> float:
        """What the derived class says."""

    @abc.abstractmethod
    def offset(self) -> float:
        """What the derived class says."""

    def value(self, x: Any) -> Any:
        return self.scale * x + self.offset()


class Derived(Base):
    scale = 3.0     # type: ignore[assignment]
    offset = staticmethod(lambda: 1.0)      # type: ignore[assignment]


def by_class(x: Any) -> Any:
    exec("")
    return np.sum(Derived().value(x) ** 2)


def _recursive() -> Any:
    def power(x: Any, n: int) -> Any:
        return x if n == 1 else x * power(x, n - 1)
    return power


POWER = _recursive()


@contextlib.contextmanager
def scaled(k: float) -> Any:
    yield np.full(5, k)


def by_closure(x: Any) -> Any:
    exec("")
    from collections import deque
    with scaled(2.0) as k:
        return np.sum(deque([POWER(x, 3)], maxlen=1)[0] * k)


@pytest.mark.parametrize("f", [by_class, by_closure])
def test_classes_and_closures(f: Any) -> None:
    _check(f, X)


class Sensor:
    def __init__(self, gain: float, shape: Any):
        self.gain, self.shape, self.last, self.calls = gain, shape, None, 0

    def read(self, x: Any) -> Any:
        self.calls += 1
        self.last = x * self.gain
        return self.shape(np.asarray(self.last, dtype=float))

    def __call__(self, x: Any) -> Any:
        return self.read(x) + np.require(x, float)


class Array:
    """Sensors, and a way to reach them."""

    def __init__(self, *sensors: Sensor):
        self.first = sensors[0]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.first, name)


def shape_of_sensor(x: Any) -> Any:
    return np.asarray(x) ** 2 + np.asarray_chkfinite([x[0], x[1]]).sum()


SENSOR = Sensor(2.0, shape_of_sensor)
ARRAY = Array(SENSOR)
TABLE = {"square": lambda x: np.asarray(x, float) ** 2, "sensor": Sensor}


def by_object(x: Any) -> Any:
    exec("")
    return np.sum(SENSOR(x)) + np.sum(ARRAY.first.read(x)) + np.sum(ARRAY.read(x) * 0.5)


def by_table(x: Any) -> Any:
    exec("")
    TABLE["cube"] = lambda v: v ** 3
    return np.sum(TABLE["square"](x) + TABLE["cube"](x)) + np.sum(TABLE["sensor"](3.0, np.sin).read(x))


@pytest.mark.parametrize("f", [by_object, by_table])
def test_objects_and_tables_from_outside(f: Any) -> None:
    _check(f, X)
    assert type(SENSOR.last) is np.ndarray or SENSOR.last is None


def test_what_is_called_is_an_argument() -> None:
    def f(x: Any, sensor: Any, shape: Any, read: Any) -> Any:
        exec("")
        return np.sum(sensor(x)) + np.sum(shape(x)) + np.sum(read(x))

    sensor = Sensor(2.0, shape_of_sensor)
    want, _ = gradient(lambda x: f(x, sensor, shape_of_sensor, sensor.read), X)
    calls = sensor.calls
    np.testing.assert_allclose(tg.grad(f)(X, sensor, shape_of_sensor, sensor.read), want, rtol=1e-6)
    assert sensor.calls == calls + 2
    assert type(sensor.last) is np.ndarray
    np.testing.assert_allclose(sensor.last, 2 * X)


KNOWN: dict[str, type] = {}


class Registered:
    def __init_subclass__(cls, **kwargs: Any) -> None:
        KNOWN[cls.__name__] = cls


class Meta(type):
    def __init__(cls, name: str, bases: Any, space: Any):
        super().__init__(name, bases, space)
        KNOWN["meta " + name] = cls


class Square(Registered):
    def value(self, x: Any) -> Any:
        return np.asarray(x, float) ** 2


class Cube(metaclass=Meta):
    def value(self, x: Any) -> Any:
        return np.asarray(x, float) ** 3


class Abstract(abc.ABC, Registered):
    @abc.abstractmethod
    def value(self, x: Any) -> Any:
        """A value."""


class Concrete(Abstract):
    def value(self, x: Any) -> Any:
        return 2.0 * np.asarray(x, float)


def by_registered(x: Any) -> Any:
    exec("")
    assert isinstance(Concrete(), Abstract)
    return np.sum(Square().value(x) + Cube().value(x) + KNOWN["Square"]().value(x) + Concrete().value(x) + sum(k().value(x) for k in KNOWN.values()
                  if k is not Abstract))


def test_no_register_learns_of_the_tape() -> None:
    before = dict(KNOWN)
    _check(by_registered, X)
    assert before == KNOWN


class Node:
    """One of several that know each other."""

    def __init__(self, k: float):
        self.k, self.others = k, [self]

    def rest(self, x: Any) -> Any:
        return sum((np.asarray(x, float) * n.k for n in self.others if n is not self), 0.0 * x)


NODE, SECOND = Node(2.0), Node(3.0)
NODE.others.append(SECOND)
NAMES = {NODE: 5.0}


def by_identity(x: Any) -> Any:
    exec("")
    same = NODE if NODE in NAMES and NODE.others[0] is NODE else None
    return np.sum(NODE.rest(x) * NAMES[NODE]) if same is NODE else 0.0 * x[0]


def failing(x: Any) -> Any:
    exec("")
    NODE.rest(x)
    raise KeyError("no")


def test_objects_are_who_they_are() -> None:
    _check(by_identity, X)
    with pytest.raises(KeyError):
        tg.grad(failing)(X)
    assert type(NODE) is type(SECOND) is Node
    assert vars(NODE) == {"k": 2.0, "others": [NODE, SECOND]}


STEPS = {"double": lambda x: 2.0 * x, "square": lambda x: np.asarray(x, float) ** 2}


def by_methods_of_a_table(x: Any) -> Any:
    exec("")
    STEPS.update(cube=lambda v: v ** 3)
    STEPS.setdefault("half", lambda v: 0.5 * v)
    taken = STEPS.pop("half")
    return np.sum(taken(x)) + sum(np.sum(f(x)) for f in STEPS.values()) + sum(np.sum(f(x)) for _, f in STEPS.items()) * len(STEPS)


def test_whatever_is_done_to_a_table() -> None:
    _check(by_methods_of_a_table, X)
    assert list(STEPS) == ["double", "square", "cube"]


class Branching:
    """Asks what it is given, as code does that takes numbers and arrays."""

    def value(self, x: Any) -> Any:
        r = np.sqrt(x ** 2 + 1.0)
        if isinstance(r, (float, int)):
            return r
        return 0.0 * r


KINDS = [Branching()]


class Holder:
    def __init__(self) -> None:
        self.held = [Branching(), Branching()]

    def __getitem__(self, k: int) -> Branching:
        return self.held[k]


HOLDER = Holder()


@pytest.mark.parametrize("of", [lambda x: KINDS[0].value(x), lambda x: HOLDER[1].value(x), lambda x: sum(b.value(x) for b in HOLDER.held),
                                lambda x: dict(a=KINDS)["a"][0].value(x), lambda x: next(iter(KINDS)).value(x)])
def test_code_the_tape_does_not_know_of_takes_its_values_for_what_they_stand_for(of: Any) -> None:
    def f(x: Any) -> Any:
        exec("")
        return of(x)
    step = 1e-6
    assert tg.grad(f)(0.9) == pytest.approx((f(0.9 + step) - f(0.9 - step)) / (2 * step))


class Base:
    def value(self, x: Any) -> Any:
        b = np.zeros(2)
        b[0] = x * x
        return np.sum(b)


class Named(Base):
    def value(self, x: Any) -> Any:
        return super(Named, self).value(x) * 2.0


class Below(Named):
    pass


class Bare(Base):
    def value(self, x: Any) -> Any:
        return super().value(x) * 2.0


def of_named(x: Any) -> Any:
    exec("")
    return Named().value(x)


def of_below(x: Any) -> Any:
    exec("")
    return Below().value(x)


def of_bare(x: Any) -> Any:
    exec("")
    return Bare().value(x)


@pytest.mark.parametrize("f", [of_named, of_below, of_bare])
def test_methods_of_bases_run_on_the_tape_too(f: Any) -> None:
    derivative = tg.grad(f)
    whole = TapedVariant(derivative, {}, tg.UnsupportedSyntax("for the test"))
    assert whole.call_with({"x": 1.5}) == derivative(1.5) == 6.0


def _by_cases(x: Any, k: int = 2) -> Any:
    return x**k if x > 0 else -x


VECTORIZED, WITH_OPTION = np.vectorize(_by_cases), np.vectorize(_by_cases, excluded=["k"])


def of_vectorized(x: Any) -> Any:
    exec("")
    return np.sum(VECTORIZED(x)) + np.sum(WITH_OPTION(x, k=3))


def test_vectorized_functions_from_outside() -> None:
    _check(of_vectorized, X)
