"""Activations; with ``inplace=True``, or a trailing underscore, the result is written into the input."""
from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable
from typing import Any

from ...autograd.dispatch import apply
from ...autograd.functions import activations
from ...autograd.ops import FUNCTIONS
from ...autograd.tensor import Tensor

__all__ = [
    "celu", "celu_", "elu", "elu_", "gelu", "glu", "gumbel_softmax", "hardsigmoid", "hardswish", "hardtanh", "hardtanh_", "leaky_relu",
    "leaky_relu_", "log_softmax", "logsigmoid", "mish", "relu", "relu6", "relu_", "rrelu", "rrelu_", "selu", "selu_", "silu", "softmax",
    "softmin", "softplus", "softshrink", "softsign", "tanhshrink", "threshold", "threshold_",
]

_call: Any = FUNCTIONS


def _in_place(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``inplace``, the last parameter: it writes the result, which is then one of a copy of the input, over that."""
    signature = inspect.signature(function)
    count = len(signature.parameters)

    @functools.wraps(function)
    def call(*args: Any, inplace: bool = False, **kwargs: Any) -> Any:
        if len(args) > count:
            *args, inplace = args       # type: ignore[assignment]
        if not inplace:
            return function(*args, **kwargs)
        input, *rest = args or (kwargs.pop("input"),)
        return input.copy_(function(input.clone(), *rest, **kwargs))
    last = inspect.Parameter("inplace", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=False)
    call.__signature__ = signature.replace(parameters=[*signature.parameters.values(), last])       # type: ignore[attr-defined]
    return call


def _twin(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function that writes its result into the input."""
    def call(input: Any, *args: Any, **kwargs: Any) -> Any:
        return function(input, *args, inplace=True, **kwargs)
    call.__name__ = call.__qualname__ = function.__name__ + "_"
    call.__doc__ = f"`{function.__name__}`, written into the input."
    return call


@_in_place
def relu(input: Any) -> Tensor:
    """The positive part; the derivative at 0 is 0."""
    return input.relu()


@_in_place
def celu(input: Any, alpha: float = 1.0) -> Tensor:
    """x, or ``alpha * (exp(x / alpha) - 1)`` below 0."""
    return _call["celu"](input, alpha)


@_in_place
def selu(input: Any) -> Tensor:
    """The self-normalizing exponential unit."""
    return _call["selu"](input)


@_in_place
def threshold(input: Any, threshold: float, value: float) -> Tensor:
    """Each element above ``threshold``, and ``value`` in place of the others."""
    return _call["threshold"](input, threshold, value)


@_in_place
def rrelu(input: Any, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False) -> Tensor:
    """Randomized leaky ReLU: below 0, multiply by a factor drawn for each element if ``training``, else by the mean factor."""
    return _call["rrelu"](input, lower, upper, training)


@_in_place
def elu(input: Any, alpha: float = 1.0) -> Tensor:
    """x, or ``alpha * (exp(x) - 1)`` below 0."""
    return apply(activations.elu, input, alpha)


@_in_place
def leaky_relu(input: Any, negative_slope: float = 0.01) -> Tensor:
    """x, or ``negative_slope * x`` below 0."""
    return apply(activations.leaky_relu, input, negative_slope)


@_in_place
def silu(input: Any) -> Tensor:
    """``x * sigmoid(x)``."""
    return apply(activations.silu, input)


@_in_place
def mish(input: Any) -> Tensor:
    """``x * tanh(softplus(x))``."""
    return apply(activations.mish, input)


@_in_place
def hardtanh(input: Any, min_val: float = -1.0, max_val: float = 1.0) -> Tensor:
    """x between two bounds; the derivative at the bounds is 0.

    Raises
    ------
    ValueError
        If the bounds are in the wrong order.
    """
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    return apply(activations.hardtanh, input, min_val, max_val)


@_in_place
def relu6(input: Any) -> Tensor:
    """x between 0 and 6."""
    return hardtanh(input, 0.0, 6.0)


@_in_place
def hardsigmoid(input: Any) -> Tensor:
    """``x / 6 + 1 / 2``, between 0 and 1."""
    return relu6(input + 3.0) / 6.0


@_in_place
def hardswish(input: Any) -> Tensor:
    """``x * hardsigmoid(x)``."""
    return input * hardsigmoid(input)


celu_, elu_, hardtanh_, leaky_relu_, relu_, rrelu_, selu_, threshold_ = map(
    _twin, (celu, elu, hardtanh, leaky_relu, relu, rrelu, selu, threshold))


def softplus(input: Any, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    """``log(1 + exp(beta x)) / beta``, which is x above ``threshold / beta``."""
    return apply(activations.softplus, input, beta, threshold)


def logsigmoid(input: Any) -> Tensor:
    """The logarithm of the sigmoid."""
    return apply(activations.log_sigmoid, input)


def gelu(input: Any, approximate: str = "none") -> Tensor:
    """``x`` times the normal distribution function at x; ``approximate="tanh"`` for the formula with a tanh.

    Raises
    ------
    RuntimeError
        If `approximate` is neither ``none`` nor ``tanh``.
    """
    if approximate not in ("none", "tanh"):
        raise RuntimeError("approximate argument must be either none or tanh.")
    return apply(activations.gelu if approximate == "none" else activations.gelu_tanh, input)


def glu(input: Any, dim: int = -1) -> Tensor:
    """The first half along a dimension times the sigmoid of the second."""
    if input.shape[dim] % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {dim} is size {input.shape[dim]}")
    first, second = input.chunk(2, dim)
    return first * second.sigmoid()


def softsign(input: Any) -> Tensor:
    """``x / (1 + |x|)``."""
    return input / (input.abs() + 1)


def softshrink(input: Any, lambd: float = 0.5) -> Tensor:
    """x moved towards 0 by `lambd`."""
    return _call["where"](input.abs() <= lambd, input * 0.0, input - lambd * input.detach().sign())


def tanhshrink(input: Any) -> Tensor:
    """``x - tanh(x)``."""
    return input - input.tanh()


def _dim(name: str, input: Any, dim: int | None) -> int:
    """The dimension that torch takes where none is given, with its warning."""
    if dim is None:
        warnings.warn(f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument.",
                      UserWarning, stacklevel=3)
        return 0 if input.ndim in (0, 1, 3) else 1
    return dim


def softmax(input: Any, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """``exp(x)`` over its sum along a dimension."""
    return input.softmax(_dim("softmax", input, dim), dtype)


def log_softmax(input: Any, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """The logarithm of `softmax`."""
    return input.log_softmax(_dim("log_softmax", input, dim), dtype)


def softmin(input: Any, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """The softmax of ``-x``."""
    return (-input).softmax(_dim("softmin", input, dim), dtype)


def gumbel_softmax(logits: Any, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1) -> Tensor:
    """The softmax of logits with Gumbel noise, over `tau`; with `hard` ones and zeros, which have the gradient of that."""
    if eps != 1e-10:
        warnings.warn("`eps` parameter is deprecated and has no effect.", stacklevel=2)
    noise = -_call["empty_like"](logits).exponential_().log()
    soft = ((logits + noise) / tau).softmax(dim)
    if not hard:
        return soft
    one = _call["zeros_like"](logits).scatter(dim, soft.max(dim, keepdim=True)[1], 1.0)
    return one - soft.detach() + soft
