"""Rows of arrays that are written to under names of their own: the array changes with them."""
from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import transgrad as tg

A = np.array([[0.3, 0.5, -0.2], [1.1, 0.4, 0.7]])


def unpacked(a):
    b = np.array(a)
    r0, r1 = b
    r0 += r1
    r1 *= r0
    b[:, 0] = b[:, 1] * b[:, 2]
    return np.sum(b ** 2)


def helper(b):
    r0, r1 = b
    r0 *= r1


def in_a_helper(a):
    b = a * 1.0
    helper(b)
    return np.sum(b ** 3)


def of_columns(a):
    b = a.copy()
    x, y, z = b.T
    x += y * z
    z[:] = x ** 2
    return np.sum(b ** 2)


def looped(a):
    b = a.copy()
    for row in b:
        row *= row.sum()
    return np.sum(b ** 2)


def looped_beside(a):
    b = a.copy()
    for k, (row, other) in enumerate(zip(b, a[::-1])):
        row += k * other
        row[0] = row[1] * row[2]
    return np.sum(b ** 2)


def listed(a):
    b = a.copy()
    rows = list(b)
    rows[0] += rows[1]
    return np.sum(b ** 2)


def starred(a):
    b = np.concatenate([a, a * 2.0])
    first, *rest = b
    first *= rest[0]
    return np.sum(b ** 2)


def base_written(a):
    b = a.copy()
    r0, r1 = b
    b *= 2.0
    b[0, 1] = 5.0 * a[0, 0]
    return np.sum(r0 * r1)


def nested(a):
    b = np.stack([a, a * 2.0])
    (p, q), (r, s) = b
    p *= q
    s += p * r
    return np.sum(b ** 2)


def only_read(a):
    r0, r1 = a
    return np.sum(r0 * r1)


def conditional(a):
    b = a.copy()
    if a[0, 0] > 0.0:
        r0, r1 = b
        r0 -= r1
    return np.sum(b ** 2)


ALL = (unpacked, in_a_helper, of_columns, looped, looped_beside, listed, starred, base_written, nested, only_read, conditional)


@pytest.mark.parametrize("f", ALL, ids=lambda f: f.__name__)
def test_derivatives(f: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tg.TapeFallbackWarning)
        steps = np.eye(6).reshape(6, 2, 3) * 1e-6
        want = np.array([(f(A + e) - f(A - e)) / 2e-6 for e in steps]).reshape(2, 3)
        gradient = tg.grad(f)
        assert np.allclose(gradient(A.copy()), want, atol=1e-6)
        assert np.allclose(tg.jacfwd(f)(A.copy()), want, atol=1e-6)
        second = [((gradient(A + e) - gradient(A - e)) / 2e-6).ravel() for e in steps]
        assert np.allclose(np.reshape(tg.hessian(f)(A.copy()), (6, 6)), second, atol=1e-5)
        batch = np.stack([A, A * 1.3 - 0.1, A[::-1]])
        assert np.allclose(tg.vmap(f)(batch.copy()), [f(a.copy()) for a in batch])
        assert np.allclose(tg.vmap(gradient)(batch.copy()), [gradient(a.copy()) for a in batch])


def test_what_is_only_read_stays_unpacked() -> None:
    assert "r0, r1 = a" in tg.compile(only_read).source_for(A)
