"""What is the same in every turn of a loop is computed before it, where that can not be noticed."""
from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import transgrad as tg


def relaxed(x: Any, omega: Any, n: Any) -> Any:
    for _ in range(n):
        x = (1.0 - omega) * x + 0.5 * omega * math.cos(x)
    return x


def in_branches(x: Any, c: Any, n: Any) -> Any:
    for k in range(n):
        if k % 2:
            x = x * (c + 1.0)
        else:
            x = math.sin(x) * (c - 1.0)
    return x


def nested(x: Any, c: Any, n: Any) -> Any:
    s = 1.0
    for i in range(n):
        for j in range(i):
            s = s * math.cos(x + c * i) - (c * 2.0) * j
    return s


def divided(x: Any, c: Any, n: Any) -> Any:
    """The quotient may not be computed where the loop does not run."""
    for _ in range(n):
        x = x * (1.0 / c) + x * x
    return x


def changed(x: Any, c: Any, n: Any) -> Any:
    """What a turn changes is not the same in the next."""
    for _ in range(n):
        x = x * (c * 2.0)
        c = c + 0.1 * x
    return x * c


PROGRAMS = [relaxed, in_branches, nested, divided, changed]


def lines_before_loops(text: str) -> list[str]:
    lines = text.splitlines()
    return lines[:next(k for k, line in enumerate(lines) if line.startswith("    for"))]


@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.parametrize("n", [0, 1, 5])
def test_the_derivative_is_the_same(f: Any, n: int) -> None:
    found = tg.value_and_grad(f, argnums=(0, 1), fallback="error")(0.4, 0.7, n)
    plain = tg.value_and_grad(f, argnums=(0, 1), fallback="error", optimize={"hoist": False})(0.4, 0.7, n)
    assert found == plain


def test_arithmetic_of_what_a_loop_does_not_change_moves_before_it() -> None:
    text = tg.grad(relaxed, argnums=(0, 1), fallback="error").source_for(0.4, 0.7, 5)
    before = "\n".join(lines_before_loops(text))
    assert "1.0 - omega" in before and "0.5 * omega" in before
    code = [line for line in text.splitlines() if not line.strip().startswith("#")]
    assert sum("1.0 - omega" in line for line in code) == 1


@pytest.mark.parametrize("x", [0.4, np.array([0.4, 0.5])])
def test_what_may_raise_stays(x: Any) -> None:
    gradient = tg.grad(lambda x, c, n: np.sum(divided(x, c, n)), fallback="error")
    np.testing.assert_array_equal(gradient(x, 0.0, 0), np.ones_like(x))
    text = tg.grad(divided, fallback="error").source_for(0.4, 0.7, 5)
    assert "/ c" not in "\n".join(lines_before_loops(text))


def test_what_a_loop_changes_stays() -> None:
    text = tg.grad(changed, argnums=(0, 1), fallback="error").source_for(0.4, 0.7, 5)
    assert "c * 2.0" not in "\n".join(lines_before_loops(text))


def test_elements_that_are_written_stay() -> None:
    def f(x: Any, c: Any) -> Any:
        u = x.copy()
        for i in range(1, len(u)):
            u[i] = u[i] * u[0] * c
            u[0] = u[0] + 0.1 * u[i]
        return np.sum(u * u)
    x = np.array([0.3, 0.8, -0.4, 1.1])
    for k in range(2):
        np.testing.assert_allclose(tg.grad(f, argnums=k, fallback="error")(x, 0.9), tg.grad(f, argnums=k, optimize=False)(x, 0.9), rtol=1e-13)


def test_elements_of_rows_are_read_once_a_row() -> None:
    def spread(x: Any, mass: Any) -> Any:
        total = 0.0
        for i in range(len(x)):
            for j in range(i):
                total += mass[i] * mass[j] * (x[i, 0] - x[j, 0]) ** 2
        return total
    x, mass = np.array([[0.1, 0.2], [0.5, -0.3], [1.1, 0.9]]), np.array([1.0, 2.0, 0.5])
    gradient = tg.grad(spread, argnums=(0, 1), fallback="error")
    for found, plain in zip(gradient(x, mass), tg.grad(spread, argnums=(0, 1), optimize=False)(x, mass)):
        np.testing.assert_allclose(found, plain, rtol=1e-13)
    assert all(np.shape(g)[0] == 0 for g in gradient(np.zeros((0, 2)), np.zeros(0)))
    with pytest.raises(IndexError):
        gradient(x, mass[:2])
    np.testing.assert_array_equal(gradient(x[:1], np.zeros(0))[0], np.zeros((1, 2)))     # no turn reads a mass
