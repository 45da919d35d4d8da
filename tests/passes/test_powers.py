"""Whole powers of arrays in derivatives are products."""
import numpy as np
import pytest

import transgrad as tg

X = np.array([0.5, -1.2, 2.3, -0.1])


@pytest.mark.parametrize("n", [-7, -3, -2, -1, 2, 3, 4, 5, 6, 7, 8, 9, 4.0, 12, 2.5])
def test_slopes(n):
    x = np.abs(X) if n == 2.5 else X

    def f(x):
        return np.sum(x ** n)
    gradient = tg.grad(f, fallback="error")
    np.testing.assert_allclose(gradient(x), n * x ** (n - 1.0), rtol=1e-14)
    np.testing.assert_allclose(tg.hessian(f, fallback="error")(x), np.diag(n * (n - 1.0) * x ** (n - 2.0)), rtol=1e-13)
    np.testing.assert_allclose(tg.grad(f, optimize=False)(x), gradient(x), rtol=1e-14)


def test_it_is_products():
    gradient = tg.grad(lambda x: np.sum(x ** 4), fallback="error")
    assert "x_bar = 4 * (x ** 2 * x)" in gradient.source_for(X)


def test_what_the_function_computes_stays():
    """A power that both read is computed once, as it was written."""
    def f(x, w):
        return np.sum(w * x ** 3) + np.sum(x ** 4)
    text = tg.grad(f, (0, 1), fallback="error").source_for(X, X)
    assert "w_bar = x ** 3" in text and "x_bar = 4 * w_bar" in text


def test_at_the_borders():
    x = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-200, 1e200])
    with np.errstate(all="ignore"):
        for n in (4, -3):
            np.testing.assert_array_equal(tg.grad(lambda x: np.sum(x ** n))(x), n * x ** (n - 1))


def test_numbers_and_integers_stay():
    assert "x ** 3" in tg.grad(lambda x: x ** 4).source_for(1.5)
    found = tg.grad(lambda x: np.sum(x ** 4))(X.astype(np.float32))
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, 4.0 * X ** 3, rtol=1e-5)


def test_what_only_the_derivative_reads_is_products_as_well():
    def f(x, a):
        return a * np.sum(np.cos(a * x ** 3))
    text = tg.grad(f, (0, 1), fallback="error").source_for(X, 0.5)
    assert "** 3" not in "".join(line for line in text.splitlines() if "#" not in line) and "t = s * x" in text
    for got, want in zip(tg.grad(f, (0, 1))(X, 0.5), tg.grad(f, (0, 1), optimize=False)(X, 0.5)):
        np.testing.assert_allclose(got, want, rtol=1e-13)


def test_a_value_that_is_returned_is_as_it_was_written():
    def f(x, a):
        return a * np.sum(np.cos(a * x ** 3))
    value, _ = tg.value_and_grad(f, (0, 1), fallback="error")(X, 0.5)
    assert value == f(X, 0.5)


def test_what_decides_something_is_as_it_was_written():
    def masked(x, y):
        return np.sum(np.where(x ** 3 * 1.0 >= y, x ** 2 * y, y))

    def branches(x, y):
        z = np.sum(x ** 5)
        return np.sum(x * y) if z >= np.sum(y) else np.sum(y)

    for f, n in ((masked, 3), (branches, 5)):
        y = X ** n
        for got, want in zip(tg.grad(f, (0, 1), fallback="error")(X, y), tg.grad(f, (0, 1), fallback="error", optimize=False)(X, y)):
            np.testing.assert_array_equal(got, want)
