"""Loops over rows with independent iterations, as different people write them: vectorized, and equal to the loop in value and derivative."""
from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import transgrad as tg

RNG = np.random.default_rng(5)
X, W, B = RNG.normal(size=(20, 3)), RNG.normal(size=(20, 3)), RNG.normal(size=20)


def comprehension(x, w, b):
    k = np.array([np.exp(-np.sum((x - row) ** 2, axis=1)) for row in x])
    return np.sum(k @ b)


def stacked(x, w, b):
    rows = []
    for row, scale in zip(x, b):
        rows.append(np.sin(row) * scale)
    k = np.stack(rows)
    k[0] = k[1] * 2.0
    return np.sum(k * w)


def columns(x, w, b):
    parts = []
    for i in range(len(x)):
        parts.append(np.tanh(x[i]) + w[i])
    return np.linalg.norm(np.stack(parts, axis=1)[1])


def _density(row, mean, scale):
    z = (row - mean) * np.exp(scale)
    return -0.5 * np.dot(z, z) + np.sum(scale)


def _log_sum_exp(q):
    m = np.max(q)
    return m + np.log(np.sum(np.exp(q - m)))


def helpers(x, w, b):
    total = 0.0
    for row in x:
        total += _log_sum_exp(np.array([b[k] + _density(row, w[k], x[k]) for k in range(len(b))]))
    return total


def preallocated(x, w, b):
    out = np.empty(len(x))
    for i in range(len(x)):
        out[i] = x[i] @ w[i] + b[i] ** 2
    return np.sum(out ** 2)


def rows_stored(x, w, b):
    out = np.zeros((len(x), 3))
    for i, row in enumerate(x):
        out[i] = row * np.cos(w[i])
    return np.sum(out[3:] ** 2)


def neighbors(x, w, b):
    total = 1.0
    for i in range(1, len(x) - 1):
        total -= np.sum((x[i + 1] - 2 * x[i] + x[i - 1]) ** 2) * w[i, 0]
    return total


def two_results(x, w, b):
    norms, total, total_w = [], 0.0, np.zeros(3)
    for row, other in zip(x, w):
        r = np.sqrt(row @ row)
        norms.append(r)
        total += r * np.sum(other)
        total_w = total_w + other / r
    return total + max(norms) + norms[2] * np.sum(total_w)


def list_that_grows(x, w, b):
    seen = [np.float64(1.0)]
    for i in range(len(b)):
        seen.append(np.exp(b[i]) * x[i, 0])
    seen.append(b[0])
    return sum(seen) + len(seen) * seen[0]


def invariants(x, w, b):
    total = 0.0
    for row in x:
        total += np.exp(2 * b[0]) * np.sum(np.exp(-w[0]) * row)
    return total


def counted(x, w, b):
    total = 0.0
    for i, row in enumerate(x):
        total += (i + 1) * np.sum(row * w[i])
    return total


def matrices(x, w, b):
    total = 0.0
    for i in range(len(x)):
        m = np.outer(x[i], w[i]) + 4.0 * np.eye(3)
        total += np.linalg.det(m) + np.linalg.solve(m, x[i])[0]
    return total


def nested(x, w, b):
    energy = 0.0
    for i in range(len(x)):
        for j in range(len(w)):
            energy += np.exp(-np.sum((x[i] - w[j]) ** 2)) * b[j]
    return energy


def nearest(x, w, b):
    total = 0.0
    for point in x:
        best = np.inf
        for center in w[:5]:
            d = np.sum((point - center) ** 2)
            if d < best:
                best = d
        total += best
    return total


def nearest_by_min(x, w, b):
    total = 0.0
    for i in range(len(x)):
        best = np.sum((x[i] - w[0]) ** 2)
        for k in range(1, 5):
            best = min(best, np.sum((x[i] - w[k]) ** 2))
        total += max(best, 0.1) + abs(b[i])
    return total


