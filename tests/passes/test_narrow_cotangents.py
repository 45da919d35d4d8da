"""Cotangents of arrays of float32 are such arrays, also where they are numbers that have to be stretched."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import transgrad as tg


def stretched(v: Any, row: Any) -> Any:
    return np.sum(row * row) + np.sum(row - row * v)


def mean_of_a_product(v: Any, row: Any) -> Any:
    t = (row * row)[0, 0] * v
    return t.mean() + np.sum(row ** 2)


@pytest.mark.parametrize("optimize", [True, False])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("f", [stretched, mean_of_a_product])
@pytest.mark.parametrize("lengths", [(4, 4), (1, 1), (4, 1)])
def test_the_precision_stays(f: Any, dtype: Any, optimize: bool, lengths: tuple[int, int]) -> None:
    rng = np.random.default_rng(0)
    v, row = rng.uniform(0.5, 1.5, lengths[0]).astype(dtype), rng.uniform(0.5, 1.5, (1, lengths[1])).astype(dtype)
    found = tg.grad(f, argnums=(0, 1), fallback="error", optimize=optimize)(v, row)
    exact = tg.grad(f, argnums=(0, 1), fallback="error", optimize=False)(v.astype(np.float64), row.astype(np.float64))
    assert [g.dtype for g in found] == [dtype, dtype]
    for a, b in zip(found, exact):
        np.testing.assert_allclose(a, b, rtol=1e-5 if dtype is np.float32 else 1e-12)
