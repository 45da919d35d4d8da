"""What is added to a row of zeros for the first time is put there; where something may be there already, it is added."""
from __future__ import annotations

import numpy as np
import pytest

import transgrad as tg
from tests.passes.by_differences import Programs
from transgrad.testing import check_grad

put, added = Programs(), Programs()


@put
def each_row(xs, w):
    h = w
    for t in range(len(xs)):
        h = np.tanh(h * w + xs[t])
    return np.sum(h)


@put
def from_the_second(xs, w):
    h = w
    for t in range(1, len(xs)):
        h = np.tanh(h * w + xs[t])
    return np.sum(h)


@put
def every_other(xs, w):
    h = w
    for t in range(0, len(xs), 2):
        h = np.tanh(h * w * xs[t])
    return np.sum(h)


@put
def part_of_each_row(xs, w):
    h = w[1:]
    for t in range(len(xs)):
        h = np.tanh(h * w[1:] + xs[t, 1:])
    return np.sum(h)


@put
def one_number(xs, w):
    """A row of which one number is read in all."""
    h = w
    for t in range(len(xs)):
        h = np.tanh(h * w + xs[t, 0])
    return np.sum(h)


@added
def two_rows(xs, w):
    h = w
    for t in range(1, len(xs)):
        h = np.tanh(h * xs[t - 1] + xs[t])
    return np.sum(h)


@added
def one_row_twice(xs, w):
    h = w
    for t in range(len(xs)):
        h = np.tanh(h * xs[t])
        h = h * np.cos(xs[t])
    return np.sum(h)


@added
def two_loops(xs, w):
    h = w
    for t in range(len(xs)):
        h = np.tanh(h * w + xs[t])
    for t in range(len(xs)):
        h = np.tanh(h * w * xs[t])
    return np.sum(h)


@added
def used_behind(xs, w):
    h = w
    for t in range(len(xs)):
        h = np.tanh(h * w + xs[t])
    return np.sum(h) + np.sum(np.sin(xs))


@added
def backwards_from_the_last(xs, w):
    h = w
    for t in range(len(xs)):
        h = np.tanh(h * w + xs[-t])
    return np.sum(h)


@added
def ever_the_same(xs, w):
    h = w
    for t in range(len(xs)):
        h = np.tanh(h * w + xs[t // 2])
    return np.sum(h)


@added
def in_another_loop(xs, w):
    h = w
    for _ in range(3):
        for t in range(len(xs)):
            h = np.tanh(h * w + xs[t])
    return np.sum(h)


@added
def from_below_zero(xs, w):
    """The first turn and the last read one row."""
    h = w
    for t in range(-1, len(xs)):
        h = np.tanh(h * w + xs[t])
    return np.sum(h)


@pytest.mark.parametrize("f", [*put, *added], ids=lambda f: f.__name__)
def test_the_derivative_is_right(f):
    rng = np.random.default_rng(3)
    for shape in ((9, 4), (3, 4), (1, 4), (12, 3000) if f is each_row else (12, 40)):
        args = 0.5 * rng.normal(size=shape), rng.normal(size=shape[1])
        if shape[1] < 100:
            check_grad(f, args)
        found, want = tg.grad(f, (0, 1), fallback="error")(*args), tg.grad(f, (0, 1), fallback="error", optimize=False)(*args)
        for a, b in zip(found, want):
            np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-13)


@pytest.mark.usefixtures("rows_stay_arrays")
@pytest.mark.parametrize("f", put, ids=lambda f: f.__name__)
def test_what_is_put_into_rows(f):
    assert lines_with(f, "+=") == 0 < lines_with(f, " = ")


@pytest.mark.parametrize("f", added, ids=lambda f: f.__name__)
def test_what_is_added_to_rows(f):
    assert lines_with(f, "+=") > 0


def lines_with(f, operator):
    """How many lines there are that write to parts of the gradient by ``xs`` so."""
    df = tg.grad(f, fallback="error", optimize={"lists": False, "distribute": False})
    df(np.ones((9, 4)), np.ones(4))
    lines = [line.strip() for line in df.source.splitlines()]
    return sum(line.startswith("xs_bar[") and operator in line for line in lines)
