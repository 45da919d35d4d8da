"""Activations that torch has only here."""
from __future__ import annotations

import math
from typing import Any

from ...autograd.dispatch import apply
from ...autograd.functions import activations
from ...autograd.ops import FUNCTIONS
from ...autograd.tensor import Tensor

__all__ = [
    "dropout", "elu", "gelu", "glu", "hardsigmoid", "hardswish", "hardtanh", "leaky_relu", "logsigmoid", "mish", "relu6", "silu", "softmin",
    "softplus", "softshrink", "softsign", "tanhshrink",
]

_call: Any = FUNCTIONS


def softplus(input: Any, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    """``log(1 + exp(beta x)) / beta``, which is x above ``threshold / beta``."""
    return apply(activations.softplus, input, beta, threshold)


def elu(input: Any, alpha: float = 1.0) -> Tensor:
    """x, or ``alpha * (exp(x) - 1)`` below 0."""
    return apply(activations.elu, input, alpha)


def logsigmoid(input: Any) -> Tensor:
    """The logarithm of the sigmoid."""
    return apply(activations.log_sigmoid, input)


def leaky_relu(input: Any, negative_slope: float = 0.01) -> Tensor:
    """x, or ``negative_slope * x`` below 0."""
    return _call["where"](input > 0, input, input * negative_slope)


def silu(input: Any) -> Tensor:
    """``x * sigmoid(x)``."""
    return input * input.sigmoid()


def mish(input: Any) -> Tensor:
    """``x * tanh(softplus(x))``."""
    return input * softplus(input).tanh()


def gelu(input: Any, approximate: str = "none") -> Tensor:
    """``x`` times the normal distribution function at x; ``approximate="tanh"`` for the formula with a tanh.

    Raises
    ------
    RuntimeError
        If `approximate` is neither ``none`` nor ``tanh``.
    """
    if approximate == "none":
        return 0.5 * input * (1.0 + (input / math.sqrt(2.0)).erf())
    if approximate != "tanh":
        raise RuntimeError("approximate argument must be either none or tanh.")
    inner = math.sqrt(2.0 / math.pi) * (input + 0.044715 * input**3)
    return 0.5 * input * (1.0 + inner.tanh())


def glu(input: Any, dim: int = -1) -> Tensor:
    """The first half along a dimension times the sigmoid of the second."""
    if input.shape[dim] % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {dim} is size {input.shape[dim]}")
    first, second = input.chunk(2, dim)
    return first * second.sigmoid()


def hardtanh(input: Any, min_val: float = -1.0, max_val: float = 1.0) -> Tensor:
    """x between two bounds; the derivative at the bounds is 0."""
    inside = (input > min_val) & (input < max_val)
    return _call["where"](inside, input, input.detach().clamp(min_val, max_val))


def relu6(input: Any) -> Tensor:
    """x between 0 and 6."""
    return hardtanh(input, 0.0, 6.0)


def hardsigmoid(input: Any) -> Tensor:
    """``x / 6 + 1 / 2``, between 0 and 1."""
    six: Any = relu6(input + 3.0)
    return six / 6.0


def hardswish(input: Any) -> Tensor:
    """``x * hardsigmoid(x)``."""
    return input * hardsigmoid(input)


def softsign(input: Any) -> Tensor:
    """``x / (1 + |x|)``."""
    return input / (input.abs() + 1)


def softshrink(input: Any, lambd: float = 0.5) -> Tensor:
    """x moved towards 0 by `lambd`."""
    return _call["where"](input.abs() <= lambd, input * 0.0, input - lambd * input.detach().sign())


def tanhshrink(input: Any) -> Tensor:
    """``x - tanh(x)``."""
    return input - input.tanh()


def softmin(input: Any, dim: int, dtype: Any = None) -> Tensor:
    """The softmax of ``-x``."""
    return (-input).softmax(dim, dtype)


def dropout(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Each element 0 with probability ``p``, the others larger by as much, while `training`."""
    found = _call["dropout"](input, p, training)
    return input.copy_(found) if inplace and found is not input else found
