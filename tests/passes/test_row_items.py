"""Arrays of few rows that are read and written row by row are lists of rows: the same values, whatever outlives a write."""
from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import transgrad as tg
from tests.passes import test_handed, test_stored
from tests.random_programs.oracle import compile_text
from transgrad.testing import check_grad

RNG = np.random.default_rng(67)


def layers(w, s):
    now, total = s.copy(), 0.0
    for t in range(4):
        x = w[0] * t
        for k in range(len(s)):
            now[k] = np.tanh(now[k] * w[k] + x)
            x = now[k] * w[0]
        total += np.sum(np.sin(x))
    return total


def from_constants(w, s):
    now, total = np.zeros((2, s.shape[1])), 0.0
    now[0] = s[1]
    for t in range(4):
        now[1] = np.sin(now[0] * w[0])
        now[0] = s[0] + now[1] * w[1]
        total += np.sum(now[1] * now[0])
    return total


def in_a_while_loop(w, s):
    now, k = s * 2.0, 0
    while k < 6:
        now[k % 2] = np.tanh(now[(k + 1) % 2] * w[0])
        k += 1
    return np.sum(now[0] * w[1])


def an_old_row(w, s):
    """A row is read after another one took its place."""
    now, total = s.copy(), 0.0
    for k in range(3):
        old = now[0]
        now[0] = np.sin(now[1] * w[0])
        total += np.sum(old * w[1])
        now[1] = np.cos(now[0])
    return total


def an_old_copy(w, s):
    now, total = s.copy(), 0.0
    for k in range(3):
        old = now[0].copy()
        now[0] = np.sin(now[1] * w[0])
        total += np.sum(old * w[1])
        now[1] = np.cos(now[0] * old)
    return total


def a_copy_that_is_written(w, s):
    now, total = s.copy(), 0.0
    for k in range(3):
        old = now[0].copy()
        old += 1.0
        now[1] = np.cos(now[0] * old)
        total += np.sum(old * now[1] * w[0])
    return total


def one_array_in_two_rows(w, s):
    now, total = s.copy(), 0.0
    for k in range(3):
        v = np.sin(now[0] * w[0])
        now[0] = v
        now[1] = v
        v += 1.0
        total += np.sum(v * now[0] * now[1])
    return total


def rows_added_to(w, s):
    now, total = s.copy(), 0.0
    for k in range(3):
        now[0] += np.sin(now[1] * w[0])
        now[1] = now[0] * w[1]
        total += np.sum(now[1])
    return total


def elements_too(w, s):
    now, total = s.copy(), 0.0
    for k in range(3):
        now[0] = np.sin(now[1] * w[0])
        now[1, k] = w[1, 0]
        total += np.sum(now[1] * now[0])
    return total


def whole_at_the_end(w, s):
    now = s.copy()
    for k in range(3):
        now[0] = np.sin(now[1] * w[0])
        now[1] = now[0] * w[1]
    return np.sum(now ** 2)


def a_number_for_a_row(w, s):
    now, total = s.copy(), 0.0
    for k in range(3):
        now[0] = np.sin(now[1] * w[0])
        total += np.sum(now[0])
        now[1] = total
    return total


def returned_row(w, s):
    now = s.copy()
    for k in range(3):
        now[0] = np.sin(now[1] * w[0])
        now[1] = now[0] * w[1]
    return np.sum(now[0]), now[1]


LISTS = [layers, from_constants, in_a_while_loop, an_old_copy, a_copy_that_is_written]
CASES = [*LISTS, an_old_row, one_array_in_two_rows, rows_added_to, elements_too, whole_at_the_end, a_number_for_a_row]


@pytest.mark.parametrize("f", [*CASES, *test_stored.CASES, *test_handed.CASES])
def test_gradients_are_those_of_differences(f):
    args = 0.5 * RNG.normal(size=(3, 4)), 0.5 * RNG.normal(size=(6 if f is test_handed.two_rows_a_layer else 3, 4))
    if f in CASES:
        check_grad(f, args)
    for argnums in ((0,), (0, 1)):
        want = tg.value_and_grad(f, argnums, fallback="error", optimize=False)(*args)
        for options in ({}, {"optimize": {"lists": False}}, {"optimize": {"stored": False}}):
            found = tg.value_and_grad(f, argnums, fallback="error", **options)(*args)
            for a, b in zip((found[0], *found[1]), (want[0], *want[1])):
                np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-13)


