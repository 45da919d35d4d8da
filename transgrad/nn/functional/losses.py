"""Losses of elements, classes, pairs and triplets."""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...autograd import dtypes
from ...autograd.dispatch import apply
from ...autograd.functions import losses as fused
from ...autograd.ops import FUNCTIONS
from ...autograd.state import STATE
from ...autograd.tensor import Tensor, wrap
from ...autograd.warned import warn
from .activations import logsigmoid
from .linear_maps import pairwise_distance

__all__ = [
    "binary_cross_entropy", "binary_cross_entropy_with_logits", "cosine_embedding_loss", "cross_entropy", "gaussian_nll_loss",
    "hinge_embedding_loss", "huber_loss", "kl_div", "l1_loss", "margin_ranking_loss", "mse_loss", "multilabel_soft_margin_loss",
    "nll_loss", "poisson_nll_loss", "smooth_l1_loss", "soft_margin_loss", "triplet_margin_loss", "triplet_margin_with_distance_loss",
]

_call: Any = FUNCTIONS


def reduction_of(size_average: bool | None, reduce: bool | None, reduction: str) -> str:
    """Return the name of a reduction; two older arguments may replace it.

    Examples
    --------
    >>> reduction_of(None, None, "sum")
    'sum'
    """
    if size_average is None and reduce is None:
        return reduction
    found = "none" if reduce is False else "sum" if size_average is False else "mean"
    warn(f"size_average and reduce args will be deprecated, please use reduction='{found}' instead.")
    return found


def reduced(losses: Any, reduction: str, size_average: bool | None = None, reduce: bool | None = None, *, weight: Any = None,
            count: Any = None) -> Any:
    """Return the losses times ``weight``, or their sum, or their mean over ``count`` elements (all of them by default).

    Raises
    ------
    ValueError
        If the reduction is not ``none``, ``sum`` or ``mean``.
    """
    reduction = reduction_of(size_average, reduce, reduction)
    losses = losses if weight is None else losses * weight
    if reduction == "none":
        return losses
    if reduction == "sum":
        return losses.sum()
    if reduction != "mean":
        raise ValueError(f"{reduction} is not a valid value for reduction: none, sum or mean")
    return losses.mean() if count is None else losses.sum() / count


def _one_operation(loss: Callable[..., Any], input: Any, target: Any, reduction: str, *options: Any) -> Any:
    """Compute a loss as one operation on tensors of one shape and dtype; inside `vmap` the reduction is a second one."""
    dtype = dtypes.result_type(input, target)
    if not dtypes.is_differentiable(dtype):
        raise NotImplementedError(f"\"{loss.__name__.removesuffix('_loss')}_cpu\" not implemented for '{dtypes.title(dtype)}'")
    input, target = (x if x.dtype == dtype else x.to(dtype) for x in _call["broadcast_tensors"](input, target))
    if STATE.interpreter is not None or reduction not in ("none", "sum", "mean"):
        return reduced(apply(loss, input, target, "none", *options), reduction)
    return apply(loss, input, target, reduction, *options)


def _compare(input: Any, target: Any, weight: Any = None) -> None:
    """Warn if the shapes differ."""
    if target.shape != input.shape:
        warn(f"Using a target size ({target.shape}) that is different to the input size ({input.shape}). This will likely lead to "
             "incorrect results due to broadcasting. Please ensure they have the same size.")
    if weight is not None and weight.shape != input.shape:
        raise ValueError("Weights and input must have the same size.")


def mse_loss(input: Any, target: Any, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
             weight: Any = None) -> Tensor:
    """Squared differences."""
    _compare(input, target, weight)
    if weight is None:
        return _one_operation(fused.mse_loss, input, target, reduction_of(size_average, reduce, reduction))
    return reduced((input - target) ** 2, reduction, size_average, reduce, weight=weight, count=weight.sum())


def l1_loss(input: Any, target: Any, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
            weight: Any = None) -> Tensor:
    """Absolute differences."""
    _compare(input, target, weight)
    count = None if weight is None else weight.sum()
    return reduced((input - target).abs(), reduction, size_average, reduce, weight=weight, count=count)


def huber_loss(input: Any, target: Any, reduction: str = "mean", delta: float = 1.0, weight: Any = None) -> Tensor:
    """Huber loss: half the squared difference up to `delta`, and linear beyond."""
    if delta <= 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    _compare(input, target, weight)
    if weight is None:
        return _one_operation(fused.huber_loss, input, target, reduction, delta)
    return reduced(_one_operation(fused.huber_loss, input, target, "none", delta), reduction, weight=weight)


