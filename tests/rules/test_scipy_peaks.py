"""What is said of peaks has a derivative, where they are has none."""
from __future__ import annotations

from typing import Any

import numpy as np
from scipy import signal

import transgrad as tg
from transgrad.testing import check_grad

S = np.random.default_rng(4).normal(size=40)


def heights(a: Any) -> Any:
    return np.sum(signal.find_peaks(S * a, height=0.1)[1]["peak_heights"] ** 2)


def widths(a: Any) -> Any:
    _, said = signal.find_peaks(S + np.sin(a * np.arange(40)), prominence=0.2, width=0.2)
    return np.sum(said["widths"] ** 2) + np.sum(said["prominences"])


def test_peaks() -> None:
    for f in (heights, widths):
        np.testing.assert_allclose(tg.value_and_grad(f, fallback="error")(0.3)[0], f(0.3))
        check_grad(f, (0.3,))
