"""Jacobians by spans of directions as machine code: as on NumPy."""
from __future__ import annotations

import numpy as np
import pytest

import transgrad as tg
from tests.passes import test_spans as programs

POINTS = programs.POINTS


@pytest.mark.parametrize("f", [programs.fingers, programs.written, programs.backwards])
def test_machine_code(f):
    found = tg.jacfwd(f, backend="numba", fallback="error")
    x = programs.RNG.normal(size=30)
    np.testing.assert_allclose(found(x, POINTS), tg.jacfwd(f)(x, POINTS), rtol=1e-12, atol=1e-12)
    assert "first" in found.source


def test_what_numba_takes_for_one_direction_alone(monkeypatch):
    """Stacks of matrices are multiplied by functions of ours: here it is as if there were none."""
    def turned(x, points):
        total = np.zeros((3, 7))
        for i in range(len(x)):
            total = total + (x[i] * programs.M[0]) @ points
        return total

    monkeypatch.setattr("transgrad.passes.numba.calls._product", lambda op, dtype: None)
    x = programs.RNG.normal(size=30)
    found = tg.jacfwd(turned, backend="numba", fallback="error")
    np.testing.assert_allclose(found(x, POINTS), tg.jacfwd(turned)(x, POINTS), rtol=1e-12, atol=1e-12)
    assert "first" not in found.source
