"""Derivatives by arrays that are not contiguous: what is written flat must reach the array."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from transgrad.testing import check_grad

WEIGHTS = np.random.default_rng(0).normal(size=(6, 5))


def padded(x: Any) -> Any:
    return np.sum(WEIGHTS * np.pad(x.T, ((1, 1), (1, 1)), mode="symmetric"))


def taken(x: Any) -> Any:
    return np.sum(WEIGHTS[0] * np.take_along_axis(x.T, np.array([0, 7, 3, 3, 11]), axis=None))


@pytest.mark.parametrize("f", [padded, taken])
def test_transposed_argument(f: Any) -> None:
    check_grad(f, (np.random.default_rng(1).normal(size=(3, 4)),))
