"""The Fourier transform of real numbers, under the name that torch's node has."""
from __future__ import annotations

from typing import Any

import numpy as np

from ...rules.registry import alias
from ..names import node_name

__all__ = ["fft_r2c"]


def fft_r2c(self: Any, n: int | None = None, axis: int = -1, norm: Any = None) -> Any:
    """The whole spectrum of real numbers."""
    return np.fft.fft(self, n, axis, norm)


alias(np.fft.fft, fft_r2c)
node_name(fft_r2c, "FftR2CBackward0")
