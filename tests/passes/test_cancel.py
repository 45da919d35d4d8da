"""Maxima that only keep exponentials from overflowing have no derivative; those that matter have theirs."""
from __future__ import annotations

import numpy as np
import pytest

import transgrad as tg


def softmax_loss(x, w):
    z = x @ w
    z = z - np.max(z, axis=1, keepdims=True)
    log_p = z - np.log(np.sum(np.exp(z), axis=1, keepdims=True))
    return -np.mean(log_p[np.arange(len(x)), np.arange(len(x)) % 3])


def mixture(x, w):
    z = (x @ w) ** 2
    top = np.max(z, axis=0)
    return np.sum(top + np.log(np.sum(np.exp(z - top), axis=0)))


def from_the_last_axis(x, w):
    z = x @ w
    e = np.exp(z - z.max(axis=-1, keepdims=True))
    p = e / e.sum(axis=-1, keepdims=True)
    return np.sum(p * p * w[0])


def with_an_axis_added(x, w):
    z = x @ w
    e = np.exp(z - z.max(axis=-1)[:, None])
    p = e / e.sum(axis=-1)[:, None]
    return np.sum(p * p * w[0])


def of_vectors(x, w):
    def softmax(v):
        e = np.exp(v - np.max(v))
        return e / e.sum()
    return np.sum(np.array([softmax(row @ w) @ row[:3] for row in x]))


def carried_on(x, w):
    s = x[0]
    for k in range(3):
        e = np.exp(s - np.max(s))
        s = s * (e / np.sum(e)) + x[k]
    return np.sum(s ** 2) + np.sum(w)


def carried_rows(x, w):
    s = x
    for _ in range(3):
        e = np.exp(s - np.max(s, axis=1, keepdims=True))
        s = s * (e / np.sum(e, axis=1, keepdims=True)) + x
    return np.sum(s ** 2) + np.sum(w)


def logsumexp(x, axis=None):
    m = np.max(x, axis=axis, keepdims=True)
    return np.log(np.sum(np.exp(x - m), axis=axis)) + np.squeeze(m, axis=axis)


def helper_in_a_loop(x, w):
    s = x[:, 0]
    for k in range(3):
        s = logsumexp(s[:, None] + x @ x.T, axis=0) + x[:, k]
    return np.sum(s ** 2) + np.sum(w)


def number_beside_it(x, w):
    v = x[0] @ w
    e = np.exp(v - np.max(v))
    return e[0] / np.sum(e) + 0.1 * np.sum(e)


def sum_of_others(x, w):
    s = x[0]
    for k in range(3):
        e = np.exp(s - np.max(s))
        s = s * (e / np.sum(e[1:])) + x[k]
    return np.sum(s ** 2) + np.sum(w)


def probabilities(x, w):
    e = np.exp(x @ w - np.max(x @ w, axis=1, keepdims=True))
    return np.sum((e / np.sum(e, axis=1, keepdims=True)) ** 2)


def scaled_top(x, w):
    z = x @ w
    top = np.max(z, axis=0)
    return np.sum(2.0 * top + np.log(np.sum(np.exp(z - top), axis=0)))


def wrong_axis(x, w):
    z = x[:3] @ w
    top = np.max(z, axis=0)
    return np.sum(top + np.log(np.sum(np.exp(z - top), axis=1)))


def other_values(x, w):
    z = x @ w
    top = np.max(z, axis=0)
    return np.sum(top + np.log(np.sum(np.exp(0.5 * z - top), axis=0) + 1.0))


def no_logarithm(x, w):
    z = x @ w
    return np.sum(np.exp(z - np.max(z, axis=0)))


def changed_between(x, w):
    z = x @ w
    top = np.max(z, axis=0)
    e = np.exp(z - top)
    s = np.sum(e, axis=0)
    e[0] *= 2.0
    return np.sum(top + np.log(s)) + np.sum(e)


def in_a_loop(x, w):
    total = 0.0
    for k in range(3):
        z = x[k] * w[0]
        m = np.max(z)
        total += m + np.log(np.sum(np.exp(z - m)))
    return total


RNG = np.random.default_rng(2)
X, W = RNG.normal(size=(4, 5)), RNG.normal(size=(5, 3))
GONE = [softmax_loss, mixture, from_the_last_axis, with_an_axis_added, of_vectors, carried_on, carried_rows, helper_in_a_loop]
STAYS = [scaled_top, wrong_axis, other_values, no_logarithm, changed_between, number_beside_it, sum_of_others]


def differences(f, x, w, k):
    given = [x, w]
    out = np.zeros_like(given[k])
    for place in np.ndindex(out.shape):
        values = []
        for step in (1e-6, -1e-6):
            moved = [a.copy() for a in given]
            moved[k][place] += step
            values.append(f(*moved))
        out[place] = (values[0] - values[1]) / 2e-6
    return out


@pytest.mark.parametrize("f", [*GONE, *STAYS, probabilities])
@pytest.mark.parametrize("optimize", [True, False])
def test_gradients(f, optimize):
    found = tg.grad(f, (0, 1), fallback="error", optimize=optimize)(X, W)
    for k in range(2):
        np.testing.assert_allclose(found[k], differences(f, X, W, k), rtol=1e-6, atol=1e-8)


@pytest.mark.usefixtures("rows_stay_arrays")
def test_in_loops_and_of_vectors():
    x, w = RNG.normal(size=(3, 4)), RNG.normal(size=(1, 4))
    np.testing.assert_allclose(tg.grad(in_a_loop)(x, w), differences(in_a_loop, x, w, 0), rtol=1e-6, atol=1e-8)
    assert "count_nonzero" not in tg.grad(in_a_loop).source_for(x, w)


@pytest.mark.usefixtures("rows_stay_arrays")
@pytest.mark.parametrize("f", GONE)
def test_it_is_left_out(f):
    assert "count_nonzero" not in tg.grad(f).source_for(X, W)


@pytest.mark.parametrize("f", STAYS)
def test_it_stays(f):
    assert "count_nonzero" in tg.grad(f).source_for(X, W)


def test_large_numbers():
    x = X * 1e3
    np.testing.assert_allclose(tg.grad(mixture)(x, W), tg.grad(mixture, optimize=False)(x, W), rtol=1e-9)


def test_what_is_infinite_is_not_hidden():
    x = X.copy()
    x[0, 0] = np.inf
    with np.errstate(all="ignore"):
        found, expected = (tg.grad(mixture, 1, optimize=o)(x, W) for o in (True, False))
    np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))


def test_what_is_stretched_counts_as_often_as_it_is():
    def f(x, b):
        m = np.max(x, axis=1)
        return np.sum(m * (np.sum(x + b, axis=1) - np.sum(x, axis=1) - np.sum(b, axis=1)))
    b = np.array([[0.3], [-0.7], [1.1], [0.4], [0.9]])[:len(X)]
    tg.testing.check_grad(f, (X, b))
