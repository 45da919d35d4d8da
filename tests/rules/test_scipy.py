"""SciPy in whole functions: objects made inside them, functions given to solvers, loading."""
from __future__ import annotations

import subprocess
import sys

import numpy as np
import scipy.sparse.linalg
import scipy.stats as st

import transgrad as tg
from transgrad.testing import check_grad

X = np.array([0.3, 0.9, 1.4])


def by_keywords(mu: float, sigma: float) -> float:
    return np.sum(st.norm.logpdf(X, loc=mu, scale=sigma))


def by_frozen(mu: float, sigma: float) -> float:
    d = st.norm(mu, scale=sigma)
    return np.sum(d.cdf(X) * d.pdf(X))


def test_parameters_by_keyword() -> None:
    check_grad(by_keywords, (0.2, 1.3))
    check_grad(tg.grad(by_keywords), (0.2, 1.3))


def test_frozen_distribution() -> None:
    check_grad(by_frozen, (0.2, 1.3))


A = scipy.sparse.csc_array(np.array([[4.0, 1.0, 0.0], [0.0, 3.0, 1.0], [1.0, 0.0, 5.0]]))


def test_sparse_matrices() -> None:
    check_grad(lambda b: np.sum(scipy.sparse.linalg.spsolve(A, b) ** 2), (X,))
    check_grad(lambda x: np.sum((A @ x) ** 2), (X,))


def test_import_loads_no_scipy() -> None:
    code = "import sys, transgrad; transgrad.grad; assert not any(m.split('.')[0] == 'scipy' for m in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_text_calls_public_names() -> None:
    assert "scipy.stats.norm.pdf(" in tg.grad(by_frozen).source_for(0.2, 1.3)
