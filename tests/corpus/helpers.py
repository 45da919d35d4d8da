"""Helpers, tables and classes that the corpus imports, as user code imports its own modules."""
from __future__ import annotations

import functools
from collections import namedtuple
from dataclasses import dataclass, field

import numpy as np

GAS_CONSTANT = 8.314
WEIGHTS = np.array([0.2, 0.5, 0.3, 0.1])
SIMPSON = (1.0, 4.0, 1.0)
TABLE = {"water": (1.0, 0.3), "oil": (0.8, 0.9)}

Point = namedtuple("Point", "x y")


def check_array(x, *, ndim=None, dtype=float):
    x = np.asarray(x, dtype=dtype)
    if ndim is not None and x.ndim != ndim:
        raise ValueError(f"expected {ndim} dimensions, got {x.ndim}")
    return x


def softmax(z, axis=-1):
    z = z - np.max(z, axis=axis, keepdims=True)
    e = np.exp(z)
    return e / np.sum(e, axis=axis, keepdims=True)


def rk4_step(f, y, t, h, *args):
    k1 = f(y, t, *args)
    k2 = f(y + 0.5 * h * k1, t + 0.5 * h, *args)
    k3 = f(y + 0.5 * h * k2, t + 0.5 * h, *args)
    k4 = f(y + h * k3, t + h, *args)
    return y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)


def is_even(n, x):
    return x if n == 0 else is_odd(n - 1, x * 0.9)


def is_odd(n, x):
    return x ** 2 if n == 0 else is_even(n - 1, x + 0.1)


def twice(f):
    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        return 2.0 * f(*args, **kwargs)
    return wrapper


def add_to(buffer, value):
    buffer += value
    return buffer


class Polynomial:
    """A polynomial, lowest power first."""

    def __init__(self, coeffs):
        self.coeffs = list(coeffs)

    def __call__(self, x):
        out = 0.0
        for c in reversed(self.coeffs):
            out = out * x + c
        return out

    def derivative(self):
        return Polynomial([k * c for k, c in enumerate(self.coeffs)][1:])

    @property
    def degree(self):
        return len(self.coeffs) - 1

    def __len__(self):
        return len(self.coeffs)

    def __getitem__(self, k):
        return self.coeffs[k]


class Vec:
    """A vector in the plane."""

    def __init__(self, x, y):
        self.x, self.y = x, y

    def __add__(self, other):
        return Vec(self.x + other.x, self.y + other.y)

    def __sub__(self, other):
        return Vec(self.x - other.x, self.y - other.y)

    def __mul__(self, other):
        if isinstance(other, Vec):
            return self.x * other.x + self.y * other.y
        return Vec(self.x * other, self.y * other)

    __rmul__ = __mul__

    def __neg__(self):
        return Vec(-self.x, -self.y)

    def __abs__(self):
        return (self * self) ** 0.5

    def __iter__(self):
        yield self.x
        yield self.y


@dataclass
class Spring:
    """A damped spring; its parameters may be differentiated."""

    k: float
    mass: float = 1.0
    damping: float = 0.1
    rest: float = field(default=0.0)

    def force(self, x, v):
        return -self.k * (x - self.rest) - self.damping * v

    @property
    def omega(self):
        return np.sqrt(self.k / self.mass)


class Model:
    """Something with state, as an estimator in a library."""

    scale = 2.0

    def __init__(self, order=2, ridge=0.1):
        self.order = order
        self.ridge = ridge
        self.history = []

    def features(self, x):
        return np.stack([x ** k for k in range(self.order + 1)], axis=1)

    def predict(self, w, x):
        return self.features(x) @ w

    def loss(self, w, x, y):
        r = self.predict(w, x) - y
        return np.mean(r ** 2) + self.penalty(w, self.ridge)

    @staticmethod
    def penalty(w, ridge):
        return ridge * np.sum(w ** 2)

    @classmethod
    def scaled(cls, v):
        return cls.scale * v


class Cubic(Model):
    """A model with its base's behaviour changed in part."""

    scale = 3.0

    def __init__(self):
        super().__init__(order=3, ridge=0.05)

    def penalty(self, w, ridge):
        return super().penalty(w[1:], ridge) + 0.1 * np.sum(np.abs(w))
