"""Numbers and rows that a condition selects, or not: ``a[a > 0]`` has one entry or none."""
import numpy as np
import pytest

import transgrad as tg

PROGRAMS = [
    (lambda a: np.sum(a[a > 0]), np.float64),
    (lambda a: np.sum(a[a > 0] ** 2) + a, np.float64),
    (lambda a: np.sum(a[a > 0] ** 2) + a, np.array),
    (lambda a: np.sum(np.array([a, a])[a > 0]), float),
    (lambda a: np.sum(a[a[0] > 0] ** 2), lambda v: np.array([v, 2.0])),
    (lambda a: np.sum(a[bool(a[0] > 0)] ** 2), lambda v: np.array([v, 2.0])),
    (lambda a: np.sum(a[bool(a[0] > 0), 1:] ** 2) + np.sum(a), lambda v: np.array([v, 2.0, 3.0])),
]


@pytest.mark.parametrize("v", [-1.5, 1.5])
@pytest.mark.parametrize("f, make", PROGRAMS)
def test_against_differences(f, make, v):
    a = make(v)
    t = np.linspace(1.0, 2.0, np.size(a)).reshape(np.shape(a)) if np.ndim(a) else 1.0
    want = pytest.approx((f(a + 1e-5 * t) - f(a - 1e-5 * t)) / 2e-5, abs=1e-8)
    assert np.sum(tg.grad(f)(a) * t) == want
    assert np.sum(tg.vjp(f, a)[1](1.0)[0] * t) == want
    assert tg.jvp(f, (a,), (t,))[1] == want
    assert tg.linearize(f, a)[1](t) == want


def test_in_a_list():
    f = tg.grad(lambda p: np.sum(p[-1][p[-1] > 0]))
    assert f([np.float64(-1.5)]) == [0.0]
    assert f([np.float64(1.5)]) == [1.0]
