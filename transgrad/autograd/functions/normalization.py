"""Normalization by mean and variance, and its scale and shift, as one operation.

Each function takes the input in a shape ``view``, in which it is normalized along the dimensions ``dims``; weight and bias have the shape
``shape`` beside the input, whose dimensions ``axes`` their gradients are summed over.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...rules.registry import rule
from ..names import node_name

__all__ = ["batch_norm", "group_norm", "layer_norm"]

Sizes = tuple[int, ...]


def mean(x: Any, dims: Sizes) -> Any:
    """The mean along dimensions, which stay with size 1."""
    count = 1
    for k in dims:
        count *= x.shape[k]
    return np.sum(x, axis=dims, keepdims=True) / count


def standard(x: Any, dims: Sizes, eps: float) -> Any:
    """``x`` with mean 0 and variance 1."""
    centered = x - mean(x, dims)
    return centered / np.sqrt(mean(centered * centered, dims) + eps)


def projected(h: Any, x: Any, dims: Sizes, eps: float) -> Any:
    """The derivative of `standard` at ``x``, which is symmetric, applied to ``h``."""
    centered = x - mean(x, dims)
    factor = 1.0 / np.sqrt(mean(centered * centered, dims) + eps)
    z = centered * factor
    return factor * (h - mean(h, dims) - z * mean(h * z, dims))


def scaled(x: Any, weight: Any, shape: Sizes) -> Any:
    """``x`` times the weight, if there is one."""
    return x if weight is None else x * np.reshape(weight, shape)


def summed(x: Any, axes: Sizes, like: Any) -> Any:
    """The gradient of a weight or bias: the sum over the other dimensions."""
    return np.reshape(np.sum(x, axis=axes), like.shape)


def _normalization(name: str) -> Callable[..., Any]:
    def normalization(input: Any, weight: Any, bias: Any, view: Sizes, dims: Sizes, eps: float, axes: Sizes, shape: Sizes) -> Any:
        x = input.reshape(view)
        found = x - mean(x, dims)
        found /= np.sqrt(mean(found * found, dims) + eps)
        found = found.reshape(input.shape)
        if weight is not None:
            found = found * weight.reshape(shape)
        return found if bias is None else found + bias.reshape(shape)
    normalization.__name__ = normalization.__qualname__ = name
    return normalization


layer_norm, batch_norm, group_norm = map(_normalization, ("layer_norm", "batch_norm", "group_norm"))


@rule(layer_norm, batch_norm, group_norm, kind="general", jvp=(
    lambda t, y, input, weight, bias, view, dims, eps, axes, shape: scaled(
        np.reshape(projected(np.reshape(t, view), np.reshape(input, view), dims, eps), input.shape), weight, shape),
    lambda t, y, input, weight, bias, view, dims, eps, axes, shape: np.reshape(
        standard(np.reshape(input, view), dims, eps), input.shape) * np.reshape(t, shape),
    lambda t, y, input, weight, bias, view, dims, eps, axes, shape: np.broadcast_to(np.reshape(t, shape), input.shape)))
def _(g, y, input, weight, bias, view, dims, eps, axes, shape):
    x = np.reshape(input, view)
    h = np.reshape(scaled(g, weight, shape), view)
    centered = x - mean(x, dims)
    factor = 1.0 / np.sqrt(mean(centered * centered, dims) + eps)
    z = centered * factor
    return (np.reshape(factor * (h - mean(h, dims) - z * mean(h * z, dims)), input.shape),
            summed(g * np.reshape(z, input.shape), axes, weight), summed(g, axes, bias))


node_name(layer_norm, "NativeLayerNormBackward0")
node_name(batch_norm, "NativeBatchNormBackward0")
node_name(group_norm, "NativeGroupNormBackward0")
