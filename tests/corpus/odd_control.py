"""Odd programs around functions, classes and the flow of control."""
from __future__ import annotations

import contextlib
import functools
import math
import operator
from dataclasses import dataclass

import numpy as np

from .registry import case

X = np.array([0.6, 1.3, 0.8, 1.7])
TABLE = np.array([0.2, -0.4, 1.1, 0.9])
GAIN = 1.7


class Holder:
    def __init__(self, v):
        self.v = v
        self.count = 0
    def bump(self, s):
        self.v[0] += s
        self.count += 1
        return self


@case(args=(X,))
def alias_through_attribute(x):
    a = x.copy()
    h = Holder(a)
    h.bump(x[1]).bump(x[2] ** 2)
    return np.sum(a ** 2) * h.count


@case(args=(X,))
def closure_nonlocal(x):
    total = 0.0
    def add(v):
        nonlocal total
        total += v * v
        return total
    for t in x:
        add(t)
    return total * add(x[0])


@case(args=(X,))
def closure_counter_array(x):
    hist = np.zeros(4)
    def put(k, v):
        hist[k] += v
    for k in range(4):
        put((k * 2) % 4, x[k] ** 2)
    return np.sum(hist ** 2)


def fib(n, a):
    if n < 2:
        return a ** n
    return fib(n - 1, a) * 0.5 + fib(n - 2, a) * a


@case(args=(X,))
def recursion(x):
    return fib(5, x[0]) + fib(3, x[1])


def tree_sum(t):
    if isinstance(t, tuple):
        return tree_sum(t[0]) * tree_sum(t[1])
    return t + 1.0


@case(args=(X,))
def recursion_tree(x):
    return tree_sum((x[0], (x[1], (x[2], x[3]))))


@case(args=(X,))
def gen_in_calls(x):
    return max(t * t for t in x) + min(t for t in x if t > 0.7) + sum(a * b for a, b in zip(x, x[::-1]))


@case(args=(X,))
def try_finally(x):
    out = 0.0
    n = 0
    try:
        out = math.log(x[0] - 0.9)
    except ValueError:
        out = x[0] ** 3
    finally:
        n += 1
    return out * n * x[1]


@case(args=(X,))
def with_errstate(x):
    with np.errstate(divide="ignore"):
        y = x / (x - 5)
        y[0] *= 2
    return np.sum(y)


@case(args=(X,))
def match_shape(x):
    total = 0.0
    for k in range(4):
        match k:
            case 0:
                total += x[0]
            case 1 | 2:
                total *= x[k]
            case n if n > 2:
                total -= x[n] ** 2
    match (x[0], x[1]):
        case (a, b) if a > b:
            return total
        case (a, b):
            return total * a * b


@case(args=(X,))
def walrus(x):
    total = 0.0
    k = 0
    while (t := x[k] * 2) < 3.0 and k < 3:
        total += t ** 2
        k += 1
    return total + t + [y := x[0] ** 2, y * y][1]


@case(args=(X,))
def while_else(x):
    k = 0
    s = x[0]
    while s < 4.0:
        s = s * 1.5 + x[1]
        k += 1
        if k > 10:
            break
    else:
        s = s * x[2]
    return s


def star(a, *args, scale=2.0, **kw):
    out = a
    for k, v in enumerate(args):
        out += v * (k + 1)
    for v in kw.values():
        out *= v
    return out * scale


@case(args=(X,))
def star_args(x):
    parts = [x[1], x[2]]
    opts = {"scale": x[3]}
    return star(x[0], *parts, **opts) + star(x[0], extra=x[1])


@dataclass
class State:
    pos: np.ndarray
    vel: np.ndarray
    t: float = 0.0


@case(args=(X,))
def dataclass_state(x):
    s = State(x[:2].copy(), x[2:].copy())
    for _ in range(3):
        s = State(s.pos + 0.1 * s.vel, s.vel - 0.1 * np.sin(s.pos), s.t + 0.1)
    return np.sum(s.pos ** 2) + s.vel[0] * s.t


@case(args=(X,))
def dataclass_written(x):
    s = State(x[:2].copy(), x[2:].copy())
    for _ in range(3):
        s.pos = s.pos + 0.1 * s.vel
        s.vel = s.vel - 0.1 * np.sin(s.pos)
        s.t += 0.5
    return np.sum(s.pos ** 2) + s.vel[0] * s.t


