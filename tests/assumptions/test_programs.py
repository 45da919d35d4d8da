"""Programs whose course depends on what a specializing compiler would like to take for granted."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import transgrad as tg

from . import programs_of_classes, programs_of_iterators, programs_of_protocols

V, D = np.array([0.7, -1.3]), np.array([0.3, 0.8])
PROGRAMS: dict[str, Any] = {**programs_of_classes.PROGRAMS, **programs_of_iterators.PROGRAMS, **programs_of_protocols.PROGRAMS}


@pytest.fixture(autouse=True)
def unchanged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs_of_classes.CA, "k", 1.0)
    monkeypatch.setenv("TRANSGRAD_STRICT", "0")      # a refusal of the compiler may be an answer of the tape


@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
@pytest.mark.parametrize("name", PROGRAMS)
def test_right(name: str) -> None:
    f, h = PROGRAMS[name], 1e-6
    value = float(f(V.copy()))
    slopes = np.array([(float(f(V + s)) - float(f(V - s))) / (2 * h) for s in np.eye(2) * h])
    derivative = tg.value_and_grad(f)
    for _ in range(2):
        found, gradient = derivative(V.copy())
        np.testing.assert_allclose(found, value, rtol=1e-12)
        np.testing.assert_allclose(gradient, slopes, rtol=1e-6, atol=1e-6)
    found, tangent = tg.jvp(f, (V.copy(),), (D,))
    np.testing.assert_allclose([found, tangent], [value, slopes @ D], rtol=1e-6, atol=1e-6)
