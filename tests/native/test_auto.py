"""``backend="auto"``: calls start on NumPy, and move to Numba where that is measured to be faster."""
import numpy as np
import pytest

import transgrad as tg
from transgrad.transforms import tiers

pytest.importorskip("numba")


@pytest.fixture
def loop():
    """A function of its own for each test, as derivatives of one function are shared."""
    def of(x):
        total = 0.0
        for k in range(len(x)):
            total += np.sin(x[k]) * x[k - 1]
        return total
    return of


def steps(n, m):
    """Counts down, in a recursion that keeps what each call needs: Numba refuses its gradient."""
    return 1.0 if m == 0 else n * np.sin(n) * steps(n, m - 1)


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(tiers, "_PATIENCE", 1e-9)


def test_a_loop_moves_to_numba(impatient, loop):
    x = np.linspace(0.0, 1.0, 500)
    expected = tg.grad(loop)(x)
    gradient = tg.grad(loop, backend="auto")
    for _ in range(6):
        np.testing.assert_allclose(gradient(x), expected, rtol=1e-12)
    assert "Numba, measured: NumPy" in gradient.explain()
    assert "up to 511 elements" in gradient.explain()


def test_the_slower_back_end_is_left(impatient, loop):
    gradient = tg.grad(loop, backend="auto")
    x = np.ones(3)
    gradient(x)
    tier = gradient.variants[0].function.tiers
    (size,) = tier.sizes.values()
    size.numpy = 0.0        # nothing is faster
    for _ in range(3):
        gradient(x)
    assert size.chosen is tier.function
    assert ": NumPy, measured" in gradient.explain()


def test_each_size_has_its_choice(impatient, loop):
    gradient = tg.grad(loop, backend="auto")
    gradient(np.ones(3))
    gradient(np.ones(300))
    assert len(gradient.variants[0].function.tiers.sizes) == 2


def test_what_numba_refuses_stays(impatient):
    gradient = tg.grad(steps, backend="auto")
    expected = tg.grad(steps)(0.7, 3)
    for _ in range(4):
        assert gradient(0.7, 3) == expected
    assert "NumPy (Numba refused it: " in gradient.explain()


def test_no_call_runs_twice(impatient):
    counts = np.zeros(1)

    def noisy(x):
        counts[0] += 1.0
        return np.sum(x * x)
    gradient = tg.grad(noisy, backend="auto")
    for k in range(1, 6):
        np.testing.assert_allclose(gradient(np.ones(3)), 2.0)
        assert counts[0] == k


def test_a_list_outside_that_grows_stays_on_numpy(impatient):
    seen = [0.0]

    def noisy(x):
        seen.append(1.0)
        return np.sum(x * x)
    gradient = tg.grad(noisy, backend="auto")
    for k in range(1, 6):
        gradient(np.ones(3))
        assert len(seen) == k + 1
    assert "seen, which stands outside of the function, is a list that may be changed here" in gradient.explain()


def test_patience(loop):
    gradient = tg.grad(loop, backend="auto")
    gradient(np.ones(3))
    assert "NumPy, 0.00 s so far; Numba is tried after 1 s" in gradient.explain()


def test_an_error_reaches_the_caller(impatient):
    def picky(x):
        if x[0] < 0.0:
            raise ValueError("negative")
        return np.sum(np.sqrt(x))
    gradient = tg.grad(picky, backend="auto")
    for _ in range(5):
        gradient(np.ones(2))
        with pytest.raises(ValueError, match="negative"):
            gradient(-np.ones(2))
