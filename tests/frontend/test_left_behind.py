"""What only some paths compute, while another path leaves early: the derivative must not ask for it on that path."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import transgrad as tg


def written_array(x, s):
    if s > 100:
        y = x.copy()
    else:
        if x[0] > 50:
            return s ** 2
        y = x * s
        y[0] = s
    y[1] = 2 * s * y[1] * y[2]
    return np.sum(y)


def appended_list(x, s):
    if s > 100:
        y = [s, s]
    else:
        if x[0] > 50:
            return s ** 2
        y = [x[0], s]
    y.append(s * y[0])
    return y[0] * y[2]


def written_dict(x, s):
    if s > 100:
        y = {"a": s, "b": x}
    else:
        if x[0] > 50:
            return s ** 2
        y = {"a": x[0], "b": s * x}
    for i in range(3):
        y["a"] = s * y["a"] + y["b"][i]
    return y["a"]


def list_that_grows(x, s):
    ws = [s, x[1]]
    if s > 100:
        pass
    else:
        if x[0] * ws[0] > 20.0:
            return np.tanh(s) ** 2
        for _ in range(4):
            ws = ws + [ws[1 % len(ws)]]
    return sum(ws)


def carried_array(x, s):
    if s > 100:
        y = x.copy()
    else:
        if x[0] > 50:
            return s ** 2
        y = x * s
    for _ in range(3):
        y = y * s
    return np.sum(y[1:])


def loop_that_breaks(x, s):
    for k in range(3):
        if x[0] + k > 61:
            break
        y = x * s
        y[0] = k * s
    else:
        y[1] = 2 * s * y[1] * y[2]
        return np.sum(y)
    return s ** 3


def _helper(x, s):
    if s > 100:
        y = x.copy()
    else:
        if x[0] > 50:
            return x * s ** 2
        y = x * s
        y[0] = s
    y[1] = 2 * s * y[1] * y[2]
    return y


def helper_in_a_loop(x, s):
    t = 0.0
    for i in range(3):
        t = t + np.sum(_helper(x + i, s))
    return t


def try_that_returns(x, s):
    try:
        y = x * s
        if x[0] > 50:
            raise ValueError
        y[0] = s
    except ValueError:
        return s ** 2
    y[1] = y[2] * s
    return np.sum(y)


FUNCTIONS = [written_array, appended_list, written_dict, list_that_grows, carried_array, loop_that_breaks, helper_in_a_loop, try_that_returns]


@pytest.mark.parametrize("f", FUNCTIONS)
@pytest.mark.parametrize("start", [1.0, 60.0])
def test_derivatives(f: Callable[..., Any], start: float) -> None:
    x, s, h = np.arange(3.0) + start, 0.5, 1e-6
    value, (dx, ds) = tg.value_and_grad(f, (0, 1), fallback="error")(x, s)
    assert value == f(x, s)
    assert ds == pytest.approx((f(x, s + h) - f(x, s - h)) / (2 * h), rel=1e-7)
    for k, d in enumerate(np.eye(3) * h):
        assert dx[k] == pytest.approx((f(x + d, s) - f(x - d, s)) / (2 * h), rel=1e-7, abs=1e-7)
    _, pullback = tg.vjp(f, x, s, fallback="error")
    assert pullback(1.0)[1] == pytest.approx(ds)


@pytest.mark.parametrize("f", FUNCTIONS)
@pytest.mark.parametrize("start", [1.0, 60.0])
def test_second_derivatives(f: Callable[..., Any], start: float) -> None:
    x, s, h = np.arange(3.0) + start, 0.5, 1e-4
    want = (f(x, s + h) - 2 * f(x, s) + f(x, s - h)) / h ** 2
    assert tg.hessian(f, 1, fallback="error")(x, s) == pytest.approx(want, rel=1e-4, abs=1e-4)
    assert tg.grad(tg.grad(f, 1, fallback="error"), 1, fallback="error")(x, s) == pytest.approx(want, rel=1e-4, abs=1e-4)


def test_the_plain_text_too() -> None:
    x = np.arange(3.0) + 1.0
    for f in FUNCTIONS:
        assert tg.grad(f, 1, fallback="error", optimize=False)(x, 0.5) == pytest.approx(tg.grad(f, 1, fallback="error")(x, 0.5))
