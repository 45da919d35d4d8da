"""Rows of arguments whose last axis is short become scalars, under a guard on its length."""
from __future__ import annotations

import numpy as np
import pytest

import transgrad as tg
from transgrad.testing import check_grad


def pairs(x, y):
    energy = 0.0
    for i in range(len(x)):
        for j in range(i):
            d = x[i] - y[j]
            energy += 1.0 / np.sqrt(np.dot(d, d) + 0.1)
    return energy


def slices(x, y):
    total = 0.0
    for i in range(len(x)):
        a, b = x[i, :2], y[i][-2:]
        total += np.sum(a * b[::-1]) + np.sum(np.exp(0.1 * x[i][1:]))
        total *= 1.0 + 0.01 * x[i][0]
    return total


def helper(a, b):
    z = (a - b) / np.exp(0.1 * b)
    return -0.5 * np.dot(z, z) - np.sum(b)


def helpers(x, y):
    total = 0.0
    for a in x:
        q = np.array([helper(a, y[k]) for k in range(len(y))])
        m = np.max(q)
        total += m + np.log(np.sum(np.exp(q - m)))
    return total


def gathers(x, y):
    total = 0.0
    for i in np.array([0, 2, 1, 2, -1]):
        e = x[i] - 2.0 * y[i - 1]
        total += np.linalg.norm(e) * x[i, 0]
    return total


def written(x, y):
    out = np.zeros_like(x)
    for i in range(1, len(x)):
        out[i] = out[i - 1] * x[i] + y[i]
        out[i, 0] += x[i, -1]
        x[i] = 2.0 * x[i]
    return np.sum(out * x)


def carried(x, y):
    state = x[0]
    for i in range(len(y)):
        state = np.tanh(state * y[i] + x[-1])
    return np.sum(state)


def nested(x, y):
    total = 0.0
    for row in x:
        for other in y:
            if row[0] > other[0]:
                total += np.sum((row - other) ** 2)
            else:
                total -= np.sum(row * other)
    return total


def crossed(x, y):
    total = 0.0
    for i in range(len(x)):
        c = np.cross(x[i], y[i])
        total += np.sum(c ** 2) * x[i, 0] + np.dot(c, y[0])
    return total


PROGRAMS = [pairs, slices, helpers, gathers, written, carried, nested]


def arguments(n, width, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, width)), rng.normal(size=(n, width))


@pytest.mark.parametrize("f", [*PROGRAMS, crossed])
@pytest.mark.parametrize("width", [3, 2, 1, 4, 11, 20])
def test_gradients(f, width):
    if f is crossed and width != 3:
        return
    args = arguments(4, width)
    want = tg.value_and_grad(f, (0, 1), fallback="error", optimize=False)(*(a.copy() for a in args))
    for options in ({}, {"optimize": {"distribute": False}}, {"optimize": {"lists": False}}, {"optimize": {"lengths": False}}):
        found = tg.value_and_grad(f, (0, 1), fallback="error", **options)(*(a.copy() for a in args))
        np.testing.assert_allclose(found[0], want[0], rtol=1e-12)
        for have, expected in zip(found[1], want[1]):
            assert have.shape == expected.shape
            np.testing.assert_allclose(have, expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("f", [*PROGRAMS, crossed])
@pytest.mark.parametrize("transformation", [tg.jvp, tg.vjp, tg.hvp])
def test_other_transformations(f, transformation):
    args, tangents = arguments(4, 3), arguments(4, 3, 1)
    found = []
    for options in ({}, {"optimize": False}):
        point = tuple(a.copy() for a in args)
        if transformation is tg.vjp:
            value, pullback = tg.vjp(f, *point, fallback="error", **options)
            found.append((value, *pullback(1.0)))
        else:
            out = transformation(f, point, tangents, fallback="error", **options)
            found.append(out)
    for have, want in zip(*found):
        np.testing.assert_allclose(have, want, rtol=1e-10, atol=1e-12)


def test_against_differences():
    for f in (pairs, slices, helpers, gathers, carried, crossed):
        check_grad(f, arguments(4, 3))


def test_one_derivative_for_many_lengths():
    gradient = tg.grad(pairs, (0, 1), fallback="error")
    plain = tg.grad(pairs, (0, 1), fallback="error", optimize=False)
    for width in (2, 3, 2, 4, 5, 6, 7, 8, 3, 9, 40, 2):
        for n in (3, 5):
            args = arguments(n, width)
            for have, want in zip(gradient(*args), plain(*args)):
                np.testing.assert_allclose(have, want, rtol=1e-11, atol=1e-13)
    assert len(gradient.variants) <= 6


def test_the_source():
    def energy(x):
        total = 0.0
        for i in range(len(x)):
            for j in range(i):
                d = x[i] - x[j]
                total += 1.0 / np.sqrt(d @ d)
        return total
    gradient, general = tg.grad(energy, fallback="error"), tg.grad(energy, fallback="error", optimize={"lengths": False})
    x, _ = arguments(4, 3)
    gradient(x), general(x)
    assert "float(d @ d)" in general.source
    assert "d_0 * d_0 + d_1 * d_1 + d_2 * d_2" in gradient.source


def test_one_argument_is_wider():
    def f(x, y):
        total = 0.0
        for i in range(len(x)):
            total += np.sum(x[i] * y[i]) * x[i, 0]
        return total
    gradient = tg.grad(f, (0, 1), fallback="error")
    x = np.arange(6.0).reshape(3, 2)
    for width in (2, 1, 2):
        y = np.ones((3, width)) * 2.0
        x_bar, y_bar = gradient(x, y)
        want = tg.grad(f, (0, 1), optimize=False)(x, y)
        np.testing.assert_allclose(x_bar, want[0])
        np.testing.assert_allclose(y_bar, want[1])
        assert y_bar.shape == y.shape
    with pytest.raises(ValueError, match="broadcast"):
        gradient(x, np.ones((3, 3)))
    with pytest.raises(IndexError):
        gradient(x, np.ones((2, 2)))


def test_rows_in_containers():
    def f(p):
        total = 0.0
        for i in range(len(p["x"])):
            d = p["x"][i] - p["pair"][1][i]
            total += np.sqrt(np.sum(d * d) + 1.0) * p["pair"][0]
        return total
    x, y = arguments(4, 3)
    p = {"x": x, "pair": (2.0, y)}
    found, want = tg.grad(f, fallback="error")(p), tg.grad(f, optimize=False)(p)
    np.testing.assert_allclose(found["x"], want["x"])
    np.testing.assert_allclose(found["pair"][1], want["pair"][1])
    wide = {"x": np.ones((4, 5)), "pair": (2.0, np.zeros((4, 5)))}
    assert tg.grad(f)(wide)["x"].shape == (4, 5)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_dtypes(dtype):
    x, y = (a.astype(dtype) for a in arguments(4, 3))
    x_bar, y_bar = tg.grad(pairs, (0, 1), fallback="error")(x, y)
    assert x_bar.dtype == y_bar.dtype == dtype
    np.testing.assert_allclose(x_bar, tg.grad(pairs, fallback="error")(*arguments(4, 3)), rtol=1e-4, atol=1e-5)


def test_no_rows():
    for f in PROGRAMS[:3]:
        if f is not helpers:
            x_bar, _ = tg.grad(f, (0, 1), fallback="error")(np.zeros((0, 3)), np.zeros((0, 3)))
            assert x_bar.shape == (0, 3)
