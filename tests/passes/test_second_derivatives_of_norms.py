"""Second derivatives of norms where they are 0: right for even powers, and otherwise NaN, whichever way they are computed."""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import transgrad as tg

ZERO, I = np.zeros(3), np.eye(3)
CENTRED = 2.0 / 3.0 * (I - 1.0 / 3.0)


def norm_squared(x: Any) -> Any:
    return np.linalg.norm(x) ** 2


def norm_times_norm(x: Any) -> Any:
    n = np.linalg.norm(x)
    return n * n


def norm_square(x: Any) -> Any:
    return np.square(np.linalg.norm(x))


def norm_to_the_fourth(x: Any) -> Any:
    return np.linalg.norm(x) ** 4


def norms_of_rows(x: Any) -> Any:
    return np.sum(np.linalg.norm(x[None, :], axis=1) ** 2)


def kernel(x: Any) -> Any:
    return np.exp(-0.5 * (np.linalg.norm(x) / 2.0) ** 2)


def negated_norm_times_norm(x: Any) -> Any:
    n = np.linalg.norm(x)
    return np.exp(-n * n)


def half_the_norm_times_norm(x: Any) -> Any:
    n = np.linalg.norm(x)
    return 0.5 * n * n


def product_of_multiples(x: Any) -> Any:
    n = np.std(x)
    return n / 2.0 * -(n * np.cos(x[0]))


def weighted_norms(x: Any) -> Any:
    n = np.linalg.norm(x[None, :], axis=1)
    return np.sum(n * np.exp(x[0]) * n)


def hypot_squared(x: Any) -> Any:
    return np.hypot(x[0], x[1]) ** 2 + x[2] ** 2


def hypot_of_numbers(x: Any) -> Any:
    return math.hypot(x[0], x[1]) ** 2 + x[2] ** 2


def std_squared(x: Any) -> Any:
    return np.std(x) ** 2


def nanstd_squared(x: Any) -> Any:
    return np.nanstd(x) ** 2


def abs_squared(x: Any) -> Any:
    return np.sum(np.abs(x) ** 2)


def norm(x: Any) -> Any:
    return np.linalg.norm(x)


def norm_cubed(x: Any) -> Any:
    return np.linalg.norm(x) ** 3


def cosine(x: Any) -> Any:
    return np.cos(np.linalg.norm(x))


def std(x: Any) -> Any:
    return np.std(x)


def norm_times(x: Any) -> Any:
    return np.linalg.norm(x) * x[0]


def gradients_of_gradient(f: Any, x: Any) -> Any:
    g = tg.grad(f)
    rows = []
    for k in range(3):
        def entry(z: Any, k: int = k) -> Any:
            return g(z)[k]
        rows.append(tg.grad(entry)(x))
    return np.stack(rows)


WAYS: dict[str, Callable[[Any, Any], Any]] = {
    "hessian": lambda f, x: tg.hessian(f)(x),
    "forward twice": lambda f, x: tg.jacfwd(tg.jacfwd(f))(x),
    "hvp": lambda f, x: np.stack([tg.hvp(f, (x,), (e,))[0] for e in I]),
    "reverse twice": lambda f, x: tg.jacrev(tg.grad(f))(x),
    "vmap": lambda f, x: tg.vmap(tg.hessian(f))(np.stack([x, x]))[0],
}
RIGHT = [(norm_squared, 2 * I), (norm_times_norm, 2 * I), (norm_square, 2 * I), (norm_to_the_fourth, 0 * I), (norms_of_rows, 2 * I),
         (kernel, -0.25 * I), (hypot_squared, 2 * I), (hypot_of_numbers, 2 * I), (std_squared, CENTRED), (nanstd_squared, CENTRED),
         (abs_squared, 2 * I), (negated_norm_times_norm, -2 * I), (half_the_norm_times_norm, I), (product_of_multiples, -0.5 * CENTRED),
         (weighted_norms, 2 * I)]


@pytest.mark.parametrize(("f", "want"), RIGHT)
def test_even_powers(f: Any, want: Any) -> None:
    np.testing.assert_allclose(tg.grad(f)(ZERO), ZERO)
    for name, way in WAYS.items():
        np.testing.assert_allclose(way(f, ZERO), want, atol=1e-12, err_msg=name)


@pytest.mark.parametrize("f", [norm, norm_cubed, cosine, std, norm_times])
def test_anything_else_is_nan(f: Any) -> None:
    np.testing.assert_array_equal(tg.grad(f)(ZERO), ZERO)
    with np.errstate(all="ignore"):
        for name, way in WAYS.items():
            assert not np.any(np.isfinite(way(f, ZERO))), name


@pytest.mark.parametrize("f", [norm_squared, hypot_squared])
def test_gradients_of_gradients(f: Any) -> None:
    np.testing.assert_allclose(gradients_of_gradient(f, ZERO), 2 * I)


@pytest.mark.parametrize("f", [f for f, _ in RIGHT] + [norm, norm_cubed, cosine, std, norm_times])
def test_elsewhere(f: Any) -> None:
    """Against differences of the gradient; the value is that of the function itself."""
    x, h = np.array([0.3, -1.2, 0.7]), 1e-6
    want = np.stack([(tg.grad(f)(x + h * e) - tg.grad(f)(x - h * e)) / (2 * h) for e in I])
    np.testing.assert_allclose(tg.hessian(f)(x), want, rtol=1e-5, atol=1e-8)
    assert tg.value_and_grad(f)(x)[0] == f(x)


def test_complex_modulus() -> None:
    def f(x: Any) -> Any:
        return np.sum(np.abs(x + 2j * x) ** 2)
    np.testing.assert_allclose(tg.hessian(f)(ZERO), 10.0 * I)


def test_in_machine_code() -> None:
    pytest.importorskip("numba")
    np.testing.assert_allclose(tg.hessian(norm_squared, backend="numba")(ZERO), 2 * I)
    np.testing.assert_allclose(tg.grad(norm, backend="numba")(ZERO), ZERO)