def hinge(x, w, b):
    total = 0.0
    for i in range(len(b)):
        margin = 1.0 - b[i] * np.dot(x[i], w[0])
        if margin > 0:
            total += margin ** 2
        else:
            total += 0.1 * np.sqrt(1.0 - margin)
    return total


def stencil(x, w, b):
    u = np.outer(b, b) + x @ w.T
    out = np.zeros((len(b), len(b)))
    for i in range(1, len(b) - 1):
        for j in range(1, len(b) - 1):
            out[i, j] = u[i - 1, j] + u[i + 1, j] - 4 * u[i, j] + u[i, j - 1] * u[i, j + 1]
    return np.sum(out ** 2)


def double_buffered(x, w, b):
    u = b.copy()
    for _ in range(5):
        new = u.copy()
        for i in range(1, len(u) - 1):
            new[i] = u[i] + 0.1 * (u[i - 1] - 2 * u[i] + u[i + 1])
        u = new
    return np.sum(u * b)


def scaled_rows(x, w, b):
    plan = np.exp(x)
    for i in range(len(b)):
        plan[i] *= b[i] / np.sum(plan[i])
    for j in range(3):
        plan[:, j] /= np.sum(plan[:, j])
    return np.sum(plan * w)


def folded_signs(x, w, b):
    u, vec, out = x + w, np.zeros(len(b)), np.zeros((len(x), 3))
    for i in range(len(x)):
        out[i] = w[0] - np.sin(w[0] + out[i])
        vec[i] = u[i][2]
        out[i] -= w[1] ** 2 - w[i] - x[i]
    return np.sum(np.sin(out)) + vec @ b + np.sum(u)


def filled_columns(x, w, b):
    out = np.empty((3, len(b)))
    for k in range(len(b)):
        out[:, k] = x[k] * b[k]
        out[0, k] += w[k, 2]
    return np.sum(out ** 2)


def table(x, w, b):
    alpha = np.zeros((3, len(b)))
    alpha[0] = b
    for t in range(1, 3):
        for j in range(len(b)):
            alpha[t, j] = alpha[t - 1, j] * x[j, 0] + np.sum(alpha[t - 1] * w[j, 1])
    return np.sum(alpha ** 2)


# not independent, or not for arrays

def gauss_seidel(x, w, b):
    u = b.copy()
    for i in range(1, len(u) - 1):
        u[i] = 0.5 * (u[i - 1] + u[i + 1])
    return np.sum(u * b)


def view_of_what_is_stored(x, w, b):
    u = b * 2.0
    v = u[1:]
    for i in range(len(b) - 1):
        u[i] = v[i] + 1.0
    return np.sum(u * b)


def transposed(x, w, b):
    m = np.outer(b, b)
    t = m.T
    for i in range(len(b)):
        m[i] = t[i] * 0.5 + b
    return np.sum(m * b)


def transposed_in_the_loop(x, w, b):
    m = np.outer(b, b)
    for i in range(len(b)):
        m[i] = m.T[i] * 0.5 + b
    return np.sum(m * b)


def reversed_rows(x, w, b):
    u = x * 2.0
    r = u[::-1]
    for i in range(len(b)):
        u[i] = r[i] * 0.5 + w[i]
    return np.sum(u * w)


def shifted_views(x, w, b):
    u = b * 2.0
    v, s = u[1:], u[:-1]
    for i in range(len(v)):
        v[i] = s[i] * 0.5 + 1.0
    return np.sum(u * b)


def two_views_stored(x, w, b):
    u = np.outer(b, b)
    t = u.T
    for i in range(len(b)):
        u[i] = b * 2.0
        t[i] = b ** 2
    return np.sum(u * b)


def alias_in_a_list(x, w, b):
    u = b * 2.0
    held = [u]
    for i in range(len(b) - 1):
        u[i + 1] = held[0][i] * 0.5
    return np.sum(u * b)


def reads_after_the_store(x, w, b):
    out, total = np.zeros(len(b)), 0.0
    for i in range(len(b)):
        out[i] = b[i] ** 2
        total += out[i] * x[i, 0]
    return total + np.sum(out)


