"""Loops whose reverse only adds to derivatives are reversed turn by turn: nothing is kept, and only where that is right."""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import transgrad as tg
from tests.oracles import directional

X, Y = np.array([0.3, -0.8, 1.2, 0.5, -0.1]), np.array([[0.2, 1.1], [-0.4, 0.6], [0.9, -1.3], [0.1, 0.7], [1.4, -0.2]])


def sum_of_terms(x: Any, c: Any) -> Any:
    total = 0.0
    for i in range(len(x)):
        total += math.exp(c * x[i]) * math.sin(x[i])
    return total


def mean_of_rows(y: Any, c: Any) -> Any:
    total = 0.0
    for row in y:
        total += np.tanh(np.sum(row * c)) ** 2
    return total / len(y)


def pairs(x: Any, c: Any) -> Any:
    total = 0.0
    for i in range(len(x)):
        for j in range(i):
            total += c / (1.0 + (x[i] - x[j]) ** 2)
    return total


def iterated_terms(x: Any, c: Any) -> Any:
    total = 0.0
    for i in range(len(x)):
        s = x[i]
        for _ in range(4):
            s = math.cos(s) * c
        total += s * s
    return total


def branches(x: Any, c: Any) -> Any:
    total = 0.0
    for i in range(len(x)):
        if x[i] > 0.2:
            total += c * x[i] ** 2
        elif x[i] < -0.5:
            total -= math.exp(x[i])
    return total


def two_loops(x: Any, c: Any) -> Any:
    total = 0.0
    for i in range(len(x)):
        total += c * x[i] ** 3
    for i in range(len(x)):
        total += math.sin(c * x[i])
    return total + c ** 2


def enumerated(y: Any, c: Any) -> Any:
    total = 0.0
    for k, row in enumerate(y):
        total += (k + 1) * c * np.sum(np.exp(row))
    return total


def while_terms(x: Any, c: Any) -> Any:
    total, k = 0.0, 0
    while k < len(x):
        total += math.exp(c * x[k])
        k += 1
    return total


def scaled_later(x: Any, c: Any) -> Any:
    total = 0.0
    for i in range(len(x)):
        total += x[i] ** 2
    scale = math.exp(c)
    return total * scale


FUSED = [(sum_of_terms, X), (mean_of_rows, Y), (pairs, X), (branches, X), (two_loops, X), (enumerated, Y), (while_terms, X),
         (scaled_later, X)]


def of_the_sum(x: Any, c: Any) -> Any:
    """What is asked of the sum is known only after the loop."""
    total = 0.0
    for i in range(len(x)):
        total += math.exp(c * x[i])
    return total ** 2


def recurrence(x: Any, c: Any) -> Any:
    s = 0.0
    for i in range(len(x)):
        s = c * s + x[i] ** 2
    return s


def product(x: Any, c: Any) -> Any:
    total = c
    for i in range(len(x)):
        total *= math.cos(x[i])
    return total


def written(x: Any, c: Any) -> Any:
    """What a turn writes the next ones read."""
    u = x.copy()
    total = 0.0
    for i in range(1, len(u)):
        u[i] = c * u[i - 1] + u[i] ** 2
        total += u[i] ** 2
    return total


def written_behind(x: Any, c: Any) -> Any:
    """Elements whose derivative is taken away again when they were overwritten after the loop."""
    u = x * c
    total = 0.0
    for i in range(len(u)):
        total += math.sin(u[i])
    u[1:3] = c
    return total + np.sum(u ** 2)


KEPT = [(of_the_sum, X), (recurrence, X), (product, X), (written, X)]


def check(f: Callable[..., Any], x: Any) -> Any:
    gradient = tg.grad(f, argnums=(0, 1), fallback="error")
    found = gradient(x, 0.7)
    plain = tg.grad(f, argnums=(0, 1), fallback="error", optimize=False)(x, 0.7)
    for k, (g, p) in enumerate(zip(found, plain)):
        np.testing.assert_allclose(g, p, rtol=1e-12)
        v = np.linspace(0.5, 1.5, x.size).reshape(x.shape) if k == 0 else np.ones(1)
        want, error = directional(lambda a: f(a, 0.7) if k == 0 else f(x, float(a[0])), x if k == 0 else np.array([0.7]), v)
        np.testing.assert_allclose(np.sum(g * v), want, rtol=1e-6, atol=1e-8 + 10 * error)
    value, again = tg.value_and_grad(f, argnums=(0, 1), fallback="error")(x, 0.7)
    assert value == f(x, 0.7)
    np.testing.assert_allclose(again[0], found[0], rtol=1e-12)
    return gradient.source_for(x, 0.7)


@pytest.mark.parametrize(("f", "x"), FUSED, ids=lambda v: getattr(v, "__name__", None))
def test_a_sum_of_terms_keeps_nothing(f: Callable[..., Any], x: Any) -> None:
    assert "saved_" not in (text := check(f, x))
    assert "reversed(" not in text


@pytest.mark.parametrize(("f", "x"), KEPT, ids=lambda v: getattr(v, "__name__", None))
def test_other_loops_are_reversed_after_they_have_run(f: Callable[..., Any], x: Any) -> None:
    assert "reversed(" in check(f, x)


def test_what_is_overwritten_after_the_loop() -> None:
    check(written_behind, X)


def test_a_loop_in_a_term_is_reversed_in_it() -> None:
    text = check(iterated_terms, X)
    assert text.count("reversed(") >= 1
    outer = [line for line in text.splitlines() if line.startswith("    for ")]
    assert len(outer) == 1


@pytest.mark.parametrize(("f", "x"), [(sum_of_terms, X), (pairs, X), (two_loops, X)], ids=lambda v: getattr(v, "__name__", None))
def test_second_derivatives_of_sums_of_terms(f: Callable[..., Any], x: Any) -> None:
    found = tg.hessian(f, fallback="error")(x, 0.7)
    step = 1e-5
    gradient = tg.grad(f, fallback="error", optimize=False)
    for k in range(len(x)):
        e = np.eye(len(x))[k] * step
        np.testing.assert_allclose(found[:, k], (gradient(x + e, 0.7) - gradient(x - e, 0.7)) / (2 * step), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("f", [sum_of_terms, pairs, two_loops])
def test_gradients_by_numbers_are_numbers(f: Callable[..., Any]) -> None:
    assert type(tg.grad(f, argnums=1, fallback="error")(X, 0.7)) is float


def test_no_turns() -> None:
    g, c = tg.grad(pairs, argnums=(0, 1), fallback="error")(np.zeros(0), 0.7)
    assert g.shape == (0,) and c == 0.0


def test_it_can_be_switched_off() -> None:
    gradient = tg.grad(sum_of_terms, fallback="error", optimize={"terms": False})
    np.testing.assert_allclose(gradient(X, 0.7), tg.grad(sum_of_terms, fallback="error")(X, 0.7), rtol=1e-12)
    assert "reversed(" in gradient.source_for(X, 0.7)


def test_which_array_is_written_is_known_at_run_time() -> None:
    """The shadows are chosen between in the forward part, and have been written to before the loop is reversed."""
    def f(x: Any) -> Any:
        u, v = x.copy(), np.zeros(5)
        for k in range(5):
            w = u if k % 2 else v
            w[k] += x[k] ** 2
        return np.sum(u * v + u)
    np.testing.assert_allclose(tg.grad(f, fallback="error")(X), tg.grad(f, optimize=False)(X), rtol=1e-13)
