"""Loops whose arrays share no memory with those they write to say so; where they may share it, they do not."""
import numpy as np
import pytest

import transgrad as tg

RNG = np.random.default_rng(0)


def cells(x, w, steps):
    """Arrays made in a loop, and read by loops alone."""
    h = np.zeros_like(x)
    for _ in range(steps):
        gate = np.exp(-h * w) + 1.0
        h = np.tanh(x * w + h) / gate + h * 0.5
    return np.sum(h * h)


def rows_of_one(x, k):
    """Parts of one array that may be the same part."""
    a = np.zeros((3, len(x)))
    a[0], a[1], a[2] = x, x * 2.0, x + 1.0
    for i in range(3):
        a[i] = a[k] * a[(i + k) % 3] + np.sin(a[i]) * a[k]
        a[k] += a[i] * a[i] * 0.1
    return np.sum(a)


def shifted(x, steps):
    """Each element is written before its neighbour reads it, or after."""
    u = x.copy()
    left, right = u[:-1], u[1:]
    for _ in range(steps):
        right *= 0.5
        left += right * right * 0.1
        right -= left * left * 0.2 + np.tanh(left) * right
    return np.sum(u * u)


def written(x, y, steps):
    """Writes to an argument, which may be the other one."""
    for _ in range(steps):
        y[:] = y * 0.5 + np.exp(-x * x) * y
        y += np.tanh(x) * x
    return np.sum(y * x)


def either(x, y, steps, same):
    """What is written to is the one array or the other."""
    a, b = x.copy(), y.copy()
    c = a if same else b
    for _ in range(steps):
        c += 0.1 * np.exp(-a * a) * b
        a *= 0.9 + 0.01 * np.tanh(c) * c
    return np.sum(a * b) + np.sum(c)


def loops_of(text):
    return text.count("@apart")


X, Y = RNG.normal(size=37), RNG.normal(size=37)


