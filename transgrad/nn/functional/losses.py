"""Losses of each element: distances from targets, and minus logarithms of likelihoods."""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ...autograd import dtypes
from ...autograd.dispatch import apply
from ...autograd.functions import losses as primitives
from ...autograd.ops import FUNCTIONS
from ...autograd.state import STATE
from ...autograd.tensor import Tensor
from ...autograd.warned import warn
from .activations import logsigmoid
from .reductions import reduced, reduction_of

__all__ = [
    "binary_cross_entropy", "binary_cross_entropy_with_logits", "gaussian_nll_loss", "huber_loss", "kl_div", "l1_loss", "mse_loss",
    "poisson_nll_loss", "smooth_l1_loss",
]

_call: Any = FUNCTIONS


def _compare(input: Any, target: Any) -> None:
    """torch's warning where the shapes differ."""
    if target.shape != input.shape:
        warn(f"Using a target size ({target.shape}) that is different to the input size ({input.shape}). This will likely lead to "
             "incorrect results due to broadcasting. Please ensure they have the same size.")


def one_node(loss: Callable[..., Any], input: Any, target: Any, reduction: str, *options: Any) -> Any:
    """A loss as one operation on tensors of one shape and dtype; inside `vmap` the reduction is another."""
    if reduction not in ("none", "sum", "mean"):
        return reduced(input, reduction)        # which refuses it
    dtype = dtypes.result_type(input, target)
    if not dtypes.is_differentiable(dtype):
        raise NotImplementedError(f"\"{loss.__name__.removesuffix('_loss')}_cpu\" not implemented for '{dtypes.title(dtype)}'")
    input, target = _call["broadcast_tensors"](input, target)
    input, target = (x if x.dtype == dtype else x.to(dtype) for x in (input, target))
    if STATE.interpreter is not None:
        return reduced(apply(loss, input, target, "none", *options), reduction)
    return apply(loss, input, target, reduction, *options)


def _weighted(losses: Any, weight: Any) -> Any:
    """The losses, each times its weight."""
    if weight is not None and weight.shape != losses.shape:
        raise ValueError("Weights and input must have the same size.")
    return losses if weight is None else losses * weight


def _over(weight: Any) -> Any:
    """The divisor of the mean of weighted losses."""
    return None if weight is None else weight.sum()


def mse_loss(input: Any, target: Any, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
             weight: Any = None) -> Tensor:
    """Squared differences."""
    _compare(input, target)
    reduction = reduction_of(size_average, reduce, reduction)
    if weight is None:
        return one_node(primitives.mse_loss, input, target, reduction)
    return reduced(_weighted((input - target) ** 2, weight), reduction, count=_over(weight))


def l1_loss(input: Any, target: Any, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
            weight: Any = None) -> Tensor:
    """Absolute differences."""
    _compare(input, target)
    return reduced(_weighted((input - target).abs(), weight), reduction, size_average, reduce, count=_over(weight))


def huber_loss(input: Any, target: Any, reduction: str = "mean", delta: float = 1.0, weight: Any = None) -> Tensor:
    """Huber loss: half the squared difference up to `delta`, and linear beyond."""
    if delta <= 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    _compare(input, target)
    if weight is None:
        return one_node(primitives.huber_loss, input, target, reduction, delta)
    return reduced(_weighted(one_node(primitives.huber_loss, input, target, "none", delta), weight), reduction)


def smooth_l1_loss(input: Any, target: Any, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
                   beta: float = 1.0) -> Tensor:
    """`huber_loss` over `beta`; with ``beta=0`` the absolute difference."""
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    reduction = reduction_of(size_average, reduce, reduction)
    if beta == 0:
        return l1_loss(input, target, reduction=reduction)
    _compare(input, target)
    return one_node(primitives.smooth_l1_loss, input, target, reduction, beta)


