"""vmap of functions and derivatives that unpack the shape of an example."""
from __future__ import annotations

import numpy as np
import pytest
import scipy.ndimage

import transgrad as tg

RNG = np.random.default_rng(3)


def swapped(a, w):
    n, k = np.shape(w)
    return np.sum((w.reshape(k, n) * n + a[0, 0]) ** 2)


def by_attribute(a, w):
    n, k = w.shape
    return np.sum((w.reshape(k * n) * k) ** 2) * np.sum(a)


def convolved(a, w):
    return np.sum(scipy.ndimage.convolve(a, w) ** 2)


@pytest.mark.parametrize("f", [swapped, by_attribute, convolved])
@pytest.mark.parametrize("optimize", [True, False])
def test_the_gradient_of_a_batch(f, optimize):
    a, w = RNG.normal(size=(3, 5, 4)), RNG.normal(size=(3, 2, 3))
    got = tg.vmap(tg.grad(f, argnums=(0, 1)), optimize=optimize)(a, w)
    gradient = tg.grad(f, argnums=(0, 1))
    for k in range(3):
        for g, want in zip(got, gradient(a[k], w[k])):
            np.testing.assert_allclose(g[k], want, rtol=1e-11)
    np.testing.assert_allclose(tg.vmap(f, optimize=optimize)(a, w), [f(p, q) for p, q in zip(a, w)], rtol=1e-12)
