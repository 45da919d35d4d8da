"""Branches of which only some leave: what follows runs for the others, and only for them."""
from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest

import transgrad as tg


def elif_then_rest(x, lo, hi=1.5):
    if x < 1.0:
        return x
    elif x > hi > lo:
        return hi * x
    return lo * x


def inner_if_then_rest(x, y):
    if x > 0:
        if y > 0:
            return x * y
    else:
        return y
    return x - y


def loop_with_elifs(x, y):
    for i in range(4):
        if x > i:
            if y > i:
                continue
            x += 1.0
        elif y > 2:
            break
        x *= 1.5
        y += 1.0
    return x * y


def chain_with_raise(x, y):
    if x > 1:
        return x
    elif y > 1:
        if x > 0:
            return y
        x = x * 2
    elif x < -1:
        raise ValueError("no")
    else:
        y = y + 1
    if x > y:
        return 3 * x
    return x * y


def while_with_elifs(x, y):
    while x < 10:
        if x > 5:
            x = x + 3.0
        elif y > 3:
            return x * y
        elif y > 2:
            y += 1.0
            continue
        x += y * y + 0.5
    return x - y


def both_sides_may_leave(x, y):
    if x > 0:
        if y > 0:
            return x * y
        elif y < -1:
            return x
    elif y > 1:
        return y * y
    x = x + 1
    return x * y * 2


@pytest.mark.parametrize("f", [elif_then_rest, inner_if_then_rest, loop_with_elifs, chain_with_raise, while_with_elifs, both_sides_may_leave])
def test_every_way_through(f: Callable[..., Any]) -> None:
    compiled, both = tg.compile(f, fallback="error"), tg.value_and_grad(f, (0, 1), fallback="error")
    for x, y in itertools.product((-2.2, -0.5, 0.3, 0.9, 1.7, 2.4, 6.0), (-1.5, -0.3, 0.4, 1.2, 2.3, 4.0)):
        try:
            want = f(x, y)
        except ValueError:
            with pytest.raises(ValueError, match="no"):
                both(x, y)
            continue
        assert compiled(x, y) == want
        value, (dx, dy) = both(x, y)
        assert value == want
        for slope, (p, q) in ((dx, (1e-6, 0.0)), (dy, (0.0, 1e-6))):
            above, below = f(x + p, y + q), f(x - p, y - q)
            if abs(above + below - 2 * want) < 1e-8:        # not at a jump
                assert slope == pytest.approx((above - below) / 2e-6, rel=1e-5, abs=1e-5)


def test_the_text_has_no_flags() -> None:
    assert "returned" not in tg.compile(elif_then_rest).source_for(1.0, 1.0)
