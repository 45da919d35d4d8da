"""Normalization by layer, group, channel or neighborhood."""
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
    """The input with mean 0 and variance 1 along these dimensions."""
    centered = input - input.mean(dims, keepdim=True)
    return centered * (centered.pow(2).mean(dims, keepdim=True) + eps).rsqrt()


def _normalized(fn: Any, input: Any, weight: Any, bias: Any, view: Sequence[int], dims: tuple[int, ...], eps: float,
                shape: Sequence[int]) -> Any:
    """The input with mean 0 and variance 1 along ``dims`` of its ``view``, times the weight, plus the bias, both in a shape."""
    if STATE.interpreter is not None or dtypes.category(input.dtype) != dtypes.FLOATING:       # operations that have batched forms
        standard = _standard(input.reshape(tuple(view)), dims, eps).reshape(input.shape)
        return _affine(standard, *(x if x is None else x.reshape(tuple(shape)) for x in (weight, bias)))
    first = input.ndim - len(shape)
    axes = tuple(k for k in range(input.ndim) if k < first or shape[k - first] == 1)
    return apply(fn, input, weight, bias, tuple(view), dims, eps, axes, tuple(shape))


def _affine(input: Any, weight: Any, bias: Any) -> Any:
    """``input * weight + bias``; either may be None."""
    scaled = input if weight is None else input * weight
    return scaled if bias is None else scaled + bias


def _channels(x: Any, input: Tensor) -> Any:
    """Reshape one number for each channel so that it broadcasts with the input."""
    return x if x is None else x.reshape(input.shape[1], *[1] * (input.ndim - 2))


def _trailing(input: Tensor, shape: Sequence[int], kernel: str, star: str = "*, ", **given: Any) -> tuple[int, ...]:
    """The dimensions that a shape of normalization is about."""
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
                           "input of "
                           f"size{list(input.shape)}")
    if dtypes.category(input.dtype) < dtypes.FLOATING:
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{dtypes.title(input.dtype)}'")
    return tuple(range(-len(wanted), 0))


def layer_norm(input: Any, normalized_shape: Sequence[int], weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Tensor:
    """The input with mean 0 and variance 1 over its last dimensions, times `weight`, plus `bias`.

    Raises
    ------
    RuntimeError
        If the shapes of input, weight or bias do not end in `normalized_shape`.
    NotImplementedError
        For integers.
    """
    dims = _trailing(input, normalized_shape, "LayerNormKernelImpl", weight=weight, bias=bias)
    shape = input.shape[input.ndim - len(dims):]
    return _normalized(normalization.layer_norm, input, weight, bias, input.shape, dims, eps, shape)


def rms_norm(input: Any, normalized_shape: Sequence[int], weight: Any = None, eps: float | None = None) -> Tensor:
    """The input over the root of its mean square over its last dimensions; `eps` is the dtype's where none is given."""
    dims = _trailing(input, normalized_shape, "RMSNormKernelImpl", "*", weight=weight)
    least = float(np.finfo(input.dtype).eps) if eps is None else eps
    return _affine(input * (input.pow(2).mean(dims, keepdim=True) + least).rsqrt(), weight, None)


def group_norm(input: Any, num_groups: int, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Tensor:
    """The input with mean 0 and variance 1 over each of `num_groups` groups of channels.

    Raises
    ------
    RuntimeError
        If the channels do not fall into groups of one size.
    """
    if input.ndim < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {input.ndim}")
    if input.shape[1] % num_groups:
        raise RuntimeError("Expected number of channels in input to be divisible by num_groups, but got input of shape "
                           f"{list(input.shape)} and num_groups={num_groups}")
    view = (input.shape[0], num_groups, input.numel() // max(input.shape[0] * num_groups, 1))
    return _normalized(normalization.group_norm, input, weight, bias, view, (2,), eps, (input.shape[1], *[1] * (input.ndim - 2)))


def batch_norm(input: Any, running_mean: Any, running_var: Any, weight: Any = None, bias: Any = None, training: bool = False,
               momentum: float = 0.1, eps: float = 1e-5) -> Tensor:
    """Each channel with mean 0 and variance 1: those of the batch while `training`, otherwise the running ones.

    While training the running ones are moved towards the batch's by `momentum`, in place.

    Raises
    ------
    ValueError
        If there is one value a channel while training.
    RuntimeError
        If the running mean and variance are missing, or are not one for each channel.
    """
    count = input.numel() // max(input.shape[1], 1)
    if training and count <= 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {input.shape}")
    for name, x in (("running_mean", running_mean), ("running_var", running_var), ("weight", weight), ("bias", bias)):
        if x is None and not training and name.startswith("running"):
            raise RuntimeError(f"{name} must be defined in evaluation mode")
        if x is not None and x.numel() != input.shape[1]:
            raise RuntimeError(f"{name} should contain {input.shape[1]} elements not {x.numel()}")
    if not training:
        scale, shift = _channels(weight, input), _channels(bias, input)
        deviation = (_channels(running_var, input) + eps).sqrt()
        return _affine((input - _channels(running_mean, input)) / deviation, scale, shift)
    dims = (0, *range(2, input.ndim))
    _follow(input, dims, running_mean, running_var, momentum)
    return _normalized(normalization.batch_norm, input, weight, bias, input.shape, dims, eps, (input.shape[1], *[1] * (input.ndim - 2)))


def _follow(input: Any, dims: tuple[int, ...], running_mean: Any, running_var: Any, momentum: float) -> None:
    """Move the running mean and variance towards those of the input."""
    if running_mean is None and running_var is None:
        return
    with no_grad():
        data = input.detach()
        for running, now in ((running_mean, data.mean(dims)), (running_var, data.var(dims))):
            if running is not None:
                running.mul_(1 - momentum).add_(now.to(running.dtype), alpha=momentum)


def instance_norm(input: Any, running_mean: Any = None, running_var: Any = None, weight: Any = None, bias: Any = None,
                  use_input_stats: bool = True, momentum: float = 0.1, eps: float = 1e-5) -> Tensor:
    """Each channel of each example with mean 0 and variance 1: its own, or the running ones without `use_input_stats`.

    Raises
    ------
    ValueError
        If there is one value a channel.
    """
    if use_input_stats and input.numel() // max(input.shape[0] * input.shape[1], 1) <= 1:
        raise ValueError(f"Expected more than 1 spatial element when training, got input size {input.shape}")
    if not use_input_stats:
        return batch_norm(input, running_mean, running_var, weight, bias, False, momentum, eps)
    dims = tuple(range(2, input.ndim))
    with no_grad():
        data = input.detach()
        for running, now in ((running_mean, data.mean(dims)), (running_var, data.var(dims))):
            if running is not None:
                running.mul_(1 - momentum).add_(now.mean(0), alpha=momentum)
    return _affine(_standard(input, dims, eps), _channels(weight, input), _channels(bias, input))


def local_response_norm(input: Any, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Tensor:
    """The input over a power of the mean square of `size` channels around each.

    Raises
    ------
    ValueError
        If there are no dimensions beside batch and channels.
    """
    if input.ndim < 3:
        raise ValueError(f"Expected 3D or higher dimensionality input (got {input.ndim} dimensions)")
    squares: Any = pad(input * input, [0, 0] * (input.ndim - 2) + [size // 2, (size - 1) // 2])
    mean: Any = squares.unfold(1, size, 1).mean(-1)
    return input / (mean * alpha + k).pow(beta)
