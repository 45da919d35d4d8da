"""Lists of arrays that Numba gets wrong are refused."""
import numpy as np
import pytest

import transgrad as tg


def from_the_front(x):
    q = [x * k for k in range(1, 4)]
    for _ in range(3):
        q.append(q.pop(0))
    return np.sum(q[0] * q[1])


def deleted(x):
    q = []
    for k in range(len(x)):
        q.append(x * k)
    r = q[1]
    del q[1]
    return np.sum(r * q[0])


def sorted_and_written(x):
    q = []
    for k in range(len(x) + 3):
        q.append(x * (k + 1))
    a = sorted(q, key=lambda r: -r[0])
    a[0] *= x
    return np.sum(q[-1] * q[0])


def test_right():
    """The list is known when compiling: its items are names."""
    x = np.array([0.4, 0.6, 0.8])
    np.testing.assert_allclose(tg.compile(from_the_front, backend="numba")(x), from_the_front(x))
    np.testing.assert_allclose(tg.grad(from_the_front, backend="numba")(x), tg.grad(from_the_front)(x))


@pytest.mark.parametrize(("f", "reason"), [(deleted, "the middle of a list"), (sorted_and_written, "in two lists")])
@pytest.mark.parametrize("make", [tg.compile, tg.grad])
def test_refused(f, reason, make):
    with pytest.raises(tg.UnsupportedByNumba, match=reason):
        make(f, backend="numba")(np.array([0.4, 0.6, 0.8]))
