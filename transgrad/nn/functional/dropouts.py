"""Dropout of elements and of channels."""
from __future__ import annotations

import math
import warnings
from typing import Any

from ...autograd.ops import FUNCTIONS
from ...autograd.tensor import Tensor

__all__ = ["alpha_dropout", "dropout", "dropout1d", "dropout2d", "dropout3d", "feature_alpha_dropout"]

_call: Any = FUNCTIONS
#: minus the limit of `selu` at minus infinity
_ALPHA = 1.7580993408473766


def _written(input: Any, found: Any, inplace: bool) -> Any:
    return input.copy_(found) if inplace and found is not input else found


def dropout(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Set elements to 0 with probability ``p`` and multiply the others by ``1 / (1 - p)``, in training mode.

    Raises
    ------
    ValueError
        If `p` is not a probability.
    """
    return _written(input, _call["dropout"](input, p, training), inplace)


def drop(input: Any, p: float, training: bool, channels: bool, alpha: bool) -> Any:
    """Drop elements or channels: set them to 0, or with ``alpha`` to the limit of `selu`, and preserve the mean (and the variance)."""
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    if not training or p == 0 or not input.numel():
        return input
    if channels and input.ndim < 2:
        raise RuntimeError("Feature dropout requires at least 2 dimensions in the input")
    if p == 1:
        return input * 0.0
    kept = input.new_empty((*input.shape[:2], *[1] * (input.ndim - 2)) if channels else tuple(input.shape)).bernoulli_(1 - p)
    if not alpha:
        return input * kept.div_(1 - p)
    scale = 1.0 / math.sqrt((_ALPHA**2 * p + 1) * (1 - p))
    return input * (kept * scale) + ((kept - 1) * (_ALPHA * scale) + _ALPHA * scale * p)


def _drop_channels(input: Any, p: float, training: bool, inplace: bool, single: bool) -> Any:
    found = drop(input.unsqueeze(0) if single else input, p, training, True, False)
    return _written(input, found.squeeze(0) if single else found, inplace)


def _warn_ndim(name: str, input: Any, ndims: tuple[int, ...]) -> None:
    if input.ndim not in ndims:
        warnings.warn(f"{name}: Received a {input.ndim}-D input to {name}, which is deprecated and will result in an error in a future "
                      "release. To retain the behavior and silence this warning, please use dropout instead.", UserWarning, stacklevel=3)


def dropout1d(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Set whole channels of (N, C, L) or (C, L) to 0 with probability ``p`` and multiply the others by ``1 / (1 - p)``.

    Raises
    ------
    RuntimeError
        For another number of dimensions.
    """
    if input.ndim not in (2, 3):
        raise RuntimeError(f"dropout1d: Expected 2D or 3D input, but received a {input.ndim}D input. Note that dropout1d exists to provide "
                           "channel-wise dropout on inputs with 1 spatial dimension, a channel dimension, and an optional batch dimension "
                           "(i.e. 2D or 3D inputs).")
    return _drop_channels(input, p, training, inplace, input.ndim == 2)


def dropout2d(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Set whole channels of (N, C, H, W) to 0 with probability ``p`` and multiply the others by ``1 / (1 - p)``.

    Interpret three dimensions as (N, C, L), as PyTorch does, with a warning.
    """
    _warn_ndim("dropout2d", input, (3, 4))
    if input.ndim == 3:
        warnings.warn("dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout behavior is desired - input "
                      "is interpreted as shape (N, C, L), where C is the channel dim.", UserWarning, stacklevel=2)
    return _drop_channels(input, p, training, inplace, False)


def dropout3d(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Set whole channels of (N, C, D, H, W) or (C, D, H, W) to 0 with probability ``p`` and multiply the others by ``1 / (1 - p)``."""
    _warn_ndim("dropout3d", input, (4, 5))
    return _drop_channels(input, p, training, inplace, input.ndim == 4)


def alpha_dropout(input: Any, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """Set elements to the limit of `selu` with probability ``p``; preserve mean and variance.

    Raises
    ------
    ValueError
        If `p` is not a probability.
    """
    return _written(input, drop(input, p, training, False, True), inplace)


def feature_alpha_dropout(input: Any, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """`alpha_dropout` of whole channels."""
    return _written(input, drop(input, p, training, True, True), inplace)
