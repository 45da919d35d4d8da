"""What machine code must not change: errors, integers, precision, layouts, aliasing, what is read from outside."""
import math

import numpy as np
import pytest

import transgrad as tg

_SCALE = np.array([1.0, 2.0, 3.0])


def on_numba(f, argnums=0, **options):
    return tg.grad(f, argnums, backend=tg.Numba(**options), fallback="error")


def picked(x, i):
    return x[i] ** 2


def divided(x, n):
    return x / (n - 3)


def factorial(x, n):
    total = 1
    for k in range(1, n + 1):
        total = total * k
    return x * total


def root(x):
    return math.sqrt(x) + math.log(x)


def test_indices_outside_of_an_array_raise():
    x = np.arange(4.0)
    df = on_numba(picked)
    np.testing.assert_array_equal(df(x, -1), [0.0, 0.0, 0.0, 6.0])
    for i in (4, -5):
        with pytest.raises(IndexError):
            df(x, i)


def test_divisions_of_python_numbers_by_zero_raise():
    df = on_numba(divided)
    assert df(2.0, 5) == 0.5
    with pytest.raises(ZeroDivisionError):
        df(2.0, 3)


def test_divisions_of_arrays_by_zero_do_not():
    def f(x):
        return np.sum(1.0 / x)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(on_numba(f)(np.array([0.0, 2.0])), tg.grad(f)(np.array([0.0, 2.0])))


def test_integers_that_do_not_fit_raise():
    df = on_numba(factorial)
    assert df(1.0, 20) == float(math.factorial(20))
    with pytest.raises(OverflowError, match="64 bits"):
        df(1.0, 25)


def test_domains_of_the_math_module():
    df = on_numba(root)
    assert df(4.0) == pytest.approx(0.5)
    with pytest.raises(ValueError, match="math domain error"):
        df(-1.0)


def test_the_users_exceptions():
    def f(x):
        if x < 0.0:
            raise ValueError("x is negative")
        return x * x
    df = on_numba(f)
    assert df(2.0) == 4.0
    with pytest.raises(ValueError, match="x is negative"):
        df(-2.0)


def broadcast(a, b):
    return np.sum(np.tanh(a * b) * b)


def test_shapes_that_do_not_fit_raise():
    df = on_numba(broadcast, (0, 1))
    df(np.ones(3), np.ones(3))
    with pytest.raises(ValueError, match="broadcast"):
        df(np.ones(3), np.ones(4))


@pytest.mark.parametrize("shapes", [((3, 1), (4,)), ((3, 4), (1, 4)), ((0,), (0,))])
def test_broadcasting_and_empty_arrays(shapes):
    a, b = (np.linspace(-1.0, 1.0, math.prod(s)).reshape(s) for s in shapes)
    for got, want in zip(on_numba(broadcast, (0, 1))(a, b), tg.grad(broadcast, (0, 1))(a, b)):
        assert got.shape == want.shape
        np.testing.assert_allclose(got, want, rtol=1e-13, atol=1e-14)


def test_single_precision_stays():
    def f(x, c):
        return np.mean(np.exp(c * x) + 2 * x)
    x = np.linspace(0.0, 1.0, 9, dtype=np.float32)
    got, want = on_numba(f)(x, 0.5), tg.grad(f)(x, 0.5)
    assert got.dtype == want.dtype == np.float32
    np.testing.assert_allclose(got, want, rtol=1e-6)
    value, want_value = tg.compile(f, backend="numba")(x, 0.5), f(x, 0.5)
    assert np.result_type(value) == np.result_type(want_value) == np.float32


def products(x):
    total, p = 0.0, 1.0
    for v in x:
        total = total + v
        p = p * (1.0 + v)
    return total * p + x[1]


def decay(x):
    y = 0.0
    for k in range(len(x)):
        y = 0.9 * y + 0.5 * x[k]
    return y * y + np.sum(x)


@pytest.mark.parametrize("f", [products, decay])
def test_recurrences_that_start_as_numbers_of_python(f):
    """What kind of number they are, of Python's or of 32 bits, is not known when the derivative is written."""
    x = np.array([0.3, 0.7, -0.4, 0.5], np.float32)
    got, want = (tg.grad(f, fallback="error", backend=b)(x) for b in ("numba", "numpy"))
    assert got.dtype == want.dtype == np.float32
    np.testing.assert_allclose(got, want, rtol=1e-5)