def row_kept_and_overwritten(x, w, b):
    plan, rows = np.exp(x), []
    for i in range(len(b)):
        row = plan[i]
        plan[i] = w[i]
        rows.append(row * 1.0)
    return np.sum(np.array(rows) * x)


def recurrence(x, w, b):
    h = np.zeros(3)
    total = 0.0
    for i in range(len(x)):
        h = np.tanh(h + x[i])
        total += np.sum(h * w[i])
    return total


def reads_what_it_stored(x, w, b):
    out = np.zeros(len(b) + 1)
    for i in range(len(b)):
        out[i + 1] = out[i] * 0.5 + b[i]
    return np.sum(out ** 2)


def stores_twice(x, w, b):
    out = np.zeros(len(b))
    for i in range(len(b)):
        out[i] = b[i] ** 2
        out[0] = x[i, 0]
    return np.sum(out * b)


def items_written_afterwards(x, w, b):
    rows = []
    for row in x:
        rows.append(row * 2.0)
    rows[1] *= 3.0
    rows[2][0] = 0.0
    return np.sum(np.array(rows) * w)


def total_read_in_the_loop(x, w, b):
    total = 0.0
    for i in range(len(b)):
        total += b[i] * np.sin(total)
        total += x[i, 0]
    return total


def caller_sees_rows(x, w, b):
    rows = []
    for row in x:
        rows.append(row)
    a = np.array(rows)
    a[0] = 7.0
    return np.sum(a * x)


def python_numbers(x, w, b):
    total = 0.0
    for v in b:
        total += math.exp(v) / (1.0 + float(v) ** 2)
    return total


def one_row_for_all(x, w, b):
    rows = []
    for _ in x:
        rows.append(w[0] * 2.0)
    return np.sum(np.array(rows) * x)


FUNCTIONS = [comprehension, stacked, columns, helpers, preallocated, rows_stored, neighbors, two_results, list_that_grows, invariants, counted,
             matrices, nested, stencil, double_buffered, scaled_rows, folded_signs, filled_columns, table, nearest, nearest_by_min, hinge,
             gauss_seidel, view_of_what_is_stored, alias_in_a_list,
             transposed, transposed_in_the_loop, reversed_rows, shifted_views, two_views_stored, reads_after_the_store, row_kept_and_overwritten, recurrence, reads_what_it_stored, stores_twice, items_written_afterwards, total_read_in_the_loop,
             caller_sees_rows, python_numbers, one_row_for_all]
VECTORIZED = FUNCTIONS[:FUNCTIONS.index(double_buffered)]


def _directional(f: Any, args: Any, tangents: Any) -> Any:
    h = 1e-6
    up, down = (f(*(a + s * h * t for a, t in zip(args, tangents))) for s in (1, -1))
    return (up - down) / (2 * h)


@pytest.mark.parametrize("f", FUNCTIONS)
def test_equal_to_the_loop(f: Any) -> None:
    args = X, W, B
    tangents = [RNG.normal(size=a.shape) for a in args]
    want = _directional(f, args, tangents)
    plain = tg.grad(f, (0, 1, 2), fallback="error", optimize={"vectorize": False, "distribute": False})(*args)
    value, found = tg.value_and_grad(f, (0, 1, 2), fallback="error")(*args)
    assert value == pytest.approx(f(*args), rel=1e-12)
    for a, b in zip(found, plain):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-11)
    assert sum(np.vdot(g, t) for g, t in zip(found, tangents)) == pytest.approx(want, rel=1e-5)
    assert tg.jvp(f, args, tangents, fallback="error")[1] == pytest.approx(want, rel=1e-5)
    assert np.array_equal(args[0], X)


@pytest.mark.parametrize("f", VECTORIZED)
def test_no_loop_is_left(f: Any) -> None:
    g = tg.grad(f, (0, 1, 2), fallback="error")
    g(X, W, B)
    assert not any(line.strip().startswith("for ") for line in g.source.splitlines()), g.source


