"""Activations.  At the kink at 0 the derivative of `relu` is 0."""
from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from ...rules.registry import rule
from ...rules.static import ZERO
from ..graph_rules import graph_rule
from ..names import node_name
from ..selecting import where

__all__ = ["celu", "elu", "gelu", "gelu_tanh", "hardshrink", "hardtanh", "leaky_relu", "log_sigmoid", "mish", "prelu", "relu", "rrelu",
           "sigmoid", "silu", "softplus", "threshold"]


def relu(self: Any) -> Any:
    """The positive part."""
    return np.maximum(self, 0)


@rule(relu)
def _(g, y, self):
    return np.where(y <= 0, 0.0, g)


def sigmoid(self: Any) -> Any:
    """``1 / (1 + exp(-x))``, without overflow."""
    if self.dtype.kind == "f":
        return _expit()(self)
    if np.iscomplexobj(self):
        return 1.0 / (1.0 + np.exp(-self))
    small = np.exp(-np.abs(self))
    return np.where(self >= 0, np.ones_like(small), small) / (1 + small)


@functools.cache
def _expit() -> Any:
    """SciPy's sigmoid, loaded when it is first needed."""
    import scipy.special
    return scipy.special.expit


@rule(sigmoid)
def _(g, y, self):
    return g * y * (1.0 - y)


def silu(self: Any) -> Any:
    """``x * sigmoid(x)``."""
    return self * sigmoid(self)


@rule(silu)
def _(g, y, self):
    s = 0.5 * (1.0 + np.tanh(0.5 * self))
    return g * s * (1.0 + self * (1.0 - s))


def mish(self: Any) -> Any:
    """``x * tanh(softplus(x))``."""
    return self * np.tanh(softplus(self))


@rule(mish)
def _(g, y, self):
    s, h = 0.5 * (1.0 + np.tanh(0.5 * self)), np.tanh(np.maximum(self, 0) + np.log1p(np.exp(-np.abs(self))))
    return g * (h + self * s * (1.0 - h * h))


def normal(x: Any) -> Any:
    """The distribution function of the normal distribution."""
    if type(x) is np.ndarray and x.dtype == np.float32 and x.size >= _MANY:
        return _normal_float32(x)
    import scipy.special
    return 0.5 * (1.0 + scipy.special.erf(x * math.sqrt(0.5)))


#: arrays of so many elements are worth a dozen passes of vectorized arithmetic
_MANY = 512
#: of a polynomial ``q`` in the square of x, with ``tanh(x * q) = erf(x / sqrt(2))`` up to 6e-8, the highest power first
_ODD = tuple(map(np.float32, (1.75609617e-9, -1.32263349e-7, 3.96474454e-6, -5.53061943e-5, -3.25949742e-5, 3.63330846e-2, 0.797884941)))


def _normal_float32(x: Any) -> Any:
    """`normal` in single precision, with an absolute error below 2e-7.

    NumPy's tanh and a polynomial take a third of the time of SciPy's error function.
    """
    square = x * x
    found = square * _ODD[0]
    for coefficient in _ODD[1:-1]:
        found += coefficient
        found *= square
    found += _ODD[-1]
    found *= x
    np.tanh(found, found)
    found *= np.float32(0.5)
    found += np.float32(0.5)
    return found


def gelu_slope(x: Any) -> Any:
    """The derivative of `gelu`."""
    if type(x) is np.ndarray and x.dtype == np.float32 and x.size >= _MANY:
        density = x * np.float32(-0.5)
        density *= x
        np.exp(density, density)
        density *= x
        density *= np.float32(math.sqrt(0.5 / math.pi))
        density += _normal_float32(x)
        return density
    return normal(x) + x * np.exp(-0.5 * x * x) * math.sqrt(0.5 / math.pi)


def gelu(self: Any) -> Any:
    """x times the distribution function of the normal distribution."""
    return self * normal(self)


@rule(gelu)
def _(g, y, self):
    return g * gelu_slope(self)


def gelu_tanh(self: Any) -> Any:
    """`gelu` by a formula with a tanh."""
    return 0.5 * self * (1.0 + np.tanh(math.sqrt(2.0 / math.pi) * (self + 0.044715 * self * self * self)))


@rule(gelu_tanh)
def _(g, y, self):
    h = np.tanh(math.sqrt(2.0 / math.pi) * (self + 0.044715 * self * self * self))
    slope = math.sqrt(2.0 / math.pi) * (1.0 + 3 * 0.044715 * self * self)
    return 0.5 * g * (1.0 + h + self * (1.0 - h * h) * slope)


node_name(gelu_tanh, "GeluBackward0")


def hardtanh(self: Any, min_val: float = -1.0, max_val: float = 1.0) -> Any:
    """x between two bounds; the derivative at the bounds is 0."""
    return np.clip(self, min_val, max_val).astype(self.dtype, copy=False)


@rule(hardtanh)
def _(g, y, self, min_val=-1.0, max_val=1.0):
    return np.where((self > min_val) & (self < max_val), g, 0.0)


def leaky_relu(self: Any, negative_slope: float = 0.01) -> Any:
    """x, or ``negative_slope * x`` below 0."""
    return where(self > 0, self, self * negative_slope)


@rule(leaky_relu)
def _(g, y, self, negative_slope=0.01):
    return np.where(self > 0, g, g * negative_slope)


