"""Eigenvectors of general matrices as LAPACK normalizes them: length 1, largest component real, real or complex as it happens."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.linalg

import transgrad as tg

_RNG = np.random.default_rng(3)
MATRICES = {
    "real, complex pairs": np.array([[0.2, -1.1, 0.3], [1.4, 0.1, -0.5], [0.3, 0.7, -0.9]]),
    "real": np.diag([1.0, 2.0, 4.0]) + 0.1 * _RNG.normal(size=(3, 3)),
    "complex": _RNG.normal(size=(3, 3)) + 1j * _RNG.normal(size=(3, 3)),
}
RESULTS: dict[str, Callable[[Any], Any]] = {
    "numpy values": lambda a: np.linalg.eig(a)[0],
    "numpy vectors": lambda a: np.linalg.eig(a)[1],
    "scipy values": lambda a: scipy.linalg.eig(a)[0],
    "scipy vectors": lambda a: scipy.linalg.eig(a)[1],
    "scipy left vectors": lambda a: scipy.linalg.eig(a, left=True)[1],
}


def _direction(a: np.ndarray[Any, Any]) -> Any:
    t = np.sin(np.arange(a.size) + 1.0).reshape(a.shape)
    return t + 1j * np.cos(t) if a.dtype.kind == "c" else t


def _difference(f: Callable[[Any], Any], a: Any, t: Any) -> Any:
    return (f(a + 1e-6 * t) - f(a - 1e-6 * t)) / 2e-6


@pytest.mark.parametrize("result", RESULTS)
@pytest.mark.parametrize("matrix", MATRICES)
def test_tangent(matrix: str, result: str) -> None:
    a, f = MATRICES[matrix], RESULTS[result]
    t = _direction(a)
    y, y_dot = tg.jvp(f, (a,), (t,))
    want = f(a)
    np.testing.assert_array_equal(y, want)
    assert y_dot.dtype == want.dtype and y_dot.shape == want.shape
    np.testing.assert_allclose(y_dot, _difference(f, a, t), atol=1e-7)


@pytest.mark.filterwarnings("ignore:.*:transgrad.TapeFallbackWarning")
@pytest.mark.parametrize("result", RESULTS)
@pytest.mark.parametrize("matrix", MATRICES)
def test_gradient(matrix: str, result: str) -> None:
    a, f = MATRICES[matrix], RESULTS[result]
    weights = np.arange(1.0, 4.0)

    def loss(a: Any) -> Any:
        y = f(a)
        return np.sum(np.real(y).T * weights) + np.sum(np.imag(y).T * np.sqrt(weights))
    gradient, t = tg.grad(loss)(a), _direction(a)
    assert gradient.dtype == a.dtype
    np.testing.assert_allclose(np.sum(np.conj(gradient) * t).real, _difference(loss, a, t), atol=1e-7)


@pytest.mark.filterwarnings("ignore:.*:transgrad.TapeFallbackWarning")
@pytest.mark.parametrize("matrix", MATRICES)
def test_vectors_of_a_pair(matrix: str) -> None:
    a, t = MATRICES[matrix], np.sin(np.arange(9.0)).reshape(3, 3)
    b = np.eye(3) + 0.1 * np.cos(np.arange(9.0)).reshape(3, 3)

    def loss(a: Any) -> Any:
        return np.sum(np.abs(scipy.linalg.eig(a, b)[1]) ** 4 * np.arange(1.0, 4.0))
    want = _difference(loss, a, t)
    np.testing.assert_allclose(np.sum(tg.grad(loss)(a) * t).real, want, atol=1e-7)
    np.testing.assert_allclose(tg.jvp(loss, (a,), (t + 0 * a,))[1], want, atol=1e-7)


@pytest.mark.filterwarnings("ignore:.*:transgrad.TapeFallbackWarning")
def test_the_phase_of_vectors_of_a_pair_has_no_derivative() -> None:
    b = np.diag([1.0, 2.0, 3.0])
    assert np.isnan(tg.grad(lambda a: np.sum(np.real(scipy.linalg.eig(a, b)[1])))(MATRICES["complex"])).all()
