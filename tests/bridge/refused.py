"""Functions that the compiler refuses, of all sorts."""
from __future__ import annotations

import math

import numpy as np

ONE = "1.0"


def scalar(x):
    return math.sin(x) * eval(ONE) + x ** 2


def array(v):
    return np.sin(v) * eval(ONE)


def two(v, k=1.0):
    return v * eval(ONE), np.sum(v) * k


def named(v):
    return {"a": np.sum(v ** 2) * eval(ONE), "b": v * 2.0}


def nothing(v):
    eval(ONE)


def fills(buf, v):
    buf[1:] = v[1:] * v[:-1] * eval(ONE)


def adds(buf, v):
    buf[0] += v[0] * eval(ONE)
    return np.sum(buf * v)


def scales(buf, v):
    buf += v * eval(ONE) * buf


def view(v):
    eval(ONE)
    return v[1:]


def same(v):
    eval(ONE)
    return v


def _counter(k):
    while True:
        try:        # with a yield inside, it has no resume point
            got = yield k
        finally:
            k = k + 0
        k = k + (got if got is not None else 1)


def sends(x):
    numbers = _counter(x)
    next(numbers)
    return numbers.send(x * x) + next(numbers)


async def _square(x):
    return x * x


def awaits(x):
    running = _square(x)
    try:
        running.send(None)
    except StopIteration as end:
        return end.value


LOG = []


def logs(x):
    LOG.append(x * 2.0)
    return x * eval(ONE)


def raises(x):
    if x > 0.45:
        raise ValueError("big")
    return x * eval("3.0")


def sometimes(x):
    return 0 if x < 0.25 else x * eval(ONE)


def recursive(x, n):
    return x * eval(ONE) if n == 0 else recursive(x * x, n - 1) + x


def keywords(x, *, scale, shift=0.0):
    return x * scale * eval(ONE) + shift


def pair(p):
    return p[0] * p[1] * eval(ONE)


def parameters(p):
    return np.sum(p["w"] * p["b"]) * eval(ONE)


def applies(f, x):
    return f(x) * eval(ONE)


def product(a, v):
    return a @ v * eval(ONE)


def whole_part(x):
    return int(x * 10.2), x * eval(ONE)


def mask(v):
    return v > eval("0.25")


def order(v):
    return np.argsort(v * eval(ONE))


def each(v):
    return tuple(t * eval(ONE) for t in v)


def single(v):
    return (v * eval(ONE)).astype(np.float32)


TABLE = np.array([1.0, 2.0, 3.0])


def table(v):
    eval(ONE)
    return TABLE


def imaginary(v):
    return v * 1j * eval(ONE)


def _closure(k):
    def inner(t):
        return t * k * eval(ONE)
    return inner


tripled = _closure(3.0)


class Model:
    def __init__(self, w):
        self.w = w
        self.n = 0

    def step(self, x):
        self.n += 1
        return x * self.w * eval(ONE)


MODEL = Model(2.0)