def smooth_l1_loss(input: Any, target: Any, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
                   beta: float = 1.0) -> Tensor:
    """`huber_loss` over `beta`; with ``beta=0`` the absolute difference."""
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    if beta == 0:
        return l1_loss(input, target, size_average, reduce, reduction)
    _compare(input, target)
    return _one_operation(fused.smooth_l1_loss, input, target, reduction_of(size_average, reduce, reduction), beta)


def soft_margin_loss(input: Any, target: Any, size_average: bool | None = None, reduce: bool | None = None,
                     reduction: str = "mean") -> Tensor:
    """``log(1 + exp(-target * input))``, for targets 1 and -1."""
    return _one_operation(fused.soft_margin_loss, input, target, reduction_of(size_average, reduce, reduction))


def kl_div(input: Any, target: Any, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
           log_target: bool = False) -> Tensor:
    """``target * (log target - input)``, for log-probabilities; reduction ``batchmean`` divides by the first dimension.

    With `log_target` the targets are log-probabilities too.
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
    """Negative log-likelihood of targets between 0 and 1, given probabilities; logarithms are at least -100."""
    losses = -(target * input.log().clamp(min=-100.0) + (1.0 - target) * (1.0 - input).log().clamp(min=-100.0))
    return reduced(losses, reduction, size_average, reduce, weight=weight)


def binary_cross_entropy_with_logits(
    input: Any, target: Any, weight: Any = None, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
    pos_weight: Any = None,
) -> Tensor:
    """`binary_cross_entropy` of the sigmoid of the input; `pos_weight` multiplies the term of the ones.

    Raises
    ------
    ValueError
        If target and input have different shapes.
    """
    if target.shape != input.shape:
        raise ValueError(f"Target size ({target.shape}) must be the same as input size ({input.shape})")
    if weight is None and pos_weight is None:
        return _one_operation(fused.binary_cross_entropy_with_logits, input, target, reduction_of(size_average, reduce, reduction))
    ones: Any = target * logsigmoid(input)
    losses = -((ones if pos_weight is None else ones * pos_weight) + (1.0 - target) * logsigmoid(-input))
    return reduced(losses, reduction, size_average, reduce, weight=weight)


def poisson_nll_loss(
    input: Any, target: Any, log_input: bool = True, full: bool = False, size_average: bool | None = None, eps: float = 1e-8,
    reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:
    """Negative log-likelihood of counts, given the logarithms of their expectations (or, without `log_input`, the expectations).

    With `full` Stirling's approximation of the factorial is added for counts above 1.
    """
    losses = input.exp() - target * input if log_input else input - target * (input + eps).log()
    if full:
        above = _call["where"](target > 1, target, target * 0.0 + 2.0)
        losses = losses + _call["where"](target > 1, above * above.log() - above + 0.5 * (2 * math.pi * above).log(), target * 0.0)
    return reduced(losses, reduction, size_average, reduce)


def gaussian_nll_loss(input: Any, target: Any, var: Any, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> Tensor:
    """Negative log-likelihood of normal targets, given their expectations and variances, which are at least `eps`.

    With `full` the constant is added.

    Raises
    ------
    ValueError
        If a variance is negative, or they have neither the shape of the input nor one element for each of its rows.
    """
    var = input.new_full(input.shape, var) if isinstance(var, float) else var
    if bool((var < 0).any()):
        raise ValueError("var has negative entry/entries")
    if var.shape != input.shape:
        if tuple(input.shape[:-1]) == tuple(var.shape):
            var = var.unsqueeze(-1)
        elif input.ndim != var.ndim or [b for a, b in zip(input.shape, var.shape) if a != b] != [1]:
            raise ValueError("var is of incorrect size")
    var = var + (var.detach().clamp(min=eps) - var.detach())       # the bound does not stop the gradient
    losses = 0.5 * (var.log() + (input - target) ** 2 / var)
    return reduced(losses + 0.5 * math.log(2 * math.pi) if full else losses, reduction)


def multilabel_soft_margin_loss(input: Any, target: Any, weight: Any = None, size_average: bool | None = None,
                                reduce: bool | None = None, reduction: str = "mean") -> Tensor:
    """The mean over the classes (the last dimension) of the binary cross-entropies of the sigmoids of scores."""
    losses: Any = -(target * logsigmoid(input) + (1 - target) * logsigmoid(-input))
    losses = (losses if weight is None else losses * weight).sum(-1) / input.shape[-1]
    return reduced(losses, reduction, size_average, reduce)


# classes

def _class_weights(target: Any, weight: Any, ignore_index: int, dtype: Any) -> Any:
    """Return the weight of each target's class, 0 for ignored targets."""
    counted = (target != ignore_index).to(dtype)
    return counted if weight is None else weight[target * (target != ignore_index)] * counted


