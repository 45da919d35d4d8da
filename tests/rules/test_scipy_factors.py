"""Factorizations of matrices that belong together, and functions of matrices: derivatives through the whole."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import linalg

import transgrad as tg
from transgrad.testing import check_grad

W = np.random.default_rng(3).normal(size=(4, 4))
A = np.diag([1.0, 2.0, 4.0, 7.0]) + 0.2 * W.T
SPIN = np.array([[1.0, 2.0, 0.3, 0.1], [-1.5, 0.7, 0.2, 0.4], [0.1, 0.3, 3.0, 0.2], [0.3, 0.1, -0.2, -1.0]])
B = np.linspace(-1.0, 1.0, 4)


def function_of_matrix(a: Any, b: Any) -> Any:
    return np.sum(W * linalg.funm(a, lambda x: np.exp(-x) * x)) + np.sum(b)


def complex_schur(a: Any, b: Any) -> Any:
    """Moduli do not depend on the phases of the vectors."""
    t, z = linalg.schur(a + 1j * np.outer(b, b), output="complex")
    return np.sum(W * np.abs(t) ** 2) + np.sum(W.T * np.abs(z) ** 2)


def complex_form(a: Any, b: Any) -> Any:
    t, z = linalg.rsf2csf(*linalg.schur(a))
    return np.sum(W * np.abs(t) ** 2) + np.sum(W.T * np.abs(z) ** 2) + np.sum(b)


def real_form(a: Any, b: Any) -> Any:
    """The eigenvalues of the blocks."""
    w, v = linalg.cdf2rdf(*np.linalg.eig(a + 0j))
    return np.sum(W * w) + np.sum(b) + 0.0 * np.sum(v)


def updated(a: Any, b: Any) -> Any:
    q, r = linalg.qr(a)
    q, r = linalg.qr_update(q, r, b, np.sin(b))
    return np.sum(W * r) + np.sum(W * q)


def without_row(a: Any, b: Any) -> Any:
    q, r = linalg.qr_delete(*linalg.qr(a[:, :2], mode="economic"), 1)
    return np.sum(W[:2, :2] * r) + np.sum(W[:3, :2] * q) + np.sum(b)


def with_column(a: Any, b: Any) -> Any:
    q, r = linalg.qr(a[:, :2], mode="economic")
    q, r = linalg.qr_insert(q, r, b, 1, "col")
    return np.sum(W[:3, :3] * r) + np.sum(W[:, :3] * q)


@pytest.mark.filterwarnings("error::transgrad.TapeFallbackWarning")
@pytest.mark.parametrize(("f", "a"), [(function_of_matrix, A), (complex_schur, A), (complex_form, SPIN), (real_form, SPIN), (updated, A),
                                      (without_row, A), (with_column, A)])
def test_gradient(f: Callable[..., Any], a: Any) -> None:
    check_grad(f, (a, B))


@pytest.mark.parametrize(("f", "message"), [
    (lambda a: np.sum(linalg.qr(a[:, :2], mode="raw")[1]), "mode='raw'"),
    (lambda a: np.sum(linalg.hessenberg(a + 1j * a).real), "complex matrices"),
    (lambda a: np.sum(linalg.eigvals(a, homogeneous_eigvals=True).real), "homogeneous_eigvals"),
])
def test_refused(f: Callable[..., Any], message: str) -> None:
    with pytest.raises((tg.UnsupportedCall, TypeError), match=message):
        tg.grad(f, fallback="error")(A)


def weights_of_a_chain(rates: Any) -> Any:
    """The matrix of a chain has no inverse: its last pivot is 0, or nearly."""
    chain = rates - np.diag(rates.sum(axis=1))
    packed, _ = linalg.lu_factor(chain.T)
    weights = linalg.solve_triangular(packed[:-1, :-1], -packed[:-1, -1])
    return np.sum(weights**2)


@pytest.mark.filterwarnings("ignore:Diagonal number")
def test_the_last_pivot_may_be_zero() -> None:
    for seed in range(3):
        rates = np.round(np.abs(np.random.default_rng(seed).normal(size=(4, 4))) + 0.1, 1)
        want = tg.grad(weights_of_a_chain, fallback="error")(rates)
        check_grad(weights_of_a_chain, [rates])
        np.testing.assert_allclose(tg.jacfwd(weights_of_a_chain, fallback="error")(rates), want, atol=1e-12)