@pytest.mark.parametrize("f, args", [
    (cells, (X, Y, 5)), (rows_of_one, (X, 0)), (rows_of_one, (X, 1)), (rows_of_one, (X, -1)), (shifted, (X, 4)), (either, (X, Y, 3, True)),
    (either, (X, Y, 3, False)), (cells, (X[:1], Y[:1], 3)), (cells, (X[:0], Y[:0], 3)), (cells, (X[::2], Y[::2], 3)),
], ids=lambda v: getattr(v, "__name__", ""))
def test_as_on_numpy(f, args):
    value, grad = tg.value_and_grad(f, backend="numba")(*args)
    expected, slope = tg.value_and_grad(f)(*args)
    np.testing.assert_allclose(value, expected, rtol=1e-12)
    np.testing.assert_allclose(grad, slope, rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(tg.compile(f, backend="numba")(*args), f(*args), rtol=1e-12)


def test_loops_over_arrays_of_their_own_say_so():
    derivative = tg.grad(cells, (0, 1), backend="numba")
    derivative(X, Y, 3)
    assert loops_of(derivative.source) >= 2


@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
@pytest.mark.parametrize("same", [False, True])
def test_arguments_may_be_one_array(same):
    compiled = tg.compile(written, backend="numba")
    x, y = X.copy(), Y.copy()
    compiled(x, x if same else y, 3)
    a, b = X.copy(), Y.copy()
    written(a, a if same else b, 3)
    np.testing.assert_allclose(x, a, rtol=1e-12)
    np.testing.assert_allclose(y, b, rtol=1e-12)


@pytest.mark.parametrize("start", [0, 1, 2])
def test_arguments_may_overlap(start):
    compiled = tg.compile(written, backend="numba")
    u, v = np.arange(40.0) / 10, np.arange(40.0) / 10
    compiled(u[start:start + 30], u[:30], 2)
    written(v[start:start + 30], v[:30], 2)
    np.testing.assert_allclose(u, v, rtol=1e-12)


def added_to_parts(x, p, q, steps):
    """Adds to two parts of an array, which may overlap."""
    a = np.zeros(len(x) + 8)
    for k in range(steps):
        t = np.exp(-x * k)
        a[p:p + 37] += t
        a[q:q + 37] += t * x
    return np.sum(a * a)


@pytest.mark.parametrize("p, q", [(0, 0), (0, 1), (3, 1), (8, 0)])
def test_parts_of_one_array_are_not_apart(p, q):
    compiled = tg.compile(added_to_parts, backend="numba")
    np.testing.assert_allclose(compiled(X, p, q, 3), added_to_parts(X, p, q, 3), rtol=1e-12)
    both = [text for text in compiled.source.split("\n\n\n") if text.count("+ ") > 1 and "exp" in text]
    assert both and not any("@apart" in text for text in both)


def pairs(x, m):
    """A sum along a short last axis, in two loops around it."""
    r = x[:, None, :] - x[None, :, :]
    distance = np.sqrt(np.sum(r * r, axis=2) + 0.1)
    return np.sum(m[:, None] * m[None, :] / distance)


def test_a_short_loop_inside_of_others_knows_how_often_it_turns():
    derivative = tg.grad(pairs, (0, 1), backend="numba", fallback="error")
    for n, d in ((9, 3), (9, 2), (4, 7), (5, 1), (5, 0), (1, 3), (0, 3)):       # with the text of the first, where it may be
        x, m = RNG.normal(size=(n, d)), RNG.normal(size=n)
        for a, b in zip(derivative(x, m), tg.grad(pairs, (0, 1), optimize=False)(x, m), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-13)
    text = derivative.source_for(RNG.normal(size=(9, 3)), RNG.normal(size=9))
    assert "== 3:" in text and loops_of(text) >= 2
    assert "== 30:" not in derivative.source_for(RNG.normal(size=(9, 30)), RNG.normal(size=9))


def test_arrays_that_overlap_are_not_set_apart():
    def f(x, steps):
        y = np.zeros((4, 4, 3)) + x
        for _ in range(steps):
            y[1:] += 0.1 * np.sin(y[:-1]) * np.sum(y[1:] * y[:-1], axis=2, keepdims=True)
        return np.sum(y * y)
    x = RNG.normal(size=(4, 4, 3))
    np.testing.assert_allclose(tg.grad(f, backend="numba")(x, 2), tg.grad(f)(x, 2), rtol=1e-11)


def columns(x, k):
    """Columns of one array by numbers of both signs, some of which are the same column."""
    a = np.zeros((len(x), 3))
    a[:, 0] = np.sin(x)
    a[:, 1] = a[:, 0] * x
    a[:, -1] = a[:, k] * 2.0 + a[:, 1]
    a[:, 2] += a[:, -1] * x
    a[:, 0] = a[:, -3] + a[:, k]
    return np.sum(a * a)


def display(x):
    """An array written out entry by entry, for all directions."""
    c, s = np.cos(x), np.sin(x)
    m = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    return (m @ m)[:, :2]


@pytest.mark.parametrize("k", [0, 1, 2, -1, -3])
@pytest.mark.parametrize("n", [0, 1, 37])
def test_columns_of_one_array(n, k):
    got, want = tg.value_and_grad(columns, backend="numba")(X[:n], k), tg.value_and_grad(columns)(X[:n], k)
    np.testing.assert_allclose(got[0], want[0], rtol=1e-12)
    np.testing.assert_allclose(got[1], want[1], rtol=1e-11, atol=1e-13)


def test_columns_that_differ_are_written_in_one_loop():
    derivative = tg.jacfwd(tg.vmap(display), backend="numba")
    got = derivative(X[:4])
    np.testing.assert_allclose(got, tg.jacfwd(tg.vmap(display))(X[:4]), rtol=1e-12)

    def written(x):
        a = np.zeros((len(x), 3))
        a[:, 0], a[:, 1], a[:, 2] = np.sin(x), np.cos(x), x
        return a
    compiled = tg.compile(written, backend="numba")
    np.testing.assert_allclose(compiled(X), written(X), rtol=1e-13)
    assert compiled.source.count("_loop_1(") == 2 and "_loop_2(" not in compiled.source.replace("_precise", "")
