"""What the turns of inner loops keep is kept as tuples in one list, and functions of numbers are kept rather than computed twice."""
from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import transgrad as tg


def solves(a: Any, e: Any, n: Any) -> Any:
    total = 0.0
    for k in range(n):
        x = a + 0.1 * k
        change = 1.0
        while abs(change) > 1e-12:
            change = (x - e * math.sin(x) - a) / (1.0 - e * math.cos(x))
            x -= change
        total += math.exp(x) * x
    return total


def gates(a: Any, e: Any, n: Any) -> Any:
    """What the inner loop keeps is kept in lists of lists meanwhile."""
    h = np.array([0.1, 0.2, 0.3, 0.5, 0.1, 0.2, 0.3, 0.5, 0.9])
    for t in range(n):
        for k in range(3):
            p, q, r = np.tanh(a * h), np.exp(-e * h), np.cos(h * t)
            h = p * q + r * q * h
    return np.sum(h)


def branches(a: Any, e: Any, n: Any) -> Any:
    s = a
    for t in range(n):
        for k in range(t):
            if s > 0.3:
                s = math.sin(s) * e * math.cos(s * a) + math.exp(-s)
            else:
                s = math.cos(s) * math.exp(e) + s * s
    return s


def left_early(a: Any, e: Any, n: Any) -> Any:
    s = a
    for t in range(n):
        for k in range(5):
            c, d, g = math.sin(s), math.cos(s + e), math.tanh(s * a)
            s = c * d * g + s * c
            if s > 2.0:
                break
        s = s * 1.5 + 0.2
    return s


def many(a: Any, e: Any, n: Any) -> Any:
    """A loop of its own that keeps many numbers."""
    s = a
    for t in range(n):
        p, q, r, u = math.sin(s), math.cos(s + e), math.tanh(s * a), math.exp(-s * s)
        s = p * q + q * r + r * u + u * p * e
    return s


def carried(a: Any, e: Any, n: Any) -> Any:
    """The same formula of what a turn begins with, of what it ends with, and of what the loop around it changes."""
    total, w = 0.0, e
    for t in range(n):
        x, y = a, 0.3
        for k in range(4):
            c, s = math.cos(x), math.sin(y)
            d = 1.5 - w * c
            y = y + (x - w * s - t) / d
            x = x * 0.5 + math.tanh(y) / (1.5 - w * math.cos(y)) / (1.5 - w * c)
            y, x = x, y
        w = w + 0.1 * x / (1.5 - w * math.cos(x))
        total += x * y
    return total


def summed(a: Any, e: Any, n: Any) -> Any:
    """The same formula of what a turn begins with and of what it ends with; the loop around it only adds up."""
    total = 0.0
    for t in range(n):
        x, y = a + 0.1 * t, 0.3
        for k in range(4):
            c, s = math.cos(x), math.sin(y)
            y = y + (x - e * s - t) / (1.5 - e * c)
            x = x * 0.5 + math.tanh(y) / (1.5 - e * math.cos(y)) / (1.5 - e * c) + (2.0 + e * t) * c
            x, y = y, x
        total += x * y
    return total


def in_a_branch(a: Any, e: Any, n: Any) -> Any:
    """What is computed again stands in a branch."""
    s = a
    for t in range(n):
        for k in range(3):
            c, d, g = math.sin(s), math.cos(s + e), math.tanh(s * a)
            if k > 0:
                s = c / (2.0 - 1.0 / (k * e + 3.0 + c)) + d * g
            else:
                s = c * d * g + s / (2.0 - e * d)
    return s


PROGRAMS = [solves, gates, branches, left_early, many, carried, summed, in_a_branch]


@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.parametrize("n", [0, 1, 4])
def test_the_derivative_is_the_same(f: Any, n: int) -> None:
    plain = tg.grad(f, argnums=(0, 1), fallback="error", optimize=False)(0.4, 0.7, n)
    for options in ({}, {"optimize": {"tuples": False}}, {"optimize": {"functions": False}}):
        found = tg.grad(f, argnums=(0, 1), fallback="error", **options)(0.4, 0.7, n)  # type: ignore[arg-type]
        np.testing.assert_allclose(found, plain, rtol=1e-12, err_msg=str(options))


@pytest.mark.parametrize("f", PROGRAMS)
def test_halves_and_second_derivatives(f: Any) -> None:
    _, pull = tg.vjp(lambda a, e: f(a, e, 3), 0.4, 0.7)
    np.testing.assert_allclose(pull(1.0), tg.grad(f, argnums=(0, 1), optimize=False)(0.4, 0.7, 3), rtol=1e-12)
    once = tg.grad(f, fallback="error", optimize=False)
    step = (once(0.4 + 1e-6, 0.7, 3) - once(0.4 - 1e-6, 0.7, 3)) / 2e-6
    np.testing.assert_allclose(tg.grad(tg.grad(f))(0.4, 0.7, 3), step, rtol=1e-4)


def test_inner_loops_keep_tuples() -> None:
    text = tg.grad(solves, argnums=(0, 1), fallback="error").source_for(0.4, 0.7, 3)
    assert text.count(".append(") == 1 and ".append((" in text and "in reversed(saved):" in text
    plain = tg.grad(solves, argnums=(0, 1), fallback="error", optimize={"tuples": False}).source_for(0.4, 0.7, 3)
    assert plain.count(".append(") == 3 and "zip(" in plain


def test_lists_of_lists_are_joined_as_well() -> None:
    text = tg.grad(gates, argnums=(0, 1), fallback="error").source_for(0.4, 0.7, 3)
    assert text.count("saved_turns.append(saved)") == 1 and "reversed(saved_turns)" in text


def test_functions_are_computed_once() -> None:
    on = tg.grad(solves, argnums=(0, 1), fallback="error").source_for(0.4, 0.7, 3)
    off = tg.grad(solves, argnums=(0, 1), fallback="error", optimize={"functions": False}).source_for(0.4, 0.7, 3)
    code = ["\n".join(line for line in text.splitlines() if not line.strip().startswith("#")) for text in (on, off)]
    assert code[0].count("math.cos(") < code[1].count("math.cos(") and code[0].count("math.sin(") < code[1].count("math.sin(")


def test_what_takes_two_operations_or_more_is_kept_besides() -> None:
    text = tg.grad(solves, argnums=(0, 1), fallback="error").source_for(0.4, 0.7, 3)
    assert text.count("1.0 - e * s_1") == 1 and "for s, s_1, change, s_2 in reversed(saved):" in text