@case(args=(X,))
def dataclass_inplace(x):
    s = State(x[:2].copy(), x[2:].copy())
    for _ in range(3):
        s.pos += 0.1 * s.vel
        s.vel[0] -= 0.1 * np.sin(s.pos[1])
    return np.sum(s.pos ** 2) + s.vel[0]


class Account:
    def __init__(self, rate):
        self.rate = rate
        self.balance = 0.0
        self.log = []
    def step(self, v):
        self.balance = self.balance * (1 + self.rate) + v
        self.log.append(self.balance)
        return self.balance
    @property
    def mean(self):
        return sum(self.log) / len(self.log)


@case(args=(X,))
def class_with_state(x):
    acc = Account(x[0] * 0.1)
    for t in x:
        acc.step(t)
    return acc.balance * acc.mean + acc.log[-2]


def kwonly(a, *, b, c=2.0):
    return a * b ** c


@case(args=(X,))
def kwonly_helper(x):
    return kwonly(x[0], b=x[1]) + kwonly(x[2], b=x[3], c=x[0])


@case(args=(X,))
def partial_reduce(x):
    f = functools.partial(kwonly, b=x[1], c=3.0)
    g = functools.reduce(lambda a, b: a * b + 1, x, 0.5)
    return f(x[0]) + g + functools.reduce(operator.add, map(f, [x[2], x[3]]))


@case(args=(X,))
def operator_module(x):
    get = operator.itemgetter(0, 2)
    a, b = get(x)
    return operator.mul(a, b) + operator.truediv(a, operator.neg(b)) + operator.pow(b, 2) + operator.attrgetter("T")(x)[1]


@case(args=(X,))
def chained_compare(x):
    if 0.5 < x[0] < x[1] <= 1.4 != x[2]:
        y = x[0] * x[1]
    else:
        y = x[2]
    return y if not x[0] > x[1] else -y


@case(args=(X,))
def cond_expr(x):
    a = x[0] if x[1] > 1 else x[2]
    b = (x[1] and x[2]) or x[3]
    c = None or x[0]
    return a * b * c * (1 if x[0] else x[1])


@case(args=(X,))
def del_assert_print(x):
    y = x * 2
    assert y[0] > 0, f"negative {y[0]}"
    z = y.sum()
    del y
    s = f"{z:.3f} {x.shape}"
    y = len(s) * 0 + z
    return y * x[0]


def dispatch(kind, t):
    table = {"sq": lambda v: v * v, "exp": np.exp, "lin": lambda v: 3 * v}
    return table[kind](t)


@case(args=(X,))
def string_dispatch(x):
    return sum(dispatch(k, t) for k, t in zip(["sq", "exp", "lin", "sq"], x))


@case(args=(X,))
def generator_function(x):
    def gen(v):
        acc = 0.0
        for t in v:
            acc += t
            yield acc * t
        yield acc
    return sum(gen(x)) + max(gen(x[:2]))


@contextlib.contextmanager
def scaled(v):
    yield v * 2.0


@case(args=(X,))
def context_manager(x):
    with scaled(x[0]) as y:
        z = y * x[1]
    return z


@case(args=(X,))
def exception_value(x):
    total = 0.0
    for k in range(6):
        try:
            total += x[k] ** 2
        except IndexError:
            total *= x[0]
            break
    return total


@case(args=(X,))
def ternary_arrays(x):
    a = x if x[0] > 0 else -x
    b = a.copy()
    b[0] = 3.0
    return np.sum(a * b)


@case(args=(X,))
def global_const(x):
    return np.sum(x * TABLE) * GAIN


@case(args=(X,))
def lambda_defaults(x):
    fs = [lambda t, k=k: t * k for k in range(4)]
    return sum(f(t) ** 2 for f, t in zip(fs, x))


@case(args=(X,))
def inplace_arg_helper(x):
    def scale(v, s):
        v *= s
        return v
    a = x.copy()
    b = scale(a, x[0])
    b[1] = 0.0
    return np.sum(a ** 2)


@case(args=(X,))
def with_view(x):
    u = x.copy()
    with np.errstate(all="ignore"):
        k = int(x[1])
        w = u[k:]
        w *= x[0]
        for j in range(2):
            with np.errstate(all="ignore"):
                z = w * 2 - x[j]
            w[0] += z[1]
    return np.sum(w * u[k:] * z)


@case(args=(X,))
def with_suppress(x):
    y = x[0]
    with contextlib.suppress(ValueError):
        y = math.log(x[0] - 5)
    return y * x[1]


@case(args=(X,))
def shadowed_twice(x):
    a = np.sum
    sum = lambda v: a(v) * 2
    return sum(x * x)
