"""Functions of ``jax.nn`` in terms of NumPy."""
from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["celu", "elu", "gelu", "leaky_relu", "log_sigmoid", "log_softmax", "relu", "relu6", "sigmoid", "silu", "soft_sign", "softmax",
           "softplus", "swish"]


def relu(x: Any) -> Any:
    """The positive part; its derivative at 0 is 0."""
    return np.where(x > 0, x, 0.0)


def relu6(x: Any) -> Any:
    """The positive part, at most 6."""
    return np.where(x > 0, np.where(x < 6.0, x, 6.0), 0.0)


def sigmoid(x: Any) -> Any:
    """The logistic function."""
    return 0.5 * (1.0 + np.tanh(0.5 * x))


def softplus(x: Any) -> Any:
    """``log(1 + exp(x))``."""
    return np.logaddexp(x, 0.0)


def log_sigmoid(x: Any) -> Any:
    """The logarithm of the logistic function."""
    return -np.logaddexp(-x, 0.0)


def silu(x: Any) -> Any:
    """``x`` times the logistic function."""
    return x * sigmoid(x)


swish = silu


def soft_sign(x: Any) -> Any:
    """``x / (1 + |x|)``."""
    return x / (1.0 + np.abs(x))


def elu(x: Any, alpha: Any = 1.0) -> Any:
    """The exponential linear unit."""
    return np.where(x > 0, x, alpha * np.expm1(np.where(x > 0, 0.0, x)))


def celu(x: Any, alpha: Any = 1.0) -> Any:
    """The continuously differentiable exponential linear unit."""
    return np.where(x > 0, x, alpha * np.expm1(np.where(x > 0, 0.0, x) / alpha))


def leaky_relu(x: Any, negative_slope: Any = 0.01) -> Any:
    """``x`` if it is positive, else ``x`` times ``negative_slope``."""
    return np.where(x >= 0, x, negative_slope * x)


def gelu(x: Any, approximate: bool = True) -> Any:
    """The Gaussian error linear unit by its approximation with tanh."""
    if not approximate:
        raise NotImplementedError("gelu(approximate=False) has no derivative here. Hint: leave out approximate, or use scipy.special.erf")
    return 0.5 * x * (1.0 + np.tanh(0.7978845608028654 * (x + 0.044715 * x ** 3)))


def softmax(x: Any, axis: Any = -1) -> Any:
    """Exponentials that sum to 1 along an axis."""
    e = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return e / np.sum(e, axis=axis, keepdims=True)


def log_softmax(x: Any, axis: Any = -1) -> Any:
    """The logarithm of `softmax`."""
    shifted = x - np.max(x, axis=axis, keepdims=True)
    return shifted - np.log(np.sum(np.exp(shifted), axis=axis, keepdims=True))
