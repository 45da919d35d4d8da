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


@pytest.mark.parametrize("f", [from_the_front, deleted, sorted_and_written])
def test_refused_or_right(f):
    x = np.array([0.4, 0.6, 0.8])
    want = f(x), tg.grad(f)(x)
    for make, expected in ((tg.compile, want[0]), (tg.grad, want[1])):
        try:
            found = make(f, backend="numba")(x)
        except tg.UnsupportedByNumba:
            continue
        np.testing.assert_allclose(found, expected)
    with pytest.raises(tg.UnsupportedByNumba, match=r"list"):
        tg.grad(sorted_and_written, backend="numba")(x)
