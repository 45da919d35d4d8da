"""Tables of numbers gathered in lists of lists, of which an array is made."""
import numpy as np
import pytest

import transgrad as tg

pytestmark = pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")

X = np.array([0.6, -0.8, 1.7])


def products(x):
    return np.sum(np.array([[a * b for a in x] for b in x]) ** 2)


def rows(x):
    table = []
    for b in x:
        row = []
        for a in x:
            row.append(a * b + a)
        table.append(row)
    return np.linalg.norm(np.array(table)) + np.asarray(table).sum(axis=0)[1]


def three_deep(x):
    return np.sum(np.array([[[a * b * c for a in x] for b in x] for c in x]) ** 2)


def rows_of_arrays(x):
    return np.sum(np.array([[a * x for a in x] for b in x]) ** 2 * np.arange(3.0))


PROGRAMS = [products, rows, three_deep, rows_of_arrays]


@pytest.mark.parametrize("f", PROGRAMS)
def test_derivatives(f):
    h = 1e-5 * np.eye(3)
    want = np.array([(f(X + e) - f(X - e)) / 2e-5 for e in h])
    gradient = tg.grad(f, fallback="error")
    np.testing.assert_allclose(gradient(X), want, rtol=1e-7)
    np.testing.assert_allclose(tg.jacfwd(f, fallback="error")(X), want, rtol=1e-7)
    v = np.array([1.0, -2.0, 0.5])
    curved = (gradient(X + 1e-5 * v) - gradient(X - 1e-5 * v)) / 2e-5
    np.testing.assert_allclose(tg.jvp(gradient, (X,), (v,))[1], curved, rtol=1e-5)
    np.testing.assert_allclose(tg.grad(lambda x: tg.grad(f)(x) @ v)(X), curved, rtol=1e-5)
