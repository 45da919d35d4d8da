"""Functions: helpers in other modules, recursion, closures, defaults, functools, operator, functions as values."""
from __future__ import annotations

import functools
import math
import operator
from functools import reduce
from math import exp, sqrt

import numpy as np
from numpy import sin

from . import helpers
from .helpers import GAS_CONSTANT, WEIGHTS, check_array, rk4_step, softmax
from .registry import case

X = np.array([0.5, -0.3, 1.2, 0.9])


@case(args=(X,))
def helper_in_another_module(z):
    z = check_array(z, ndim=1)
    p = softmax(z)
    return -np.sum(np.log(p) * WEIGHTS)


def oscillator(y, t, k, c):
    return np.array([y[1], -k * y[0] - c * y[1] + np.cos(t)])


@case(args=(np.array([1.0, 0.0]), 2.0, 0.3), wrt=(0, 1, 2))
def function_as_argument(y, k, c):
    t, h = 0.0, 0.1
    for _ in range(6):
        y = rk4_step(oscillator, y, t, h, k, c)
        t += h
    return np.sum(y ** 2)


@case(args=(1.3, 6))
def recursion(x, n):
    if n == 0:
        return 1.0
    half = recursion(x, n // 2)
    return half * half * x if n % 2 else half * half


@case(args=(0.7, 5), name="mutual_recursion_5")
def mutual_recursion(x, n):
    return helpers.is_even(n, x) * x


@case(args=(0.4, 1.2), wrt=(0, 1))
def closures(a, b):
    def line(x):
        return a * x + b

    def integrate(f, n=8):
        return sum(f(k / n) ** 2 for k in range(n)) / n
    return integrate(line) + integrate(lambda t: line(t) * t, n=4)


@case(args=(0.9,))
def nonlocal_counter(x):
    calls = 0
    best = x

    def f(v):
        nonlocal calls, best
        calls += 1
        best = best * v + calls
        return v * v
    y = f(x) + f(2.0 * x)
    return y * calls + best


@case(args=(0.9, 0.3), wrt=(0, 1))
def returned_closure(x, rate):
    def make(power):
        def g(v):
            return rate * v ** power
        return g
    cube, square = make(3), make(2)
    return cube(x) * square(x + 1.0)


@case(args=(2.0,), name="defaults_used")
@case(args=(2.0,), kwargs={"scale": 0.5, "order": 3}, name="defaults_given")
def defaults(x, offset=1.0, *, scale=2.0, order=2):
    return scale * (x + offset) ** order


@case(args=(0.2, 0.5, -0.7), wrt=(0, 1, 2), name="varargs_three")
@case(args=(0.2,), name="varargs_one")
def varargs(first, *rest, **options):
    total = first * options.get("gain", 1.5)
    for k, r in enumerate(rest):
        total += r ** (k + 2)
    return total * len(rest) + first


@case(args=(1.1, 0.4), wrt=(0, 1), kwargs={"gain": 2.0})
def keyword_dict(a, b, **params):
    def inner(x, gain=1.0, bias=0.0):
        return gain * x + bias
    params.setdefault("bias", b)
    return inner(a, **params) ** 2


@case(args=(X,))
def functools_and_operator(x):
    scaled = functools.partial(operator.mul, 3.0)
    total = reduce(operator.add, map(scaled, x))
    prod = reduce(lambda p, v: p * (1.0 + v), x, 1.0)
    return total * prod + operator.itemgetter(2)(x)


@case(args=(X,))
def map_filter_sorted(x):
    pos = list(filter(lambda v: v > 0, x))
    sq = list(map(lambda v: v * v, pos))
    ordered = sorted(sq)
    return ordered[0] * ordered[-1] + sum(sq) + min(sq) * max(pos)


@case(args=(0.6,))
def names_imported_singly(x):
    return sin(x) * sqrt(x) + exp(-x) * math.pi + math.hypot(x, 2.0) + math.atan2(x, 1.5)


@case(args=(300.0, 2.0), wrt=(0, 1), step=1e-2)
def module_constants(temperature, energy):
    k = np.exp(-energy * 1000 / (GAS_CONSTANT * temperature))
    rho, mu = helpers.TABLE["oil"]
    return k * rho / mu + sum(w * energy for w in helpers.SIMPSON)


@case(args=(0.8,))
@helpers.twice
def decorated_with_wrapper(x):
    return x ** 2 * np.sin(x)


@case(args=(1.2,))
@functools.lru_cache(maxsize=None)
def cached(x):
    return x ** 3


@case(args=(X, 0.3), wrt=(0, 1))
def helper_writes_into_argument(x, c):
    buf = x.copy()
    helpers.add_to(buf, c * x[0])
    out = helpers.add_to(buf, x)
    return np.sum(out * buf)


@case(args=(0.5, 2.0), wrt=(0, 1))
def table_of_functions(x, y):
    ops = {"add": lambda a, b: a + b, "mul": operator.mul, "pow": pow, "hyp": math.hypot}
    total = 0.0
    for name in ("add", "mul", "pow"):
        total += ops[name](x, y)
    for f in (np.sin, np.cos, math.exp):
        total *= f(x)
    return total + ops["hyp"](x, y)


@case(args=(0.4,))
def compose(x):
    def chain(*fs):
        def run(v):
            for f in fs:
                v = f(v)
            return v
        return run
    return chain(np.exp, lambda v: v * v, np.log1p)(x)


@case(args=(0.0, 1.3), wrt=(0, 1))
def adaptive_quadrature(a, b):
    def f(t):
        return np.exp(-t * t)

    def simpson(lo, hi):
        return (hi - lo) / 6.0 * (f(lo) + 4.0 * f(0.5 * (lo + hi)) + f(hi))

    def adapt(lo, hi, whole, eps):
        mid = 0.5 * (lo + hi)
        left, right = simpson(lo, mid), simpson(mid, hi)
        if abs(left + right - whole) < 15 * eps:
            return left + right + (left + right - whole) / 15
        return adapt(lo, mid, left, eps / 2) + adapt(mid, hi, right, eps / 2)
    return adapt(a, b, simpson(a, b), 1e-4)


@case(args=(0.7,))
def lambda_defaults_in_loop(x):
    fs = [lambda v, k=k: v ** k for k in range(1, 4)]
    return sum(f(x) for f in fs)


@case(args=(2.5, 1.7), wrt=(0, 1))
def numbers_converted(x, y):
    a = float(x) * int(y)
    b = abs(-x) ** round(y) + divmod(x, y)[1]
    return a + b + float(np.float64(x) * y)
