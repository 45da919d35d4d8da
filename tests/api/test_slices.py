"""Slices as arguments: one text is for all of them; inside of containers they are known, and compared by what they are."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import transgrad as tg

X = np.arange(1.0, 17.0).reshape(4, 4)
SLICES = [slice(0, 2), slice(1, None), slice(None, None, 2), slice(3, 0, -1), slice(2, 2)]


def of_rows(x: Any, s: slice) -> Any:
    return np.sum(x[s] ** 2)


def of_columns(x: Any, s: slice) -> Any:
    return np.sum(x[:, s] ** 2) * np.sum(x[s, 1])


def by_members(x: Any, s: slice) -> Any:
    return np.sum(x[s.start:s.stop] ** 2)


def written(x: Any, s: slice) -> Any:
    y = x * 2.0
    y[s] = x[0]
    y[s, 1] *= x[s, 0]
    return np.sum(y ** 2)


def with_default(x: Any, s: slice = slice(1, 3)) -> Any:
    return np.sum(x[s] ** 3)


@pytest.mark.parametrize("f", [of_rows, of_columns, by_members, written, with_default])
def test_one_gradient_for_several_slices(f: Any) -> None:
    gradient, direction = tg.value_and_grad(f, fallback="error"), np.cos(X)
    for s in SLICES:
        value, found = gradient(X, s)
        assert value == f(X, s)
        step = 1e-6 * direction
        assert np.sum(found * direction) == pytest.approx((f(X + step, s) - f(X - step, s)) / 2e-6, rel=1e-6, abs=1e-6)


def test_one_text_for_several_slices() -> None:
    gradient = tg.grad(of_rows, fallback="error")
    assert {gradient.source_for(X, s) for s in SLICES} == {gradient.source_for(X, slice(None))}


def test_in_containers() -> None:
    gradient = tg.grad(lambda x, parts: np.sum(x[parts[0]] ** 2) + np.sum(x[parts[1]]), fallback="error")
    for parts in ((slice(0, 1), slice(1, 3)), (slice(0, 2), slice(2, 3))):
        want = np.zeros_like(X)
        want[parts[0]], want[parts[1]] = 2.0 * X[parts[0]], 1.0
        np.testing.assert_array_equal(gradient(X, parts), want)


def test_an_equal_slice_in_a_container_is_no_reason_to_compile_again() -> None:
    gradient = tg.grad(lambda x, parts: np.sum(x[parts[0]] ** 2), fallback="error")
    gradient(X, [slice(0, 2)])
    first = gradient.variant({"x": X, "parts": [slice(0, 2)]})
    assert gradient.variant({"x": X, "parts": [slice(0, 2)]}) is first


def test_jacobians_and_batches() -> None:
    def f(x: Any, s: slice) -> Any:
        return x[s] ** 2

    for jacobian in (tg.jacrev(f), tg.jacfwd(f)):
        for s in SLICES:
            np.testing.assert_allclose(jacobian(X[0], s), np.diag(2.0 * X[0])[s])
    np.testing.assert_array_equal(tg.vmap(f, in_axes=(0, None))(X, slice(1, 3)), X[:, 1:3] ** 2)
