"""Numbers picked out of the rows of a matrix: their cotangents are put into the other term, where that is right."""
from __future__ import annotations

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

import transgrad as tg
from tests import oracles

scipy_special = pytest.importorskip("scipy.special")

RNG = np.random.default_rng(11)
Z, Y, W = RNG.normal(size=(6, 4)), RNG.integers(0, 4, 6), RNG.uniform(0.5, 2.0, 6)


def log_sum_less_picked(z, y, w):
    return np.mean(np.log(np.sum(np.exp(z), axis=1)) - z[np.arange(len(y)), y])


def log_softmax(z, y, w):
    z = z - np.max(z, axis=1, keepdims=True)
    log_p = z - np.log(np.sum(np.exp(z), axis=1, keepdims=True))
    return -np.mean(log_p[np.arange(len(y)), y])


def added(z, y, w):
    log_p = z - np.log(np.sum(np.exp(z), axis=1, keepdims=True))
    return np.sum(log_p[np.arange(z.shape[0]), y]) * w[0]


def weighed(z, y, w):
    log_p = z - np.log(np.sum(np.exp(z), axis=1, keepdims=True))
    return -np.sum(w * log_p[np.arange(len(y)), y])


def of_scipy(z, y, w):
    return -np.mean(scipy_special.log_softmax(z, axis=1)[np.arange(len(y)), y])


def negative_first(z, y, w):
    return np.sum(np.sin(z)) - np.sum(z[np.arange(len(y)), y])


PUT = [log_sum_less_picked, log_softmax, added, weighed, of_scipy]


def twice(z, y, w):
    p = np.exp(z)
    rows = np.arange(len(y))
    return np.sum(p[rows, y]) * np.sum(p[rows, (y + 1) % 4]) + np.sum(p * p)


def read_elsewhere(z, y, w):
    log_p = z - np.log(np.sum(np.exp(z), axis=1, keepdims=True))
    for _ in range(2):
        log_p = log_p * 0.5 - np.log(np.sum(np.exp(log_p), axis=-1, keepdims=True))
    return -np.mean(log_p[np.arange(len(y)), y]) + np.sum(log_p[0])


def in_a_loop(z, y, w):
    total = 0.0
    for k in range(3):
        s = z * w[k]
        total += np.mean(np.log(np.sum(np.exp(s), axis=1)) - s[np.arange(len(y)), y])
    return total


def one_row(z, y, w):
    s = np.tanh(z)
    return np.sum(s[np.arange(1), y]) + np.sum(np.sum(np.exp(s), axis=1) ** 2)


def first_rows(z, y, w):
    n = len(y) - 2
    s = z - np.log(np.sum(np.exp(z), axis=1, keepdims=True))
    return np.sum(s[np.arange(n), y[:n]])


def broadcast(z, y, w):
    s = z[:1] - np.log(np.sum(np.exp(z), axis=1, keepdims=True))
    return np.sum(s[np.arange(len(y)), y])


def written_to(z, y, w):
    rows = np.arange(len(y))
    s = z - np.log(np.sum(np.exp(z), axis=1, keepdims=True))
    picked = s[rows, y]
    rows[0] = 1
    return np.sum(picked * w) + np.sum(s[rows, y])


OTHERS = [negative_first, twice, read_elsewhere, in_a_loop, one_row, first_rows, broadcast, written_to]


def check(f, z, y, w):
    problem = oracles.Problem(f, (z, y, w), (0, 2))
    want, error = oracles.gradient(problem, problem.x)
    found = tg.grad(f, argnums=(0, 2), fallback="error")(z, y, w)
    np.testing.assert_allclose(np.concatenate([found[0].ravel(), found[1]]), want, rtol=1e-6, atol=1e-7 + 10 * np.max(error))
    plain = tg.grad(f, argnums=(0, 2), fallback="error", optimize={"picked": False})(z, y, w)
    for a, b in zip(found, plain):
        assert a.dtype == b.dtype
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("f", [*PUT, *OTHERS], ids=lambda f: f.__name__)
def test_gradients(f):
    check(f, Z, Y, W)
    check(f, Z, Y - 4, W)


@pytest.mark.parametrize("f", PUT, ids=lambda f: f.__name__)
def test_no_array_of_zeros(f):
    text = tg.grad(f, fallback="error").source_for(Z, Y, W)
    assert "zeros" not in text and ("+= " in text or "-= " in text)
    assert "zeros" in tg.grad(f, fallback="error", optimize={"picked": False}).source_for(Z, Y, W)