def test_other_layouts():
    def f(x):
        return np.sum(np.sin(x) * x)
    x = np.arange(24.0).reshape(4, 6)
    for view in (x.T, x[::2, 1::2], x[::-1], np.asfortranarray(x)):
        np.testing.assert_allclose(on_numba(f)(view), tg.grad(f)(view), rtol=1e-13)


def test_large_angles():
    def f(x):
        return np.sum(np.cos(x))
    x = np.array([1.0, 1e10, -3e15])
    np.testing.assert_allclose(on_numba(f)(x), -np.sin(x), rtol=1e-13)


def shifted(x):
    y = x * 1.0
    y[1:] += y[:-1]
    y[:-1] *= y[1:]
    return np.sum(y ** 2)


def test_writes_to_what_is_read():
    x = np.arange(1.0, 6.0)
    np.testing.assert_allclose(on_numba(shifted)(x), tg.grad(shifted)(x), rtol=1e-13)


def weighed(x):
    return np.sum(x * _SCALE)


def test_arrays_from_outside_are_read_at_each_call():
    df = on_numba(weighed)
    np.testing.assert_array_equal(df(np.ones(3)), [1.0, 2.0, 3.0])
    _SCALE[0] = 7.0
    try:
        np.testing.assert_array_equal(df(np.ones(3)), [7.0, 2.0, 3.0])
    finally:
        _SCALE[0] = 1.0


def stacked(a, b):
    return np.sum((a @ np.swapaxes(b, 1, 2)) ** 2)


def test_stacks_of_matrices():
    a, b = np.random.default_rng(0).normal(size=(2, 3, 4, 5))
    for got, want in zip(on_numba(stacked, (0, 1))(a, b), tg.grad(stacked, (0, 1))(a, b)):
        np.testing.assert_allclose(got, want, rtol=1e-12)


def test_draws_are_refused():
    def f(x):
        return x * np.random.rand()
    with pytest.raises(tg.UnsupportedByNumba, match="its own random state"):
        tg.grad(f, backend="numba")(1.0)


def growing(x, tol):
    total = 0.0
    for k in range(4):
        y = x + k
        while y > tol:
            y = y * math.sin(y) ** 2 * 0.9
            total += y * y
    return total


def test_loops_in_loops_of_unknown_length():
    for x in (0.7, 2.5, 30.0):
        assert on_numba(growing)(x, 0.01) == pytest.approx(tg.grad(growing)(x, 0.01), rel=1e-9)


def rows(x, n):
    total = 0.0
    for i in range(n):
        for j in range(len(x)):
            total += math.sin(total * x[j]) + x[j] * i
    return total


def test_loops_in_loops_of_known_length():
    x = np.linspace(0.1, 1.0, 5)
    for n in (0, 1, 6):
        np.testing.assert_allclose(on_numba(rows)(x, n), tg.grad(rows)(x, n), rtol=1e-9)


def test_parallel_and_fast():
    def f(x):
        return np.sum(np.tanh(x) ** 2)
    x = np.linspace(-1.0, 1.0, 1000)
    for options in ({"parallel": True}, {"fastmath": True}):
        df = on_numba(f, **options)
        np.testing.assert_allclose(df(x), tg.grad(f)(x), rtol=1e-12, atol=1e-15)
    assert "prange" in tg.grad(f, backend=tg.Numba(parallel=True)).source_for(x)


def test_angles_in_parallel():
    """Also of a size for which the loop is done again by the C library."""
    def f(x):
        return np.sum(np.sin(x) * np.exp(-np.cos(x)))
    df = on_numba(f, parallel=True)
    for scale in (1.0, 1e9):
        x = scale * np.linspace(-1.0, 1.0, 1000)
        np.testing.assert_allclose(df(x), tg.grad(f)(x), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("shapes", [((5, 4, 4), (4, 4)), ((3, 2, 4), (4,)), ((3, 4), (0, 4, 2)), ((1, 2, 4), (5, 4, 3))])
def test_products_of_stacks(shapes):
    def products(a, b):
        return np.sum(np.sin(a @ b))

    rng = np.random.default_rng(3)
    a, b = (rng.normal(size=shape) for shape in shapes)
    found, plain = (tg.grad(products, argnums=(0, 1), backend=backend, fallback="error")(a, b) for backend in ("numba", "numpy"))
    for x, y in zip(found, plain):
        np.testing.assert_allclose(x, y, rtol=1e-12, atol=1e-14)
    with pytest.raises(ValueError):
        tg.grad(products, backend="numba", fallback="error")(a[..., 1:], b)
