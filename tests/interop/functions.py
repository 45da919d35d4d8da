"""Thirty NumPy functions as a user writes them, with arguments; the frameworks' tests wrap each.

Most run on ``jax.numpy`` as they are, which makes the reference; those that write in place have a functional twin.
"""
from __future__ import annotations

import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

rng = np.random.default_rng(7)
_A = rng.normal(size=(3, 3)) + 3.0 * np.eye(3)


@dataclass
class Case:
    """A function, its arguments, and a functional twin where it writes in place."""

    f: Callable[..., Any]
    args: tuple[Any, ...]
    twin: Callable[..., Any] | None = None

    def on(self, namespace: Any) -> Callable[..., Any]:
        """Return the function with another library in place of NumPy."""
        f = self.twin or self.f
        return types.FunctionType(f.__code__, {**globals(), "np": namespace}, f.__name__, f.__defaults__, f.__closure__)


CASES: dict[str, Case] = {}


def case(*args: Any, twin: Callable[..., Any] | None = None) -> Callable[..., Any]:
    def add(f: Callable[..., Any]) -> Callable[..., Any]:
        CASES[f.__name__] = Case(f, args, twin)
        return f
    return add


def x(*shape: int) -> Any:
    return rng.uniform(0.3, 1.7, size=shape)


@case(x(4))
def cube_sum(x):
    return np.sum(x ** 3)


@case(x(4), x(4))
def products(x, y):
    return x * y + np.sin(x)


@case(x(3, 4), x(4))
def affine(w, x):
    return np.tanh(w @ x)


@case(x(3, 2), x(2, 3))
def matrix_chain(a, b):
    return np.trace(a @ b @ a @ b)


@case(_A, x(3))
def solve(a, b):
    return np.linalg.solve(a, b)


@case(_A)
def log_determinant(a):
    return np.linalg.slogdet(a @ a.T)[1]


@case(x(3, 4))
def softmax(x):
    e = np.exp(x - np.max(x, axis=1, keepdims=True))
    return e / np.sum(e, axis=1, keepdims=True)


@case(x(5))
def log_sum_exp(x):
    return np.log(np.sum(np.exp(x)))


@case(x(4), x(4))
def two_results(x, y):
    return np.sum(x * y), x / y


@case(x(4))
def dict_result(x):
    return {"mean": np.mean(x), "centered": x - np.mean(x)}


@case({"w": x(2, 3), "b": x(2)}, x(3))
def dict_argument(p, x):
    return np.sum(np.cos(p["w"] @ x + p["b"]))


@case([x(2), x(3)], x())
def list_argument(xs, k):
    return k * np.sum(xs[0]) * np.prod(xs[1])


@case(x())
def scalar(x):
    return x * np.exp(-x)


@case(x(), x(3))
def polynomial(t, c):
    return c[0] + c[1] * t + c[2] * t ** 2


@case(x(6))
def slices(x):
    return x[1:] * x[:-1] - x[::-1][:5]


@case(x(2, 3))
def transposes(x):
    return x.T.reshape(-1) * np.arange(6.0)


@case(x(3, 2))
def outer_sums(x):
    return np.einsum("ij,kj->ik", x, x)


@case(x(4))
def loop(x):
    y = x
    for _ in range(3):
        y = y + 0.1 * np.sin(y) * x
    return np.sum(y)


@case(x(4))
def piecewise(x):
    return np.where(x > 1.0, x ** 2, 2.0 * x - 1.0)


@case(x(4))
def branch(x):
    if x.shape[0] > 2:
        return np.sum(np.sqrt(x))
    return np.sum(x)


@case(x(5))
def cumulative(x):
    return np.cumsum(x) * x


@case(x(4), x(4))
def stacked(a, b):
    return np.concatenate([a * b, np.stack([a, b]).sum(axis=0)])


@case(x(3))
def norms(x):
    return np.linalg.norm(x) + np.abs(x[0])


@case(x(4), x(3))
def outer(a, b):
    return np.outer(a, b)


@case(x(5))
def moments(x):
    return np.var(x) + np.std(x)


@case(x(3, 3))
def inverse(a):
    return np.linalg.inv(a + 3.0 * np.eye(3))


def _decay(x):
    y = [x[0]]
    for k in range(1, 5):
        y.append(0.5 * y[k - 1] + x[k] ** 2)
    return np.stack(y)


@case(x(5), twin=_decay)
def in_place_recurrence(x):
    y = np.zeros(5)
    y[0] = x[0]
    for k in range(1, 5):
        y[k] = 0.5 * y[k - 1] + x[k] ** 2
    return y


def _scaled(x):
    return np.stack([x[0] ** 2, x[1] ** 2, x[2] * 3.0])


@case(x(3), twin=_scaled)
def in_place_copy(x):
    y = x.copy()
    y[:2] *= x[:2]
    y[2] *= 3.0
    return y


def _step(x, v):
    return x + 0.1 * (v - 0.1 * np.sin(x)), v - 0.1 * np.sin(x)


@case(x(3), x(3), twin=_step)
def pendulum(x, v):
    out = v.copy()
    out -= 0.1 * np.sin(x)
    return x + 0.1 * out, out


@case(x(2, 4))
def distances(x):
    d = x[:, :, None] - x[:, None, :]
    return np.sum(np.exp(-np.sum(d ** 2, axis=0)))
