"""``vmap``: axes, structures, nesting, the text, and what is refused."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import transgrad as tg

X = np.random.default_rng(0).normal(size=(5, 3))
W = np.random.default_rng(1).normal(size=(3, 4))


def dense(x, w, b=0.5):
    return np.tanh(x @ w) + b


def test_axes() -> None:
    want = np.stack([dense(x, W) for x in X])
    assert np.allclose(tg.vmap(dense, in_axes=(0, None))(X, W), want)
    assert np.allclose(tg.vmap(dense, in_axes=(1, None))(X.T, W), want)
    assert np.allclose(tg.vmap(dense, in_axes=(-1, None))(X.T, W), want)
    assert np.allclose(tg.vmap(dense, in_axes=(0, None), out_axes=1)(X, W), want.T)
    assert np.allclose(tg.vmap(dense, in_axes=(0, None), out_axes=-1)(X, W), want.T)
    assert np.allclose(tg.vmap(dense, in_axes=(0, None, 0))(X, W, np.arange(5.0)), np.stack([dense(x, W, b) for x, b in zip(X, range(5))]))


def test_keyword_arguments_have_examples_too() -> None:
    assert np.allclose(tg.vmap(dense, in_axes=(0, None))(X, W, b=np.arange(5.0)), tg.vmap(dense, in_axes=(0, None, 0))(X, W, np.arange(5.0)))


def test_structures() -> None:
    def f(p, x):
        return {"y": p["w"] * x + p["b"], "n": 2.0 * x}

    w = np.arange(1.0, 6.0)
    got = tg.vmap(f)({"w": w, "b": np.full(5, 0.5)}, np.ones(5))
    assert np.allclose(got["y"], w + 0.5) and np.allclose(got["n"], 2.0)
    got = tg.vmap(f, in_axes=({"w": 0, "b": None}, None))({"w": w, "b": 0.5}, 2.0)
    assert np.allclose(got["y"], 2.0 * w + 0.5) and np.allclose(got["n"], np.full(5, 4.0))


@dataclass
class Point:
    x: Any
    y: Any


def test_dataclasses() -> None:
    def norm(p):
        return np.sqrt(p.x ** 2 + p.y ** 2)

    assert np.allclose(tg.vmap(norm)(Point(np.array([3.0, 6.0]), np.array([4.0, 8.0]))), [5.0, 10.0])
    gradient = tg.vmap(tg.grad(norm))(Point(np.array([3.0, 6.0]), np.array([4.0, 8.0])))
    assert np.allclose(gradient.x, 0.6) and np.allclose(gradient.y, 0.8)


def test_results_that_do_not_differ() -> None:
    def f(x):
        return x * 2.0, 3.0

    a, b = tg.vmap(f)(np.arange(4.0))
    assert np.allclose(a, [0, 2, 4, 6]) and np.allclose(b, np.full(4, 3.0)) and b.shape == (4,)
    a, b = tg.vmap(f, out_axes=(0, None))(np.arange(4.0))
    assert b == 3.0 and np.ndim(b) == 0


def test_axis_size() -> None:
    def f(x):
        return 2.0 * x

    assert np.allclose(tg.vmap(f, in_axes=None, axis_size=3)(1.5), np.full(3, 3.0))
    with pytest.raises(ValueError, match="axis_size"):
        tg.vmap(f, in_axes=None)(1.5)
    with pytest.raises(ValueError, match="different numbers of examples"):
        tg.vmap(f, axis_size=3)(np.ones(4))


def test_nested() -> None:
    def outer(x, y):
        return tg.vmap(lambda a: a * y)(x)

    x, y = np.arange(6.0).reshape(2, 3), np.array([1.0, 10.0])
    assert np.allclose(tg.vmap(tg.vmap(lambda a, b: a * b, in_axes=(0, None)))(x, y), x * y[:, None])
    assert np.allclose(tg.vmap(tg.vmap(lambda a, b: a * b, in_axes=(None, 0)), in_axes=(0, None))(x[:, 0], y), np.outer(x[:, 0], y))
    assert np.allclose(tg.vmap(outer)(x, y), x * y[:, None])


def pieces(x, k):
    if x > 1.0:
        return np.sqrt(x - 1.0) * k
    elif x < -1.0:
        raise ValueError(f"too small: {x:.1f}")
    return x * k


def test_only_those_concerned_take_a_branch() -> None:
    x = np.array([0.5, 2.0, 5.0, -0.5])
    with np.errstate(all="raise"):      # no square root of what is negative
        assert np.allclose(tg.vmap(pieces, in_axes=(0, None))(x, 2.0), [pieces(v, 2.0) for v in x])
        dx, dk = tg.vmap(tg.grad(pieces, (0, 1)), in_axes=(0, None))(x, 2.0)
    assert np.allclose(dx, [2.0, 1.0, 0.5, 2.0]) and np.allclose(dk, [0.5, 1.0, 2.0, -0.5])


def nudge(v, c):
    v[0] += c
    v[1:] *= np.cos(c)


def nudged(x, s):
    x = x * np.cos(x)
    if s > 0.1:
        nudge(x, np.sin(s))
    return np.sin(s / (2.5 + np.sin(np.sum(x)))) + x.mean()


def test_a_helper_changes_an_array_for_those_concerned() -> None:
    x, s = np.linspace(0.1, 0.9, 15).reshape(3, 5), np.array([1.0, 0.05, 3.0])
    for options in ({}, {"optimize": False}):
        assert np.allclose(tg.vmap(nudged, **options)(x, s), [nudged(*row) for row in zip(x, s)])
        dx, ds = tg.vmap(tg.grad(nudged, (0, 1), **options), **options)(x, s)
        want = [tg.grad(nudged, (0, 1))(*row) for row in zip(x, s)]
        assert np.allclose(dx, [w[0] for w in want]) and np.allclose(ds, [w[1] for w in want])


@pytest.mark.parametrize("shape", [(-1,), (2, -1), (-1, 1, 3)])
def test_a_length_left_to_numpy_where_no_example_is_concerned(shape) -> None:
    def f(x):
        if x[0, 0] > 0.0:
            return np.sum(np.sqrt(x[0, 0]) * x.reshape(shape) ** 2) + np.sum(np.log(x).ravel())
        return np.sum(x)
    x = np.arange(1.0, 19.0).reshape(3, 2, 3)
    for sign in (1.0, -1.0):
        assert np.allclose(tg.vmap(tg.grad(f))(sign * x), [tg.grad(f)(part) for part in sign * x])


def turned(axis, x):
    if axis[0] > 0.0:
        return 2.0 * np.cross(axis, x)
    return np.cross(x, np.array([1.0, 2.0, 3.0]))


@pytest.mark.parametrize("sign", [1.0, -1.0, 0.0])
def test_cross_products_in_branches_that_none_or_all_take(sign) -> None:
    a, x = np.random.default_rng(0).normal(size=(2, 5, 3))
    a[:, 0] = sign * np.abs(a[:, 0]) if sign else a[:, 0]
    batched = tg.vmap(turned)
    assert np.allclose(batched(a, x), [turned(p, q) for p, q in zip(a, x)])
    gradient = tg.grad(lambda a, x: np.sum(turned(a, x) ** 2), (0, 1), fallback="error")
    batched = tg.vmap(gradient)
    for k, want in enumerate(zip(*map(gradient, a, x))):
        assert np.allclose(batched(a, x)[k], want)
    assert "append" not in batched.source


@pytest.mark.parametrize("shapes", [((3,), (3,), (1,)), ((1,), (3,), (3,)), ((2, 3), (1,), (1, 1)), ((1, 3), (2, 1), (2, 3))])
@pytest.mark.parametrize("in_axes", [(0, 0, 0), (0, None, 0), (None, 0, 0), (0, None, None)])
def test_lengths_that_only_run_time_knows_are_summed_for_all_examples_at_once(shapes, in_axes) -> None:
    """Slices that may be shorter than they look: whether they were broadcast is not known when compiling."""
    def f(x, y, z):
        return np.sum(np.tanh(x[..., :5] * y[..., :5]) * z[..., :5] - y[..., :5])

    rng = np.random.default_rng(0)
    args = [rng.normal(size=(4, *s) if a == 0 else s) for s, a in zip(shapes, in_axes)]
    gradient = tg.grad(f, (0, 1, 2), fallback="error")
    batched = tg.vmap(gradient, in_axes=in_axes)
    for k, want in enumerate(zip(*(gradient(*(x[i] if a == 0 else x for x, a in zip(args, in_axes))) for i in range(4)))):
        assert np.allclose(batched(*args)[k], want)
    assert "append" not in batched.source


def test_gradient_through_a_batch() -> None:
    def total(x, k):
        return np.sum(tg.vmap(pieces, in_axes=(0, None))(x, k))

    x = np.array([0.5, 2.0, 5.0, -0.5])
    dx, dk = tg.grad(total, (0, 1), fallback="error")(x, 2.0)
    assert np.allclose(dx, [2.0, 1.0, 0.5, 2.0]) and np.isclose(dk, 0.5 + 1.0 + 2.0 - 0.5)
    assert np.allclose(tg.jvp(total, (x, 2.0), (np.ones(4), 0.0))[1], 5.5)


def test_exceptions_are_those_of_the_first_example_concerned() -> None:
    with pytest.raises(ValueError, match=r"too small: -2\.5"):
        tg.vmap(pieces, in_axes=(0, None))(np.array([0.0, -2.5, -9.0]), 1.0)


def newton(a):
    x = a
    while abs(x * x - a) > 1e-12:
        x = 0.5 * (x + a / x)
    return x


def test_one_array_in_several_results_of_a_helper() -> None:
    def places():
        return [np.zeros(2)] * 3

    def f(x):
        held = places()
        for k in range(3):
            held[k] += x[k]
            held[k - 1][0] = held[k][1] * x[0]
        return held[0] + held[2]

    def rows(n):
        made = []
        for _ in range(n):
            made.append(np.zeros(5))        # as many as there are examples
        return made

    def g(x):
        held = rows(3)
        held[0] = held[1] + x[0]
        return held[0] * x[1] + np.sum(held[1])

    for fn, reason in (f, "may be one array"), (g, "a container that a call makes"):
        with pytest.warns(tg.BatchLoopWarning, match=reason):
            got = tg.vmap(fn)(X)
        assert np.allclose(got, [fn(x) for x in X])


def test_lists_that_are_written_to_a_part_of_an_array() -> None:
    def f(x):
        a = np.outer(x, x)
        a[0] = [x[1], 0.5, x[0] * x[2]]
        a[1:, :2] = [[x[0], 1.0], (2.0, x[2])]
        a[[0, 2], 1] += x[0], x[1]
        a[1] = [v * 2.0 for v in a[1]]
        return a

    assert np.allclose(tg.vmap(f)(X), [f(x) for x in X])


def test_loops_run_until_all_are_done() -> None:
    a = np.array([2.0, 1e4, 0.01, 1.0])
    assert np.allclose(tg.vmap(newton)(a), np.sqrt(a))
    assert np.allclose(tg.vmap(tg.grad(newton))(a), [tg.grad(newton)(v) for v in a])


def test_loop_over_a_range_that_differs() -> None:
    def power(x, n):
        out = 1.0
        for _ in range(n):
            out = out * x
        return out

    assert np.allclose(tg.vmap(power)(np.array([2.0, 3.0, 1.5]), np.array([3, 0, 2])), [8.0, 1.0, 2.25])


def test_what_cannot_be_batched_in_a_branch_that_no_example_takes() -> None:
    def f(x, r):
        return np.sum(np.convolve(x, r)) if x[0] > 0 else np.sum(x)

    with pytest.warns(tg.BatchLoopWarning, match="perhaps no example comes") as said:
        for x in (np.ones((4, 3)), -np.ones((4, 3)), np.array([[1.0, 2.0, 3.0], [-1.0, 2.0, 3.0]])):
            r = np.ones((len(x), 3))
            assert np.allclose(tg.vmap(lambda x, r: f(x, r))(x, r), [f(a, b) for a, b in zip(x, r)])
    assert said[0].filename == __file__


def test_what_cannot_be_batched_loops_and_says_so() -> None:
    def f(x):
        try:
            return np.linalg.cholesky(np.eye(2) * x)[0, 0]
        except np.linalg.LinAlgError:
            return 0.0 * x

    with pytest.warns(tg.BatchLoopWarning, match="try or with statement"):
        got = tg.vmap(f)(np.array([4.0, -1.0]))
    assert np.allclose(got, [2.0, 0.0])


def test_the_text_is_array_code() -> None:
    def loss(w, x, y):
        return np.sum((np.tanh(x @ w) - y) ** 2)

    per_example = tg.vmap(tg.grad(loss), in_axes=(None, 0, 0))
    got = per_example(W, X, np.ones((5, 4)))
    assert got.shape == (5, 3, 4)
    assert np.allclose(got, [tg.grad(loss)(W, x, np.ones(4)) for x in X])
    assert "    for " not in per_example.source


def test_random_numbers_are_drawn_for_each() -> None:
    def noisy(x, rng):
        return x + rng.normal()

    got = tg.vmap(noisy, in_axes=(0, None))(np.zeros(50), np.random.default_rng(0))
    assert len(set(got.tolist())) == 50


@pytest.mark.parametrize("call, error, words", [
    (lambda: tg.vmap(dense, in_axes=(0, None))(np.ones(3)[0], W), ValueError, "no axis 0"),
    (lambda: tg.vmap(dense, in_axes=(2, None))(X, W), ValueError, "no axis 2"),
    (lambda: tg.vmap(dense)(X, W), ValueError, "different numbers of examples: 5 in x, 3 in w"),
    (lambda: tg.vmap(dense, in_axes=(0, None, 0, 0))(X, W), ValueError, "4 entries"),
    (lambda: tg.vmap(dense, in_axes="0"), TypeError, "in_axes"),
    (lambda: tg.vmap(dense, in_axes=(0, None), out_axes=None)(X, W), ValueError, "out_axes is None"),
    (lambda: tg.vmap(dense, in_axes=(0, None), out_axes=5)(X, W), ValueError, "out of range"),
])
def test_wrong_use(call: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        call()


def test_methods_and_decorators() -> None:
    class Model:
        def __init__(self, k):
            self.k = k

        @tg.vmap
        def scaled(self, x):
            return self.k * x

    @tg.vmap
    def square(x):
        """The square."""
        return x * x

    assert np.allclose(Model(3.0).scaled(np.arange(3.0)), [0, 3, 6])
    assert np.allclose(square(np.arange(3.0)), [0, 1, 4])
    assert square.__name__ == "vmap_square" and "The square." in square.__doc__


def test_a_number_beside_an_array_that_only_some_examples_compute():
    def f(r, x):
        if r[0] > 0.0:
            y = x
        else:
            y = np.exp(x)
        return y, x[::-1] / r[1]
    rng = np.random.default_rng(4)
    r, x = rng.normal(size=(6, 2)), rng.normal(size=(6, 3))
    for sign in (1.0, -1.0, np.array([1.0, -1.0] * 3)):
        r[:, 0] = sign * np.abs(r[:, 0])
        found = tg.vmap(tg.jacrev(f, (0, 1), fallback="error"))(r, x)
        for k in range(6):
            for a, b in zip(found, tg.jacrev(f, (0, 1))(r[k], x[k])):
                for p, q in zip(a, b):
                    np.testing.assert_allclose(p[k], q, rtol=1e-12)


@pytest.mark.parametrize("columns", [4, 1, 0])
@pytest.mark.parametrize("examples", [5, 1])
def test_rows_of_an_array_that_is_filled(columns, examples):
    """They are those of one matrix, which is multiplied once."""
    def filled(a, y):
        x = np.empty((2, 3))
        x[0] = a
        x[1] = a * 2.0
        return x @ y

    a, y = np.arange(3.0 * examples).reshape(examples, 3), np.cos(np.arange(3.0 * columns)).reshape(3, columns)
    expected = np.stack([filled(row, y) for row in a])
    np.testing.assert_allclose(tg.vmap(filled, in_axes=(0, None))(a, y), expected)
    if columns:
        jac = tg.vmap(tg.jacrev(filled), in_axes=(0, None))(a, y)
        np.testing.assert_allclose(jac, np.stack([tg.jacfwd(filled)(row, y) for row in a]))


def test_entries_that_examples_pick_from_one_array():
    def picked(k, table, at):
        return table[k] @ table[k, 1] + table[k, k, 0] + np.sum(table[:, k]) + np.sum(table[k][at])

    table, k, at = np.sin(np.arange(27.0)).reshape(3, 3, 3), np.array([2, 0, 1, 2]), np.array([0, 2])
    expected = np.stack([picked(i, table, at) for i in k])
    np.testing.assert_allclose(tg.vmap(picked, in_axes=(0, None, None))(k, table, at), expected)
    np.testing.assert_allclose(tg.vmap(picked, in_axes=(0, None, None))(k - 3, table, at), expected)
    with pytest.raises(IndexError):
        tg.vmap(picked, in_axes=(0, None, None))(k + 1, table, at)
