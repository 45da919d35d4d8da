"""Exceptions that a function raises and catches itself."""
from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import transgrad as tg


class Out(ValueError):
    def __init__(self, amount: Any):
        super().__init__("out")
        self.amount = amount


class Bank:
    def __init__(self, x: Any):
        self.x, self.log = x, []

    def take(self, amount: Any) -> None:
        if amount > self.x:
            raise ValueError("no")
        self.x -= amount
        self.log.append(amount)


def assigned_before(x: float) -> Any:
    y = x
    try:
        y = x * 2
        if x > 1:
            raise ValueError("b")
        y = y * 3
    except ValueError:
        y = y + x * x
    return y


def what_it_carries(x: float) -> Any:
    total = 0.0
    for k in range(4):
        try:
            total += x * k
            if x * k > 1.5:
                raise Out(x * k - 1.5)
            total *= 1.1
        except Out as e:
            total += e.amount ** 2 * len(e.args)
        else:
            total += x
    return total


def from_a_method(x: float) -> Any:
    bank = Bank(x)
    for a in (0.1, 0.5, 3.0, 0.2):
        try:
            bank.take(a * x)
            bank.x += 0.01
        except ValueError as e:
            bank.log.append(x * len(str(e)))
    return bank.x * sum(bank.log)


def lookup(x: Any, k: int) -> Any:
    if k > 1:
        raise KeyError(k)
    return x * k


def from_a_function(x: float) -> Any:
    total = 0.0
    for k in range(4):
        try:
            v = lookup(x, k)
        except KeyError:
            v = x * x
            break
        total += v
    return total + v


def in_the_middle_of_a_statement(x: float) -> Any:
    total = 0.0
    for k in range(4):
        try:
            total = total + lookup(x, k) * 2
            total += x
        except KeyError:
            total *= x
    return total


def raised_again(x: float) -> Any:
    try:
        try:
            if x > 0.5:
                raise Out(x)
            r = x
        except Out:
            if x > 1:
                raise
            r = 2 * x
    except ValueError as e:
        r = 3 * x if isinstance(e, Out) else 4 * x
    return r


def by_an_operation_too(x: float) -> Any:
    y = 1.0
    try:
        z = math.sqrt(x - 1)
        y = 2.0 * z
        if z > 1:
            raise ValueError
        y *= 3
    except ValueError:
        y += x * 5
    return y


def out_of_a_loop(x: float) -> Any:
    try:
        for _ in range(5):
            x = x * 1.3
            if x > 2:
                raise StopIteration
        w = x
    except StopIteration:
        w = x * x
    return w


def writes_before(x: float) -> Any:
    out = []
    try:
        out.append(x)
        if x > 0.8:
            raise RuntimeError
        out.append(x * x)
    except RuntimeError:
        out.append(1.0)
    finally:
        out.append(x * 3)
    return sum(v * (i + 1) for i, v in enumerate(out))


def several_classes(x: float) -> Any:
    total = x
    for k in range(4):
        try:
            if k == 1:
                raise KeyError("k")
            if x * k > 2:
                raise Out(x)
            total += k * x
        except (KeyError, IndexError):
            total *= 2
            continue
        except ValueError:
            total += 5 * x
            break
    return total


def with_return(x: float) -> Any:
    try:
        if x > 1:
            raise Out(x)
        return x * x
    except Out as e:
        x = e.amount * 3
    finally:
        x = x + 1
    return x * 2


def of_a_condition(x: float) -> Any:
    try:
        assert x < 1, "large"
        y = x * 2
    except AssertionError:
        y = x * 5
    return y


@pytest.mark.parametrize("f", [assigned_before, what_it_carries, from_a_method, from_a_function, raised_again, by_an_operation_too,
                               out_of_a_loop, writes_before, several_classes, with_return, of_a_condition,
                               in_the_middle_of_a_statement], ids=lambda f: f.__name__)
@pytest.mark.parametrize("x", [0.3, 0.7, 1.2, 2.5])
def test_derivatives(f: Any, x: float) -> None:
    fallback = "tape" if f is in_the_middle_of_a_statement else "error"
    h = 1e-6
    slope = (f(x + h) - f(x - h)) / (2 * h)
    value, gradient = tg.value_and_grad(f, fallback=fallback)(x)
    np.testing.assert_allclose((value, gradient), (f(x), slope), rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(tg.jvp(f, (x,), (1.0,), fallback=fallback)[1], slope, rtol=1e-6, atol=1e-8)


def uncaught(x: float) -> Any:
    try:
        if x > 1:
            raise Out(x)
    except KeyError:
        x = 0.0
    return x


def test_what_is_not_caught_is_raised() -> None:
    gradient = tg.grad(uncaught, fallback="error")
    assert gradient(0.5) == 1.0
    with pytest.raises(Out) as found:
        gradient(2.0)
    assert found.value.amount == 2.0


def test_no_try_statement_remains_where_nothing_else_raises() -> None:
    assert "try:" not in tg.grad(assigned_before, fallback="error").source_for(1.0)
    assert "try:" in tg.compile(by_an_operation_too, fallback="error").source_for(1.0)
