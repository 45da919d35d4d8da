"""Classes: methods, attributes, properties, operators, dataclasses; instances passed in and made inside."""
from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from .helpers import Cubic, Model, Point, Polynomial, Spring, Vec
from .registry import case

T = np.linspace(-1.0, 1.0, 5)
Y = np.array([0.2, -0.1, 0.4, 0.9, 1.5])


@case(args=(np.array([0.1, -0.4, 0.3]), T, Y, Model()))
def instance_passed_in(w, x, y, model):
    return model.loss(w, x, y)


@case(args=(np.array([0.1, -0.4, 0.3, 0.2]), T, Y))
def inherited(w, x, y):
    model = Cubic()
    return model.loss(w, x, y) * Cubic.scaled(1.5) + model.penalty(w, 0.1)


case(args=(np.array([0.1, -0.4, 0.3]), T, Y), name="bound_method")(Model(ridge=0.3).loss)
case(args=(0.7,), name="callable_instance")(Polynomial([1.0, -2.0, 0.5]).__call__)


@case(args=([1.0, -0.5, 0.25], 0.8), wrt=(0, 1))
def polynomial_object(coeffs, x):
    p = Polynomial(coeffs)
    dp = p.derivative()
    return p(x) * dp(x) + p.degree * x + len(p) * p[0]


@case(args=(0.3, 1.1), wrt=(0, 1))
def operator_overloads(a, b):
    u, v = Vec(a, b), Vec(b, 1.0)
    w = 2.0 * u + v * a - (-v)
    x, y = w
    return u * v + abs(w) + x * y


@case(args=(Spring(2.0, damping=0.2), 1.0), wrt=(0, 1))
def dataclass_differentiated(spring, x):
    v = 0.0
    for _ in range(4):
        v = v + 0.1 * spring.force(x, v) / spring.mass
        x = x + 0.1 * v
    return x ** 2 + spring.omega


@case(args=(1.5, 0.2), wrt=(0, 1))
def dataclass_made_inside(k, c):
    s = Spring(k, damping=c)
    stiff = replace(s, k=k * 2.0)
    return s.force(1.0, 0.5) * stiff.omega + stiff.damping


@case(args=(Point(0.6, -1.2),))
def named_tuple(p):
    q = p._replace(x=p.y * 2.0)
    x, y = q
    return p.x * q.y + x ** 2 + Point(x=y, y=1.0).x


class _Step(NamedTuple):
    value: float
    slope: float = 1.0


@case(args=(0.6,))
def typed_named_tuple(x):
    s = _Step(x)
    for _ in range(3):
        s = _Step(s.value * np.cos(s.slope), s.slope + s.value)
    return s.value * s.slope


@case(args=(np.array([0.4, 0.9, 0.1]), 0.5), wrt=(0, 1))
def accumulator_object(x, decay):
    class Average:
        def __init__(self):
            self.total = 0.0
            self.weight = 0.0

        def add(self, v):
            self.total = decay * self.total + v
            self.weight += 1.0
            return self

        @property
        def value(self):
            return self.total / self.weight

    avg = Average()
    for v in x:
        avg.add(v)
    return avg.add(x[0] ** 2).value


class Simulation:
    """A body on a spring, stepped in place."""

    dt = 0.05

    def __init__(self, stiffness):
        self.stiffness = stiffness
        self.x = np.zeros(2)
        self.steps = 0

    def step(self):
        self.x[1] -= self.dt * self.stiffness * self.x[0]
        self.x[0] += self.dt * self.x[1]
        self.steps += 1

    def run(self, start, n):
        self.x[0] = start
        while self.steps < n:
            self.step()
        return self.energy

    @property
    def energy(self):
        return 0.5 * self.x[1] ** 2 + 0.5 * self.stiffness * self.x[0] ** 2 + self.x[0]


@case(args=(2.0, 0.7), wrt=(0, 1))
def simulation_made_inside(k, x0):
    return Simulation(k).run(x0, 6)


class Adam:
    """The optimiser, as in any deep-learning course."""

    def __init__(self, lr=0.1, beta1=0.9, beta2=0.99):
        self.lr, self.beta1, self.beta2 = lr, beta1, beta2
        self.m = self.v = None
        self.t = 0

    def update(self, w, g):
        if self.m is None:
            self.m, self.v = np.zeros_like(w), np.zeros_like(w)
        self.t += 1
        self.m = self.beta1 * self.m + (1 - self.beta1) * g
        self.v = self.beta2 * self.v + (1 - self.beta2) * g ** 2
        m_hat = self.m / (1 - self.beta1 ** self.t)
        v_hat = self.v / (1 - self.beta2 ** self.t)
        return w - self.lr * m_hat / (np.sqrt(v_hat) + 1e-8)


@case(args=(np.array([0.8, -0.5]),))
def optimiser_unrolled(w):
    opt = Adam()
    for _ in range(3):
        w = opt.update(w, 2.0 * w + 0.3)
    return np.sum(w ** 2)


class Layer:
    """A dense layer with a cache of its last activation."""

    def __init__(self, w, b):
        self.w, self.b = w, b
        self.cache = None

    def __call__(self, x):
        self.cache = np.tanh(x @ self.w + self.b)
        return self.cache


class Net:
    """Layers in a list."""

    def __init__(self, *layers):
        self.layers = list(layers)

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


@case(args=(np.array([[0.3, -0.2], [0.5, 0.7]]), np.array([0.1, -0.3])), wrt=(0, 1))
def network_of_objects(w, b):
    first, second = Layer(w, b), Layer(w.T, 2.0 * b)
    net = Net(first, second)
    y = net(np.array([[1.0, -1.0], [0.5, 2.0]]))
    return np.sum(y ** 2) + np.sum(first.cache)


class Unit:
    """Static and class methods, class attributes, __slots__."""

    __slots__ = ("value",)
    registry = {"m": 1.0, "km": 1000.0}

    def __init__(self, value):
        self.value = value

    @classmethod
    def of(cls, value, name):
        return cls(value * cls.registry[name])

    @staticmethod
    def square(v):
        return v * v

    def __lt__(self, other):
        return self.value < other.value

    def __eq__(self, other):
        return self.value == other.value

    __hash__ = None


@case(args=(0.7,))
def static_and_class_methods(x):
    a, b = Unit.of(x, "m"), Unit.of(0.001 * x, "km")
    b.value += 0.5
    smaller = a if a < b else b
    return Unit.square(smaller.value) * b.value


@dataclass(frozen=True)
class Params:
    """Nested and frozen."""

    rates: np.ndarray
    start: Point
    label: str = "run"


@case(args=(Params(np.array([0.5, 0.2]), Point(1.0, 0.5)),))
def nested_dataclass(p):
    x, y = p.start
    for r in p.rates:
        x, y = x + r * y, y - r * x
    return x * y if p.label == "run" else x


class Shared:
    """A mutable object that is passed in, read, and left as the primal leaves it."""

    def __init__(self):
        self.offset = 1.5
        self.calls = 0


@case(args=(0.4, Shared()))
def attribute_of_passed_object(x, shared):
    shared.calls += 1
    return x * shared.offset ** 2 + shared.calls * x ** 2


@case(args=(1.7,))
def getattr_by_name(x):
    p = Spring(x)
    total = 0.0
    for name in ("k", "mass"):
        total += getattr(p, name) * x
    p.rest = x ** 2
    if hasattr(p, "absent"):
        return 0.0
    setattr(p, "damping", total)
    return total + p.force(1.0, 2.0)
