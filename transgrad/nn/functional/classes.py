"""Losses of scores for classes."""
from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...autograd import dtypes
from ...autograd.dispatch import apply
from ...autograd.functions import losses
from ...autograd.ops import FUNCTIONS
from ...autograd.state import STATE
from ...autograd.tensor import Tensor, wrap
from .activations import logsigmoid
from .affine import linear
from .reductions import reduced, reduction_of

__all__ = ["cross_entropy", "linear_cross_entropy", "multi_margin_loss", "multilabel_margin_loss", "multilabel_soft_margin_loss",
           "nll_loss"]

_call: Any = FUNCTIONS


def _weights(target: Any, weight: Any, ignore_index: int, dtype: Any) -> Any:
    """The weight of each target's class, 0 for ignored targets."""
    counted = (target != ignore_index).to(dtype)
    return counted if weight is None else weight[target * (target != ignore_index)] * counted


def nll_loss(input: Any, target: Any, weight: Any = None, size_average: bool | None = None, ignore_index: int = -100,
             reduce: bool | None = None, reduction: str = "mean") -> Tensor:
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
    reduction = reduction_of(size_average, reduce, reduction)
    if (input.ndim <= 2 and STATE.interpreter is None and reduction in ("none", "sum", "mean")
            and (weight is None or not weight.requires_grad)):
        return apply(losses.nll_loss, input, *_classes(target, weight, ignore_index, input), reduction)
    index = _call["where"](target != ignore_index, target, target * 0)
    try:
        found = -input.gather(dim, index.unsqueeze(dim)).squeeze(dim)
    except RuntimeError as error:
        if "out of bounds" not in str(error):
            raise
        raise IndexError(f"Target {str(error).split()[1]} is out of bounds.") from None
    weights = _weights(target, weight, ignore_index, input.dtype)
    return reduced(found * weights, reduction, count=weights.sum())


