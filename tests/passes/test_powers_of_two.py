"""Powers of two meet in products of numbers, and signs in what is added up."""
from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import transgrad as tg


def attraction(x: Any, m: Any) -> Any:
    total = 0.0
    for i in range(len(x)):
        for j in range(i):
            dx, dy = x[i, 0] - x[j, 0], x[i, 1] - x[j, 1]
            total -= m[i] * m[j] / math.sqrt(dx * dx + dy * dy + 0.1)
    return total


def read_elsewhere(x: Any, m: Any) -> Any:
    """What has the factor of a half is read in other ways, too."""
    total = 0.0
    for i in range(len(m)):
        r = math.sqrt(m[i] * m[i] + x[i, 0] * x[i, 0] + 1.0)
        total += r * m[i] + 1.0 / r + math.sqrt(r)
    return total


def scaled(x: Any, m: Any) -> Any:
    a, b = x[0, 0], x[0, 1]
    z = 0.25 * math.sin(a) / (b + 2.0)
    return 4.0 * (z * a) + 4.0 * (z * b) + 2.0 * (z * a) * m[0]


@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("f", [attraction, read_elsewhere, scaled])
def test_the_derivative_is_the_same(f: Any, backend: str) -> None:
    if backend == "numba":
        pytest.importorskip("numba")
    rng = np.random.default_rng(0)
    x, m = rng.normal(size=(5, 2)), rng.uniform(0.5, 1.5, 5)
    plain = tg.grad(f, argnums=(0, 1), fallback="error", optimize=False)(x, m)
    for a, b in zip(tg.grad(f, argnums=(0, 1), fallback="error", backend=backend)(x, m), plain):
        np.testing.assert_allclose(a, b, rtol=1e-13)
    for a, b in zip(tg.grad(f, argnums=(0, 1), fallback="error", optimize={"simplify": False})(x, m), plain):
        np.testing.assert_allclose(a, b, rtol=1e-13)


def test_they_cancel() -> None:
    text = tg.grad(attraction, argnums=(0, 1), fallback="error").source_for(np.ones((3, 2)), np.ones(3))
    code = "\n".join(line for line in text.splitlines() if not line.strip().startswith("#"))
    assert "2.0 *" not in code and "0.5 *" not in code and "* -" not in code
