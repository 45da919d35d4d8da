"""Losses."""
from __future__ import annotations

from typing import Any

from ...autograd.ops import FUNCTIONS
from ...autograd.tensor import Tensor
from .activations import logsigmoid

__all__ = [
    "binary_cross_entropy", "binary_cross_entropy_with_logits", "cross_entropy", "huber_loss", "kl_div", "l1_loss", "mse_loss", "nll_loss",
    "smooth_l1_loss",
]

_call: Any = FUNCTIONS


def _reduced(losses: Any, reduction: str, count: Any = None) -> Tensor:
    """The losses, their sum, or their mean over `count` (default: all)."""
    if reduction == "none":
        return losses
    if reduction == "sum":
        return losses.sum()
    if reduction != "mean":
        raise ValueError(f"{reduction} is not a valid value for reduction: none, sum or mean")
    return losses.mean() if count is None else losses.sum() / count


def mse_loss(input: Any, target: Any, reduction: str = "mean") -> Tensor:
    """Squared differences."""
    return _reduced((input - target) ** 2, reduction)


def l1_loss(input: Any, target: Any, reduction: str = "mean") -> Tensor:
    """Absolute differences."""
    return _reduced((input - target).abs(), reduction)


def huber_loss(input: Any, target: Any, reduction: str = "mean", delta: float = 1.0) -> Tensor:
    """Half the squared difference, and linear where it is larger than `delta`."""
    distance = (input - target).abs()
    return _reduced(_call["where"](distance <= delta, 0.5 * distance**2, delta * (distance - 0.5 * delta)), reduction)


def smooth_l1_loss(input: Any, target: Any, reduction: str = "mean", beta: float = 1.0) -> Tensor:
    """`huber_loss` over `beta`; with ``beta=0`` the absolute difference."""
    if beta == 0:
        return l1_loss(input, target, reduction)
    losses: Any = huber_loss(input, target, reduction, beta)
    return losses / beta


def kl_div(input: Any, target: Any, reduction: str = "mean", log_target: bool = False) -> Tensor:
    """``target * (log target - input)``, of logarithms of probabilities; reduction ``batchmean`` divides by the first dimension.

    With `log_target` the targets are logarithms too.
    """
    if log_target:
        losses = target.exp() * (target - input)
    else:
        losses = _call["where"](target > 0, target * (_call["where"](target > 0, target, target + 1.0).log() - input), target * 0.0)
    return losses.sum() / input.shape[0] if reduction == "batchmean" else _reduced(losses, reduction)


def binary_cross_entropy(input: Any, target: Any, weight: Any = None, reduction: str = "mean") -> Tensor:
    """Minus the log-likelihood of targets between 0 and 1, of probabilities; logarithms are at least -100."""
    losses = -(target * input.log().clamp(min=-100.0) + (1.0 - target) * (1.0 - input).log().clamp(min=-100.0))
    return _reduced(losses if weight is None else losses * weight, reduction)


def binary_cross_entropy_with_logits(
    input: Any, target: Any, weight: Any = None, reduction: str = "mean", pos_weight: Any = None
) -> Tensor:
    """`binary_cross_entropy` of the sigmoid of the input; `pos_weight` multiplies the part of the ones."""
    ones: Any = target * logsigmoid(input)
    losses = -((ones if pos_weight is None else ones * pos_weight) + (1.0 - target) * logsigmoid(-input))
    return _reduced(losses if weight is None else losses * weight, reduction)


def nll_loss(input: Any, target: Any, weight: Any = None, reduction: str = "mean", ignore_index: int = -100) -> Tensor:
    """Minus the entry of the target class along the class dimension (the first, after the batch), weighted by class.

    Raises
    ------
    ValueError
        If the batches of input and target are not of one size.
    IndexError
        If there is no such class.
    """
    dim = 0 if input.ndim == 1 else 1
    if dim and input.shape[0] != target.shape[0]:
        raise ValueError(f"Expected input batch_size ({input.shape[0]}) to match target batch_size ({target.shape[0]}).")
    counted = target != ignore_index
    index = _call["where"](counted, target, target * 0)
    try:
        found = -input.gather(dim, index.unsqueeze(dim)).squeeze(dim)
    except RuntimeError as error:
        if "out of bounds" not in str(error):
            raise
        raise IndexError(f"Target {str(error).split()[1]} is out of bounds.") from None
    weights = (index.new_ones(index.shape).to(input.dtype) if weight is None else weight[index]) * counted.to(input.dtype)
    return _reduced(found * weights, reduction, weights.sum())


def cross_entropy(
    input: Any, target: Any, weight: Any = None, ignore_index: int = -100, reduction: str = "mean", label_smoothing: float = 0.0
) -> Tensor:
    """`nll_loss` of the log-softmax of the input, for classes; for probabilities of classes their cross entropy.

    Raises
    ------
    NotImplementedError
        For label smoothing together with class weights or classes to ignore.
    """
    dim = 0 if input.ndim == 1 else 1
    logs = input.log_softmax(dim)
    count = input.shape[dim]
    if target.is_floating_point():
        target = target * (1 - label_smoothing) + label_smoothing / count
        losses = -(logs * target if weight is None else logs * target * weight.reshape(-1, *[1] * (input.ndim - 1 - dim))).sum(dim)
        return _reduced(losses, reduction, losses.numel())
    if label_smoothing == 0:
        return nll_loss(logs, target, weight, reduction, ignore_index)
    if weight is not None or bool((target == ignore_index).any()):
        raise NotImplementedError("cross_entropy with label_smoothing takes neither class weights nor ignored classes: pass probabilities")
    hard: Any = nll_loss(logs, target, None, reduction)
    smooth: Any = _reduced(-logs.mean(dim), reduction)
    return (1 - label_smoothing) * hard + label_smoothing * smooth
