"""Dropout: elements or whole channels that are drawn become 0, or what keeps mean and variance."""
from __future__ import annotations

import math
import warnings
from typing import Any

from ...autograd.ops import FUNCTIONS
from ...autograd.tensor import Tensor

__all__ = ["alpha_dropout", "dropout", "dropout1d", "dropout2d", "dropout3d", "feature_alpha_dropout"]

_call: Any = FUNCTIONS
#: minus the bound that `selu` goes to on the left
_ALPHA = 1.7580993408473766


def _check(p: float) -> None:
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def _written(input: Any, found: Any, inplace: bool) -> Any:
    return input.copy_(found) if inplace and found is not input else found


def dropout(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Each element 0 with probability ``p``, the others larger by as much, while `training`.

    Raises
    ------
    ValueError
        If `p` is no probability.
    """
    return _written(input, _call["dropout"](input, p, training), inplace)


def by_channel(input: Any, p: float, train: bool) -> Any:
    """Dropout of whole channels of (N, C, *sizes)."""
    if not train or p == 0 or not input.numel():
        return input
    if input.ndim < 2:
        raise RuntimeError("Feature dropout requires at least 2 dimensions in the input")
    if p == 1:
        return input * 0.0
    kept = input.new_empty((*input.shape[:2], *[1] * (input.ndim - 2))).bernoulli_(1 - p)
    return input * kept.div_(1 - p)


def with_alpha(input: Any, p: float, train: bool, channels: bool) -> Any:
    """Dropout to the lowest value of `selu`, scaled and moved so that mean and variance stay."""
    if not train or p == 0 or not input.numel():
        return input
    if p == 1:
        return input * 0.0
    shape = (*input.shape[:2], *[1] * (input.ndim - 2)) if channels else tuple(input.shape)
    kept = input.new_empty(shape).bernoulli_(1 - p)
    scale = 1.0 / math.sqrt((_ALPHA**2 * p + 1) * (1 - p))
    return input * (kept * scale) + ((kept - 1) * (_ALPHA * scale) + _ALPHA * scale * p)


def _of_channels(name: str, input: Any, p: float, training: bool, inplace: bool, sizes: int) -> Any:
    _check(p)
    alone = input.ndim == sizes + 1
    found = by_channel(input.unsqueeze(0) if alone else input, p, training)
    return _written(input, found.squeeze(0) if alone else found, inplace)


def dropout1d(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Whole channels of (N, C, L) or (C, L) 0 with probability ``p``, the others larger by as much.

    Raises
    ------
    RuntimeError
        For another number of dimensions.
    """
    if input.ndim not in (2, 3):
        raise RuntimeError(f"dropout1d: Expected 2D or 3D input, but received a {input.ndim}D input. Note that dropout1d exists to provide "
                           "channel-wise dropout on inputs with 1 spatial dimension, a channel dimension, and an optional batch dimension "
                           "(i.e. 2D or 3D inputs).")
    return _of_channels("dropout1d", input, p, training, inplace, 1)


def dropout2d(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Whole channels of (N, C, H, W) 0 with probability ``p``, the others larger by as much.

    Interpret three dimensions as (N, C, L), as PyTorch does, with a warning.
    """
    if input.ndim not in (3, 4):
        warnings.warn(f"dropout2d: Received a {input.ndim}-D input to dropout2d, which is deprecated and will result in an error in a "
                      "future "
                      "release. To retain the behavior and silence this warning, please use dropout instead.", UserWarning, stacklevel=2)
    if input.ndim == 3:
        warnings.warn("dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout behavior is desired - input "
                      "is "
                      "interpreted as shape (N, C, L), where C is the channel dim.", UserWarning, stacklevel=2)
    return _of_channels("dropout2d", input, p, training, inplace, -1)


def dropout3d(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Whole channels of (N, C, D, H, W) or (C, D, H, W) 0 with probability ``p``, the others larger by as much."""
    if input.ndim not in (4, 5):
        warnings.warn(f"dropout3d: Received a {input.ndim}-D input to dropout3d, which is deprecated and will result in an error in a "
                      "future "
                      "release. To retain the behavior and silence this warning, please use dropout instead.", UserWarning, stacklevel=2)
    return _of_channels("dropout3d", input, p, training, inplace, 3)


def alpha_dropout(input: Any, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """Elements become the lowest value of `selu` with probability ``p``; mean and variance stay.

    Raises
    ------
    ValueError
        If `p` is no probability.
    """
    _check(p)
    return _written(input, with_alpha(input, p, training, False), inplace)


def feature_alpha_dropout(input: Any, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """`alpha_dropout` of whole channels."""
    _check(p)
    return _written(input, with_alpha(input, p, training, True), inplace)
