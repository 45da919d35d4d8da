"""Calls of one function by all turns of a loop, made as one: where they do not wait for each other, nor write to what they share."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import transgrad as tg
from transgrad.testing import numeric_jvp

RNG = np.random.default_rng(17)
X, M, B, W = RNG.normal(size=14), RNG.normal(size=(12, 2, 2)), RNG.normal(size=(2, 5)), RNG.normal(size=(4, 5))


def turned(a: Any) -> Any:
    return np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])


def spread(a: Any, c: Any) -> Any:
    return np.array([[np.cosh(a), c * np.sinh(a)], [np.sinh(a), np.cosh(a)]])


def written(a: Any) -> Any:
    out = np.zeros((2, 2))
    for k in range(2):
        out[k, 0] = np.sin(a) * (k + 1.0)
    return out


def two(x: Any, m: Any, b: Any, w: Any) -> Any:
    total = np.zeros_like(b)
    for f in range(4):
        frame = m[f]
        for j in range(3):
            if j > 0:
                frame = frame @ turned(x[2 * f + j])
            total = total + w[j] * (frame @ b)
    return total


def three(x: Any, m: Any, b: Any, w: Any) -> Any:
    total = np.zeros_like(b)
    for f in range(4):
        frame = m[f]
        for j in range(4):
            if j > 0:
                frame = frame @ turned(x[3 * f + j])
            total = total + w[j] * (frame @ b)
    return total


def with_numbers(x: Any, m: Any, b: Any, w: Any) -> Any:
    """Two calls are given one number, and one another."""
    total = np.zeros_like(b)
    for f in range(4):
        frame = m[f]
        for j in range(4):
            if j == 1:
                frame = frame @ spread(x[3 * f + j], 0.5)
            elif j > 0:
                frame = frame @ spread(x[3 * f + j], 0.25)
            total = total + w[j] * (frame @ b)
    return total


def in_turn(x: Any, m: Any, b: Any, w: Any) -> Any:
    """A call is given what another one returned."""
    total = np.zeros_like(b)
    for f in range(4):
        frame = m[f]
        for j in range(3):
            if j > 0:
                frame = frame @ spread(x[2 * f + j], np.sign(frame[0, 0]))
            total = total + w[j] * (frame @ b)
    return total


def shared(x: Any, m: Any, b: Any, w: Any) -> Any:
    """What all turns share is given to both calls."""
    total = np.zeros_like(b)
    for f in range(4):
        frame = m[f]
        for j in range(3):
            if j > 0:
                frame = frame @ spread(x[2 * f + j], w[0, 0])
            total = total + w[j] * (frame @ b)
    return total


def apart(x: Any, m: Any, b: Any, w: Any) -> Any:
    """What all turns share is one for each of the calls."""
    total = np.zeros_like(b)
    for f in range(4):
        frame = m[f]
        for j in range(3):
            if j > 0:
                frame = frame @ spread(x[2 * f + j], w[j, 0])
            total = total + w[j] * (frame @ b)
    return total


def looping(x: Any, m: Any, b: Any, w: Any) -> Any:
    """A function that is not a list of operations."""
    total = np.zeros_like(b)
    for f in range(4):
        frame = m[f]
        for j in range(3):
            if j > 0:
                frame = frame @ written(x[2 * f + j])
            total = total + w[j] * (frame @ b)
    return total


FUNCTIONS = [two, three, with_numbers, shared, in_turn, apart, looping]


def text(f: Any) -> str:
    return tg.jacfwd(f, fallback="error").source_for(X, M, B, W)


@pytest.mark.parametrize("f", FUNCTIONS)
def test_agrees_with_differences(f: Any) -> None:
    assert "_turn_" in text(f), "the turns are not side by side"
    found = tg.jacfwd(f, fallback="error")(X, M, B, W)
    expected = np.stack([numeric_jvp(lambda x: f(x, M, B, W), [X], [e]) for e in np.eye(14)], axis=-1)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(found, tg.jacfwd(f, optimize={"turns": False})(X, M, B, W), rtol=1e-12, atol=1e-13)


def test_two_calls_are_one() -> None:
    lines = text(two).splitlines()
    at = next(k for k, line in enumerate(lines) if "concatenate" in line)
    assert lines[at:at + 3] == [
        "    s, t = turned_jvp_at_batched(np.concatenate((x[1:8:2], x[2:9:2])))",
        "    q = frame[:, None] @ t[:4][:, None]",
        "    frame = frame @ s[:4]",
    ]
    assert text(two).count("turned_jvp_at_batched(") == 2, "where it is defined, and one call"


def test_three_calls_are_one() -> None:
    assert "turned_jvp_at_batched(np.concatenate((x[1:11:3], x[2:12:3], x[3:13:3])))" in text(three)
    assert "[:4]" in text(three) and "[4:8]" in text(three) and "[8:]" in text(three)


def test_calls_that_are_given_the_same_besides_are_one() -> None:
    assert "spread_jvp_at_2_batched(np.concatenate((x[2:12:3], x[3:13:3])))" in text(with_numbers)
    assert text(with_numbers).count("batched(np.concatenate") == text(shared).count("batched(np.concatenate") == 1


@pytest.mark.parametrize("f", [in_turn, apart, looping])
def test_calls_that_stay(f: Any) -> None:
    assert "batched(np.concatenate" not in text(f)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_nan_and_infinity_stay_where_they_are(bad: float) -> None:
    x = X.copy()
    x[3] = bad
    with np.errstate(invalid="ignore"):
        found, plain = tg.jacfwd(two)(x, M, B, W), tg.jacfwd(two, optimize={"turns": False})(x, M, B, W)
    np.testing.assert_allclose(found, plain, rtol=1e-12, atol=1e-13)
    assert np.isfinite(found[..., [0, 1, 2, 5, 6, 7]]).all() and np.isnan(found[..., 3:5]).any()


def test_a_part_that_is_not_there_raises() -> None:
    with pytest.raises(IndexError):
        tg.jacfwd(two)(X[:7], M, B, W)
    df = tg.jacfwd(two)
    df(X, M, B, W)
    with pytest.raises(IndexError):
        df(X[:7], M, B, W)
