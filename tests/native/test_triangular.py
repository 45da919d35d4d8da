"""Systems whose matrix is a factor of Cholesky's are solved by substitution; others are not."""
import numpy as np
import pytest

import transgrad as tg

RNG = np.random.default_rng(0)


def positive(n):
    m = RNG.normal(size=(n, n))
    return m @ m.T + n * np.eye(n)


def likelihood(k, y):
    factor = np.linalg.cholesky(k)
    z = np.linalg.solve(factor, y)
    return 0.5 * np.sum(z * z) + np.sum(np.log(np.diag(factor)))


def both_ways(k, y):
    factor = np.linalg.cholesky(k)
    return np.linalg.solve(factor.T, np.linalg.solve(factor, y))


def swapped(k, y):
    return np.linalg.solve(np.swapaxes(np.linalg.cholesky(k), 0, 1), y)


def substitutes(derivative):
    return "solve_lower" in derivative.source or "solve_upper" in derivative.source


@pytest.mark.parametrize("columns", [None, 5])
def test_gradients(columns):
    native = tg.value_and_grad(likelihood, (0, 1), backend="numba")
    for n in (31, 32, 33, 100):
        k, y = positive(n), RNG.normal(size=n if columns is None else (n, columns))
        (value, slopes), (expected, wanted) = native(k, y), tg.value_and_grad(likelihood, (0, 1))(k, y)
        assert value == pytest.approx(expected, rel=1e-11)
        for got, want in zip(slopes, wanted):
            np.testing.assert_allclose(got, want, rtol=1e-8, atol=1e-11)
    assert substitutes(native)


@pytest.mark.parametrize("f", [both_ways, swapped])
def test_solutions(f):
    k = positive(40)
    compiled = tg.compile(f, backend="numba")
    for y in (RNG.normal(size=40), RNG.normal(size=(40, 3)), RNG.normal(size=(3, 40)).T, RNG.normal(size=(80, 6))[::2, ::2]):
        np.testing.assert_allclose(compiled(k, y), f(k, y), rtol=1e-9, atol=1e-12)
        assert substitutes(compiled)


def test_not_a_number_is_carried_on_as_on_numpy():
    k, y = positive(20), RNG.normal(size=20)
    y[7] = np.nan
    np.testing.assert_array_equal(np.isnan(tg.compile(lambda k, y: np.linalg.solve(np.linalg.cholesky(k), y), backend="numba")(k, y)),
                                  np.arange(20) >= 7)


def test_errors_are_raised():
    compiled = tg.compile(both_ways, backend="numba")
    with pytest.raises(np.linalg.LinAlgError):
        compiled(-positive(20), np.ones(20))
    with pytest.raises(ValueError):
        compiled(positive(20), np.ones(21))


# where it must not be

def written(k, y):
    factor = np.linalg.cholesky(k)
    factor[0, 1] = 5.0
    return np.linalg.solve(factor, y)


def written_through_a_view(k, y):
    factor = np.linalg.cholesky(k)
    row = factor[0]
    row += 3.0
    return np.linalg.solve(factor.T, y)


def computed_with(k, y):
    return np.linalg.solve(np.linalg.cholesky(k) + 1.0, y)


def not_a_factor(k, y):
    return np.linalg.solve(k.T, y)


@pytest.mark.parametrize("f", [written, written_through_a_view, computed_with, not_a_factor])
def test_other_matrices_are_solved_as_they_are(f):
    k, y = positive(20) + np.triu(RNG.normal(size=(20, 20))), RNG.normal(size=20)
    compiled = tg.compile(f, backend="numba")
    np.testing.assert_allclose(compiled(k, y), f(k, y), rtol=1e-9)
    assert not substitutes(compiled)
