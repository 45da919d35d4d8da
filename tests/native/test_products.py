"""Products of matrices under Numba: of few entries and of many, of every remainder of what is added up at a time, and of all layouts."""
import numpy as np
import pytest

import transgrad as tg

RNG = np.random.default_rng(0)


@tg.compile(backend="numba", fallback="error")
def matrices(a, b):
    return a @ b


@tg.compile(backend="numba", fallback="error")
def of_parts(a, b):
    return (a[1:, ::2] @ b.T[::2]) @ np.ones((len(b), 3))


def numbers(dtype, *shape):
    x = RNG.normal(size=shape)
    return (x + 1j * RNG.normal(size=shape) if dtype is complex else x).astype(dtype)


@pytest.mark.parametrize("dtype", [float, np.float32, complex])
@pytest.mark.parametrize("k", [0, 1, 2, 3, 4, 5, 6, 7, 8, 16, 17, 40])
def test_every_remainder(dtype, k):
    for n in (0, 1, 2, 3, 4, 7, 16):
        for m in (0, 1, 4, 33):
            a, b = numbers(dtype, n, k), numbers(dtype, k, m)
            for left in (a, np.asfortranarray(a)):
                got = matrices(left, b)
                assert got.dtype == a.dtype and got.shape == (n, m)
                np.testing.assert_allclose(got, a @ b, rtol=1e-12 if dtype is not np.float32 else 1e-4, atol=1e-5 if dtype is np.float32 else 1e-13)


@pytest.mark.parametrize("n", [4, 60])
def test_parts(n):
    a, b = numbers(float, n, 8), numbers(float, 5, 8)
    np.testing.assert_allclose(of_parts(a, b), of_parts.__wrapped__(a, b), rtol=1e-12)


def test_what_is_not_finite():
    a = np.array([[1.0, 0.0, np.inf], [0.0, np.nan, 2.0], [0.0, 0.0, 0.0]])
    b = np.array([[np.inf, 1.0], [2.0, -np.inf], [0.0, 3.0]])
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(matrices(a, b), a @ b)


@pytest.mark.parametrize("shapes", [((3, 4), (5, 2)), ((30, 40), (50, 2)), ((0, 3), (2, 0))])
def test_matrices_that_do_not_fit(shapes):
    with pytest.raises(ValueError):
        matrices(*map(np.ones, shapes))


@pytest.mark.parametrize("n", [2, 3, 20])
def test_gradient(n):
    def f(a, b, c):
        return np.sum(np.tanh(a @ b) @ c)
    a, b, c = numbers(float, n, n), numbers(float, n, 9), numbers(float, 9, 4)
    for got, want in zip(tg.grad(f, (0, 1, 2), backend="numba", fallback="error")(a, b, c), tg.grad(f, (0, 1, 2))(a, b, c)):
        np.testing.assert_allclose(got, want, rtol=1e-11, atol=1e-13)
