"""Short loops in a window that go another way in each turn: written out, their Jacobians are those of the loops."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import transgrad as tg
from transgrad.passes.switches import switched_off

RNG = np.random.default_rng(11)
X, B, M = RNG.normal(size=16), RNG.normal(size=(3, 8)), RNG.normal(size=(5, 3, 3)) / 2


def turn(a: Any) -> Any:
    return np.array([[np.cos(a), -np.sin(a), 0.0], [np.sin(a), np.cos(a), 0.0], [0.0, 0.0, 1.0]])


def chain(x: Any, b: Any, m: Any) -> Any:
    total = b * 1.0
    for f in range(3):
        frame = m[0]
        for j in range(4):
            if j == 0:
                frame = frame @ m[j]
            elif j == 1:
                frame = frame @ m[j] @ turn(x[5 * f])
            else:
                frame = frame @ turn(x[5 * f + j])
            total = total + m[j, 0] @ b * (frame @ b)
    return total


def first_moved_late(x: Any, b: Any, m: Any) -> Any:
    total = b * 1.0
    for f in range(3):
        frame = m[0]
        for j in range(4):
            if j < 2:
                frame = -frame @ m[j] + m[j]
            elif j != 3:
                frame = frame[::-1] @ turn(x[4 * f + j])
            total = total + b[0] * (frame @ b)
    return total


def moved_before(x: Any, b: Any, m: Any) -> Any:
    total = b * 1.0
    for f in range(3):
        frame = m[0] * x[4 * f]
        for j in range(3):
            if j == 0:
                frame = frame @ m[1]
            else:
                frame = frame @ turn(x[4 * f + j])
            total = total + b[0] * (frame @ b)
    return total


def two_at_once(x: Any, b: Any, m: Any) -> Any:
    """What one turn hands on under one name, the next one hands on under the other."""
    total = b * 1.0
    for f in range(3):
        frame, before = m[0], m[1]
        for j in range(4):
            if j == 0:
                frame, before = before, frame
            elif j == 2:
                frame, before = frame @ turn(x[4 * f + j]) + before, frame
            else:
                frame, before = before @ turn(x[4 * f + j]), before
            total = total + b[1] * (frame @ b) + b[0] * (before @ b)
    return total


def by_value_too(x: Any, b: Any, m: Any) -> Any:
    total = b * 1.0
    for f in range(3):
        frame = m[0]
        for j in range(3):
            if j == 0:
                frame = frame @ m[1]
            elif m[f, 0, 0] > 0.0:
                frame = frame @ turn(x[4 * f + j])
            else:
                frame = frame * x[4 * f + j]
            total = total + b[0] * (frame @ b)
    return total


def written(x: Any, b: Any, m: Any) -> Any:
    total = b * 1.0
    for f in range(3):
        frame = m[0].copy()
        for j in range(3):
            if j == 0:
                frame = frame @ m[1]
            else:
                frame = frame @ turn(x[4 * f + j])
            frame[0] += frame[1]
            total = total + b[0] * (frame @ b)
    return total


def written_by_turns(x: Any, b: Any, m: Any) -> Any:
    total = b * 1.0
    for f in range(3):
        frame = np.zeros((3, 3))
        for j in range(3):
            if j == 0:
                frame[0] = m[1, 0]
            else:
                frame = frame @ turn(x[4 * f + j])
                frame[j] = x[4 * f + j]
            total = total + b[0] * (frame @ b)
    return total


def seen_by_an_alias(x: Any, b: Any, m: Any) -> Any:
    total = b * 1.0
    for f in range(3):
        frame = np.zeros((3, 3))
        kept = frame
        for j in range(3):
            if j == 1:
                kept[1] = x[4 * f + j]
            elif j == 2:
                frame = frame @ turn(x[4 * f + j]) + kept
            total = total + b[0] * (frame @ b)
    return total


def numbers(x: Any, b: Any, m: Any) -> Any:
    total, n = b * 1.0, 0
    for f in range(3):
        s = 0.0
        for j in range(3):
            if j >= 1:
                s = s * 0.5 + np.sin(x[4 * f + j]) * (j + 1)
            n = n + j
            total = total + b * s + n
    return total


def many_turns(x: Any, b: Any, m: Any) -> Any:
    total = b * 1.0
    for f in range(2):
        frame = m[0]
        for j in range(8):
            if j == 0:
                frame = frame @ m[1]
            else:
                frame = frame @ turn(x[8 * f + j])
            total = total + b[0] * (frame @ b)
    return total


def counted_from_one(x: Any, b: Any, m: Any) -> Any:
    total = b * 1.0
    for f in range(3):
        frame = m[0]
        for j in range(1, 4):
            if j == 1:
                frame = frame @ m[1]
            else:
                frame = frame @ turn(x[4 * f + j])
            total = total + b[0] * (frame @ b)
    return total


def in_any_order(x: Any, b: Any, m: Any) -> Any:
    """Each turn moves by an angle beside those of the turns before: behind them, or before them."""
    total = b * 1.0
    for f in range(3):
        frame = m[0]
        for j in range(4):
            if j == 0:
                frame = frame @ turn(x[4 * f + 1])
            elif j == 1:
                frame = m[2] @ frame - m[1] @ turn(x[4 * f + 2])
            elif j == 2:
                frame = m[2] @ turn(x[4 * f]) - m[1] @ frame
            else:
                frame = turn(x[4 * f + 3]) @ m[3] + frame
            total = total + b[0] * (frame @ b)
    return total


def with_a_gap(x: Any, b: Any, m: Any) -> Any:
    """Between the angles of two turns there is that of the last one."""
    total = b * 1.0
    for f in range(3):
        frame = m[0]
        for j in range(3):
            if j == 0:
                frame = frame @ turn(x[4 * f])
            elif j == 1:
                frame = m[2] @ frame + m[1] @ turn(x[4 * f + 3])
            else:
                frame = m[4] @ frame - turn(x[4 * f + 2]) @ m[3]
            total = total + b[0] * (frame @ b)
    return total


def as_a_column(x: Any, b: Any, m: Any) -> Any:
    """What an angle moves is one column, and goes to all columns of what others move."""
    total = b * 1.0
    for f in range(3):
        frame = m[0]
        for j in range(3):
            if j == 0:
                frame = frame @ turn(x[4 * f])
            elif j == 1:
                frame = frame + (m[1] @ turn(x[4 * f + 1]))[:, 1:2]
            else:
                frame = (m[1] @ turn(x[4 * f + 2]))[:1] - frame @ m[3]
            total = total + b[0] * (frame @ b)
    return total


def the_same_angle(x: Any, b: Any, m: Any) -> Any:
    """Two turns move by one and the same angle."""
    total = b * 1.0
    for f in range(3):
        frame = m[0]
        for j in range(3):
            if j == 0:
                frame = frame @ turn(x[2 * f])
            elif j == 1:
                frame = frame @ m[1] + turn(x[2 * f]) * m[2]
            else:
                frame = frame @ m[1] + turn(x[2 * f + 1]) @ frame
            total = total + b[0] * (frame @ b)
    return total


DONE = [chain, first_moved_late, moved_before, in_any_order, with_a_gap, as_a_column, the_same_angle]
LEFT = [written, many_turns, counted_from_one]
OTHERS = [two_at_once, by_value_too, written_by_turns, seen_by_an_alias, numbers]


@pytest.mark.parametrize("n", [8, 1])
@pytest.mark.parametrize("f", [*DONE, *LEFT, *OTHERS], ids=lambda f: f.__name__)
def test_it_is_the_jacobian(f, n):
    args = X, B[:, :n], M
    found = tg.jacfwd(f)(*args)
    np.testing.assert_allclose(found, tg.jacfwd(f, optimize=False)(*args), atol=1e-12)
    np.testing.assert_allclose(found, tg.jacrev(f)(*args), atol=1e-12)
    with switched_off("stacks"):
        np.testing.assert_allclose(tg.jacfwd(f)(*args), found, atol=1e-12)
    with switched_off("turns"):
        np.testing.assert_allclose(tg.jacfwd(f)(*args), found, atol=1e-12)


@pytest.mark.parametrize("f", [*DONE, *LEFT, *OTHERS], ids=lambda f: f.__name__)
@pytest.mark.parametrize("dtype", ["float32", "int64"])
def test_other_dtypes(f, dtype):
    args = X, (B * 8).astype(dtype), (M * 8).astype(dtype)
    ours, plain = tg.jacfwd(f)(*args), tg.jacfwd(f, optimize=False)(*args)
    assert ours.dtype == plain.dtype
    np.testing.assert_allclose(ours, plain, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("f", [*DONE, *LEFT, two_at_once, written_by_turns], ids=lambda f: f.__name__)
def test_no_points(f):
    assert tg.jacfwd(f)(X, B[:, :0], M).shape == (3, 0, 16)


def test_a_short_argument():
    for f in (chain, two_at_once):
        with pytest.raises(IndexError):
            tg.jacfwd(f)(X[:9], B, M)


def turns_in(f: Any) -> str:
    text = tg.jacfwd(f).source_for(X, B, M)
    return text[text.find(f"def jvp_{f.__name__}_turn"):text.index(f"def jvp_{f.__name__}_batched")] or text


@pytest.mark.parametrize("f", DONE, ids=lambda f: f.__name__)
def test_it_is_done(f):
    assert "for j" not in turns_in(f) and "if j" not in turns_in(f)


@pytest.mark.parametrize("f", LEFT, ids=lambda f: f.__name__)
def test_it_is_left_alone(f):
    assert "for j" in turns_in(f)


def test_what_nothing_has_moved_is_not_computed():
    """The product with ``m[0]`` is that of the frames alone: no direction has moved them by then."""
    assert turns_in(chain).count("m[0]") == 1


def test_sums_of_angles_side_by_side():
    """What they move stands one behind the other; the only zeros are those of the stack that it is put into."""
    text = turns_in(in_any_order)
    assert [line.split(" = ")[1] for line in text.splitlines() if "concatenate" in line] == [
        "turn_jvp_at_batched(np.concatenate((x[1:10:4], x[2:11:4], x[:9:4], x[3:12:4])))",
        "np.concatenate((w @ t, -(v @ q[3:6][:, None])), axis=1)",
        "np.concatenate((w @ q[6:9][:, None], -(v @ frame_dot_1)), axis=1)",
        "np.concatenate((frame_dot_1, q[9:][:, None] @ m[3]), axis=1)",
    ]
    assert text.count("np.zeros(") == 1


def test_sums_of_angles_that_are_apart():
    """They are laid into zeros, and what is between them is added there."""
    text = turns_in(with_a_gap)
    assert "axis=1)" not in text and text.count("np.zeros(") == 2
    assert "    w[:, 0:1] = t\n    w[:, 3:4] = m[1] @ q[3:6][:, None]\n" in text and "    t[:, 2:3] -= q[6:][:, None] @ m[3]\n" in text
    assert "axis=1)" not in turns_in(as_a_column) and "    v[:, 1:2] += (w @" in turns_in(as_a_column)


def test_sums_of_one_angle():
    """Which are sums of what it moves; where one term moves with another angle, too, the other one is added to its own part."""
    text = turns_in(the_same_angle)
    assert "    frame_dot_1 = r @ v + q[3:6][:, None] * u\n" in text and text.count("np.zeros(") == 1
    assert text.count("axis=1)") == 1 and "    t[:, 0:1] += frame_dot_1 @ v\n" in text
