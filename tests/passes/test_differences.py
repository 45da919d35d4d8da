"""Differences of neighbours are reversed by adding to parts of one array."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import transgrad as tg

from .by_differences import MODES, Programs, check

programs = Programs()
X = np.array([0.3, -0.7, 1.1, 0.4, -0.2, 0.9])


@programs
def smooth(x: Any) -> Any:
    return np.sum(np.diff(x) ** 2) + np.sum(np.diff(x, n=2) ** 2) + np.sum(np.diff(x, 3) * x[:3])


@programs
def of_rows(x: Any) -> Any:
    m = np.exp(x.reshape(2, 3))
    return np.sum(np.diff(m, axis=0) ** 3) + np.sum(np.diff(m, n=2, axis=1)) + np.sum(np.diff(m) ** 2)


@programs
def few(x: Any) -> Any:
    return np.sum(np.diff(x[:1]) ** 2) + np.sum(np.diff(x[:2], n=2)) + np.sum(np.diff(x[:0])) + np.sum(x ** 2)


@programs
def in_a_loop(x: Any) -> Any:
    u = x.copy()
    for _ in range(4):
        u[1:-1] += 0.2 * np.diff(u, n=2)
    return np.sum(u ** 3)


@programs
def changed_afterwards(x: Any) -> Any:
    u = x * 1.0
    d = np.diff(u)
    u[0] = 3.0 * x[2]
    return np.sum(d ** 3) + np.sum(u ** 2)


@programs
def many(x: Any) -> Any:
    return np.sum(np.diff(x, n=4) ** 2) + np.sum(np.diff(x, prepend=x[3], append=0.0) ** 2)


@pytest.mark.parametrize("f", programs)
def test_derivatives_are_those_of_differences(f: Any) -> None:
    check(f, X)
    MODES["second"](f, X)


def bent(x: Any) -> Any:
    return np.sum(np.diff(x, n=2) ** 2)


def test_text() -> None:
    assert tg.grad(bent).source_for(X).endswith("""
    s = 2.0 * np.diff(x, n=2)
    x_bar = np.zeros(len(x))
    x_bar[2:] = s
    x_bar[1:-1] -= 2 * s
    x_bar[:-2] += s
    return x_bar
""")
    assert "np.pad" in tg.grad(bent, optimize=False).source_for(X)


def test_on_the_machine() -> None:
    pytest.importorskip("numba")
    for f in (smooth, in_a_loop):
        np.testing.assert_allclose(tg.grad(f, backend="numba")(X), tg.grad(f)(X), rtol=1e-12)