def _classes(target: Tensor, weight: Any, ignore_index: int, input: Tensor) -> tuple[Tensor, Tensor | None, Any]:
    """The class of each target (0 if it is ignored), its weight (None if all are 1), and the sum of the weights.

    IndexError is raised for a target that is no class, RuntimeError for one of another dtype or more dimensions.
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
    """`nll_loss` of the log-softmax of the input, for classes; for probabilities of classes their cross entropy.

    ``label_smoothing`` is the share of the targets that is spread over all classes.

    Raises
    ------
    RuntimeError
        If `label_smoothing` is not between 0 and 1.
    """
    if not 0.0 <= label_smoothing <= 1.0:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing}")
    dim = 0 if input.ndim == 1 else 1
    logs = input.log_softmax(dim)
    count = input.shape[dim]
    reduction = reduction_of(size_average, reduce, reduction)
    by_class = None if weight is None else weight.reshape(-1, *[1] * (input.ndim - 1 - dim))
    if target.is_floating_point():
        target = target * (1 - label_smoothing) + label_smoothing / count
        losses = -(logs * target if by_class is None else logs * target * by_class).sum(dim)
        return reduced(losses, reduction, count=losses.numel())
    hard: Any = nll_loss(logs, target, weight, ignore_index=ignore_index, reduction=reduction)
    if label_smoothing == 0:
        return hard
    spread = -(logs if by_class is None else logs * by_class).sum(dim) / count
    weights = _weights(target, weight, ignore_index, input.dtype)
    smooth = reduced(spread * (target != ignore_index).to(input.dtype), reduction, count=weights.sum())
    return (1 - label_smoothing) * hard + label_smoothing * smooth


def linear_cross_entropy(
    input: Any, linear_weight: Any, target: Any, *, linear_bias: Any = None, weight: Any = None, reduction: str = "mean",
    ignore_index: int | None = None, label_smoothing: float = 0.0, options: Any = None,
) -> Tensor:
    """`cross_entropy` of an affine map of the input, with weights of shape (C, *sizes, features); ``options`` change nothing here."""
    classes = linear_weight.shape[:-1]
    bias = None if linear_bias is None else linear_bias.reshape(-1)
    logits: Any = linear(input, linear_weight.reshape(-1, linear_weight.shape[-1]), bias)
    if len(classes) > 1:
        logits = logits.reshape(*input.shape[:-1], *classes)
    return cross_entropy(logits, target, weight, ignore_index=-100 if ignore_index is None else ignore_index, reduction=reduction,
                         label_smoothing=label_smoothing)


def multi_margin_loss(input: Any, target: Any, p: int = 1, margin: float = 1.0, weight: Any = None, size_average: bool | None = None,
                      reduce: bool | None = None, reduction: str = "mean") -> Tensor:
    """By how much other classes' scores come within `margin` of the target's, to the power `p`, over the number of classes.

    Raises
    ------
    ValueError
        If `p` is neither 1 nor 2.
    RuntimeError
        If the targets are not one class for each row of scores.
    """
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    scores, classes = (input.unsqueeze(0), target.reshape(1)) if input.ndim == 1 else (input, target)
    n, count = scores.shape
    if list(classes.shape) != [n]:
        raise RuntimeError("multi_margin_loss: target tensor should be 1-D with size equal to the number of input samples (batch size). "
                           "Expected "
                           f"target size [{n}], but got {list(target.shape)}. Input has shape {list(input.shape)}.")
    if n and not 0 <= int(classes.min()) <= int(classes.max()) < count:
        raise RuntimeError("target out of range")
    wanted = classes.unsqueeze(1)
    short = margin - scores.gather(1, wanted) + scores
    losses = short if p == 1 else short**2
    losses = losses if weight is None else losses * weight[classes].unsqueeze(1)
    inside = (short.detach() > 0) & (wanted != _call["arange"](count))
    losses = (losses * inside.to(losses.dtype)).sum(1) / count
    return reduced(losses if input.ndim == 2 else losses.squeeze(0), reduction, size_average, reduce)


def multilabel_margin_loss(input: Any, target: Any, size_average: bool | None = None, reduce: bool | None = None,
                           reduction: str = "mean") -> Tensor:
    """By how much scores of other classes come within 1 of those of the target classes (each row of them ends at the first -1).

    Raises
    ------
    RuntimeError
        If the shapes differ, or there is no such class.
    """
    if target.shape != input.shape:
        raise RuntimeError(f"inconsistent target size: {list(target.shape)} for input of size: {list(input.shape)}")
    scores, classes = (input.unsqueeze(0), target.unsqueeze(0)) if input.ndim == 1 else (input, target)
    count = scores.shape[1]
    if classes.numel() and not -1 <= int(classes.min()) <= int(classes.max()) < count:
        raise RuntimeError("argument #2 'target' is out of range")
    listed = (classes == -1).cumsum(1) == 0
    index = classes * listed
    ours = _call["zeros"](*scores.shape, dtype=classes.dtype).scatter_add(1, index, listed.to(classes.dtype)) > 0
    apart = 1.0 - scores.gather(1, index).unsqueeze(2) + scores.unsqueeze(1)
    taken = listed.unsqueeze(2) & ours.logical_not().unsqueeze(1) & (apart.detach() > 0)
    losses = (apart * taken.to(apart.dtype)).sum((1, 2)) / count
    return reduced(losses if input.ndim == 2 else losses.squeeze(0), reduction, size_average, reduce)


def multilabel_soft_margin_loss(input: Any, target: Any, weight: Any = None, size_average: bool | None = None,
                                reduce: bool | None = None, reduction: str = "mean") -> Tensor:
    """The mean over the classes (the last dimension) of the binary cross entropies of the scores' sigmoids."""
    ones: Any = target * logsigmoid(input)
    losses = -(ones + (1 - target) * logsigmoid(-input))
    losses = (losses if weight is None else losses * weight).sum(-1) / input.shape[-1]
    return reduced(losses, reduction, size_average, reduce)
