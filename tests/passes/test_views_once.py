"""Views that an inner loop takes in each turn of an outer one are taken once: the same derivatives, and where they are not the same views,
they are taken in each turn."""
from __future__ import annotations

import ast

import numpy as np
import pytest

import transgrad as tg
from tests.passes.by_differences import Programs
from transgrad.passes.switches import switched_off
from transgrad.testing import check_grad

once, each_turn = Programs(), Programs()


@once
def rows(w, xs, h):
    for t in range(len(xs)):
        for k in range(len(w)):
            h = np.tanh(h * w[k] + xs[t])
    return np.sum(h)


@once
def rows_by_formula(w, xs, h):
    """Two numbers of one turn, and a view of a view."""
    layers = len(w) // 2
    for t in range(len(xs)):
        for k in range(layers):
            a, b = w[2 * k].reshape(3, -1), w[2 * k + 1]
            h = np.tanh(h * a[1] + b[2:4] * xs[t])
    return np.sum(h ** 2)


@once
def slices(w, xs, h):
    flat = w.ravel()
    for t in range(len(xs)):
        for k in range(len(w)):
            h = np.tanh(h + flat[2 * k:2 * k + 2] * xs[t])
    return np.sum(h)


@once
def with_what_changes(w, xs, h):
    """Of two factors, one is written to."""
    state = np.zeros((len(w), 2))
    for t in range(len(xs)):
        for k in range(len(w)):
            state[k] = np.tanh(state[k] * w[k, :2] + xs[t] * h)
    return np.sum(state)


@each_turn
def written(w, xs, h):
    w = w.copy()
    for t in range(len(xs)):
        for k in range(len(w)):
            w[k] = np.tanh(w[k] + xs[t, 0])
            h = h * w[k, :2]
    return np.sum(h)


@each_turn
def written_by_another_name(w, xs, h):
    w = 1.0 * w
    first = w[0]
    for t in range(len(xs)):
        for k in range(len(w)):
            h = np.tanh(h * w[k, :2] + xs[t])
        first *= 0.9
    return np.sum(h)


@each_turn
def of_the_outer_turn(w, xs, h):
    for t in range(len(xs)):
        for k in range(len(w)):
            h = np.tanh(h * w[(k + t) % len(w), :2] + xs[t])
    return np.sum(h)


@each_turn
def another_array_each_turn(w, xs, h):
    for t in range(len(xs)):
        v = w * xs[t, 0]
        for k in range(len(v)):
            h = np.tanh(h * v[k, :2])
    return np.sum(h)


@each_turn
def leaves_early(w, xs, h):
    """The last rows may never be read."""
    for t in range(len(xs)):
        for k in range(len(w)):
            h = np.tanh(h * w[k, :2] + xs[t])
            if h[0] > 0.8:
                break
    return np.sum(h)


@each_turn
def under_a_condition(w, xs, h):
    for t in range(len(xs)):
        if xs[t, 0] > 0.0:
            for k in range(len(w)):
                h = np.tanh(h * w[k, :2] + xs[t])
    return np.sum(h)


@each_turn
def more_in_each_turn(w, xs, h):
    for t in range(len(xs)):
        for k in range(min(t, len(w))):
            h = np.tanh(h * w[k, :2] + xs[t])
    return np.sum(h)


@each_turn
def beside_a_try(w, xs, h):
    try:
        scale = w[7, 1]
    except IndexError:
        scale = 2.0
    for t in range(len(xs)):
        for k in range(len(w)):
            h = np.tanh(scale * h * w[k, :2] + xs[t])
    return np.sum(h)


def arguments(layers=4, steps=9):
    rng = np.random.default_rng(5)
    return rng.normal(size=(layers, 6)), rng.normal(size=(steps, 2)), rng.normal(size=2)


def given(f, args):
    """``rows`` multiplies with whole rows."""
    return (args[0][:, :2].copy(), *args[1:]) if f is rows else args


@pytest.mark.parametrize("f", [*once, *each_turn], ids=lambda f: f.__name__)
@pytest.mark.parametrize("sizes", [(4, 9), (2, 30), (4, 8), (4, 1), (4, 0), (0, 9), (30, 9)], ids=str)
def test_the_derivative_is_the_same(f, sizes):
    args = given(f, arguments(*sizes))
    if f is written_by_another_name and not sizes[0]:       # it reads the first row
        with pytest.raises(IndexError):
            tg.grad(f, fallback="error")(*args)
        return
    with switched_off("views"):
        want = tg.value_and_grad(f, (0, 1, 2), fallback="error")(*args)
    df = tg.value_and_grad(f, (0, 1, 2), fallback="error")
    df(*given(f, arguments()))      # what was written for other lengths has to notice
    found = df(*args)
    np.testing.assert_equal(found[0], want[0])
    for a, b in zip(found[1], want[1]):
        np.testing.assert_allclose(a, b, rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("f", [*once, *each_turn], ids=lambda f: f.__name__)
def test_the_derivative_is_right(f):
    check_grad(f, given(f, arguments()), argnums=(0, 1, 2))


def lists_of_views(f):
    """The lists that the loops of a gradient run over beside what they count, a set for each loop."""
    df = tg.grad(f, 0, fallback="error")
    df(*given(f, arguments()))
    loops = [node for node in ast.walk(ast.parse(df.source)) if isinstance(node, ast.For)]
    found = [{n.id for n in ast.walk(loop.iter) if isinstance(n, ast.Name) and "_list" in n.id} for loop in loops]
    return [names for names in found if names]


@pytest.mark.parametrize("f", once, ids=lambda f: f.__name__)
def test_both_sweeps_run_over_the_same_lists(f):
    forward, *backward = lists_of_views(f)
    assert forward
    if f is not slices:     # whose reverse is handed the slices
        assert forward & backward[0]


@pytest.mark.parametrize("f", each_turn, ids=lambda f: f.__name__)
def test_what_may_change_is_read_in_each_turn(f):
    assert not lists_of_views(f)


def test_an_index_that_is_wrong_raises_where_the_loop_runs_alone():
    def f(w, xs, h):
        for t in range(len(xs)):
            for k in range(len(w)):
                h = np.tanh(h * w[k + 1, :2] + xs[t])
        return np.sum(h)

    df = tg.grad(f, fallback="error")
    w, xs, h = arguments()
    with pytest.raises(IndexError):
        df(w, xs, h)
    np.testing.assert_array_equal(df(w, xs[:0], h), np.zeros_like(w))
