"""A row that was just put into an array is what was put there, where nothing reads it after the next write to the array."""
from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import transgrad as tg
from tests.random_programs.oracle import compile_text
from transgrad.testing import check_grad

RNG = np.random.default_rng(61)


def handed_to_the_next_turn(w, s):
    now = s.copy()
    x = w[0]
    for k in range(len(w)):
        now[k] = np.tanh(now[k] * x + w[k])
        x = now[k]
    return np.sum(x * now[0])


def read_after_the_next_write(w, s):
    now = s.copy()
    total = 0.0
    for k in range(len(w)):
        now[k] = np.tanh(now[k] * w[k])
        x = now[k]
        now[k] = now[k] * 2.0
        total += np.sum(x * w[k])
    return total


def read_after_a_turn_writes(w, s):
    """The row of one turn is written to by the next before it is read."""
    now = s.copy()
    x = s[0]
    for k in range(len(w)):
        now[0] = now[0] * w[k]
        now[1] = np.sin(x)
        now[0] = now[0] + now[1]
        x = now[0]
    return np.sum(x * now[1])


def read_behind_the_loop(w, s):
    now = s.copy()
    x = s[0]
    for k in range(len(w)):
        now[k] = np.cos(now[k] * w[k])
        x = now[k]
    now[len(w) - 1] = now[0] * 3.0
    return np.sum(x * now[0])


def view_of_a_view(w, s):
    now = s.copy()
    now[0] = np.sin(w[0] * now[1])
    x = now[0]
    y = x[::-1]
    now[0] = w[1] * now[1]
    return np.sum(x * y * now[0])


def written_through_the_view(w, s):
    now = s.copy()
    now[0] = np.sin(w[0] * now[1])
    x = now[0]
    x *= w[1]
    return np.sum(x * now[0])


def what_was_put_is_written(w, s):
    now = s.copy()
    v = np.sin(w[0] * now[1])
    now[0] = v
    v += 1.0
    x = now[0]
    return np.sum(x * v * now[1])


def in_a_list(w, s):
    now = s.copy()
    rows = []
    for k in range(len(w)):
        now[0] = np.sin(now[0] * w[k])
        rows.append(now[0])
    return np.sum(rows[0] * rows[-1])


def in_a_tuple(w, s):
    now = s.copy()
    now[0] = np.sin(now[0] * w[0])
    pair = now[0], now[1]
    now[0] = w[1]
    a, b = pair
    return np.sum(a * b)


def in_a_branch(w, s):
    now = s.copy()
    total = 0.0
    for k in range(len(w)):
        now[k] = np.sin(now[k] * w[k])
        x = now[k]
        if k % 2:
            now[k] = x * 2.0
            total += np.sum(x)
        else:
            total += np.sum(x * w[0])
    return total + np.sum(now)


def another_name(w, s):
    now = s.copy()
    other = now
    now[0] = np.sin(now[0] * w[0])
    other[0] = w[1] * other[1]
    x = now[0]
    return np.sum(x * now[1])


def other_index(w, s):
    now = s.copy()
    for k in range(1, len(w)):
        now[k] = np.sin(now[k] * w[k])
        now[k - 1] = now[k] * w[0]
        x = now[k]
        now[-1] = x * now[k - 1]
    return np.sum(now)


def while_loop(w, s):
    now, k, x = s.copy(), 0, w[0]
    while k < len(w):
        now[0] = np.sin(x * w[k])
        x = now[0]
        k += 1
    return np.sum(x * now[1])


def returned(w, s):
    now = s.copy()
    now[0] = np.sin(now[0] * w[0])
    x = now[0]
    now[0] = w[1]
    return np.sum(x * x)


def called(w, s):
    now = s.copy()
    for k in range(len(w)):
        now[k] = np.sin(now[k] * w[k])
        _double(now)
        now[0] = now[k] + w[0]
    return np.sum(now)


def _double(rows):
    rows[0] = rows[0] * 2.0
    rows[1] = np.tanh(rows[0])


