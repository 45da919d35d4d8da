"""Lists of numbers of which the compiler sees only that they may be None: as arguments of NumPy's functions they are arrays."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import transgrad as tg


def maybe(x, y, z):
    """Swaps, by a name that is None on some paths."""
    m = None
    if x < -0.4:
        m = np.sin(y)
    if m is not None and m > 0.1:
        z = m
    return z, x, y


FUNCTIONS: list[Callable[[Any], Any]] = [
    max, min, sum, np.max, np.sum, np.prod, np.mean, np.std, np.linalg.norm, np.ptp, lambda v: np.sort(v)[0], lambda v: np.cumsum(v)[1],
    lambda v: np.median(v) * v[0], lambda v: np.polyval(v, 2.0), lambda v: np.interp(v[0], [0.0, 1.0], v), lambda v: np.multiply(v, v).sum(),
    lambda v: np.where(True, v, 0.0)[1], lambda v: np.maximum(v, 0.3).sum(), np.var, lambda v: np.dot(v, v), lambda v: np.exp(v)[1],
]


def shown(x, y, of):
    z, x, y = maybe(x, y, 0.5)
    y, z, x = maybe(z, x, y)
    return of([x, z]) * y


def appended(x, y, of):
    z, x, y = maybe(x, y, 0.5)
    y, z, x = maybe(z, x, y)
    items = []
    for item in (z, y):
        items.append(item)
    return of(items) * x


@pytest.mark.parametrize("f", [shown, appended])
@pytest.mark.parametrize("of", FUNCTIONS, ids=range(len(FUNCTIONS)))
def test_lists_of_maybe(f: Callable[..., float], of: Callable[[Any], Any]) -> None:
    for x, y in ((0.3, 0.7), (-0.55, 0.45), (1.2, 0.21), (-0.9, -0.8)):
        value, gradient = tg.value_and_grad(f, (0, 1), fallback="error")(x, y, of)
        assert np.isclose(value, f(x, y, of))
        want = [(f(x + a, y + b, of) - f(x - a, y - b, of)) / 2e-6 for a, b in ((1e-6, 0.0), (0.0, 1e-6))]
        np.testing.assert_allclose(gradient, want, rtol=1e-5, atol=1e-6)
        for k, slope in enumerate(want):
            tangent = tg.jvp(lambda x, y: f(x, y, of), (x, y), tuple(np.eye(2)[k]), fallback="error")[1]
            assert np.isclose(tangent, slope, rtol=1e-5, atol=1e-6)
