"""Arrays joined from lists that are displayed, and from lists that loops fill."""
import numpy as np
import pytest

import transgrad as tg

RNG = np.random.default_rng(0)
X, M = RNG.normal(size=30), RNG.normal(size=(4, 30))


def stacked(x, n):
    rows = []
    k = 1.0
    while k < n:
        rows.append(x * k)
        k = k * 1.5
    return np.stack(rows)


def joined(x, n):
    rows = []
    k = 1.0
    while k < n:
        rows.append(x[1:] * k)
        k = k * 1.5
    return np.concatenate(rows)


def changed(x):
    rows = [x, x * 2.0]
    rows.append(x * 3.0)
    rows[0] = x * 4.0
    return np.stack(rows)


CASES = [
    (lambda x: np.stack([x, x * 2.0, x[::-1]]), X), (lambda x: np.stack([x, x * 2.0], axis=1), X), (lambda x: np.vstack([x, x * 2.0]), X),
    (lambda x: np.hstack([x, x[:2], x[::2]]), X), (lambda x: np.concatenate([x, x[::2]]), X),
    (lambda m: np.concatenate([m, m[:, ::-1]], axis=1), M), (lambda x: np.column_stack([x, x * 2.0]), X),
    (lambda x: np.array([x * k for k in range(3)]), X), (lambda m: np.vstack([m, m[:1]]), M),
    (lambda x: stacked(x, 9.0), X), (lambda x: joined(x, 9.0), X), (changed, X),
]


@pytest.mark.parametrize("f, x", CASES, ids=map(str, range(len(CASES))))
def test_values_and_gradients(f, x):
    got, want = tg.compile(f, backend="numba")(x), f(x)
    assert got.dtype == want.dtype
    np.testing.assert_array_equal(got, want)

    def total(x):
        return np.sum(np.sin(f(x)))
    np.testing.assert_allclose(tg.grad(total, backend="numba")(x), tg.grad(total)(x), rtol=1e-12, atol=1e-13)


def test_errors_are_raised():
    with pytest.raises(ValueError, match="need at least one array"):
        tg.compile(stacked, backend="numba")(X, 0.5)
    with pytest.raises(ValueError, match="need at least one array"):
        tg.compile(joined, backend="numba")(X, 0.5)
    with pytest.raises(ValueError):
        tg.compile(lambda x, y: np.stack([x, y]), backend="numba")(X, X[1:])


def test_absolute_values_by_pythons_own():
    np.testing.assert_array_equal(tg.compile(lambda x: abs(x) + x[0], backend="numba")(X), abs(X) + X[0])
    np.testing.assert_allclose(tg.grad(lambda x: np.sum(abs(x) * x), backend="numba")(X), 2.0 * abs(X), rtol=1e-14)
