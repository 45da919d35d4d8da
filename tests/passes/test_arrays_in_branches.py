"""Arrays that are made and written to inside a branch, a loop or both."""
import numpy as np
import pytest

import transgrad as tg


def in_a_branch(x):
    s = 0.0
    if x[0] > 0:
        y = np.zeros(3)
        y[0] = x[0] ** 2
        y[1:] = x[1]
        s = np.sum(y ** 2)
    return s * x[2]


def in_a_branch_of_a_loop(x):
    s = 0.0
    for k in range(3):
        if x[k] > 0:
            y = x * k
            y[y > 1] = x[0]
            s += np.sum(y ** 2)
    return s


@pytest.mark.parametrize("f, want", [(in_a_branch, [12.0, 24.0, 9.0]), (in_a_branch_of_a_loop, [12.0, 0.0, 0.0])])
def test_gradients(f, want):
    x = np.array([1.0, 2.0, 3.0])
    np.testing.assert_allclose(tg.grad(f)(x), want)
    np.testing.assert_allclose(tg.vjp(f, x)[1](1.0)[0], want)
    np.testing.assert_allclose(tg.hvp(f, (x,), (x,))[0], [12.0, 0.0, 0.0] if f is in_a_branch_of_a_loop else [48.0, 48.0, 20.0])
