"""Jacobians whose tangents are computed for a few directions alone: as without, and as columns of differences give them."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import transgrad as tg
from transgrad.passes.switches import switched_off

RNG = np.random.default_rng(29)
M = RNG.normal(size=(50, 3, 3))
POINTS = RNG.normal(size=(3, 7))


def turn(a):
    return np.array([[np.cos(a), -np.sin(a), 0.0], [np.sin(a), np.cos(a), 0.0], [0.0, 0.0, 1.0]])


def fingers(x, points):
    """Chains of turns; the points follow all of them."""
    total = points * 0.1
    for f in range(len(x) // 3):
        frame = M[f % 50]
        for j in range(3):
            if j > 0:
                frame = frame @ M[j] @ turn(x[3 * f + j])
            else:
                frame = frame @ M[j]
            total = total + np.cos(x[3 * f]) * (frame @ points)
    return total.ravel()


def blocks(x, points):
    """Three numbers a turn, as a vector."""
    out = np.zeros_like(points)
    for i in range(len(x) // 3):
        p = x[3 * i:3 * i + 3]
        out = out + np.sin(M[i % 50] @ p)[:, None] * points
    return out


def written(x, points):
    """Rows of an array, written and added to."""
    y = np.ones((len(x) + 1, 3))
    for i in range(len(x)):
        v = x[i] * M[0] @ points[:, 0]
        y[i] = y[i] * v
        y[i + 1] += v * x[i]
        y[0] -= np.tanh(v)
    return y


def difference(x, points):
    total = np.exp(points)
    for i in range(len(x)):
        total = total - x[i] * points
        total = total / 2.0 - (x[i] * points + x[len(x) - 1 - i] * points ** 2)
    return total


def backwards(x, points):
    total = points * x.sum()
    for i in range(len(x) - 1, -1, -1):
        total = total + points * (x[i] * x[0])
    return total


def chosen(x, points):
    """What a branch leaves alone does not move."""
    total = np.zeros(7)
    for i in range(len(x)):
        step = np.zeros(3)
        if points[0, i % 7] > 0:
            step = M[1] @ np.array([x[i], x[i] ** 2, 1.0])
        total = total + step @ points
    return total


def read_on_the_way(x, points):
    """The sum is read before it is whole."""
    total = np.zeros(3)
    kept = []
    for i in range(len(x)):
        total = total + x[i] * points[:, 0]
        kept.append(total)
    return np.array(kept)


def doubled(x, points):
    """The sum goes into itself."""
    total = np.ones(3)
    for i in range(len(x)):
        total = total + total * x[i]
    return total * points[:, 0]


def two_sums(x, points):
    """One array is where two sums begin."""
    a = x[0] * points
    b = a
    for i in range(len(x)):
        a = a + x[i] * points
        b = b + x[i] ** 2 * points
    return a * b


def until(x, points):
    total, i = np.zeros((3, 7)), 0
    while i < len(x):
        total = total + x[i] * points
        i += 1
    return total


def stopped(x, points):
    total = np.zeros((3, 7))
    for i in range(len(x)):
        if i > 4:
            break
        total = total + np.outer(x[i:i + 2].sum() * points[:, 0], points[0])
    return total


def part_of_a_sum(x, points):
    """A term with one column is added to all columns."""
    total = np.zeros((3, 7))
    for i in range(len(x)):
        column = (x[i] * points[:, 1])[:, None]
        total = total + column
        total = column + total
    return total


def grown(x, points):
    """The first sum has one column, those after it all of them."""
    total = np.zeros((3, 1))
    for i in range(len(x)):
        total = total + x[i] * points
    return total


PROGRAMS = [fingers, blocks, written, difference, backwards, chosen, read_on_the_way, doubled, two_sums, until, stopped, part_of_a_sum, grown]


def differences(f: Any, x: Any, *rest: Any) -> Any:
    """Columns by central differences."""
    h = 1e-6
    columns = [(f(x + h * e, *rest) - f(x - h * e, *rest)) / (2 * h) for e in np.eye(len(x))]
    return np.stack(columns, axis=-1)


@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.parametrize("n", [1, 2, 3, 9, 17])
def test_it_is_the_jacobian(f, n):
    x = RNG.normal(size=n)
    found = tg.jacfwd(f, fallback="error", optimize={"vectorize": False})(x, POINTS)
    with switched_off("spans"):
        plain = tg.jacfwd(f, fallback="error")(x, POINTS)
    np.testing.assert_allclose(found, plain, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(found, differences(f, x, POINTS), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(found, tg.jacrev(f)(x, POINTS), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("f", PROGRAMS)
def test_several_parts_of_all_directions(f):
    """With more directions than are computed at once; without any."""
    for n in (0, 300):
        x = RNG.normal(size=n) * 0.1
        if n == 0 and f in (written, two_sums, backwards, doubled):
            continue
        found = tg.jacfwd(f, fallback="error", optimize={"vectorize": False})(x, POINTS)
        with switched_off("spans"):
            plain = tg.jacfwd(f, fallback="error")(x, POINTS)
        np.testing.assert_allclose(found, plain, rtol=1e-12, atol=1e-12)


def test_what_does_not_move_is_zero():
    """The slope of a square root at zero is infinite, for its own direction."""
    def roots(x, points):
        total = np.zeros_like(points)
        for i in range(len(x)):
            total = total + np.sqrt(x[i]) * points
        return total.ravel()

    x = np.array([4.0, 0.0, 1.0])
    with np.errstate(divide="ignore", invalid="ignore"):
        found, rows = tg.jacfwd(roots, fallback="error", optimize={"vectorize": False})(x, POINTS), tg.jacrev(roots)(x, POINTS)
    np.testing.assert_allclose(found, rows, rtol=1e-12)
    assert np.isinf(found[:, 1]).all() and np.isfinite(found[:, [0, 2]]).all()


@pytest.mark.parametrize("f", [fingers, blocks, written, difference, backwards, two_sums])
def test_it_is_done(f):
    """Loops that only add up terms are distributed otherwise, and have no iterations with directions of their own."""
    derivative = tg.jacfwd(f, fallback="error", optimize={"distribute": False, "vectorize": False})
    derivative(RNG.normal(size=9), POINTS)
    assert "first" in derivative.source
    plain = tg.jacfwd(f, fallback="error", optimize={"distribute": False, "vectorize": False, "spans": False})
    plain(RNG.normal(size=9), POINTS)
    assert "first" not in plain.source


@pytest.mark.parametrize("f", [read_on_the_way, doubled, until, grown])
def test_it_is_left_alone(f):
    derivative = tg.jacfwd(f, fallback="error")
    derivative(RNG.normal(size=9), POINTS)
    assert "first" not in derivative.source


def test_an_index_out_of_range():
    def reads(x, points):
        total = np.zeros_like(points)
        for i in range(len(x) + 1):
            total = total + x[i] * points
        return total
    with pytest.raises(IndexError):
        tg.jacfwd(reads, fallback="error")(np.ones(4), POINTS)