CASES = [handed_to_the_next_turn, read_after_the_next_write, read_after_a_turn_writes, read_behind_the_loop, view_of_a_view,
         written_through_the_view, what_was_put_is_written, in_a_list, in_a_tuple, in_a_branch, another_name, other_index, while_loop,
         returned, called]


@pytest.mark.parametrize("f", CASES)
def test_gradients_are_those_of_differences(f):
    args = RNG.normal(size=(3, 4)), RNG.normal(size=(3, 4))
    check_grad(f, args)
    want = tg.value_and_grad(f, (0, 1), fallback="error", optimize=False)(*args)
    for options in ({}, {"optimize": {"stored": False}}, {"optimize": {"simplify": False}}):
        found = tg.value_and_grad(f, (0, 1), fallback="error", **options)(*args)
        for a, b in zip((found[0], *found[1]), (want[0], *want[1])):
            np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(want[0], f(*args), rtol=1e-13)
    for a, b in zip(tg.jvp(f, args, args, fallback="error"), tg.jvp(f, args, args, fallback="error", optimize=False)):
        np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-13)


@pytest.mark.usefixtures("rows_stay_arrays")
def test_no_view_is_copied():
    text = tg.grad(handed_to_the_next_turn).source_for(np.ones((3, 4)), np.ones((3, 4)))
    assert re.search(r"x = np\.tanh\(s_?\d*\)\n", text) and "x.copy()" not in text and "x = now[k]" not in text
    assert "x = now[k]" in tg.grad(handed_to_the_next_turn, optimize={"stored": False}).source_for(np.ones((3, 4)), np.ones((3, 4)))


def test_a_row_of_another_length_raises():
    def f(w, s):
        now = s.copy()
        now[0] = np.sin(w)
        x = now[0]
        return np.sum(x * now[1])

    d = tg.grad(f, (0, 1), fallback="error")
    assert [g.shape for g in d(np.ones(4), np.ones((2, 4)))] == [(4,), (2, 4)]
    assert [g.shape for g in d(np.ones(1), np.ones((2, 4)))] == [(1,), (2, 4)]
    with pytest.raises(ValueError, match="broadcast"):
        d(np.ones(3), np.ones((2, 4)))


@st.composite
def programs(draw):
    """Rows that are read, written and read again, under names that live on over turns."""
    lines = []
    for _ in range(draw(st.integers(3, 9))):
        i, j, name, other = draw(st.sampled_from(["k", "0", "1", "k - 1"])), draw(st.sampled_from(["k", "0", "1"])), draw(
            st.sampled_from("xyz")), draw(st.sampled_from("xyz"))
        lines.append(draw(st.sampled_from([
            f"now[{i}] = np.sin({other} * w[{j}])", f"{name} = now[{i}]", f"{name} = {other}", f"now[{i}] = {other}",
            f"{name} = np.cos(now[{i}])", f"now[{i}] += np.sin({other})", f"total += np.sum({other} * now[{i}])",
            f"now[{i}] = np.tanh(now[{j}] * w[k])\n        {name} = now[{i}]", f"{name} = {other}[::-1]",
            f"{name} = np.stack([{other}, now[{i}]])[1]"])))
    body = "".join(f"        {line}\n" for line in lines)
    return ("def program(w, s):\n    now = s.copy()\n    x, y, z = w[0] * 1.0, w[1] + 0.5, w[1] * w[0]\n    total = 0.0\n"
            f"    for k in range(1, 3):\n{body}    return total + np.sum(now * x) + np.sum(y * z)\n")


@given(programs())
@settings(max_examples=80, deadline=None)
def test_random_programs(text):
    f = compile_text(text, f"of rows {hash(text)}", {"np": np})
    rng = np.random.default_rng(len(text))
    args = 0.7 * rng.normal(size=(3, 4)), 0.7 * rng.normal(size=(3, 4))
    found = tg.value_and_grad(f, (0, 1), fallback="error")(*args)
    want = tg.value_and_grad(f, (0, 1), fallback="error", optimize={"stored": False})(*args)
    np.testing.assert_allclose(found[0], f(*args), rtol=1e-12)
    for a, b in zip(found[1], want[1]):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-11)
