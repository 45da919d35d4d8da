"""Normalization of layers, groups, batches, instances and neighborhoods."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...autograd import dtypes
from ...autograd.dispatch import apply
from ...autograd.functions import normalization
from ...autograd.grad_mode import no_grad
from ...autograd.padding import pad
from ...autograd.state import STATE
from ...autograd.tensor import Tensor

__all__ = ["batch_norm", "group_norm", "instance_norm", "layer_norm", "local_response_norm", "rms_norm"]


def _standard(input: Any, dims: tuple[int, ...], eps: float) -> Any:
    """Normalize along some dimensions to mean 0 and variance 1."""
    centered = input - input.mean(dims, keepdim=True)
    return centered * (centered.pow(2).mean(dims, keepdim=True) + eps).rsqrt()


def _normalized(fused: Any, input: Any, weight: Any, bias: Any, view: Sequence[int], dims: tuple[int, ...], eps: float,
                shape: Sequence[int]) -> Any:
    """Normalize along ``dims`` of a view of the input, multiply by the weight and add the bias, both reshaped to ``shape``."""
    if STATE.interpreter is not None or dtypes.category(input.dtype) != dtypes.FLOATING:       # operations that have batched forms
        standard = _standard(input.reshape(tuple(view)), dims, eps).reshape(input.shape)
        return _affine(standard, weight, bias, shape)
    first = input.ndim - len(shape)
    axes = tuple(k for k in range(input.ndim) if k < first or shape[k - first] == 1)
    return apply(fused, input, weight, bias, tuple(view), dims, eps, axes, tuple(shape))


def _affine(input: Any, weight: Any, bias: Any, shape: Sequence[int]) -> Any:
    """Return ``input * weight + bias``, both reshaped; either may be None."""
    weight, bias = (x if x is None else x.reshape(tuple(shape)) for x in (weight, bias))
    scaled = input if weight is None else input * weight
    return scaled if bias is None else scaled + bias


def _per_channel(input: Tensor) -> tuple[int, ...]:
    """Return the shape that broadcasts one number for each channel with the input."""
    return (input.shape[1], *[1] * (input.ndim - 2))


def _last_dimensions(input: Tensor, shape: Any, kernel: str, star: str = "*, ", **given: Any) -> tuple[int, ...]:
    """Check a normalized shape against input, weight and bias; return the dimensions."""
    wanted = [shape] if isinstance(shape, int) else list(shape)
    if not wanted:
        raise RuntimeError("Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got "
                           f"normalized_shape = {wanted}")
    for name, x in given.items():
        if x is not None and list(x.shape) != wanted:
            raise RuntimeError(f"Expected {name} to be of same shape as normalized_shape, but got {name} of shape {list(x.shape)} and "
                               f"normalized_shape = {wanted}")
    if list(input.shape[-len(wanted):]) != wanted:
        raise RuntimeError(f"Given normalized_shape={wanted}, expected input with shape [{star}{', '.join(map(str, wanted))}], but got "
                           f"input of size{list(input.shape)}")
    if dtypes.category(input.dtype) < dtypes.FLOATING:
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{dtypes.title(input.dtype)}'")
    return tuple(range(-len(wanted), 0))


def layer_norm(input: Any, normalized_shape: Sequence[int], weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Tensor:
    """Normalize the last dimensions to mean 0 and variance 1, multiply by `weight` and add `bias`.

    Raises
    ------
    RuntimeError
        If the shapes of input, weight or bias do not end in `normalized_shape`.
    NotImplementedError
        For integers.
    """
    dims = _last_dimensions(input, normalized_shape, "LayerNormKernelImpl", weight=weight, bias=bias)
    return _normalized(normalization.layer_norm, input, weight, bias, input.shape, dims, eps, input.shape[input.ndim - len(dims):])


def rms_norm(input: Any, normalized_shape: Sequence[int], weight: Any = None, eps: float | None = None) -> Tensor:
    """Divide the input by the root of its mean square over its last dimensions; `eps` is that of the dtype by default."""
    dims = _last_dimensions(input, normalized_shape, "RMSNormKernelImpl", "*", weight=weight)
    least = float(np.finfo(input.dtype).eps) if eps is None else eps
    found = input * (input.pow(2).mean(dims, keepdim=True) + least).rsqrt()
    return found if weight is None else found * weight


def group_norm(input: Any, num_groups: int, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Tensor:
    """Normalize each of `num_groups` groups of channels to mean 0 and variance 1.

    Raises
    ------
    RuntimeError
        If the number of channels is no multiple of the number of groups.
    """
    if input.ndim < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {input.ndim}")
    if input.shape[1] % num_groups:
        raise RuntimeError("Expected number of channels in input to be divisible by num_groups, but got input of shape "
                           f"{list(input.shape)} and num_groups={num_groups}")
    view = (input.shape[0], num_groups, input.numel() // max(input.shape[0] * num_groups, 1))
    return _normalized(normalization.group_norm, input, weight, bias, view, (2,), eps, _per_channel(input))


def batch_norm(input: Any, running_mean: Any, running_var: Any, weight: Any = None, bias: Any = None, training: bool = False,
               momentum: float = 0.1, eps: float = 1e-5) -> Tensor:
    """Normalize each channel by the mean and variance of the batch in training mode, or else by the running ones.

    In training mode the running mean and variance move towards those of the batch by `momentum`, in place.

    Raises
    ------
    ValueError
        If there is one value for each channel in training mode.
    RuntimeError
        If the running mean and variance are missing, or have another number of elements than there are channels.
    """
    count = input.numel() // max(input.shape[1], 1)
    if training and count <= 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {input.shape}")
    for name, x in (("running_mean", running_mean), ("running_var", running_var), ("weight", weight), ("bias", bias)):
        if x is None and not training and name.startswith("running"):
            raise RuntimeError(f"{name} must be defined in evaluation mode")
        if x is not None and x.numel() != input.shape[1]:
            raise RuntimeError(f"{name} should contain {input.shape[1]} elements not {x.numel()}")
    shape = _per_channel(input)
    if not training:
        deviation = (running_var.reshape(shape) + eps).sqrt()
        return _affine((input - running_mean.reshape(shape)) / deviation, weight, bias, shape)
    dims = (0, *range(2, input.ndim))
    _track(input, dims, running_mean, running_var, momentum)
    return _normalized(normalization.batch_norm, input, weight, bias, input.shape, dims, eps, shape)


def _track(input: Any, dims: tuple[int, ...], running_mean: Any, running_var: Any, momentum: float) -> None:
    """Move the running mean and variance towards those of the input; those of several examples are averaged."""
    if running_mean is None and running_var is None:
        return
    with no_grad():
        data = input.detach()
        for running, now in ((running_mean, data.mean(dims)), (running_var, data.var(dims))):
            if running is not None:
                running.mul_(1 - momentum).add_((now if now.ndim == 1 else now.mean(0)).to(running.dtype), alpha=momentum)


def instance_norm(input: Any, running_mean: Any = None, running_var: Any = None, weight: Any = None, bias: Any = None,
                  use_input_stats: bool = True, momentum: float = 0.1, eps: float = 1e-5) -> Tensor:
    """Normalize each channel of each example by its own mean and variance, or by the running ones without `use_input_stats`.

    Raises
    ------
    ValueError
        If there is one value for each channel.
    """
    if use_input_stats and input.numel() // max(input.shape[0] * input.shape[1], 1) <= 1:
        raise ValueError(f"Expected more than 1 spatial element when training, got input size {input.shape}")
    if not use_input_stats:
        return batch_norm(input, running_mean, running_var, weight, bias, False, momentum, eps)
    dims = tuple(range(2, input.ndim))
    _track(input, dims, running_mean, running_var, momentum)
    return _affine(_standard(input, dims, eps), weight, bias, _per_channel(input))


def local_response_norm(input: Any, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Tensor:
    """Divide the input by a power of the mean square over `size` neighboring channels.

    Raises
    ------
    ValueError
        If there are no dimensions besides batch and channels.
    """
    if input.ndim < 3:
        raise ValueError(f"Expected 3D or higher dimensionality input (got {input.ndim} dimensions)")
    squares: Any = pad(input * input, [0, 0] * (input.ndim - 2) + [size // 2, (size - 1) // 2])
    return input / (squares.unfold(1, size, 1).mean(-1) * alpha + k).pow(beta)
