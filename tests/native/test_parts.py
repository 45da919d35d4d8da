"""Loops over parts of arrays: rows, slices that may be stretched, views of the same memory."""
import numpy as np
import pytest

import transgrad as tg

from .versions import takes_index_arrays


def gates(weights, x, size):
    """Slices of which it is not known when compiling whether broadcasting stretches them."""
    total = 0.0
    for k in range(len(weights)):
        w = weights[k]
        y = np.tanh(x * w[:size] + w[size:2 * size])
        total += np.sum(y * np.exp(-w[2 * size:]))
    return total


def columns(a, n):
    total = 0.0
    for j in range(n):
        total += np.sum(a[:, j] * np.sin(a[:, j - 1])) + np.sum(a[j] ** 2)
    return total


def row(a, i):
    return np.sum(np.exp(a[i]) * a[i])


def shifted(u, steps):
    for _ in range(steps):
        u = u.copy()
        u[1:-1] += 0.1 * (u[2:] - 2.0 * u[1:-1] + u[:-2])
        u[0] = u[1]
    return np.sum(u ** 2)


def swapped(a):
    b = a * 1.0
    first = b[0].copy()
    b[0] = b[1] * 2.0
    b[1] = first + b[0]
    b[0:2] *= b[1:3]
    return np.sum(b ** 2)


def accumulated(w, x):
    """Two overlapping parts of one array get a cotangent each."""
    n = len(x)
    return np.sum(np.sin(w[:n] * x)) + np.sum(np.cos(w[1:n + 1] * x))


def later(x, y):
    """What is added is read again after something was added to where it came from."""
    z = x * 1.0
    z[:2] += z[1:3] * y
    z[1:] -= np.sin(z[:-1])
    return np.sum(z * z)


_N = np.random.default_rng(0).normal
CASES = [
    ("gates", gates, (0, 1), (_N(size=(3, 15)), _N(size=5), 5)),
    ("gates, one stretched", gates, (0, 1), (_N(size=(3, 11)), _N(size=5), 5)),
    ("gates, all stretched", gates, (0, 1), (_N(size=(2, 3)), _N(size=5), 1)),
    ("gates, one element", gates, (0, 1), (_N(size=(2, 3)), _N(size=1), 1)),
    ("columns", columns, 0, (_N(size=(4, 4)), 4)), ("row", row, 0, (_N(size=(4, 4)), -1)), ("shifted", shifted, 0, (_N(size=9), 3)),
    ("swapped", swapped, 0, (_N(size=(4, 3)),)), ("accumulated", accumulated, (0, 1), (_N(size=8), _N(size=6))),
    ("later", later, (0, 1), (_N(size=3), _N(size=2))), ("later, stretched", later, (0, 1), (_N(size=3), _N(size=1))),
]


@pytest.mark.parametrize("f, argnums, args", [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_gradients(f, argnums, args):
    got, want = (tg.grad(f, argnums, backend=backend)(*args) for backend in ("numba", "numpy"))
    for g, w in zip(got if isinstance(got, tuple) else (got,), want if isinstance(want, tuple) else (want,)):
        assert g.shape == w.shape
        np.testing.assert_allclose(g, w, rtol=1e-11, atol=1e-13)


def test_sums_over_what_was_stretched_are_part_of_the_loops():
    assert "+= unbroadcast" not in tg.grad(gates, (0, 1), backend="numba").source_for(*CASES[0][3])


def test_lengths_that_do_not_fit_raise():
    df = tg.grad(gates, (0, 1), backend="numba")
    with pytest.raises(ValueError, match="broadcast"):
        df(_N(size=(3, 12)), _N(size=5), 5)


@pytest.mark.parametrize("i", [4, -5])
def test_rows_that_are_not_there_raise(i):
    with pytest.raises(IndexError):
        tg.grad(row, backend="numba")(_N(size=(4, 4)), i)


def placed(values, rows, columns, diagonal):
    """Places named by arrays beside a slice; one is written to twice."""
    full = np.zeros((len(values), 3, 3))
    full[:, rows, columns] = values
    full[:, 0, 1:] += diagonal
    return np.sum(np.sin(full) * full[:, columns, rows].sum())


def test_arrays_of_indices_beside_slices():
    if not takes_index_arrays():
        pytest.skip("this version of Numba takes no arrays of indices beside slices")
    args = _N(size=(2, 4)), np.array([0, 1, 1, 2]), np.array([0, 2, 2, -1]), _N(size=2)
    for g, w in zip(*(tg.grad(placed, (0, 3), backend=backend)(*args) for backend in ("numba", "numpy"))):
        np.testing.assert_allclose(g, w, rtol=1e-11, atol=1e-13)


def power(v, n):
    return 1.0 if n == 0 else v * power(np.tanh(v), n - 1)


def test_recursion_that_keeps_values_is_refused():
    with pytest.raises(tg.UnsupportedByNumba, match="power.* calls itself"):
        tg.grad(power, backend="numba", fallback="error")(0.3, 2)


def contracted(a, b, c):
    """A product of matrices, one of all elements, and rows by matrices."""
    return np.einsum("ij,jk->ik", a, b)[0, 1] * np.einsum("ij,ij->", a, a) + np.sum(np.einsum("zi,zij->zj", a, c))


def test_contractions():
    args = _N(size=(3, 4)), _N(size=(4, 5)), _N(size=(3, 4, 3))
    for g, w in zip(*(tg.grad(contracted, (0, 1, 2), backend=backend)(*args) for backend in ("numba", "numpy"))):
        np.testing.assert_allclose(g, w, rtol=1e-11, atol=1e-13)