@pytest.mark.usefixtures("rows_stay_arrays")
@pytest.mark.parametrize("f", LISTS)
def test_what_is_a_list(f):
    args = RNG.normal(size=(3, 4)), RNG.normal(size=(3, 4))
    assert "now = list(" in tg.grad(f).source_for(*args)
    assert "now = list(" not in tg.grad(f, optimize={"lists": False}).source_for(*args)


@pytest.mark.parametrize("f", [f for f in CASES if f not in LISTS])
def test_what_is_not(f):
    assert "now = list(" not in tg.grad(f, fallback="error").source_for(RNG.normal(size=(3, 4)), RNG.normal(size=(3, 4)))


def test_arguments_stay_as_they_are():
    w, s = RNG.normal(size=(3, 4)), RNG.normal(size=(3, 4))
    before = w.copy(), s.copy()
    _, row = tg.grad(returned_row, has_aux=True, fallback="error")(w, s)
    row += 1.0
    np.testing.assert_array_equal(np.stack([w, s]), np.stack(before))


@pytest.mark.usefixtures("rows_stay_arrays")
def test_many_rows_stay_an_array():
    d = tg.grad(layers, fallback="error")
    for rows in (3, 100, 4):
        args = RNG.normal(size=(rows, 4)), RNG.normal(size=(rows, 4))
        np.testing.assert_allclose(d(*args), tg.grad(layers, optimize=False)(*args), rtol=1e-11, atol=1e-13)
        assert ("now = list(" in d.source_for(*args)) is (rows < 64) or rows == 4


def test_rows_that_are_not_there_raise():
    def f(w, s):
        now, total = s.copy(), 0.0
        for k in range(len(w)):
            now[k] = np.sin(now[k] * w[k])
            total += np.sum(now[k])
        return total

    d = tg.grad(f, fallback="error")
    d(np.ones((3, 4)), np.ones((3, 4)))
    with pytest.raises(IndexError):
        d(np.ones((5, 4)), np.ones((3, 4)))


@st.composite
def programs(draw):
    """Rows that take each other's place, under names that live on."""
    lines = []
    for _ in range(draw(st.integers(2, 7))):
        i, j, a, b = (draw(st.sampled_from(["k", "0", "1", "-1", "k - 1"])) for _ in range(2)), draw(st.sampled_from("01k")), draw(
            st.sampled_from("xy")), draw(st.sampled_from("xy"))
        i, n = i
        lines.append(draw(st.sampled_from([
            f"now[{i}] = np.sin(now[{n}] * w[{j}])", f"now[{i}] = np.tanh({a} + now[{n}])", f"{a} = np.cos(now[{i}]) * {b}",
            f"{a} = now[{i}]", f"{a} = now[{i}].copy()", f"total += np.sum(now[{i}] * {a})", f"{a} = {a} + now[{i}]"])))
    body = "".join(f"        {line}\n" for line in lines)
    return ("def program(w, s):\n    now = s.copy()\n    x, y, total = w[0] * 1.0, w[1] + 0.5, 0.0\n"
            f"    for k in range(1, 3):\n{body}    return total + np.sum(x * y)\n")


@given(programs())
@settings(max_examples=80, deadline=None)
def test_random_programs(text):
    f = compile_text(text, f"of lists {hash(text)}", {"np": np})
    rng = np.random.default_rng(len(text))
    args = 0.7 * rng.normal(size=(3, 4)), 0.7 * rng.normal(size=(3, 4))
    found = tg.value_and_grad(f, fallback="error")(*args)
    want = tg.value_and_grad(f, fallback="error", optimize={"lists": False, "stored": False})(*args)
    np.testing.assert_allclose(found[0], f(*args), rtol=1e-12)
    np.testing.assert_allclose(found[1], want[1], rtol=1e-9, atol=1e-11)
