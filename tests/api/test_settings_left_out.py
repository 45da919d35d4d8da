"""Arguments that are left out, and known when compiling: Jacobians call what they call without them."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import transgrad as tg

X = np.array([0.3, 0.5])


def biased(x, scale, bias=None):
    if bias is None:
        bias = np.zeros_like(x)
    return np.sum((x * scale + bias) ** 2)


def named(x, scale, *, kind="square"):
    return np.sum((x * scale) ** 2) if kind == "square" else np.sum(x * scale)


@pytest.mark.parametrize("f", (biased, named), ids=lambda f: f.__name__)
def test_all_agree(f: Any) -> None:
    gradient = tg.grad(f, (0, 1))(X, 0.5)
    for transformation in (tg.jacfwd, tg.jacrev, tg.jacobian):
        found = transformation(f, (0, 1), fallback="error")(X, 0.5)
        assert np.allclose(found[0], gradient[0]) and np.isclose(found[1], gradient[1])
    hessian = tg.hessian(f, (0, 1), fallback="error")(X, 0.5)
    assert np.allclose(hessian[0][0], 0.5 * np.eye(2)) and np.allclose(hessian[1][0], hessian[0][1])
