"""Initial values of parameters; each function writes into a Tensor, without recording, and returns it."""
from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any

from ..absent import refusing
from ..autograd.grad_mode import unrecorded
from ..autograd.ops import FUNCTIONS, LINALG

__all__ = ["calculate_gain", "constant_", "dirac_", "eye_", "kaiming_normal_", "kaiming_uniform_", "normal_", "ones_", "orthogonal_",
           "sparse_", "trunc_normal_", "uniform_", "xavier_normal_", "xavier_uniform_", "zeros_"]


@unrecorded
def uniform_(tensor: Any, a: float = 0.0, b: float = 1.0, generator: Any = None) -> Any:
    """Uniform between ``a`` and ``b``."""
    return tensor.uniform_(a, b, generator=generator)


@unrecorded
def normal_(tensor: Any, mean: float = 0.0, std: float = 1.0, generator: Any = None) -> Any:
    """Normal with this mean and deviation."""
    return tensor.normal_(mean, std, generator=generator)


@unrecorded
def trunc_normal_(tensor: Any, mean: float = 0.0, std: float = 1.0, a: float = -2.0, b: float = 2.0, generator: Any = None) -> Any:
    """Normal, between ``a`` and ``b``: by the inverse of the distribution function."""
    def below(x: float) -> float:
        return (1.0 + math.erf((x - mean) / std / math.sqrt(2.0))) / 2.0
    tensor.uniform_(2 * below(a) - 1, 2 * below(b) - 1, generator=generator)
    return tensor.erfinv_().mul_(std * math.sqrt(2.0)).add_(mean).clamp_(min=a, max=b)


@unrecorded
def constant_(tensor: Any, val: float) -> Any:
    """One value everywhere."""
    return tensor.fill_(val)


def ones_(tensor: Any) -> Any:
    """One everywhere."""
    return constant_(tensor, 1.0)


def zeros_(tensor: Any) -> Any:
    """Zero everywhere."""
    return constant_(tensor, 0.0)


@unrecorded
def eye_(tensor: Any) -> Any:
    """The identity matrix."""
    if tensor.ndim != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    return tensor.copy_(FUNCTIONS["eye"](*tensor.shape))


@unrecorded
def dirac_(tensor: Any, groups: int = 1) -> Any:
    """A convolution that passes on its input, as many channels as there are."""
    if tensor.ndim not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    if tensor.shape[0] % groups:
        raise ValueError("dim 0 must be divisible by groups")
    tensor.zero_()
    each = tensor.shape[0] // groups
    center = tuple(n // 2 for n in tensor.shape[2:])
    for g in range(groups):
        for d in range(min(each, tensor.shape[1])):
            tensor[(g * each + d, d, *center)] = 1
    return tensor


def calculate_gain(nonlinearity: str, param: Any = None) -> float:
    """The factor by which an activation makes deviations smaller."""
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        if isinstance(slope, bool) or not isinstance(slope, (int, float)):
            raise ValueError(f"negative_slope {param} not a valid number")
        return math.sqrt(2.0 / (1 + slope ** 2))
    known = {"tanh": 5.0 / 3, "relu": math.sqrt(2.0), "selu": 3.0 / 4}
    if nonlinearity in ("linear", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "sigmoid"):
        return 1
    if nonlinearity not in known:
        raise ValueError(f"Unsupported nonlinearity {nonlinearity}")
    return known[nonlinearity]


def _calculate_fan_in_and_fan_out(tensor: Any) -> tuple[int, int]:
    """How many inputs an output has, and how many outputs an input goes to."""
    if tensor.ndim < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    field = math.prod(tensor.shape[2:])
    return tensor.shape[1] * field, tensor.shape[0] * field


def xavier_uniform_(tensor: Any, gain: float = 1.0, generator: Any = None) -> Any:
    """Uniform, by the number of inputs and outputs (Glorot & Bengio 2010)."""
    bound = gain * math.sqrt(6.0 / sum(_calculate_fan_in_and_fan_out(tensor)))
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Any, gain: float = 1.0, generator: Any = None) -> Any:
    """Normal, by the number of inputs and outputs (Glorot & Bengio 2010)."""
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / sum(_calculate_fan_in_and_fan_out(tensor))), generator)


def _kaiming(tensor: Any, a: float, mode: str, nonlinearity: str) -> float:
    """The deviation that keeps that of the signals (He et al. 2015)."""
    if mode.lower() not in ("fan_in", "fan_out"):
        raise ValueError(f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']")
    fans = _calculate_fan_in_and_fan_out(tensor)
    return calculate_gain(nonlinearity, a) / math.sqrt(fans[mode.lower() == "fan_out"])


def kaiming_uniform_(tensor: Any, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: Any = None) -> Any:
    """Uniform, by the number of inputs or outputs (He et al. 2015); ``a`` is the factor of the leaky ReLU that follows."""
    if 0 in tensor.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=2)
        return tensor
    bound = math.sqrt(3.0) * _kaiming(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(tensor: Any, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: Any = None) -> Any:
    """Normal, by the number of inputs or outputs (He et al. 2015); ``a`` is the factor of the leaky ReLU that follows."""
    if 0 in tensor.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=2)
        return tensor
    return normal_(tensor, 0.0, _kaiming(tensor, a, mode, nonlinearity), generator)


@unrecorded
def orthogonal_(tensor: Any, gain: float = 1, generator: Any = None) -> Any:
    """An orthogonal matrix, the dimensions behind the first joined."""
    if tensor.ndim < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if tensor.numel() == 0:
        return tensor
    rows, columns = tensor.shape[0], tensor.numel() // tensor.shape[0]
    drawn = tensor.new_empty((rows, columns)).normal_(0, 1, generator=generator)
    q, r = LINALG["qr"](drawn.t() if rows < columns else drawn)
    q = q * r.diagonal().sign()
    return tensor.copy_((q.t() if rows < columns else q).reshape(tensor.shape)).mul_(gain)


@unrecorded
def sparse_(tensor: Any, sparsity: float, std: float = 0.01, generator: Any = None) -> Any:
    """Normal, with this part of each column zero."""
    if tensor.ndim != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    rows, columns = tensor.shape
    tensor.normal_(0, std, generator=generator)
    for column in range(columns):
        tensor[FUNCTIONS["randperm"](rows)[:math.ceil(sparsity * rows)], column] = 0
    return tensor


if not TYPE_CHECKING:
    __getattr__ = refusing(__name__, "torch.nn.init")
