"""Activations that torch has at its top."""
from __future__ import annotations

from typing import Any

from ..functions import activations
from ..generator import DEFAULT
from ..tensor import Tensor, wrap
from .table import call, op


@op(method=False, inplace=True)
def celu(self: Tensor, alpha: float = 1.0) -> Any:
    """x, or ``alpha * (exp(x / alpha) - 1)`` below 0."""
    return call(activations.celu, self, alpha)


@op(method=False, inplace=True)
def selu(self: Tensor) -> Any:
    """The self-normalizing exponential unit."""
    return call(activations.elu, self, 1.6732632423543772848170429916717, 1.0507009873554804934193349852946)


@op(method=False, inplace=True)
def threshold(self: Tensor, threshold: float, value: float) -> Any:
    """Each element above ``threshold``, and ``value`` in place of the others."""
    return call(activations.threshold, self, threshold, value)


@op()
def hardshrink(self: Tensor, lambd: float = 0.5) -> Any:
    """Each element farther from 0 than ``lambd``, and 0 in place of the others."""
    return call(activations.hardshrink, self, lambd)


@op()
def prelu(self: Tensor, weight: Tensor) -> Any:
    """x, or ``weight * x`` below 0, with a weight for each channel."""
    if not self.ndim:
        weight = weight.reshape(())
    if weight.numel() > 1 and self.ndim > 1:
        weight = weight.reshape((1, -1) + (1,) * (self.ndim - 2))
    return call(activations.prelu, self, weight)


@op(method=False, inplace=True)
def rrelu(self: Tensor, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False) -> Any:
    """Randomized leaky ReLU: below 0, multiply by a factor drawn for each element if ``training``, else by the mean factor."""
    slopes: Any = (lower + upper) / 2
    if training:
        slopes = (DEFAULT.doubles(self.numel()).reshape(self._array.shape) * (upper - lower) + lower).astype(self.dtype)
    return call(activations.rrelu, self, slopes)


@op(method=False)
def dropout(self: Tensor, p: float = 0.5, train: bool = True) -> Tensor:
    """Each element 0 with probability ``p``, the others larger by as much."""
    if not 0 <= p <= 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    if not train or p == 0:
        return self
    kept = DEFAULT.doubles(self.numel()).reshape(self._array.shape) < 1 - p
    return self * wrap(kept.astype(self.dtype) / (1 - p if p < 1 else 1))       # type: ignore[no-any-return]
