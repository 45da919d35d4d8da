"""Elements that nothing writes to after they were read are read again by the reverse: in triangular loops, along slices, in rows."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import transgrad as tg

from .by_differences import MODES, Programs, check

kept_nowhere, kept = Programs(), Programs()
X = np.array([0.3, -0.7, 1.1, 0.4, -0.2, 0.9])


def matrix(x: Any) -> Any:
    return np.outer(x[:4], x[2:]) * 0.3 + np.diag(np.array([3.0, 4.0, 3.5, 5.0]))


@kept_nowhere
def decomposed(x: Any) -> Any:
    a = matrix(x) + matrix(x).T
    low = np.zeros((4, 4))
    for j in range(4):
        s = a[j, j]
        for k in range(j):
            s -= low[j, k] ** 2
        low[j, j] = np.sqrt(s)
        for i in range(j + 1, 4):
            s = a[i, j]
            for k in range(j):
                s -= low[i, k] * low[j, k]
            low[i, j] = s / low[j, j]
    return np.sum(low ** 3)


@kept_nowhere
def by_slices(x: Any) -> Any:
    a = matrix(x) + matrix(x).T
    low = np.zeros((4, 4))
    for j in range(4):
        low[j, j] = np.sqrt(a[j, j] - low[j, :j] @ low[j, :j])
        low[j + 1:, j] = (a[j + 1:, j] - low[j + 1:, :j] @ low[j, :j]) / low[j, j]
    return np.sum(low ** 3)


@kept_nowhere
def substituted(x: Any) -> Any:
    a = matrix(x)
    y = np.zeros(4)
    for i in range(3, -1, -1):
        y[i] = (x[i] - a[i, i + 1:] @ y[i + 1:]) / a[i, i]
    return np.sum(y ** 3)


@kept_nowhere
def rows_of_a_table(x: Any) -> Any:
    d = np.zeros((5, 5))
    for i in range(1, 5):
        for j in range(1, 5):
            d[i, j] = np.tanh(x[i] * d[i - 1, j] + d[i][j - 1] * d[i - 1, j - 1] + x[j])
    return d[4, 4] + np.sum(d[2])


@kept
def read_in_the_next_column(x: Any) -> Any:
    d = matrix(x)
    for j in range(3):
        for k in range(4):
            d[k, j] = d[k, j] * d[k, j + 1] + x[j]
    return np.sum(d)


@kept
def swept_again(x: Any) -> Any:
    y = x * 1.0
    for _ in range(3):
        for i in range(1, 5):
            y[i] = y[i - 1] * y[i + 1] + x[i]
    return np.sum(y ** 2)


@kept
def from_the_end(x: Any) -> Any:
    y = x * 1.0
    for i in range(3):
        y[-i] = y[i] * y[i + 1]
    return np.sum(y)


@kept
def above_the_bound(x: Any) -> Any:
    d = matrix(x)
    for j in range(3):
        for k in range(j + 2):
            d[0, j] = d[0, j] * d[1, k] + d[0, k]
    return np.sum(d ** 2)


@kept
def written_behind_the_loop(x: Any) -> Any:
    y = np.zeros(6)
    for i in range(1, 6):
        y[i] = y[i - 1] * x[i] + 0.5
    y[2:] = y[2:] * x[2:]
    return np.sum(y ** 2)


@pytest.mark.parametrize("f", [*kept_nowhere, *kept])
def test_derivatives_are_those_of_differences(f: Any) -> None:
    check(f, X)
    MODES["second"](f, X)
    want = tg.grad(f)(X)
    for names in ({"settled": False}, {"settled": False, "places": False}, {"places": False}):
        np.testing.assert_allclose(tg.grad(f, optimize=names)(X), want, rtol=1e-12)


@pytest.mark.parametrize("f", [decomposed, substituted])
def test_nothing_is_kept(f: Any) -> None:
    assert "append" not in tg.grad(f).source_for(X)
    assert "append" in tg.grad(f, optimize={"settled": False}).source_for(X)


def test_by_machine_code() -> None:
    pytest.importorskip("numba")
    for f in (decomposed, substituted, above_the_bound):
        np.testing.assert_allclose(tg.grad(f, backend="numba")(X), tg.grad(f)(X), rtol=1e-12)
