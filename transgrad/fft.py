"""Fourier transforms of Tensors, under the names of `torch.fft`."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .autograd.ops import FFT

__all__ = sorted(FFT)

globals().update(FFT)

if TYPE_CHECKING:
    def __getattr__(name: str) -> Any: ...
