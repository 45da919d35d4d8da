"""Powers of two meet in products of numbers, and signs in what is added up."""
from __future__ import annotations

import linecache
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


def root_of_a_square_of_a_square(x: Any) -> Any:
    z = x * x
    return math.sqrt(1.0 + z * z)


def power_of_a_square(x: Any) -> Any:
    z = x * x - 3.0 * x
    return (1.0 + z * z) ** 0.5


def three_in_a_row(x: Any) -> Any:
    z = x * x
    y = z * z + x
    return math.sqrt(1.0 + y * y)


def beside_another(x: Any) -> Any:
    z, y = x * x, 0.25 * x + 1.0
    return math.sqrt(z * z + y * y)


def root_of_a_root(x: Any) -> Any:
    z = math.sqrt(1.0 + x * x)
    z = math.sqrt(1.0 + z * z)
    return z * z


def with_a_factor(x: Any) -> Any:
    z = 4.0 * (x * x)
    y = 0.5 * (z * z) / (x + 2.0)
    return y * y


@pytest.mark.parametrize("f", [root_of_a_square_of_a_square, power_of_a_square, three_in_a_row, beside_another, root_of_a_root,
                               with_a_factor])
def test_a_factor_that_moves_through_one_that_has_moved(f: Any) -> None:
    h = 1e-6
    for x in (0.4, -1.3):
        numeric = (f(x + h) - f(x - h)) / (2 * h)
        np.testing.assert_allclose(tg.grad(f, fallback="error")(x), numeric, rtol=1e-7)


_STEPS = ("z = z * z", "z = math.sqrt(1.0 + z * z)", "z = (z * z + y * y) ** 0.5", "z = 0.5 * z * y", "z = 2.0 * (z * y) + x", "y = z * x",
          "y = 0.25 * y / (1.0 + z * z)", "z, y = y * y - x * x, z", "z = z * y - 4.0 * y * x", "z = z / math.sqrt(2.0 + y * y)")


@pytest.mark.parametrize("seed", range(60))
def test_random_chains(seed: int) -> None:
    rng = np.random.default_rng(seed)
    lines = [_STEPS[k] for k in rng.integers(len(_STEPS), size=rng.integers(3, 8))]
    text = "\n    ".join(["def chain(x, y):", "z = x", *lines, "return z * z + y\n"])
    filename = f"<chain {seed}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    space: dict[str, Any] = {"math": math}
    exec(compile(text, filename, "exec"), space)
    chain, x, y, h = space["chain"], 0.37, -0.81, 1e-30
    space["math"] = np.emath       # whose square root takes complex numbers
    slopes = [chain(x + h * 1j, y).imag / h, chain(x, y + h * 1j).imag / h]
    space["math"] = math
    np.testing.assert_allclose(tg.grad(chain, argnums=(0, 1), fallback="error")(x, y), slopes, rtol=1e-11, atol=1e-13, err_msg=text)


def test_they_cancel() -> None:
    text = tg.grad(attraction, argnums=(0, 1), fallback="error").source_for(np.ones((3, 2)), np.ones(3))
    code = "\n".join(line for line in text.splitlines() if not line.strip().startswith("#"))
    assert "2.0 *" not in code and "0.5 *" not in code and "* -" not in code
