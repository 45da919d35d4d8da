"""Cotangents that start as a negation and are written to afterwards: what they were made of says no longer what they are."""
import numpy as np
import pytest

from .by_differences import Programs, check

tried = Programs()


@tried
def product_written_over_and_subtracted(x):
    t = x[1:] * x[:-1]
    np.multiply(t, x[0], out=t)
    d = np.zeros(2)
    d += -t
    return np.sum(d * x[1:])


@tried
def determinant(x):
    """As packages write it, to allocate one temporary."""
    a = np.array([x, x[::-1] ** 2, x + 1.0])
    d = np.zeros_like(a[0])
    t = np.multiply(a[0], a[1])
    np.multiply(t, a[2], out=t)
    np.add(d, t, out=d)
    t = np.multiply(a[1], a[2], out=t)
    np.multiply(t, a[0] ** 2, out=t)
    np.add(d, -t, out=d)
    return np.sum(d * x)


@tried
def parts_written(x):
    t = x * x[0]
    t[1:] = t[:-1] * x[2]
    d = -t
    t[0] = d[1]
    return np.sum(d * t) - np.sum(t * x)


@tried
def divided_and_subtracted(x):
    t = x * x[1]
    t[...] = t / x[2]
    y = x * 1.0
    y -= t
    t[...] = y * t
    y -= t
    return np.sum(y * x)


@pytest.mark.parametrize("f", tried, ids=lambda f: f.__name__)
def test_derivatives(f):
    check(f, np.array([0.31, 0.5, 1.2]))
