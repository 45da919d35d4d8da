"""Arrays with several dimensions that loops read and write element by element, as lists of lists."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import transgrad as tg

RNG = np.random.default_rng(3)
M = RNG.normal(size=(5, 5))


def diffused(u0, c):
    u = u0.copy()
    n, m = u.shape
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            u[i, j] = u[i, j] + c * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4.0 * u[i, j])
    return np.sum(u ** 2)


def alignment(a, b):
    n, m = len(a), len(b)
    d = np.zeros((n + 1, m + 1))
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            d[i, j] = (a[i - 1] - b[j - 1]) ** 2 + min(d[i - 1, j], d[i, j - 1], d[i - 1, j - 1])
    return d[n, m]


def product(a, b):
    n, k = a.shape
    m = b.shape[1]
    c = np.zeros((n, m))
    for i in range(n):
        for j in range(m):
            s = 0.0
            for l in range(k):
                s += a[i, l] * b[l, j]
            c[i, j] = s
    return np.sum(np.sin(c))


def ends(x, c):
    s = 0.0
    for i in range(len(x)):
        s += x[-i - 1, -1] * x[i, 0] * c
    return s


def cube(x, c):
    s = 0.0
    n, m, k = x.shape
    for i in range(n):
        for j in range(m):
            for l in range(k):
                s += x[i, j, l] ** 2 * c * x[i, 0, 0]
    return s


def factor(a, c):
    n = len(a)
    low = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            s = a[i, j]
            for k in range(j):
                s -= low[i, k] * low[j, k]
            if i == j:
                low[i, j] = np.sqrt(s)
            else:
                low[i, j] = s / low[j, j]
    return np.sum(np.log(np.diag(low))) * c


def stops(x, c):
    s = 0.0
    for i in range(len(x)):
        if x[i, 0] > 0.9:
            return s
        s += x[i, 1] ** 2 * c
    return s


def pairs(x, c):
    s = 0.0
    for i in range(len(x)):
        for j in range(i):
            s += c / np.sqrt((x[i, 0] - x[j, 0]) ** 2 + (x[i, 1] - x[j, 1]) ** 2 + 0.1)
    return s


def rows_too(x, c):
    s = 0.0
    for i in range(len(x)):
        row = x[i]
        s += row[0] * c + x[i, 1]
    return s + np.sum(x)


def one_column(x, c):
    s = 0.0
    for i in range(len(x)):
        s += x[i, 0] * c
    return s


def apart(x, c):
    n, m = x.shape
    s = 0.0
    for i in range(n):
        s += x[i, 0] * c
    for j in range(m):
        s += x[0, j] ** 2
    return s


THREE = RNG.normal(size=(5, 3))
LISTED = [(diffused, RNG.normal(size=(6, 7)), 0.1), (alignment, RNG.normal(size=4), RNG.normal(size=6)),
          (product, RNG.normal(size=(3, 4)), RNG.normal(size=(4, 2))), (ends, THREE, 2.0), (cube, RNG.normal(size=(2, 3, 4)), 2.0),
          (factor, M @ M.T + 5.0 * np.eye(5), 2.0), (stops, THREE, 2.0), (pairs, THREE, 2.0)]
NOT = [(rows_too, THREE, 2.0), (one_column, RNG.normal(size=(5, 30)), 2.0), (apart, RNG.normal(size=(9, 12)), 2.0)]
EMPTY = [(ends, np.zeros((0, 3)), 2.0), (diffused, np.zeros((0, 3)), 2.0), (diffused, np.zeros((3, 0)), 2.0), (cube, np.zeros((2, 0, 3)), 2.0),
         (ends, np.ones((1, 1)), 2.0)]


def differences(f: Any, x: Any, c: Any, k: int) -> Any:
    given = [np.array(x, dtype=float), np.array(c, dtype=float)]
    out = np.zeros_like(given[k])
    for place in np.ndindex(out.shape):
        values = []
        for step in (1e-6, -1e-6):
            moved = [a.copy() for a in given]
            moved[k][place] += step
            values.append(f(*(a if a.shape else float(a) for a in moved)))
        out[place] = (values[0] - values[1]) / 2e-6
    return out


@pytest.mark.parametrize("f, x, c", [*LISTED, *NOT], ids=lambda v: getattr(v, "__name__", ""))
def test_derivatives(f, x, c):
    found = tg.grad(f, (0, 1), fallback="error")(x, c)
    plain = tg.grad(f, (0, 1), optimize={"lists": False})(x, c)
    for k in range(2):
        assert np.shape(found[k]) == np.shape(plain[k])
        np.testing.assert_allclose(found[k], plain[k], rtol=1e-12, atol=1e-13)
        np.testing.assert_allclose(found[k], differences(f, x, c, k), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("f, x, c", EMPTY, ids=lambda v: getattr(v, "__name__", ""))
def test_without_elements(f, x, c):
    found = tg.grad(f, fallback="error")(x, c)
    assert found.shape == x.shape
    np.testing.assert_array_equal(found, tg.grad(f, optimize=False)(x, c))


@pytest.mark.parametrize("f, x, c", LISTED, ids=lambda v: getattr(v, "__name__", ""))
def test_where_loops_run_over_all_elements(f, x, c):
    assert ".tolist()" in tg.grad(f, (0, 1)).source_for(x, c)


@pytest.mark.parametrize("f, x, c", NOT, ids=lambda v: getattr(v, "__name__", ""))
def test_where_they_do_not(f, x, c):
    assert ".tolist()" not in tg.grad(f, (0, 1), optimize={"lengths": False}).source_for(x, c)


def test_few_columns_are_checked_at_each_call():
    df = tg.grad(ends)
    df(THREE, 2.0)
    wide = RNG.normal(size=(5, 40))
    np.testing.assert_allclose(df(wide, 2.0), tg.grad(ends, optimize=False)(wide, 2.0))
    assert [".tolist()" in v.module.text for v in df.variants] == [True, False]


def test_a_row_is_read_once():
    text = tg.grad(pairs).source_for(THREE, 2.0)
    assert "x_i = x_list[i]" in text and "x_i[1]" in text