def nll_loss(input: Any, target: Any, weight: Any = None, size_average: bool | None = None, ignore_index: int = -100,
             reduce: bool | None = None, reduction: str = "mean") -> Tensor:
    """Minus the entry of the target class along the class dimension (the first after the batch), weighted by class.

    Raises
    ------
    ValueError
        If the batches of input and target have different sizes.
    IndexError
        If a target is not a class.
    """
    dim = 0 if input.ndim == 1 else 1
    if dim and input.shape[0] != target.shape[0]:
        raise ValueError(f"Expected input batch_size ({input.shape[0]}) to match target batch_size ({target.shape[0]}).")
    reduction = reduction_of(size_average, reduce, reduction)
    if (input.ndim <= 2 and STATE.interpreter is None and reduction in ("none", "sum", "mean")
            and (weight is None or not weight.requires_grad)):
        return apply(fused.nll_loss, input, *_classes(target, weight, ignore_index, input), reduction)
    index = _call["where"](target != ignore_index, target, target * 0)
    try:
        found = -input.gather(dim, index.unsqueeze(dim)).squeeze(dim)
    except RuntimeError as error:
        if "out of bounds" not in str(error):
            raise
        raise IndexError(f"Target {str(error).split()[1]} is out of bounds.") from None
    weights = _class_weights(target, weight, ignore_index, input.dtype)
    return reduced(found, reduction, weight=weights, count=weights.sum())


def _classes(target: Tensor, weight: Any, ignore_index: int, input: Tensor) -> tuple[Tensor, Tensor | None, Any]:
    """Return the class of each target (0 if it is ignored), its weight (None if all are 1), and the sum of the weights.

    Raise IndexError for a target that is not a class, and RuntimeError for one of another dtype or more dimensions.
    """
    index, scores = target._array, input._array
    if index.dtype not in (np.int64, np.uint8):
        raise RuntimeError(f"expected target dtype to be Long or Byte, but got {dtypes.title(index.dtype)}")
    if index.ndim > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    counted = index != ignore_index
    ignored = not counted.all()
    if ignored:
        index = np.where(counted, index, 0)
    if index.size and not 0 <= index.min() <= index.max() < scores.shape[-1]:
        wrong = index[(index < 0) | (index >= scores.shape[-1])]
        raise IndexError(f"Target {int(wrong.reshape(-1)[0])} is out of bounds.")
    if weight is None and not ignored:
        return wrap(index), None, index.size or math.nan
    weights = counted.astype(scores.dtype) if weight is None else (weight._array[index] * counted).astype(scores.dtype)
    return wrap(index), wrap(weights), wrap(weights.sum())


def cross_entropy(
    input: Any, target: Any, weight: Any = None, size_average: bool | None = None, ignore_index: int = -100, reduce: bool | None = None,
    reduction: str = "mean", label_smoothing: float = 0.0,
) -> Tensor:
    """`nll_loss` of the log-softmax of the input for classes, or the cross-entropy for probabilities of classes.

    ``label_smoothing`` is the fraction of the targets that is distributed over all classes.

    Raises
    ------
    RuntimeError
        If `label_smoothing` is not between 0 and 1.
    """
    if not 0.0 <= label_smoothing <= 1.0:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing}")
    dim = 0 if input.ndim == 1 else 1
    logs = input.log_softmax(dim)
    reduction = reduction_of(size_average, reduce, reduction)
    weighted = logs if weight is None else logs * weight.reshape(-1, *[1] * (input.ndim - 1 - dim))
    if target.is_floating_point():
        target = target * (1 - label_smoothing) + label_smoothing / input.shape[dim]
        losses = -(weighted * target).sum(dim)
        return reduced(losses, reduction, count=losses.numel())
    hard: Any = nll_loss(logs, target, weight, ignore_index=ignore_index, reduction=reduction)
    if label_smoothing == 0:
        return hard
    weights = _class_weights(target, weight, ignore_index, input.dtype)
    spread = -weighted.sum(dim) / input.shape[dim]
    smooth = reduced(spread, reduction, weight=(target != ignore_index).to(input.dtype), count=weights.sum())
    return (1 - label_smoothing) * hard + label_smoothing * smooth


