"""Arrays and lists into which other arrays are unpacked."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import transgrad as tg

A = np.array([[0.3, 0.5, -0.2], [1.1, 0.4, 0.7]])
TABLE = np.array([1.0, 2.0, 3.0])


def starred(a):
    return np.sum(np.array([1.0, *a[0]]) ** 2)


def computed(a):
    q = np.array([1.0, *a[0]])
    v = np.array([q[0] * 2.0, *(q[0] * q[1:] + np.cross(q[1:], a[1]))])
    return np.sum(v * v * q)


def first(a):
    return np.array([*a[0], a[1, 0]]) @ np.arange(4.0)


def both(a):
    return np.sum(np.array([*a[0], *a[1]]) ** 2 * np.arange(6.0))


def beside_a_table(a):
    return np.sum(np.array([*a[0], *TABLE]) ** 3 * np.arange(6.0))


def extended(a):
    out = [a[0, 0] * 2.0]
    out.extend(a[1] * a[0])
    out += [a[1, 2]]
    return sum(k * v for k, v in enumerate(out))


def rows(a):
    out = []
    out.extend(a)
    out.extend(a * 2.0)
    return np.sum(np.array(out) ** 2 * np.arange(12.0).reshape(4, 3))


ALL = (starred, computed, first, both, beside_a_table, extended, rows)


@pytest.mark.parametrize("f", ALL, ids=lambda f: f.__name__)
def test_derivatives(f: Any) -> None:
    tg.testing.check_grad(f, (A,))
    assert np.allclose(tg.jacfwd(f)(A), tg.grad(f)(A))
    hessian = tg.hessian(f)(A).reshape(6, 6)
    steps = [((tg.grad(f)(A + 1e-6 * e.reshape(2, 3)) - tg.grad(f)(A - 1e-6 * e.reshape(2, 3))) / 2e-6).ravel() for e in np.eye(6)]
    assert np.allclose(hessian, steps, atol=1e-6)


@pytest.mark.parametrize("count", (2, 3, 4))        # also as many examples as an array has rows or columns
@pytest.mark.parametrize("f", ALL, ids=lambda f: f.__name__)
def test_batches(f: Any, count: int) -> None:
    batch = np.stack([A * (1.0 + 0.3 * k) + 0.1 * k for k in range(count)])
    assert np.allclose(tg.vmap(f)(batch), [f(a) for a in batch])
    assert np.allclose(tg.vmap(tg.grad(f))(batch), [tg.grad(f)(a) for a in batch])
