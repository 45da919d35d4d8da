"""Elements that the next turn of a loop needs again are carried in numbers, where none of them can be another one in disguise."""
from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import transgrad as tg

from ..random_programs.oracle import compile_text


def product_of_neighbours(x: Any) -> Any:
    s = 0.0
    for i in range(1, len(x)):
        s = 0.9 * s + x[i] * x[i - 1]
    return s


def eliminated(x: Any) -> Any:
    c = np.zeros(len(x))
    c[0] = x[0]
    for i in range(1, len(x)):
        c[i] = x[i] / (3.0 + x[i] * c[i - 1])
    for i in range(len(x) - 2, -1, -1):
        c[i] = c[i] - 0.5 * c[i + 1]
    return np.sum(c * c)


def relaxed(x: Any) -> Any:
    u = x.copy()
    for _ in range(3):
        for i in range(1, len(u) - 1):
            u[i] = 0.3 * u[i] + 0.35 * (u[i - 1] + u[i + 1]) * u[i - 1]
    return np.sum(u ** 2)


def two_back(x: Any) -> Any:
    u = x.copy()
    for i in range(2, len(u)):
        u[i] = u[i] + u[i - 2] * x[i - 2]
    return u[len(u) - 1] * u[0]


def counted_from_the_end(x: Any) -> Any:
    """In the first turn, ``x[i - 1]`` is the last element."""
    u = x.copy()
    for i in range(len(x)):
        u[i] = u[i] * u[i - 1]
    return np.sum(u)


def summed_into_one(x: Any) -> Any:
    u = np.zeros(len(x))
    for i in range(len(x)):
        for j in range(i):
            u[i] += x[j] * x[i]
            u[j] -= math.sin(x[j])
    return np.sum(u * u)


def either_way(x: Any) -> Any:
    u = x.copy()
    for i in range(1, len(x)):
        if u[i - 1] > 0.0:
            u[i] = u[i] * u[i - 1]
    return np.sum(u)


def left_early(x: Any) -> Any:
    s = 0.0
    for i in range(1, len(x)):
        s = s + x[i] * x[i - 1]
        if s > 1.0:
            break
    return s


def read_afterwards(x: Any) -> Any:
    u = np.zeros(len(x))
    for i in range(1, len(x)):
        u[i] = x[i]
        u[i - 1] = u[i] * x[i - 1]
    return u[0] + 2.0 * u[1] + 3.0 * u[len(x) - 1]


PROGRAMS = [product_of_neighbours, eliminated, relaxed, two_back, counted_from_the_end, summed_into_one, either_way, left_early,
            read_afterwards]


@pytest.mark.parametrize("n", [2, 3, 4, 9])
@pytest.mark.parametrize("f", PROGRAMS)
def test_the_derivative_is_the_same(f: Any, n: int) -> None:
    x = np.random.default_rng(n).normal(size=n)
    plain = tg.grad(f, fallback="error", optimize=False)(x)
    np.testing.assert_allclose(tg.grad(f, fallback="error")(x), plain, rtol=1e-12)
    np.testing.assert_allclose(tg.grad(f, fallback="error", optimize={"carry": False})(x), plain, rtol=1e-12)


@pytest.mark.parametrize("f", [eliminated, relaxed, two_back, summed_into_one, counted_from_the_end, read_afterwards])
def test_machine_code_has_the_same_derivative(f: Any) -> None:
    pytest.importorskip("numba")
    gradient = tg.grad(f, fallback="error", backend="numba")
    for n in (2, 3, 9):
        x = np.random.default_rng(n).normal(size=n)
        np.testing.assert_allclose(gradient(x), tg.grad(f, optimize=False)(x), rtol=1e-12)


@pytest.mark.parametrize("f", [product_of_neighbours, relaxed, eliminated])
def test_arrays_too_short_for_a_turn(f: Any) -> None:
    gradient = tg.grad(f, fallback="error")
    for n in (0, 1):
        x = np.ones(n)
        try:
            expected = tg.grad(f, fallback="error", optimize=False)(x)
        except IndexError:
            with pytest.raises(IndexError):
                gradient(x)
        else:
            np.testing.assert_array_equal(gradient(x), expected)


def code(f: Any, **options: Any) -> str:
    """The text of a gradient without its comments."""
    text = tg.grad(f, fallback="error", **options).source_for(np.ones(5))
    return "\n".join(line for line in text.splitlines() if not line.strip().startswith("#"))


def test_neighbours_are_read_once() -> None:
    text = code(product_of_neighbours)
    assert "x_list[i - 1]" in text and "x_list[i]" not in text
    assert "x_bar[i] = " in text and "+=" not in text


def test_what_nothing_reads_is_not_set_to_zero() -> None:
    assert "c_bar[i] = 0.0" in code(eliminated, optimize={"carry": False})
    assert "c_bar[i] = 0.0" not in code(eliminated)


def test_what_an_inner_loop_adds_to_is_a_number_meanwhile() -> None:
    assert "    x_bar[i] += " in code(summed_into_one, optimize={"carry": False})
    assert "    x_bar[i] += " not in code(summed_into_one)


def test_an_index_from_the_end_is_left_alone() -> None:
    assert code(counted_from_the_end) == code(counted_from_the_end, optimize={"carry": False})


@st.composite
def stencils(draw: Any) -> str:
    """A loop of some statements that read and write elements near the one where it is."""
    reach = draw(st.integers(0, 2))
    down, inner = draw(st.booleans()), draw(st.booleans())
    offsets = st.integers(-reach, reach)
    arrays = st.sampled_from(["u", "v"])

    def at() -> str:
        k = draw(offsets)
        index = "i" if k == 0 else f"i {'+' if k > 0 else '-'} {abs(k)}"
        return f"{draw(arrays)}[{index}]"
    low = draw(st.integers(0, reach + 1))
    span = f"range({low}, len(x) - {reach})" if not down else f"range(len(x) - {reach} - 1, {low - 1}, -1)"
    lines = []
    for _ in range(draw(st.integers(1, 4))):
        operator = draw(st.sampled_from(["=", "+=", "-="]))
        lines.append(f"{at()} {operator} 0.4 * {at()} * {at()} + x[i] * {draw(st.sampled_from(['0.5', 'c', 'v[0]']))}")
    indent = "        " if not inner else "            "
    body = "\n".join(indent + line for line in lines)
    head = f"    for i in {span}:\n" if not inner else f"    for _ in range(2):\n        for i in {span}:\n"
    return (f"def program(x, c):\n    u = x.copy()\n    v = np.zeros(len(x))\n{head}{body}\n"
            f"    return np.sum(u * u) + np.sum(v) + {draw(st.sampled_from(['u[0]', 'v[0]', 'u[len(x) - 1]']))} * c\n")


@given(stencils(), st.integers(1, 6))
@settings(max_examples=150, deadline=None)
def test_random_loops(text: str, n: int) -> None:
    f = compile_text(text, f"stencil {hash(text)}", {"np": np})
    x = np.random.default_rng(0).uniform(-1.0, 1.0, n)
    found = _outcome(f, x, True)
    expected = _outcome(f, x, False)
    if isinstance(expected, type):
        assert found is expected
    else:
        for a, b in zip(found, expected):
            np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-14)


def _outcome(f: Any, x: Any, optimize: bool) -> Any:
    try:
        return tg.grad(f, argnums=(0, 1), fallback="error", optimize=optimize)(x, 0.7)
    except IndexError:
        return IndexError