def log_sigmoid(self: Any) -> Any:
    """The logarithm of the sigmoid."""
    return np.minimum(self, 0) - np.log1p(np.exp(-np.abs(self)))


@rule(log_sigmoid)
def _(g, y, self):
    return g * (1.0 - np.exp(y))


def softplus(self: Any, beta: float = 1.0, threshold: float = 20.0) -> Any:
    """``log(1 + exp(beta x)) / beta``, which is x above ``threshold / beta``."""
    scaled = self * beta
    smooth = (np.maximum(scaled, 0) + np.log1p(np.exp(-np.abs(scaled)))) / beta
    return np.where(scaled > threshold, self, smooth).astype(smooth.dtype, copy=False)


@rule(softplus)
def _(g, y, self, beta=1.0, threshold=20.0):
    return np.where(self * beta > threshold, g, g * (1.0 - np.exp(-beta * y)))


def threshold(self: Any, threshold: float, value: float) -> Any:
    """Each element above ``threshold``, and ``value`` in place of the others."""
    return where(self <= threshold, np.asarray(value, dtype=self.dtype), self)


@rule(threshold)
def _(g, y, self, threshold, value):
    return np.where(self <= threshold, 0.0, g)


def threshold_backward(grad_output: Any, self: Any, threshold: float) -> Any:
    """The derivative of `threshold`, and of `relu`."""
    return np.where(self <= threshold, np.zeros((), grad_output.dtype), grad_output)


@rule(threshold_backward)
def _(g, y, grad_output, self, threshold):
    return np.where(self <= threshold, 0.0, g), ZERO


node_name(threshold_backward, "ThresholdBackwardBackward0", grad_output="")


def hardtanh_backward(grad_output: Any, self: Any, min_val: float, max_val: float) -> Any:
    """The derivative of `hardtanh`."""
    return np.where((self > min_val) & (self < max_val), grad_output, np.zeros((), grad_output.dtype))


@rule(hardtanh_backward)
def _(g, y, grad_output, self, min_val, max_val):
    return np.where((self > min_val) & (self < max_val), g, 0.0), ZERO


node_name(hardtanh_backward, "HardtanhBackwardBackward0", grad_output="")


def leaky_relu_backward(grad_output: Any, self: Any, negative_slope: float) -> Any:
    """The derivative of `leaky_relu`."""
    return np.where(self > 0, grad_output, grad_output * negative_slope)


@rule(leaky_relu_backward)
def _(g, y, grad_output, self, negative_slope):
    return np.where(self > 0, g, g * negative_slope), ZERO


node_name(leaky_relu_backward, "LeakyReluBackwardBackward0", grad_output="")


@graph_rule(relu)
def _(g, y, self):
    from ..record import apply
    return apply(threshold_backward, g, y, 0)


@graph_rule(threshold)
def _(g, y, self, threshold, value):
    from ..record import apply
    return apply(threshold_backward, g, self, threshold)


@graph_rule(hardtanh)
def _(g, y, self, min_val=-1.0, max_val=1.0):
    from ..record import apply
    return apply(hardtanh_backward, g, self, min_val, max_val)


@graph_rule(leaky_relu)
def _(g, y, self, negative_slope=0.01):
    from ..record import apply
    return apply(leaky_relu_backward, g, self, negative_slope)


def hardshrink(self: Any, lambd: float = 0.5) -> Any:
    """Each element farther from 0 than ``lambd``, and 0 in place of the others."""
    return np.where(np.abs(self) <= lambd, np.zeros_like(self), self)


@rule(hardshrink)
def _(g, y, self, lambd=0.5):
    return np.where(np.abs(self) > lambd, g, 0.0)


def elu(self: Any, alpha: float = 1.0, scale: float = 1.0, input_scale: float = 1.0) -> Any:
    """``scale`` times x, or times ``alpha * (exp(input_scale * x) - 1)`` below 0."""
    below = alpha * np.expm1(np.minimum(self, 0) * input_scale)
    return (scale * np.where(self > 0, self, below)).astype(self.dtype, copy=False)


@rule(elu)
def _(g, y, self, alpha=1.0, scale=1.0, input_scale=1.0):
    below = scale * alpha * input_scale * np.exp(np.minimum(self, 0) * input_scale)
    return np.where(self > 0, scale * g, below * g)


def celu(self: Any, alpha: float = 1.0) -> Any:
    """`elu` with a derivative that is continuous for every ``alpha``."""
    return elu(self, alpha, 1.0, 1.0 / alpha)


@rule(celu)
def _(g, y, self, alpha=1.0):
    return np.where(self > 0, g, np.exp(np.minimum(self, 0) / alpha) * g)


def prelu(self: Any, weight: Any) -> Any:
    """x, or ``weight * x`` below 0; ``weight`` broadcasts."""
    return np.where(self > 0, self, weight * self)


node_name(prelu, "PreluKernelBackward0")


def rrelu(self: Any, slopes: Any) -> Any:
    """Leaky ReLU with a factor that is drawn for each element."""
    return np.where(self > 0, self, slopes * self)


@rule(rrelu)
def _(g, y, self, slopes):
    return np.where(self > 0, g, slopes * g)


node_name(rrelu, "RreluWithNoiseBackward0")


@rule(prelu)
def _(g, y, self, weight):
    return np.where(self > 0, g, weight * g), np.where(self > 0, 0.0, self * g)