@pytest.mark.parametrize("f", [log_softmax, of_scipy, added], ids=lambda f: f.__name__)
def test_fewer_labels_than_rows_make_another_text(f):
    """The sum along a row in which nothing was picked is zero."""
    df = tg.grad(f, fallback="error")
    for n in (6, 4, 6, 1):
        if f is added:
            check(f, Z[:n], Y[:n], W)
            continue
        want = tg.grad(f, fallback="error", optimize=False)(Z, Y[:n], W)
        np.testing.assert_allclose(df(Z, Y[:n], W), want, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("f", [*PUT, negative_first, twice], ids=lambda f: f.__name__)
def test_single_precision_and_large_arrays(f):
    z = RNG.normal(size=(3000, 40))
    y, w = RNG.integers(0, 4, 3000), RNG.uniform(0.5, 2.0, 3000)
    for dtype, rtol in ((np.float64, 1e-12), (np.float32, 2e-4)):
        args = z.astype(dtype), y, w.astype(dtype)
        found, want = (tg.grad(f, argnums=(0, 2), fallback="error", optimize=o)(*args) for o in (True, False))
        for a, b in zip(found, want):
            assert a.dtype == b.dtype == dtype
            np.testing.assert_allclose(a, b, rtol=rtol, atol=rtol * np.max(np.abs(b)))


@pytest.mark.parametrize("f", PUT, ids=lambda f: f.__name__)
def test_pullbacks_take_numbers(f):
    value, pullback = tg.vjp(lambda z: f(z, Y, W), Z)
    np.testing.assert_allclose(pullback(2.0)[0], 2.0 * tg.grad(f, fallback="error")(Z, Y, W), rtol=1e-12)


@pytest.mark.parametrize("f", PUT, ids=lambda f: f.__name__)
def test_second_derivatives(f):
    h = tg.hessian(f, fallback="error")(Z, Y, W)
    v = np.cos(np.arange(24.0)).reshape(6, 4)
    step = 1e-5
    df = tg.grad(f, fallback="error")
    want = (df(Z + step * v, Y, W) - df(Z - step * v, Y, W)) / (2 * step)
    np.testing.assert_allclose(np.tensordot(h, v, 2), want, rtol=1e-6, atol=1e-8)


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 5), st.integers(1, 4), st.integers(0, 3), st.data())
def test_any_shape(rows, columns, fewer, data):
    n = max(1, rows - fewer)
    z = np.asarray(data.draw(st.lists(st.floats(-2, 2), min_size=rows * columns, max_size=rows * columns))).reshape(rows, columns)
    y = np.asarray(data.draw(st.lists(st.integers(-columns, columns - 1), min_size=n, max_size=n)))

    def f(z, y):
        s = z - np.log(np.sum(np.exp(z), axis=1, keepdims=True))
        return -np.sum(s[np.arange(len(y)), y])

    want = tg.grad(f, fallback="error", optimize=False)(z, y)
    np.testing.assert_allclose(tg.grad(f, fallback="error")(z, y), want, rtol=1e-12, atol=1e-13)


def of_pair(p, y):
    s = p[0] + p[1]
    log_p = s - np.log(np.sum(np.exp(s), axis=1, keepdims=True))
    return -np.sum(log_p[np.arange(len(y)), y])


@pytest.mark.parametrize("axis", [0, 1])
def test_batches_check_the_lengths_of_examples(axis):
    """The lengths are those of an example, whose axes are others in the batch."""
    per_example = tg.vmap(tg.grad(of_pair, fallback="error"), in_axes=(0, axis))
    plain = tg.grad(of_pair, fallback="error", optimize=False)
    for n in (5, 3, 5, 4):
        z, b, y = RNG.normal(size=(4, 5, 3)), RNG.normal(size=(4, 3)), RNG.integers(0, 3, (4, n))
        found = per_example((z, b), np.moveaxis(y, 0, axis))
        for k in range(4):
            for part, want in zip(found, plain((z[k], b[k]), y[k])):
                np.testing.assert_allclose(part[k], want, rtol=1e-12, atol=1e-14)
    assert len(per_example.variants) == 2


@pytest.mark.parametrize("f", [log_softmax, log_sum_less_picked], ids=lambda f: f.__name__)
def test_batches(f):
    per_example = tg.vmap(tg.grad(f, fallback="error"), in_axes=(0, 0, None))
    plain = tg.grad(f, fallback="error", optimize=False)
    for n in (6, 2, 6) if f is log_softmax else (6,):
        z, y = RNG.normal(size=(3, 6, 4)), RNG.integers(0, 4, (3, n))
        np.testing.assert_allclose(per_example(z, y, W), [plain(a, b, W) for a, b in zip(z, y)], rtol=1e-12, atol=1e-14)
