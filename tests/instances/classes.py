"""Classes of one model, written in the ways that Python offers: plain, with slots, inherited, as a dataclass, with attrs."""
from __future__ import annotations

import dataclasses

import numpy as np

try:
    import attrs
except ModuleNotFoundError:
    attrs = None


class Methods:
    """What all of them can do."""

    __slots__ = ()

    @property
    def twice(self):
        return 2 * self.b

    @property
    def shift(self):
        return self.b

    @shift.setter
    def shift(self, value):
        self.b = value + 1.0

    def __call__(self, x):
        return np.sum(self.w * x) + self.b

    def step(self):
        self.b = self.b * self.w[0]
        self.w = self.w * 2

    def in_place(self):
        self.w[0] = 3 * self.b
        self.w *= 1.5
        return np.sum(self.w ** 2)


class Plain(Methods):
    def __init__(self, w, b, n=3, name="model"):
        if b < -100:
            raise ValueError("an initializer that must not run on gradients")
        self.w, self.b, self.n, self.name = w, b, n, name
        self.other = None


class Slots(Methods):
    __slots__ = ("b", "n", "name", "other", "w")

    def __init__(self, w, b, n=3, name="model"):
        self.w, self.b, self.n, self.name, self.other = w, b, n, name, None


class Inherited(Plain):
    def __init__(self, *args):
        super().__init__(*args)
        self.extra = [1.0, np.array([0.5, 0.25])]

    def __call__(self, x):
        return super().__call__(x) + self.extra[0] * np.sum(self.extra[1] ** 2)


@dataclasses.dataclass
class Data(Methods):
    w: np.ndarray
    b: float
    n: int = 3
    name: str = "model"
    other: object = None


CLASSES = [Plain, Slots, Inherited, Data]

if attrs is not None:
    @attrs.define
    class Attrs(Methods):
        w: np.ndarray
        b: float = attrs.field(validator=attrs.validators.instance_of(float))
        n: int = 3
        name: str = "model"
        other: object = None

    CLASSES.append(Attrs)


class Layer:
    def __init__(self, w, b, act):
        self.w, self.b, self.act = w, b, act

    def __call__(self, x):
        return self.act(self.w @ x + self.b)


class Net:
    """A model with a list of layers, a table, a flag, a generator and a complex number."""

    def __init__(self):
        r = np.random.default_rng(0)
        self.layers = [Layer(r.normal(size=(3, 2)), r.normal(size=3), np.tanh), Layer(r.normal(size=(2, 3)), r.normal(size=2), np.sin)]
        self.table = {"a": 1.5, "b": np.array([1.0, 2.0])}
        self.pair = (0.5, "x")
        self.rng, self.flag, self.counts = r, True, np.arange(3)
        self.calls = 0

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        if self.flag:
            x = x * self.pair[0]
        return np.sum(x * self.table["b"]) * self.table["a"]


class Particle:
    def __init__(self, x, v, mass=1.0):
        self.x, self.v, self.mass = x, v, mass

    def push(self, force, dt):
        self.v += dt * force / self.mass
        self.x += dt * self.v


class System:
    """Objects in a list that change."""

    def __init__(self):
        self.stiffness, self.dt = 1.5, 0.1
        self.particles = [Particle(0.8 * k, 0.1 * k, 1.0 + k) for k in range(3)]

    def step(self):
        for a, b in zip(self.particles, self.particles[1:]):
            force = self.stiffness * (b.x - a.x - 1.0)
            a.push(force, self.dt)
            b.push(-force, self.dt)

    def energy(self):
        return sum(0.5 * p.mass * p.v ** 2 for p in self.particles)
