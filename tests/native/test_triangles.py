"""Triangles of matrices under Numba are part of the loops over elements."""
import numpy as np
import pytest

import transgrad as tg

RNG = np.random.default_rng(4)


def below(x):
    return np.tril(x * 2.0) - np.exp(np.tril(x, -1)) * x


def above(x):
    return np.triu(x + 1.0, 1) * np.tril(x, 2) + np.triu(x, -1) ** 2


def masked(x):
    return np.sum(np.tril(x > 0.0), axis=1) + np.sum(np.triu(np.where(x > 0.0, x, 1.0)), axis=0)


def weighed(x, w):
    return np.sum(np.sin(np.tril(x @ w)) * np.triu(w))


@pytest.mark.parametrize("shape", [(4, 4), (1, 4), (4, 1), (3, 5), (0, 3), (2, 3, 4)])
@pytest.mark.parametrize("f", [below, above])
@pytest.mark.parametrize("dtype", [float, np.float32])
def test_values(f, shape, dtype):
    x = RNG.normal(size=shape).astype(dtype)
    got, want = tg.compile(f, backend="numba", fallback="error")(x), f(x)
    assert got.dtype == want.dtype and got.shape == want.shape
    np.testing.assert_allclose(got, want, rtol=1e-12 if dtype is float else 1e-5)


def test_what_is_left_out_may_be_anything():
    x = np.array([[1.0, np.inf], [2.0, np.nan]])
    native = tg.compile(below, backend="numba", fallback="error")
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(native(x), below(x))


def test_truth():
    x = RNG.normal(size=(5, 5))
    np.testing.assert_allclose(tg.compile(masked, backend="numba", fallback="error")(x), masked(x), rtol=1e-14)


def test_gradients():
    x, w = RNG.normal(size=(6, 6)), RNG.normal(size=(6, 6))
    native = tg.grad(weighed, (0, 1), backend="numba", fallback="error")
    for got, want in zip(native(x, w), tg.grad(weighed, (0, 1), fallback="error")(x, w)):
        np.testing.assert_allclose(got, want, rtol=1e-10, atol=1e-12)
    code = [line for line in native.source.splitlines() if "#" not in line]
    assert not any("np.tri" in line for line in code)


def test_an_offset_that_is_not_known():
    def f(x, k):
        return np.sum(np.tril(x, k) * x)
    x = RNG.normal(size=(4, 4))
    for k in (-1, 0, 2):
        np.testing.assert_allclose(tg.grad(f, backend="numba")(x, k), tg.grad(f)(x, k))
