"""The manner of the reverse part: what is saved, what is recomputed, where shadows are written, and what is refused."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import transgrad as tg
from transgrad.errors import UnsupportedCall, UnsupportedSyntax

from .show import gradient

X = np.array([0.5, 0.25, 2.0])


def test_a_loop_saves_only_what_its_reverse_reads() -> None:
    def f(x: Any, n: Any) -> Any:
        y = x
        for _ in range(n):
            z = y + 1.0
            y = z * z
        return y

    written = gradient(f, 0.5, 3)
    assert written.count(".append(") == 1 and "for z in reversed(saved_z)" in written


def test_an_element_read_adds_to_one_element() -> None:
    def f(x: Any) -> Any:
        total = 0.0
        for k in range(1, len(x)):
            total += x[k] * x[k - 1]
        return total

    written = gradient(f, X)
    assert written.count("np.zeros_like(x)") == 1 and "append" not in written


def test_the_adjoint_of_a_view_is_the_view_of_the_shadow() -> None:
    def f(x: Any) -> Any:
        u = x * 2.0
        v = u[1:]
        v[0] = u[0] * 3.0
        return np.sum(u * u)

    step = 1e-6 * np.eye(3)
    np.testing.assert_allclose(tg.grad(f)(X), [(f(X + e) - f(X - e)) / 2e-6 for e in step], rtol=1e-7)
    assert "u_bar[1:]" in gradient(f, X)


def test_an_array_overwritten_later_is_copied_where_it_is_read() -> None:
    def f(x: Any) -> Any:
        u = x * 1.0
        y = np.sum(np.sin(u))
        u[1:] *= 2.0
        return y + np.sum(u)

    assert ".copy()" in gradient(f, X)


def test_two_uses_of_one_cotangent_do_not_share_memory() -> None:
    def f(x: Any) -> Any:
        a = x * 2.0
        s = a + a
        t = s + a
        t[0] += s[1]
        return np.sum(s * t)

    step = 1e-6 * np.eye(3)
    np.testing.assert_allclose(tg.grad(f)(X), [(f(X + e) - f(X - e)) / 2e-6 for e in step], rtol=1e-7)


def test_overlapping_parts_in_one_statement() -> None:
    def f(x: Any) -> Any:
        u = x.copy()
        for _ in range(3):
            u[1:-1] += u[2:] + u[:-2]
        return np.sum(u ** 2)

    x = np.linspace(0.1, 0.9, 6)
    step = 1e-6 * np.eye(6)
    np.testing.assert_allclose(tg.grad(f)(x), [(f(x + e) - f(x - e)) / 2e-6 for e in step], rtol=1e-7)


def test_a_callee_without_residuals_is_called_as_it_is() -> None:
    written = gradient(lambda x: np.sum(polynomial(x)), X)
    assert "polynomial_backward" in written


def polynomial(v: Any) -> Any:
    return v * v * v


def test_an_array_that_may_be_one_of_two_has_its_shadow_chosen_by_the_same_branch() -> None:
    def f(x: Any) -> Any:
        a = x * 2.0
        b = x * 3.0
        c = a if x[0] > 0.0 else b
        c[0] = 1.0
        return np.sum(a) + np.sum(b) + np.sum(c)

    for x in (X, -X):
        ones = np.ones_like(x)
        expected = (7.0 if x[0] > 0.0 else 8.0) * ones
        expected[0] = 3.0 if x[0] > 0.0 else 2.0
        np.testing.assert_allclose(tg.grad(f, fallback="error")(x), expected)
    assert "c_bar = a_bar" in tg.grad(f).source_for(X)


def test_a_reshape_that_may_be_a_copy_is_decided_where_it_runs() -> None:
    def f(x: Any) -> Any:
        a = (x * 2.0).T
        b = a.reshape(6)
        b[0] = 5.0
        return np.sum(a * a) + np.sum(b)

    for x in (np.ones((2, 3)), np.asfortranarray(np.ones((2, 3))), np.ones((1, 6))):
        up, down = x.copy("K"), x.copy("K")
        up[0, 0] += 1e-6
        down[0, 0] -= 1e-6
        np.testing.assert_allclose(tg.grad(f, fallback="error")(x)[0, 0], (f(up) - f(down)) / 2e-6, rtol=1e-6)


def test_a_call_without_a_rule_is_refused_by_name() -> None:
    sine = np.frompyfunc(np.sin, 1, 1)

    def f(x: Any) -> Any:
        return np.sum(sine(x))

    with pytest.raises(UnsupportedCall, match="sine"):
        gradient(f, X)


def test_gradients_are_arrays_of_their_own() -> None:
    def f(x: Any, y: Any) -> Any:
        return np.sum(x * y) + 0.0 * np.sum(x + y)

    x, y = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    x_bar, y_bar = tg.grad(f, argnums=(0, 1))(x, y)
    np.testing.assert_array_equal(x_bar, y)
    for a, b in ((x_bar, y), (y_bar, x), (x_bar, y_bar)):
        assert not np.may_share_memory(a, b)
    x_bar, y_bar = tg.grad(lambda x, y: np.sum(np.sin(x + y)), argnums=(0, 1))(x, y)
    assert not np.may_share_memory(x_bar, y_bar)


def test_the_adjoint_of_a_factor_that_was_overwritten() -> None:
    def f(x: Any, y: Any) -> Any:
        x[0] *= 3.0
        return np.sum(x * y)

    x_bar, y_bar = tg.grad(f, argnums=(0, 1))(np.array([1.0, 2.0]), np.array([5.0, 7.0]))
    np.testing.assert_array_equal(x_bar, [15.0, 7.0])
    np.testing.assert_array_equal(y_bar, [3.0, 2.0])


def test_arguments_that_share_memory_are_refused_where_one_is_written() -> None:
    def f(x: Any, y: Any) -> Any:
        x[0] *= 3.0
        return np.sum(x * y)

    gradient_of_f = tg.grad(f, argnums=(0, 1), fallback="error")
    a = np.array([1.0, 2.0])
    gradient_of_f(a.copy(), a.copy())
    for y in (a, a[::-1]):
        with pytest.raises(UnsupportedSyntax, match="shares memory"):
            gradient_of_f(a, y)


def test_tangents_of_the_caller_are_left_alone() -> None:
    def f(x: Any) -> Any:
        x *= np.cos(x)
        return np.sum(x)

    x_dot = np.array([1.0, 2.0])
    tg.jvp(f, (np.array([0.3, 0.7]),), (x_dot,))
    np.testing.assert_array_equal(x_dot, [1.0, 2.0])


def test_a_reference_that_the_loop_replaces_is_not_taken_for_the_one_at_its_start() -> None:
    def touch(v: Any, c: Any) -> Any:
        v[1] += c * 0.5
        return v

    def f(x: Any, s: Any) -> Any:
        b = x
        a = touch(b, np.sin(x[1]))
        for _ in range(2):
            c = a if s > 0.5 else b
            b = np.tanh(c - a[1])
        return b.mean()

    x, h = np.linspace(0.3, 1.2, 4), 1e-6
    for s in (0.2, 0.9):
        slopes = [(f(x + d, s) - f(x - d, s)) / (2 * h) for d in np.eye(4) * h]
        np.testing.assert_allclose(tg.grad(f, fallback="error")(x.copy(), s), slopes, rtol=1e-7)
