"""Numbers and arrays that are differentiated stay recorded in whatever a function on the tape does with them, or it is refused."""
from __future__ import annotations

import array
import copy
import math
import pickle
import struct
import warnings
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import transgrad as tg

ONE = "1.0"
CACHE = np.zeros(3)
PART = CACHE[:2]


@pytest.fixture(autouse=True)
def _quiet() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tg.TapeFallbackWarning)
        yield


def global_array(x):
    CACHE[0] = x * x
    return CACHE[0]


def filled(x):
    a = np.empty(2)
    a[0], a[1] = x, 2 * x
    a[:] = [x, a[1] * x]
    return float(a.sum())


def displays(x):
    return np.array([x, 2 * x, 1]).sum() * np.asarray([x, x * x]).prod() * np.sum([0.0, x, 0.0]) * np.array([[x, 1], [2, x]])[1, 1]


def lists_to_functions(x):
    return np.max([x, 0.1]) + np.dot([x, 1.0], [2.0, x]) + np.linalg.norm([x, 2.0]) + np.mean((x, 3.0)) + np.add.reduce([x, x])


def scalar_classes(x):
    return np.float64(x) * float(np.float32(2.0)) + float(x) + complex(x, 1).real + np.array([x]).item()


def math_functions(x):
    return math.sin(x) * math.fsum([x, 2 * x]) + max(x, 1.0) * abs(x) * pow(x, 2) * sum([x, x]) + divmod(x, 1.0)[1]


def vectorized(x):
    return np.vectorize(lambda t, k: t * t * k)(np.array([x, 2 * x]), 3.0).sum()


def out_arguments(x):
    a = np.empty(2)
    np.multiply(np.array([x, 1.0]), 3.0, out=a)
    np.add.at(a, [0, 0], x)
    a.put([1], [x * x])
    np.place(a, [True, False], [a[0] * x])
    return a.sum()


def from_iterables(x):
    return np.fromiter((x * k for k in range(3)), float).sum() + np.fromfunction(lambda i: i * x, (3,)).sum() + np.full((2,), x).sum()


def copied(x):
    a = np.array([x, 2 * x])
    b = copy.deepcopy(a)
    b[0] = 0.0
    return (a * b).sum() + copy.copy(a)[0]


def classes_asked_for(x):
    if not isinstance(x, float) or isinstance(x, np.ndarray) or type(x) is not float or not isinstance(float, type):
        return 100.0 * x
    a = np.zeros(2, np.float64)
    if not issubclass(a.dtype.type, np.floating) or a.dtype != np.float64 or not isinstance(a, np.ndarray):
        return 200.0 * x
    a[0] = x
    return a.astype(float)[0] + a.astype(np.float64)[0]


def as_a_key(x):
    table = {x: 3.0}
    return next(iter(table)) * table[x] * int(x) if x in table else 0.0


def overlapping_globals(x):
    CACHE[0] = x * x
    return PART[0]


@pytest.mark.parametrize("f", [global_array, overlapping_globals, filled, displays, lists_to_functions, scalar_classes, math_functions, vectorized,
                               out_arguments, from_iterables, copied, classes_asked_for, as_a_key], ids=lambda f: f.__name__)
def test_recorded(f: Any) -> None:
    def taped(x):
        return eval(ONE) * f(x)

    x, h = 1.3, 1e-6
    assert tg.grad(taped)(x) == pytest.approx((f(x + h) - f(x - h)) / (2 * h), rel=1e-6)
    assert tg.jvp(taped, (x,), (1.0,))[1] == pytest.approx((f(x + h) - f(x - h)) / (2 * h), rel=1e-6)


@pytest.mark.parametrize("f", [
    lambda x: float(f"{x}"), lambda x: float(str(x)), lambda x: np.float64(repr(x)),
    lambda x: struct.unpack("d", struct.pack("d", x))[0], lambda x: array.array("d", [x])[0],
    lambda x: np.frombuffer(np.array([x]).tobytes())[0], lambda x: np.array(memoryview(np.array([x])))[0],
    lambda x: pickle.loads(pickle.dumps(np.array([x])))[0], lambda x: float(Decimal(x)), lambda x: float(Fraction(x)),
    lambda x: np.frompyfunc(lambda t: t * t, 1, 1)(np.array([x, x])).sum(),
    lambda x: sum(v * v for v in np.nditer(np.array([x, x]))), lambda x: float.__mul__(x, x),
])
def test_refused(f: Any) -> None:
    def taped(x):
        return eval(ONE) * f(x)

    for derivative in (tg.grad(taped), lambda x: tg.jvp(taped, (x,), (1.0,)), tg.hessian(taped)):
        with pytest.raises((TypeError, struct.error, tg.TransgradError)):
            derivative(1.3)


def test_text_may_be_made() -> None:
    def f(x):
        return len(f"{x:.3f} and {x}") * 0.0 + eval(ONE) * x * x

    assert tg.grad(f)(1.5) == 3.0


def test_containers_are_changed_for_the_caller_too() -> None:
    def f(x, log, table):
        log.append(x)
        table["square"] = x * x
        table["rows"][0] = 3.0 * x
        return eval(ONE) * log[-1] * table["square"] * table["rows"][0]

    log, table = [], {"rows": [1.0]}
    assert tg.grad(f)(2.0, log, table) == 96.0
    assert log == [2.0] and table == {"rows": [6.0], "square": 4.0}

    def g(p):
        p["w"] = p["w"] * p["b"]
        p["l"].append(p["w"])
        return eval(ONE) * p["l"][-1] * p["w"]

    p = {"w": 2.0, "b": 3.0, "l": [1.0]}
    assert tg.grad(g)(p) == {"w": 36.0, "b": 24.0, "l": [0.0]}
    assert p == {"w": 6.0, "b": 3.0, "l": [1.0, 6.0]}


def test_the_refusal_says_why_the_tape_cannot_take_it() -> None:
    def f(x):
        return eval(ONE) * float(f"{x}")

    with pytest.raises(tg.UnsupportedCall, match="eval.*and the tape cannot take it: .*as a string"):
        tg.grad(f)(1.5)
