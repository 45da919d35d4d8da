"""Hessians and Jacobians of NumPy numbers in single precision, of functions in which the tangent meets Python's numbers alone."""
from __future__ import annotations

import numpy as np
import pytest

import transgrad as tg

SCALE = 1.5


def quadratic(x):
    y = abs(x * SCALE)
    return np.sum(y ** 2)


def doubled(x):
    return 2.0 * x * SCALE


@pytest.mark.parametrize("x", [np.float32(0.375), np.array(0.375, np.float32), np.array([0.375, -1.0], np.float32)])
def test_the_precision_is_that_of_the_argument(x):
    for got in (tg.hessian(quadratic)(x), tg.jacfwd(doubled)(x), tg.jacrev(doubled)(x), tg.grad(quadratic)(x)):
        assert np.asarray(got).dtype == np.float32
    np.testing.assert_allclose(tg.hessian(quadratic)(x), 4.5 * np.ones(np.shape(x) * 2) * (np.eye(2) if np.ndim(x) else 1.0), rtol=1e-6)
