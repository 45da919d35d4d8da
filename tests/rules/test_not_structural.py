"""Functions and attributes that hand out the numbers of an array are not taken for functions of its structure, whose derivative is 0."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import transgrad as tg
from transgrad.testing import check_grad

X = np.array([[1.0, 0.0, 2.5], [0.3, -0.7, 0.0]])


@pytest.mark.parametrize("f", [
    lambda x: np.sum(sp.find(x)[2] ** 2),
    lambda x: np.sum(np.sin(sp.find(x * 2.0)[2]) * (1.0 + sp.find(x)[0]) * sp.find(x)[1]),
])
def test_find(f: Callable[[Any], Any]) -> None:
    gradient = tg.grad(f, fallback="error")(X)
    step = 1e-6
    for place in zip(*np.nonzero(X)):
        up, down = X.copy(), X.copy()
        up[place] += step
        down[place] -= step
        np.testing.assert_allclose(gradient[place], (f(up) - f(down)) / (2 * step), rtol=1e-7)


@pytest.mark.parametrize("f", [
    lambda x: np.sum(np.reshape(x * 2.0, (3, 2)).base),
    lambda x: np.sum((x * 2.0).T.base if (x * 2.0).T.base is not None else 0.0),
    lambda x: np.sum(np.asarray((x * 2.0).data)),
    lambda x: np.sum(sp.csr_array(x * 2.0).data),
    lambda x: np.sum(sp.coo_matrix(x * 2.0).max()),
    lambda x: np.sum(sp.find(sp.csr_matrix(x * 2.0))[2]),
])
@pytest.mark.parametrize("derivative", [tg.grad, tg.jacfwd])
@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
def test_refused(derivative: Any, f: Callable[[Any], Any]) -> None:
    with pytest.raises((tg.TransgradError, TypeError)):
        derivative(f)(X)


def test_ix() -> None:
    check_grad(lambda x: np.sum(np.ix_(x * x)[0] ** 2), [np.array([1.0, 0.5])])


def test_the_sum_of_a_sparse_matrix() -> None:
    check_grad(lambda x: np.sum(sp.csr_array(x).toarray() ** 2) + sp.csr_array(x * x).sum(), [np.abs(X) + 0.1])
