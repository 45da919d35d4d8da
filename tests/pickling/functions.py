"""Forty functions of one argument that return one number, as a user's module defines them."""
from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import transgrad as tg

RATE, TABLE = 0.3, np.array([0.5, -1.0, 2.0])
FUNCTIONS: dict[str, tuple[Callable[..., Any], Any]] = {}
X, POSITIVE = np.array([0.3, 1.2, -0.7]), np.array([0.3, 1.2, 0.7])


class Pair(NamedTuple):
    left: Any
    right: Any


@dataclasses.dataclass
class State:
    place: Any
    speed: Any


class Model:
    """A model with a parameter, whose methods are functions to differentiate."""

    def __init__(self, scale: float):
        self.scale = scale

    def loss(self, x):
        return self.scale * np.sum(x ** 3)

    def __call__(self, x):
        return np.sum(np.exp(self.scale * x))


class Shifted(Model):
    def loss(self, x):
        return 7.0 * np.sum(x)

    @property
    def inherited(self):
        """A bound method that ``getattr(self, "loss")`` does not find."""
        return super().loss


def function(argument):
    def add(f):
        FUNCTIONS[f.__name__] = f, argument
        return f
    return add


def helper(a, b=2.0):
    if a > 0:
        return np.tanh(a) * b
    return a * b


@tg.custom_vjp
def clipped(x):
    return np.clip(x, -1.0, 1.0)


def clipped_forward(x):
    return np.clip(x, -1.0, 1.0), x


def clipped_backward(x, g):
    return np.where(np.abs(x) < 2.0, g, 0.0),


clipped.defvjp(clipped_forward, clipped_backward)


@tg.custom_jvp
def softplus(x):
    return np.log1p(np.exp(x))


@softplus.defjvp
def softplus_tangent(primals, tangents):
    x, = primals
    x_dot, = tangents
    return softplus(x), x_dot / (1.0 + np.exp(-x))


@tg.checkpoint
def layer(x):
    return np.tanh(x) * x


@function(X)
def squares(x): return np.sum(x ** 2)


@function(X)
def sines(x): return np.sum(np.sin(x) * x)


@function(X)
def product(x): return np.prod(x)


@function(X)
def quadratic(x): return x @ np.outer(TABLE, TABLE) @ x


@function(X)
def globals_and_helper(x): return helper(x[0]) * RATE + helper(x[1], 3.0)


@function(X)
def loop(x):
    s = 0.0
    for k in range(len(x)):
        s = s * 0.5 + x[k] ** 2
    return s


@function(X)
def while_loop(x):
    s, k = x[0], 0
    while k < 3:
        s, k = s * x[1] + x[2], k + 1
    return s


@function(X)
def branches(x): return np.sum(np.where(x > 0, x ** 2, -x))


@function(X)
def in_place(x):
    y = np.zeros(3)
    y[1:] = x[:-1] ** 2
    y[0] += x[2]
    return np.sum(y * TABLE)


@function(X)
def comprehension(x): return sum([np.sin(v) * k for k, v in enumerate(x)])


@function(X)
def norm(x): return np.linalg.norm(x - 2.0)


@function(X)
def solve(x): return np.sum(np.linalg.solve(np.diag(x ** 2 + 1.0) + 0.1, TABLE))


@function(X)
def log_sum_exp(x): return np.log(np.sum(np.exp(x)))


@function(POSITIVE)
def entropy(x): return -np.sum(x * np.log(x))


@function(X)
def slices(x): return np.sum((x[1:] - x[:-1]) ** 2)


@function(X)
def indexed(x): return np.sum(x[np.array([0, 2, 2])] * TABLE)


@function(X)
def einsum(x): return np.einsum("i,ij,j->", x, np.ones((3, 3)), x)


@function(X)
def cumulative(x): return np.sum(np.cumsum(x) ** 2)


@function(X)
def reshaped(x): return np.sum(np.stack([x, x ** 2]).T.reshape(-1)[::2] ** 3)


@function(X)
def calls_custom_vjp(x): return np.sum(clipped(2.0 * x))


@function(X)
def calls_custom_jvp(x): return np.sum(softplus(x))


@function(X)
def calls_checkpoint(x): return np.sum(layer(layer(x)))


@function(0.7)
def scalar(x): return math.sin(x) * x ** 2


@function(0.7)
def recursive(x): return x if abs(x) > 5.0 else recursive(x * 2.0) + x


@function(0.7)
def newton(x):
    y = 1.0
    for _ in range(6):
        y = 0.5 * (y + x / y)
    return y


@function(1.5)
def try_except(x):
    try:
        return math.log(x - 1.0)
    except ValueError:
        return x


@function(X)
def closure(x):
    def inner(v):
        return v * x[0]
    return inner(x[1]) + inner(x[2])


@function(X)
def lambdas(x): return functools.reduce(lambda a, b: a * b + 1.0, [x[0], x[1], x[2]])


@function(X.astype(np.float32))
def single_precision(x): return np.sum(np.cos(x))


@function(np.outer(X, X) + np.eye(3))
def determinant(x): return np.linalg.slogdet(x @ x.T + np.eye(3))[1]


@function(np.outer(X, X) + np.eye(3))
def matrix(x): return np.trace(x @ x) + np.sum(x.T * x)


@function({"w": X, "b": 0.5})
def dictionary(x): return np.sum((x["w"] * TABLE + x["b"]) ** 2)


@function([X, 2.0])
def listed(x): return x[1] * np.sum(x[0] ** 2)


@function((X, (2.0, X)))
def nested(x): return np.dot(x[0], x[1][1]) * x[1][0]


@function(Pair(X, 0.5))
def named_tuple(x): return np.sum(x.left) * x.right ** 2


@function(State(X, 0.5 * X))
def dataclass(x): return np.sum(x.place ** 2 + x.speed * x.place)


FUNCTIONS["method"] = Model(2.0).loss, X
FUNCTIONS["inherited_method"] = Shifted(2.0).inherited, X
FUNCTIONS["instance"] = Model(0.5), X
FUNCTIONS["partial"] = functools.partial(helper, b=4.0), 0.7
