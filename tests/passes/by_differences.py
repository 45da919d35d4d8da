"""Programs of three numbers whose derivatives are compared with differences, in both modes, optimised and not."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import transgrad as tg

__all__ = ["Programs", "check"]

_STEP = 1e-6


class Programs(list[Callable[..., Any]]):
    """The programs of a module: a decorator that collects them."""

    def __call__(self, f: Callable[..., Any]) -> Callable[..., Any]:
        self.append(f)
        return f


def check(f: Callable[..., Any], x: np.ndarray) -> None:
    """Compares value, gradient, pullback and tangents of ``f`` at ``x`` with the function itself."""
    slopes = [(f(x + _STEP * e) - f(x - _STEP * e)) / (2 * _STEP) for e in np.eye(len(x))]
    for options in ({}, {"optimize": False}):
        value, gradient = tg.value_and_grad(f, **options)(x)
        assert value == pytest.approx(f(x))
        np.testing.assert_allclose(gradient, slopes, rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(tg.vjp(f, x)[1](1.0)[0], slopes, rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose([tg.jvp(f, (x,), (e,))[1] for e in np.eye(len(x))], slopes, rtol=1e-7, atol=1e-8)