def kl_div(input: Any, target: Any, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
           log_target: bool = False) -> Tensor:
    """``target * (log target - input)``, of logarithms of probabilities; reduction ``batchmean`` divides by the first dimension.

    With `log_target` the targets are logarithms too.
    """
    if log_target:
        losses = target.exp() * (target - input)
    else:
        losses = _call["where"](target > 0, target * (_call["where"](target > 0, target, target + 1.0).log() - input), target * 0.0)
    reduction = reduction_of(size_average, reduce, reduction)
    if reduction == "mean":
        warn("reduction: 'mean' divides the total loss by both the batch size and the support size. 'batchmean' divides only by the batch "
             "size, and aligns with the KL div math definition.")
    return losses.sum() / input.shape[0] if reduction == "batchmean" else reduced(losses, reduction)


def binary_cross_entropy(input: Any, target: Any, weight: Any = None, size_average: bool | None = None, reduce: bool | None = None,
                         reduction: str = "mean") -> Tensor:
    """Minus the log-likelihood of targets between 0 and 1, of probabilities; logarithms are at least -100."""
    losses = -(target * input.log().clamp(min=-100.0) + (1.0 - target) * (1.0 - input).log().clamp(min=-100.0))
    return reduced(losses if weight is None else losses * weight, reduction, size_average, reduce)


def binary_cross_entropy_with_logits(
    input: Any, target: Any, weight: Any = None, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
    pos_weight: Any = None,
) -> Tensor:
    """`binary_cross_entropy` of the sigmoid of the input; `pos_weight` multiplies the part of the ones.

    Raises
    ------
    ValueError
        If target and input have not the same shape.
    """
    if target.shape != input.shape:
        raise ValueError(f"Target size ({target.shape}) must be the same as input size ({input.shape})")
    if weight is None and pos_weight is None:
        return one_node(primitives.binary_cross_entropy_with_logits, input, target, reduction_of(size_average, reduce, reduction))
    ones: Any = target * logsigmoid(input)
    losses = -((ones if pos_weight is None else ones * pos_weight) + (1.0 - target) * logsigmoid(-input))
    return reduced(losses if weight is None else losses * weight, reduction, size_average, reduce)


def poisson_nll_loss(
    input: Any, target: Any, log_input: bool = True, full: bool = False, size_average: bool | None = None, eps: float = 1e-8,
    reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:
    """Minus the log-likelihood of counts, of the logarithms of their expectations (or, without `log_input`, of these themselves).

    With `full` Stirling's approximation of the factorial is added where a count is above 1.
    """
    losses = input.exp() - target * input if log_input else input - target * (input + eps).log()
    if full:
        many = target > 1
        above = _call["where"](many, target, target * 0.0 + 2.0)
        losses = losses + _call["where"](many, above * above.log() - above + 0.5 * (2 * math.pi * above).log(), target * 0.0)
    return reduced(losses, reduction, size_average, reduce)


def gaussian_nll_loss(input: Any, target: Any, var: Any, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> Tensor:
    """Minus the log-likelihood of normal targets, of their expectations and variances, which are at least `eps`.

    With `full` the constant is added.

    Raises
    ------
    ValueError
        If a variance is negative, or their shape neither that of the input nor one for each of its rows.
    """
    if isinstance(var, float):
        if var < 0:
            raise ValueError("var has negative entry/entries")
        var = input.new_full(input.shape, var)
    elif bool((var < 0).any()):
        raise ValueError("var has negative entry/entries")
    if var.shape != input.shape:
        if tuple(input.shape[:-1]) == tuple(var.shape):
            var = var.unsqueeze(-1)
        elif input.ndim != var.ndim or [b for a, b in zip(input.shape, var.shape) if a != b] != [1]:
            raise ValueError("var is of incorrect size")
    var = var + (var.detach().clamp(min=eps) - var.detach())       # the gradient passes the bound
    losses = 0.5 * (var.log() + (input - target) ** 2 / var)
    return reduced(losses + 0.5 * math.log(2 * math.pi) if full else losses, reduction)
