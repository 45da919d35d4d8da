"""The corpus itself is sound: enough functions a row, finite values, and oracles that converge."""
from collections import Counter

import numpy as np
import pytest

from tests import oracles

from .registry import ROWS, Case, load

CASES = load()


def test_size():
    assert len(CASES) >= 200
    rows = Counter(c.row for c in CASES)
    assert all(rows[row] >= 5 for row in ROWS), rows
    names = Counter(f"{c.row}.{c.name}" for c in CASES)
    assert max(names.values()) == 1, [n for n, k in names.items() if k > 1]


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c.row}-{c.name}")
def test_oracle_converges(case: Case):
    problem = oracles.Problem(case.twin or case.f, case.args, case.wrt, case.kwargs)
    value = problem(problem.x)
    assert np.isfinite(value) and problem(problem.x) == value
    if case.grad is not None:
        return
    g, error = oracles.gradient(problem, problem.x, case.step)
    scale = max(1.0, np.max(np.abs(g)))
    assert np.all(np.isfinite(g)) and error <= 1e-8 * scale, (g, error)
    if case.order > 1:
        v = np.cos(1.0 + np.arange(len(g)))
        hv, error = oracles.hessian_vector(problem, problem.x, v, 2 * case.step)
        assert np.all(np.isfinite(hv)) and error <= 1e-5 * max(1.0, np.max(np.abs(hv))), (hv, error)
