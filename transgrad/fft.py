"""Fourier transforms of Tensors, under the names of `torch.fft`."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .absent import refusing
from .autograd.ops import FFT
from .autograd.tensor import Tensor

__all__ = ["Tensor", *sorted(FFT)]

globals().update(FFT)

if TYPE_CHECKING:
    def __getattr__(name: str) -> Any: ...
else:
    __getattr__ = refusing(__name__, "torch.fft")
