"""Batches of functions in which a value is None for some examples only."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import transgrad as tg


def raising(x: Any) -> Any:
    total = 0.0
    for v in x:
        try:
            if v < 0:
                raise ValueError(v)
        except ValueError as error:
            total += error.args[0] ** 2
        else:
            total += v
        finally:
            total *= 1.1
    return total


def optional(x: Any) -> Any:
    total = 0.0
    for v in x:
        y = v * v if v > 0 else None
        if y is not None:
            total += 3.0 * y
    return total


def best(x: Any) -> Any:
    found = None
    for v in x:
        if v > 0.5 and (found is None or v * v < found):
            found = v * v
    return found if found is not None else 0.0 * x[0]


@pytest.mark.filterwarnings("ignore:.*:transgrad.BatchLoopWarning", "ignore:.*:transgrad.TapeFallbackWarning")
@pytest.mark.parametrize("f", [raising, optional, best], ids=lambda f: f.__name__)
def test_each_example_is_on_its_own(f: Callable[[Any], Any]) -> None:
    x = np.array([[0.7, -1.3, 2.1], [-0.3, -0.2, -0.1], [0.6, 1.0, -4.0]])
    np.testing.assert_allclose(tg.vmap(f)(x), [f(row) for row in x])
    for derivative in (tg.grad(f), tg.jacfwd(f)):
        np.testing.assert_allclose(tg.vmap(derivative)(x), [derivative(row) for row in x])