# pairs and triplets

def hinge_embedding_loss(input: Any, target: Any, margin: float = 1.0, size_average: bool | None = None, reduce: bool | None = None,
                         reduction: str = "mean") -> Tensor:
    """The distance for targets of 1, and the positive part of ``margin - distance`` for targets of -1."""
    near = _call["where"](target == 1, input, input * 0.0)
    far = _call["where"](target == -1, (margin - input).clamp(min=0.0), input * 0.0)
    return reduced(near + far, reduction, size_average, reduce)


def margin_ranking_loss(input1: Any, input2: Any, target: Any, margin: float = 0, size_average: bool | None = None,
                        reduce: bool | None = None, reduction: str = "mean") -> Tensor:
    """The positive part of ``margin - target * (input1 - input2)``, for targets 1 and -1.

    Raises
    ------
    RuntimeError
        If the numbers of dimensions differ.
    """
    if not input1.ndim == input2.ndim == target.ndim:
        raise RuntimeError(f"margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: {input1.shape}, "
                           f"input2: {input2.shape}, target: {target.shape} ")
    return reduced((-target * (input1 - input2) + margin).clamp(min=0.0), reduction, size_average, reduce)


def cosine_embedding_loss(input1: Any, input2: Any, target: Any, margin: float = 0, size_average: bool | None = None,
                          reduce: bool | None = None, reduction: str = "mean") -> Tensor:
    """1 minus the cosine of two vectors for targets of 1, and the positive part of ``cosine - margin`` for targets of -1.

    Raises
    ------
    RuntimeError
        If the inputs are neither vectors nor, for targets of one dimension, rows of vectors.
    """
    if target.ndim > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if input1.ndim != target.ndim + 1 or input2.ndim != target.ndim + 1:
        raise RuntimeError(f"{target.ndim}D target tensor expects {target.ndim + 1}D input tensors, but found inputs with sizes "
                           f"{list(input1.shape)} and {list(input2.shape)}.")
    squares = (((x * x).sum(-1) + 1e-12) for x in (input1, input2))
    cosine = (input1 * input2).sum(-1) / (next(squares) * next(squares)).sqrt()
    alike = _call["where"](target == 1, 1.0 - cosine, cosine * 0.0)
    other = _call["where"](target == -1, (cosine - margin).clamp(min=0.0), cosine * 0.0)
    return reduced(alike + other, reduction, size_average, reduce)


def triplet_margin_with_distance_loss(
    anchor: Any, positive: Any, negative: Any, *, distance_function: Callable[[Any, Any], Any] | None = None, margin: float = 1.0,
    swap: bool = False, reduction: str = "mean",
) -> Tensor:
    """The positive part of ``distance(anchor, positive) - distance(anchor, negative) + margin``.

    With `swap` the second distance is the smaller of those from anchor and positive to the negative.

    Raises
    ------
    ValueError
        If the margin is not positive.
    RuntimeError
        If the numbers of dimensions differ.
    """
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    if not anchor.ndim == positive.ndim == negative.ndim:
        raise RuntimeError("The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: anchor "
                           f"{anchor.ndim}D, positive {positive.ndim}D, and negative {negative.ndim}D inputs")
    distance = distance_function or pairwise_distance
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = _call["minimum"](far, distance(positive, negative))
    return reduced((near - far + margin).clamp(min=0.0), reduction)


def triplet_margin_loss(
    anchor: Any, positive: Any, negative: Any, margin: float = 1.0, p: float = 2, eps: float = 1e-6, swap: bool = False,
    size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:
    """`triplet_margin_with_distance_loss` with the distance `pairwise_distance` of order `p`."""
    def distance(x: Any, y: Any) -> Tensor:
        return pairwise_distance(x, y, p, eps)
    return triplet_margin_with_distance_loss(anchor, positive, negative, distance_function=distance, margin=margin, swap=swap,
                                             reduction=reduction_of(size_average, reduce, reduction))
