"""Normalization by mean and variance, and its scale and shift, as one operation.

Each function takes the input in a shape ``view``, in which it is normalized along the dimensions ``dims``; weight and bias have the shape
``shape`` beside the input, whose dimensions ``axes`` their gradients are summed over.
"""
from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...rules.registry import rule
from ..graph_rules import graph_rule
from ..names import node_name

__all__ = ["batch_norm", "group_norm", "layer_norm"]

Sizes = tuple[int, ...]


@functools.lru_cache(64)
def _ones(n: int, dtype: Any) -> Any:
    return np.ones(n, dtype)


def mean(x: Any, dims: Sizes) -> Any:
    """The mean along dimensions, which stay with size 1."""
    if type(x) is np.ndarray and dims in ((-1,), (x.ndim - 1,)):
        return _mean_of_products(x, _ones(x.shape[dims[0]], x.dtype), dims)
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
    """The gradient of a weight or bias, if there is one: the sum over the other dimensions."""
    return None if like is None else np.reshape(np.sum(x, axis=axes), like.shape)


def _into(found: Any, other: Any) -> dict[str, Any]:
    """The option that has an operation write to a new array of its own."""
    return {"out": found} if found.dtype == other.dtype else {}


def _mean_of_products(a: Any, b: Any, dims: Sizes) -> Any:
    """``mean(a * b, dims)``; along the last dimension without the products in memory."""
    if dims in ((-1,), (a.ndim - 1,)) and a.dtype.kind == "f" and a.dtype.itemsize > 2 and a.shape[-1]:
        return (np.vecdot(a, b) / a.dtype.type(a.shape[-1]))[..., None]
    product = a * b
    return np.sum(product, axis=dims, keepdims=True) / math.prod([product.shape[k] for k in dims])


def _standardized(x: Any, dims: Sizes, eps: float) -> tuple[Any, Any]:
    """`standard` of an array, and the factor that makes the variance 1."""
    centered = x - mean(x, dims)
    factor = 1.0 / np.sqrt(_mean_of_products(centered, centered, dims) + eps)
    return np.multiply(centered, factor, **_into(centered, factor)), factor


def _normalization(name: str) -> Callable[..., Any]:
    def normalization(input: Any, weight: Any, bias: Any, view: Sizes, dims: Sizes, eps: float, axes: Sizes, shape: Sizes) -> Any:
        found, _ = _standardized(input.reshape(view), dims, eps)
        found = found.reshape(input.shape)
        if weight is not None:
            found = np.multiply(found, weight.reshape(shape), **_into(found, weight))
        return found if bias is None else np.add(found, bias.reshape(shape), **_into(found, bias))
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
    z, factor = _standardized(np.reshape(input, view), dims, eps)
    h = np.reshape(scaled(g, weight, shape), view)
    entry = h - mean(h, dims)
    entry -= z * _mean_of_products(h, z, dims)
    entry *= factor
    return (np.reshape(entry, input.shape), summed(g * np.reshape(z, input.shape), axes, weight), summed(g, axes, bias))


@graph_rule(layer_norm, batch_norm, group_norm)
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
