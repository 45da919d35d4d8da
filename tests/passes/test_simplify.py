"""Dead code, common subexpressions, needless copies and arithmetic: the text before and after."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import transgrad as tg
from transgrad.passes.pipelines import prepare
from transgrad.passes.simplify.dce import eliminate_dead_code
from transgrad.testing import check_grad

from .show import after, gradient, lowered, text

X = np.array([0.5, 0.25, 2.0])


def test_dead_code_goes_with_what_a_loop_carries_for_nothing() -> None:
    def f(x: Any, n: Any) -> Any:
        unused = 1.0
        y = x
        for _ in range(n):
            unused = unused * x
            y = y * 2.0
        return y

    assert "unused" in text(lowered(f, 0.5, 3))
    assert "unused" not in after(eliminate_dead_code, f, 0.5, 3)


def test_what_may_raise_or_is_seen_outside_stays() -> None:
    def f(x: Any) -> Any:
        if x < 0.0:
            raise ValueError("negative")
        print("seen")
        return x * x

    kept = after(eliminate_dead_code, f, 0.5)
    assert "raise ValueError" in kept and "print" in kept


def test_writes_to_an_array_that_nothing_reads_go() -> None:
    def f(x: Any) -> Any:
        trace = np.zeros(3)
        for k in range(3):
            trace[k] = x * k
        return x * 2.0

    assert "trace" not in after(eliminate_dead_code, f, 0.5)


def test_writes_to_an_argument_stay() -> None:
    def f(x: Any, out: Any) -> Any:
        out[0] = x
        return x * 2.0

    assert "out[0] = x" in after(eliminate_dead_code, f, 0.5, np.zeros(2))


def test_a_value_carried_unchanged_is_not_carried() -> None:
    def f(x: Any, n: Any) -> Any:
        c = x * 3.0
        y = 0.0
        for _ in range(n):
            c = c
            y = y + c
        return y

    assert "c = c" not in after(prepare, f, 0.5, 3)


def test_equal_expressions_of_the_reverse_part_are_computed_once() -> None:
    def f(x: Any) -> Any:
        return np.sum(np.exp(x) * np.sin(x))

    code = [line for line in gradient(f, X).splitlines() if not line.lstrip().startswith("#")]
    assert "\n".join(code).count("np.exp(x)") == 1


def test_the_adjoint_of_an_accumulator_is_not_multiplied_by_one() -> None:
    def f(x: Any) -> Any:
        total = 0.0
        for k in range(len(x)):
            total += 2.0 * x[k]
        return total

    assert gradient(f, X).rstrip().endswith("return x_bar")
    assert "x_bar[k] += 2.0" in gradient(f, X)


@pytest.mark.parametrize("optimize", [True, False])
def test_without_optimisation_the_gradient_is_the_same(optimize: bool) -> None:
    def f(x: Any) -> Any:
        y = x.copy()
        for k in range(1, len(y)):
            y[k] += np.sin(y[k - 1]) * x[k]
        return np.sum(y ** 2)

    step = 1e-6 * np.eye(3)
    expected = [(f(X + e) - f(X - e)) / 2e-6 for e in step]
    np.testing.assert_allclose(tg.grad(f, optimize=optimize)(X), expected, rtol=1e-7)


def test_a_negated_array_that_is_written_to_is_not_what_it_was_made_from() -> None:
    """The cotangent that ``h`` is handed was negated, and then scaled in place."""
    def f(x: Any, h: Any) -> Any:
        x = x * 1.0
        h = h * 1.0
        a = np.sin(h)
        x = x + h
        x *= 0.5
        b = np.exp(-x)
        c = np.sin(np.sin(h))
        return np.sum(a * c) + np.sum(np.sin(c) * b)

    check_grad(f, (np.array([0.3, -0.2]), np.array([0.5, 0.7])))


@pytest.mark.parametrize("transform", [tg.grad, tg.jacfwd, tg.jacrev])
def test_a_loop_that_only_a_break_ends_is_left_though_nothing_it_computes_is_needed(transform: Any) -> None:
    def f(x: Any, limit: Any) -> Any:
        steps = 0
        while True:
            x = x * 1.7
            steps += 1
            if x > limit:
                break
            if steps % 2:
                continue
            x -= 0.1 * x ** 2
        return x * steps

    assert transform(f, argnums=1, fallback="error")(0.1, 3.0) == 0.0
    assert transform(f, argnums=0, fallback="error")(0.1, 3.0) == pytest.approx((f(0.1 + 1e-7, 3.0) - f(0.1 - 1e-7, 3.0)) / 2e-7)
