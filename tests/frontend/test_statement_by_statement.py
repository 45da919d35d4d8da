"""Try clauses whose statements are lowered one by one, and calls in A-normal form: values and derivatives beside Python and differences."""
from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import transgrad as tg


class Bad(Exception):
    def __init__(self, v):
        self.v = v


class Worse(Bad):
    pass


def small(v):
    if v > 1:
        raise Bad(v * 2)
    return math.sqrt(1 - v * v)


class Box:
    def __init__(self, v):
        self.v, self.n, self.log = v, 0, []

    def go(self, x):
        self.n += 1
        self.v *= x
        self.v = math.log(self.v - 0.7)
        self.v += 1


class Doubling:
    def __init__(self, box):
        self.box = box

    def __enter__(self):
        self.old = self.box.v
        return self.box

    def __exit__(self, kind, error, trace):
        if kind is not None and issubclass(kind, Bad):
            self.box.v = self.old + error.v
            return True
        self.box.v *= 2
        return False


def carried_by_the_exception(x):
    t = 0.0
    try:
        t += small(x)
        t += small(x * 3)
    except Bad as e:
        t += e.v ** 2
    return t


def appended_in_the_clause(x):
    values = []
    for k in range(4):
        try:
            values.append(math.sqrt(1 - x * k))
        except ValueError:
            values.append(x * k)
    return sum(values)


def two_calls_in_a_statement(x):
    try:
        y = small(x) + small(2 * x) * small(3 * x)
    except Bad as e:
        y = e.v
    return y * x


def attributes_of_the_interrupted_method(x):
    box = Box(2.0)
    for _ in range(4):
        try:
            box.go(x)
        except ValueError:
            box.v = box.v + 1
    return box.v + box.n * x


def loop_in_the_clause(x):
    out = np.zeros(4)
    try:
        for k in range(4):
            out[k] = math.log(2 - x * k)
    except ValueError:
        out[3] = x
    return float(np.sum(out * out))


def call_in_a_condition(x):
    t = x
    try:
        if small(x * 1.1) > 0.1:
            t += 1.0
            t *= small(5 * x)
    except Bad:
        t *= x
    return t


def raised_again(x):
    t = 1.0
    try:
        try:
            t *= x
            small(3 * x)
        except Bad:
            t *= x
            raise
    except Bad as e:
        t += e.v
    return t


def finally_changes_attributes(x):
    box = Box(x)
    for k in range(3):
        try:
            box.v += small(x * (k + 0.5))
        except Bad as e:
            box.v -= e.v
        finally:
            box.v *= 1.5
            box.log.append(box.v)
    return box.v + sum(box.log)


def context_manager_swallows(x):
    box = Box(x)
    for k in range(3):
        with Doubling(box) as b:
            b.v *= 3
            b.v += small(x * (k + 0.5))
            b.v *= x
    return box.v


def base_class_is_caught(x):
    box, t = Box(x), 0.0
    try:
        for k in range(4):
            try:
                box.v *= x + k
                if k == 2:
                    raise Worse(box.v)
                t += math.log(box.v)
            finally:
                t += box.v
                box.v += 1
    except Bad as e:
        t += e.v
    return t


def _with_finally(box, x):
    try:
        box.v *= 2
        return small(x * 1.2)
    finally:
        box.v += x


def through_a_finally_clause(x):
    box, t = Box(x), 0.0
    for k in range(3):
        try:
            t += _with_finally(box, x * (k + 0.5))
        except Bad as e:
            t += e.v
            break
    return t * box.v


def nonlocal_in_finally(x):
    t = x

    def f(k):
        nonlocal t
        try:
            if k == 1:
                return t * 2
            if k == 2:
                raise ValueError(t * 3)
            t = t * x
        finally:
            t = t + k
        return t
    s = 0.0
    for k in range(3):
        try:
            s += f(k)
        except ValueError as e:
            s += e.args[0]
    return s * t


def array_written_between(x):
    a = np.array([x, 2 * x, 3 * x])
    try:
        a[0] = 2 * a[1]
        a[1] = math.sqrt(1 - a[2])
        a[2] = 5.0
    except ValueError:
        a[1] *= a[0]
    finally:
        a *= x
    return float(a.sum())


def keys_that_are_missing(x):
    d = {"a": x}
    t = 0.0
    for key in ("a", "b", "c"):
        try:
            d["c"] = d[key] * 2
            t += d[key]
        except KeyError:
            d[key] = t * x
            t += 1
    return t + d["b"]


def read_before_the_call(x):
    box = Box(x)

    def spoil():
        box.v *= 10.0
        return small(x)
    try:
        box.v += spoil()
        box.v += small(9 * x)
    except Bad as e:
        box.v += e.v
    return box.v


def sets_in_a_loop_what_is_asked_for(x):
    box, t = Box(x), 0.0
    for k in range(3):
        if "kept" not in box.__dict__:
            box.n += 1
            box.kept = x ** 2
        t += box.kept * k
    return t * box.n


PROGRAMS = [f for name, f in list(globals().items()) if callable(f) and getattr(f, "__module__", "") == __name__ and not isinstance(f, type)
            and not name.startswith("_") and f is not small]


@pytest.mark.parametrize("x", [0.6, 0.3])
@pytest.mark.parametrize("f", PROGRAMS)
def test_derivatives(f: Any, x: float) -> None:
    want = (f(x + 1e-6) - f(x - 1e-6)) / 2e-6
    for value, slope in (tg.value_and_grad(f, fallback="error")(x), tg.jvp(f, (x,), (1.0,), fallback="error")):
        assert value == pytest.approx(f(x), rel=1e-12)
        assert slope == pytest.approx(want, rel=1e-6, abs=1e-6)


def leaves(x):
    try:
        y = small(x)
        y += math.sqrt(1 - x)
    except KeyError:
        y = 0.0
    finally:
        x = x * 2
    return y * x


@pytest.mark.parametrize("x, error", [(3.0, Bad), (-0.5, None)])
def test_other_exceptions_leave_the_function(x: float, error: Any) -> None:
    gradient = tg.grad(leaves, fallback="error")
    if error is None:
        assert gradient(x) == pytest.approx((leaves(x + 1e-6) - leaves(x - 1e-6)) / 2e-6, rel=1e-6)
    else:
        with pytest.raises(error) as caught:
            gradient(x)
        assert caught.value.v == 6.0
