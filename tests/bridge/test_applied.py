"""np.piecewise and np.apply_along_axis of functions that run on the tape."""
from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import transgrad as tg

X = np.array([0.3, 0.5, -0.2])
A = np.arange(12.0).reshape(2, 3, 2) / 7.0


def pieces(x):
    eval("locals()")
    return np.sum(np.piecewise(x, [x < 0.0, x > 0.4], [np.sin, lambda t: t ** 2 * 3.0, lambda t: -t]) * x)


def one_piece(x):
    eval("locals()")
    return np.piecewise(x[0], [x[0] > 0.0], [lambda t: t ** 3, 2.0]) * x[1]


def constants_and_options(x):
    eval("locals()")
    return np.sum(np.piecewise(x, x > 0.0, [lambda t, k: k * t, 4.0], 2.5) * x)


def norms(x):
    eval("locals()")
    return np.sum(np.apply_along_axis(lambda r: r @ r, 1, A * x[:, None]) * np.arange(4.0).reshape(2, 2))


def lines(x):
    eval("locals()")
    return np.sum(np.apply_along_axis(np.cumsum, 1, A * x[:, None]) ** 2)


def matrices(x):
    eval("locals()")
    out = np.apply_along_axis(lambda r: np.outer(r, r), 0, np.outer(x, x + 1.0))
    return np.sum(out * np.arange(27.0).reshape(3, 3, 3))


@pytest.mark.parametrize("f", [pieces, one_piece, constants_and_options, norms, lines, matrices], ids=lambda f: f.__name__)
def test_gradient(f: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tg.TapeFallbackWarning)
        value, gradient = tg.value_and_grad(f)(X)
    assert np.isclose(value, f(X))
    assert np.allclose(gradient, [(f(X + 1e-6 * e) - f(X - 1e-6 * e)) / 2e-6 for e in np.eye(3)], atol=1e-6)
