"""A user's module whose functions are replaced by derivatives, which the derivatives' own names then stand for."""
from __future__ import annotations

import functools

import numpy as np

import transgrad as tg


@tg.grad
def decorated(x):
    return np.sum(x ** 3)


@tg.vmap
@tg.grad
def twice(x):
    return x ** 4


@tg.grad(argnums=(0, 1), has_aux=True, fallback="error", optimize={"scalars": False})
def with_options(x, y):
    return np.sum(x * y), "aux"


@tg.compile
def factorial(x):
    return x if x < 2.0 else x * factorial(x - 1.0)


def logged(f):
    gradient = tg.grad(f)

    @functools.wraps(f)
    def wrapper(x):
        return gradient(x)
    wrapper.gradient = gradient
    return wrapper


@logged
def wrapped(x):
    return np.sum(np.sin(x))


class Model:
    def __init__(self, scale):
        self.scale = scale
        self.slope = tg.grad(self.loss)     # refers to the instance that it belongs to

    def loss(self, x):
        return self.scale * np.sum(x ** 2)

    @tg.grad
    def gradient(self, x):
        return self.scale * np.sum(x ** 2)

    @classmethod
    @tg.grad
    def of_class(cls, x):
        return 3.0 * np.sum(x ** 2)

    @staticmethod
    @tg.grad
    def static(x):
        return 3.0 * np.sum(x ** 2)


@tg.custom_vjp
def clipped(x):
    return np.clip(x, -1.0, 1.0)


@tg.checkpoint
def layer(x):
    return np.tanh(x)


def unsupported(x):
    return eval("x * 2.0")


@tg.primitive(example=(1.0,))
def opaque(x):
    return x ** 2


opaque.vjp = functools.partial(lambda g, y, x: 2.0 * x * g)
plain_opaque = tg.primitive(np.square, vjp=len, result=float, nondiff_argnums=(), linear=False)
linear = tg.primitive(abs, linear=True, result=float)
