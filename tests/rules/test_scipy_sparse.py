"""Sparse matrices made inside the function that is differentiated: through their elements, products, systems and spectra."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as sl

import transgrad as tg
from transgrad.testing import check_grad

from ..releases import with_releases

R = np.random.default_rng(0)
i, j = np.array([0, 1, 2, 3, 0, 2, 3]), np.array([0, 1, 2, 3, 2, 1, 0])
D = R.normal(size=7) + np.array([4.0, 4.0, 4.0, 4.0, 0.0, 0.0, 0.0])
X, X0 = R.normal(size=4), R.normal(size=(4, 2))
K = sp.csr_array(np.where(np.random.default_rng(0).random((4, 4)) < 0.5, np.random.default_rng(1).random((4, 4)), 0.0))
W = R.normal(size=(4, 4))
A = np.array([0.0, 2.0, 5.0, 9.0, 0.0, 0.0, 0.0])


def C(d: Any) -> Any:
    return sp.csr_array((d, (i, j)), shape=(4, 4))


PROGRAMS: dict[str, Callable[..., Any]] = {
    "mv": lambda d, x: np.sum((C(d) @ x) ** 2),
    "mm": lambda d, x: np.sum((C(d) @ (X0 * x[:, None])) ** 2),
    "rm": lambda d, x: np.sum((x @ C(d)) ** 2),
    "T": lambda d, x: np.sum(W * (C(d).T @ C(d)).toarray()),
    "add": lambda d, x: np.sum(W * (C(d) + 2.0 * C(d * d) - K).toarray()),
    "mul": lambda d, x: np.sum(W * (C(d) * C(np.sin(d))).toarray()) + C(d).multiply(K).sum(),
    "diag": lambda d, x: np.sum(C(d).diagonal() ** 2) + C(d).trace() ** 2 + np.sum(C(d).diagonal(2) ** 2),
    "sum": lambda d, x: np.sum(C(d).sum(axis=0) ** 2) + np.sum(C(d).sum(axis=1) ** 3) + C(d).mean(),
    "csc": lambda d, x: np.sum((sp.csc_matrix((d, (i, j))) * x) ** 2),
    "indptr": lambda d, x: np.sum((sp.csr_matrix((d, np.array([0, 1, 2, 3, 0, 2, 3]), np.array([0, 2, 3, 5, 7])), shape=(4, 4)) @ x) ** 2),
    "dense": lambda d, x: np.sum((sp.csr_array(np.outer(x, x)) @ x) ** 2) + np.sum(d),
    "diags": lambda d, x: np.sum((sp.diags([x, x[:3]], [0, 1]) @ x) ** 2) + np.sum(sp.diags_array([x, x[1:]], offsets=[0, -1]).toarray() ** 3) + np.sum((sp.diags(x) @ x) ** 2) + np.sum(d),
    "spdiags": lambda d, x: np.sum(W * sp.spdiags(np.stack((x, 2 * x)), [0, 1], 4, 4).toarray()) + np.sum(d),
    "dia": lambda d, x: np.sum(W * sp.dia_array((np.stack((x, 2 * x)), [0, -1]), shape=(4, 4)).toarray()) + np.sum(d),
    "kron": lambda d, x: np.sum(sp.kron(C(d), C(d * d)).sum(axis=1) ** 2) + np.sum(sp.kronsum(C(d), K).toarray() ** 2),
    "block": lambda d, x: np.sum(sp.block_array([[C(d), None], [K, C(d * d)]]).toarray() ** 2) + np.sum(sp.hstack([C(d), K]).toarray() ** 2) + np.sum((sp.vstack([C(d), K]) @ x) ** 2) + np.sum(sp.block_diag((C(d), np.outer(x, x))).toarray() ** 3),
    "tri": lambda d, x: np.sum(W * sp.tril(C(d)).toarray()) + np.sum(W * sp.triu(C(d), 1).toarray() ** 2),
    "swap": lambda d, x: np.sum(W * sp.swapaxes(C(d), 0, 1).toarray()) + np.sum(W * sp.permute_dims(C(d * d)).toarray()),
    "spsolve": lambda d, x: np.sum(sl.spsolve(C(d), x) ** 2),
    "spsolve2": lambda d, x: np.sum(sl.spsolve(C(d).tocsc(), X0 * x[:, None]) ** 2),
    "cg": lambda d, x: np.sum(sl.cg(C(d) + C(d).T, x, rtol=1e-12)[0] ** 2),
    "gmres": lambda d, x: np.sum(sl.gmres(C(d), x, rtol=1e-12, atol=0.0)[0] ** 2),
    "splu": lambda d, x: np.sum(sl.splu(C(d).tocsc()).solve(x) ** 2) + np.sum(sl.factorized(C(d).tocsc())(x) ** 2),
    "expmm": lambda d, x: np.sum(sl.expm_multiply(0.1 * C(d), x) ** 2),
    "eigs": lambda d, x: np.sum(np.abs(sl.eigs(C(d + A), k=2, return_eigenvectors=False)) ** 2),
    "eigsh": lambda d, x: np.sum(sl.eigsh(C(d) + C(d).T, k=2, return_eigenvectors=False) ** 2),
    "eigshv": lambda d, x: np.sum(sl.eigsh(C(d) + C(d).T, k=2, v0=np.ones(4))[1] ** 2 * W[:, :2]),
    "svds": lambda d, x: np.sum(sl.svds(C(d), k=2, v0=np.ones(4))[1] ** 2),
    "norm": lambda d, x: sl.norm(C(d)) + sl.norm(C(d) * C(d)),
    "column norm": lambda d, x: sl.norm(C(d), 1),
    "pow": lambda d, x: np.sum(W * sl.matrix_power(C(d), 3).toarray()) + np.sum(sl.inv(C(d).tocsc()).toarray() * W) + np.sum(sl.expm(0.1 * C(d).tocsc()).toarray() * W),
    "lsqr": lambda d, x: np.sum(sl.lsqr(C(d), x, atol=1e-14, btol=1e-14)[0] ** 2),
    "kx": lambda d, x: np.sum((K @ C(d)).toarray() * W) + np.sum((C(d) @ K).toarray() ** 2),
    "kcg": lambda d, x: np.sum(sl.cg(K + K.T + 5 * sp.eye_array(4), x, rtol=1e-12)[0] ** 2) + np.sum(d),
    "div": lambda d, x: np.sum((C(d) / x[0]).toarray() * W) + np.sum((-C(d)).power(2).toarray() * W) + np.sum(abs(C(d)).toarray() * W),
}


@pytest.mark.filterwarnings("error::transgrad.TapeFallbackWarning")
@pytest.mark.parametrize("name", with_releases(PROGRAMS, {"swap": "SciPy 1.15", "column norm": "SciPy 1.15"}))
def test_elements(name: str) -> None:
    f = PROGRAMS[name]
    np.testing.assert_allclose(tg.value_and_grad(f, fallback="error")(D, X)[0], f(D, X), rtol=1e-8)
    check_grad(f, (D, X))


def with_constant(d: Any, x: Any) -> Any:
    """A constant matrix made inside: products from either side, its transpose, systems."""
    m = sp.csr_array((np.ones(3), ([0, 1, 2], [1, 2, 3])), shape=(4, 4))
    return np.sum((m @ x) ** 2) + np.sum((x @ K) ** 3) + np.sum(K.T @ (K @ d[:4])) + np.sum(sl.spsolve(K + sp.eye_array(4), x) ** 2)


def inactive(d: Any, x: Any) -> Any:
    """What is not differentiated stays a call of SciPy's: methods that write into arrays of their own are not compiled."""
    m = sp.csr_array(np.outer(x, x))
    return np.sum((m @ x) ** 2) + m.dot(x).sum() + m.toarray()[0, 1] + np.sum(d)


@pytest.mark.parametrize("f", [with_constant, inactive])
def test_constant_matrices(f: Callable[..., Any]) -> None:
    for argnums in (0, (0, 1)):
        np.testing.assert_allclose(tg.value_and_grad(f, argnums=argnums)(D, X)[0], f(D, X), rtol=1e-12)
    check_grad(f, (D, X), argnums=(0,) if f is inactive else (0, 1))


def test_matrix_as_argument() -> None:
    def f(a: Any, x: Any) -> Any:
        return np.sum((a @ x) ** 2)
    np.testing.assert_allclose(tg.grad(f, argnums=1, fallback="error")(K, X), 2.0 * K.T @ (K @ X), rtol=1e-12)


def test_second_order() -> None:
    def f(d: Any) -> Any:
        return np.sum(sl.spsolve(C(d), X) ** 2)
    check_grad(lambda d: np.sum(tg.grad(f)(d) * np.arange(7.0)), (D,))
