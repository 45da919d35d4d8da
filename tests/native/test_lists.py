"""What loops keep for the reverse sweep in arrays made beforehand: numbers, arrays, one loop in another."""
import numpy as np
import pytest

import transgrad as tg


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def two_lengths(a, b):
    return np.sum(sigmoid(a * 2.0)) + np.sum(sigmoid(b * 3.0))


def gated(weights, state, inputs):
    """Layers in a loop over time; what is carried comes from one array first and from another then."""
    now = state.copy()
    total = 0.0
    for t in range(len(inputs)):
        x = inputs[t] * 0.5
        for k in range(len(weights)):
            gate = sigmoid(now[k] * weights[k])
            now[k] = gate * np.tanh(x + now[k])
            x = now[k]
        total += np.sum(x * x)
    return total


def matrices(a, n):
    x, total = a, 0.0
    for _ in range(n):
        x = np.tanh(x @ a)
        for _ in range(2):
            x = np.sin(x) + a
        total += np.sum(x)
    return total


_N = np.random.default_rng(0).normal
CASES = [(two_lengths, (0, 1), (_N(size=4), _N(size=7))), (gated, (0, 1, 2), (_N(size=(3, 5)), _N(size=(3, 5)), _N(size=(6, 5)))),
         (gated, (0, 1, 2), (_N(size=(3, 5)), _N(size=(3, 5)), _N(size=(0, 5)))), (matrices, 0, (_N(size=(3, 3)), 4))]


@pytest.mark.parametrize("f, argnums, args", CASES, ids=["two lengths", "gated", "no iteration", "matrices"])
def test_gradients(f, argnums, args):
    got, want = (tg.grad(f, argnums, backend=backend)(*args) for backend in ("numba", "numpy"))
    for g, w in zip(got, want):
        np.testing.assert_allclose(g, w, rtol=1e-10, atol=1e-12)


def test_arrays_are_made_once():
    text = tg.grad(gated, (0, 1, 2), backend="numba").source_for(*CASES[1][2])
    assert "= []" not in text and ".append" not in text


def test_lengths_that_do_not_fit_raise():
    df = tg.grad(gated, (0, 1, 2), backend="numba")
    with pytest.raises(ValueError, match="broadcast|cannot assign"):
        df(_N(size=(3, 5)), _N(size=(3, 5)), _N(size=(6, 4)))


def solves(x, n, tol):
    """How often the inner loop turns is not known; what it keeps grows through all of the outer one's."""
    total = 0.0
    for k in range(n):
        y = x + k
        flips = 0
        while abs(y) > tol:
            y = 0.7 * y * np.sin(y + total)
            if y > 0.5:
                flips += 1
                y = y / 2.0
        total += y * flips + np.cos(y)
    return total


@pytest.mark.parametrize("n", [0, 1, 40])
def test_arrays_that_grow(n):
    for tol in (1e-12, 1e-3, 100.0):
        np.testing.assert_allclose(*(tg.grad(solves, backend=backend)(0.9, n, tol) for backend in ("numba", "numpy")), rtol=1e-9)


def test_arrays_that_grow_are_kept_as_long_as_they_are_read():
    df = tg.grad(solves, backend="numba")
    want = df(0.9, 40, 1e-12)
    for _ in range(300):
        junk = [np.full(n, 3.0) for n in (16, 32, 64, 128, 256, 512, 1024)]
        assert df(0.9, 40, 1e-12) == want
        del junk


def joined(x, n):
    """Lists of a list of lists, of which two are joined: of arrays, the sum would be one of elements."""
    rows = []
    for i in range(n):
        row = []
        for j in range(3):
            row.append(x * j + i)
        rows.append(row)
    both = rows[0] + rows[1]
    total = both[0] * both[4] * len(both)
    for row in rows:
        total += (row + row)[4]
    return total


def test_lists_stay_lists_where_they_are_joined():
    assert tg.compile(joined, backend="numba", fallback="error")(0.9, 3) == pytest.approx(joined(0.9, 3))
    assert tg.grad(joined, backend="numba", fallback="error")(0.9, 3) == pytest.approx(tg.grad(joined)(0.9, 3))