@pytest.mark.parametrize("f", [stacked, preallocated, neighbors, counted, helpers])
def test_second_order(f: Any) -> None:
    x, w, b = X[:6], W[:6], B[:6]
    h, plain = (tg.hessian(f, fallback="error", optimize=o)(x, w, b) for o in ({}, {"vectorize": False, "distribute": False}))
    np.testing.assert_allclose(h, plain, rtol=1e-8, atol=1e-9)
    step = 1e-5 * RNG.normal(size=x.shape)
    up, down = (tg.grad(f)(x + s * step, w, b) for s in (1, -1))
    np.testing.assert_allclose(np.tensordot(h, step, 2), (up - down) / 2, rtol=1e-4, atol=1e-9)


@pytest.mark.parametrize("f", [f for f in FUNCTIONS if f not in (stacked, folded_signs, nearest_by_min, neighbors, gauss_seidel, list_that_grows, two_results, items_written_afterwards)])
def test_other_lengths_have_code_of_their_own(f: Any) -> None:
    """The lengths of the first call are assumed of no other."""
    g = tg.value_and_grad(f, fallback="error")
    for n in (20, 3, 1, 50, 20):
        x, w, b = (np.resize(a, (n, *a.shape[1:])) for a in (X, W, B))
        value, found = g(x, w, b)
        assert value == pytest.approx(f(x, w, b), rel=1e-12)
        t = RNG.normal(size=x.shape)
        want = _directional(lambda x: f(x, w, b), [x], [t])
        assert np.vdot(found, t) == pytest.approx(want, rel=1e-4, abs=1e-6)


@pytest.mark.parametrize("f", [preallocated, rows_stored, counted, helpers, columns])
def test_rows_that_are_not_there(f: Any) -> None:
    """Arrays that were equally long need not be so in the next call."""
    g = tg.grad(f, fallback="error")
    g(X, W, B)
    with pytest.raises(IndexError):
        f(X, W[:-1], B[:-1]) if f is not helpers else f(X, W[:-1], B)
    with pytest.raises(IndexError):
        g(X, W[:-1], B[:-1]) if f is not helpers else g(X, W[:-1], B)


def test_longer_arrays_are_read_in_part() -> None:
    g = tg.value_and_grad(counted, (0, 1), fallback="error")
    g(X, W, B)
    value, (_, w_bar) = g(X[:10], W, B)
    assert value == pytest.approx(counted(X[:10], W, B)) and not w_bar[10:].any() and w_bar[:10].all()


def test_an_index_that_wraps_around() -> None:
    """With one row, ``a[t - 1]`` is ``a[t]``; with three it is another one, which is stored at another time."""
    def f(rows, b):
        a = np.ones((len(rows), len(b)))
        for t in range(len(rows)):
            for j in range(len(b)):
                a[t, j] = np.sum(a[t - 1]) * b[j] + rows[t]
        return np.sum(a * b)
    g = tg.value_and_grad(f, 1, fallback="error")
    for n in (3, 1, 3, 2):
        rows, b, v = np.arange(1.0, n + 1), 0.1 * B, RNG.normal(size=B.shape)
        value, found = g(rows, b)
        assert value == pytest.approx(f(rows, b), rel=1e-12)
        assert found @ v == pytest.approx(_directional(lambda b: f(rows, b), [b], [v]), rel=1e-5)


def test_division_by_zero_is_as_numpy_does_it() -> None:
    def f(x):
        total = 0.0
        for v in x:
            total += 1.0 / v
        return total
    x = np.ones(30)
    x[3] = 0.0
    g = tg.value_and_grad(f, fallback="error")
    with pytest.warns(RuntimeWarning):
        value, found = g(x)
    assert value == np.inf and found[3] == -np.inf and found[0] == -1.0


def test_errors_of_pythons_numbers_stay() -> None:
    def f(x):
        total = 0.0
        for v in x:
            total += math.log(v)
        return total
    x = np.ones(30)
    g = tg.value_and_grad(f, fallback="error")
    np.testing.assert_allclose(g(x)[1], 1.0)
    x[3] = -1.0
    with pytest.raises(ValueError):
        g(x)
