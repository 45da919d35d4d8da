"""Turns side by side that call functions of one number each: what the derivative is called with is known when compiling."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import transgrad as tg
from transgrad.passes.switches import switched_off

RNG = np.random.default_rng(5)
X, B, M = RNG.normal(size=14), RNG.normal(size=(2, 7)), RNG.normal(size=(4, 2, 2))


def turn(a: Any, c: Any) -> Any:
    return np.array([[np.cos(a) * np.cos(c), -np.sin(a)], [np.sin(a) * np.sin(c), np.cos(a)]])


def asks_for_dtype(a: Any, c: Any) -> Any:
    return np.array([[np.sin(a), c], [c, a]]).astype(np.sin(c).dtype)


def has_a_pole(a: Any, c: Any) -> Any:
    return np.array([[a * 2.0, 1.0], [a, np.exp(-np.abs(np.log(c + 0.5)) * a)]])


def written(a: Any, c: Any) -> Any:
    out = np.zeros((2, 2))
    out[0, 0] = a
    out[1, :] = a * np.cos(c)
    out[0] *= a
    return out


def branches(a: Any, c: Any) -> Any:
    if c > 0.25:
        return np.array([[a, c], [1.0, a * a]])
    return np.array([[a, 0.0], [np.exp(c), np.sin(a) * np.exp(c)]])


def two_numbers(a: Any, c: Any) -> Any:
    t = np.sin(c) * np.cos(c)
    return np.array([[t * a, np.tan(c)], [a / np.cos(c), -np.sin(c)]])


def as_a_number(a: Any, c: Any) -> Any:
    return np.array([[float(a), -a], [a + a, 1.0 / (2.0 + a * a)]])


def stacked(a: Any, c: Any) -> Any:
    row = [a, np.cos(c)]
    return np.stack([np.array(row), np.array([a, a]) * 3.0])


def loops(a: Any, c: Any) -> Any:
    out = np.eye(2)
    for k in range(3):
        out = out @ np.array([[np.cos(a), np.sin(c)], [k, a]])
    return out


@tg.custom_jvp
def own_rule(a: Any, c: Any) -> Any:
    return np.array([[a * a, 0.0], [c, 1.0]])


@own_rule.defjvp
def own_rule_jvp(primals: Any, tangents: Any) -> Any:
    a, c = primals
    out = np.array([[a * a, 0.0], [c, 1.0]])
    return out, np.array([[2.0 * a, 0.0], [0.0, 0.0]]) * np.asarray(tangents[0]).reshape(1)


HELPERS = [turn, asks_for_dtype, has_a_pole, written, branches, two_numbers, as_a_number, stacked, loops, own_rule]


def chain(helper: Any, first: int, low: int, number: float) -> Any:
    """Fingers, of which each turn reads what the one before it does not."""
    def f(x: Any, b: Any, m: Any) -> Any:
        total = b * 1.0
        for f in range(3):
            frame = m[0]
            for j in range(3):
                if j == 0:
                    frame = frame @ m[j]
                elif j == 1:
                    frame = frame @ m[j] @ helper(x[first + 4 * f + low], number) @ helper(x[first + 4 * f + low + j], 0.5)
                else:
                    frame = frame @ m[j] @ helper(x[first + 4 * f + low + j], 0.0)
                total = total + m[j, 0, 0] * (frame @ b)
        return total
    return f


def compare(f: Any, *args: Any) -> None:
    found = tg.jacfwd(f)(*args)
    np.testing.assert_allclose(found, tg.jacfwd(f, optimize=False)(*args), rtol=1e-9, atol=1e-12)
    for names in (["turns"], ["stacks"], ["spans"]):
        with switched_off(*names):
            np.testing.assert_allclose(tg.jacfwd(f)(*args), found, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("helper", HELPERS, ids=lambda h: getattr(h, "__name__", "own_rule"))
def test_it_is_the_jacobian(helper):
    compare(chain(helper, 1, 0, 0.0), X, B, M)
    compare(chain(helper, 0, 1, 0.5), X, B, M)


@pytest.mark.parametrize("number", [-0.0, 1e300, -0.5, np.inf, np.nan])
def test_numbers_that_are_not_plain(number):
    """What is not finite stays so in the directions that move it; the others have zeros."""
    for helper in (turn, has_a_pole):
        f = chain(helper, 0, 0, number)
        with np.errstate(all="ignore"):
            found, plain = tg.jacfwd(f)(X, B, M), tg.jacfwd(f, optimize=False)(X, B, M)
            with switched_off("turns", "stacks"):
                np.testing.assert_array_equal(np.isnan(found), np.isnan(tg.jacfwd(f)(X, B, M)))
        finite = np.isfinite(plain)
        np.testing.assert_allclose(found[finite], plain[finite], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("value", [np.inf, np.nan])
def test_arguments_that_are_not_finite(value):
    x = X.copy()
    x[4] = value
    f = chain(turn, 0, 0, 0.0)
    with np.errstate(all="ignore"):
        found, plain = tg.jacfwd(f)(x, B, M), tg.jacfwd(f, optimize=False)(x, B, M)
    with np.errstate(all="ignore"), switched_off("turns", "stacks"):
        np.testing.assert_array_equal(found, tg.jacfwd(f)(x, B, M))
    assert np.isnan(found).any() and np.isnan(plain[np.isnan(found)]).all()


@pytest.mark.parametrize("n", [1, 0])
def test_few_points(n):
    compare(chain(turn, 1, 0, 0.0), X, B[:, :n], M)


def test_single_precision():
    f, args = chain(turn, 1, 0, 0.0), (X.astype(np.float32), B.astype(np.float32), M.astype(np.float32))
    ours, plain = tg.jacfwd(f)(*args), tg.jacfwd(f, optimize=False)(*args)
    assert ours.dtype == plain.dtype
    np.testing.assert_allclose(ours, plain, rtol=1e-4, atol=1e-5)


def test_mixed_precision():
    f, args = chain(turn, 1, 0, 0.0), (X, B.astype(np.float32), M.astype(np.float32))
    ours, plain = tg.jacfwd(f)(*args), tg.jacfwd(f, optimize=False)(*args)
    assert ours.dtype == plain.dtype
    np.testing.assert_allclose(ours, plain, rtol=1e-4, atol=1e-5)


def test_a_window_that_begins_later():
    """The first place that a turn reads is not the first of the argument, and narrow tangents are joined from the second on."""
    def f(x: Any, b: Any, m: Any) -> Any:
        total = b * 1.0
        for i in range(3):
            late = turn(x[4 * i + 3], 0.5) + turn(x[4 * i + 2], 0.5)
            total = total + m[0] @ (late + x[4 * i] * m[1] + x[4 * i + 2:4 * i + 4][:, None]) @ b
        return total
    compare(f, X, B, M)


def test_it_is_done():
    f = chain(turn, 1, 0, 0.0)
    text = tg.jacfwd(f).source_for(X, B, M)
    assert "turn_jvp_at_batched(" in text and "turn_jvp_at_2_batched(" in text
    assert "np.cos(0.5)" in text and "np.cos(0.0)" not in text and "np.sin(0.0)" not in text    # cos(0) is 1


def test_it_is_left_alone():
    assert "_jvp_at" not in tg.jacfwd(chain(as_a_number, 1, 0, 0.0)).source_for(X, B, M)
