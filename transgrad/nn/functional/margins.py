"""Losses of pairs and triplets: how far apart they are, and how far they should be."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...autograd.functions import losses as primitives
from ...autograd.ops import FUNCTIONS
from ...autograd.tensor import Tensor
from .losses import one_node
from .reductions import reduced, reduction_of

__all__ = ["bilinear", "cosine_embedding_loss", "hinge_embedding_loss", "margin_ranking_loss", "pairwise_distance", "soft_margin_loss",
           "triplet_margin_loss", "triplet_margin_with_distance_loss"]

_call: Any = FUNCTIONS


def pairwise_distance(x1: Any, x2: Any, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> Tensor:
    """The ``p``-norms of ``x1 - x2 + eps`` along the last dimension."""
    return (x1 - x2 + eps).norm(p, -1, keepdim=keepdim)


def bilinear(input1: Any, input2: Any, weight: Any, bias: Any = None) -> Tensor:
    """``input1 @ weight[k] @ input2 + bias[k]`` for each k, of the vectors along the last dimensions.

    Raises
    ------
    RuntimeError
        If the sizes do not fit.
    """
    for k, x in enumerate((input1, input2), 1):
        if x.shape[-1] != weight.shape[k]:
            raise RuntimeError(f"bilinear(): input{k} size does not match weight size: got {x.shape[-1]} but expected {weight.shape[k]}")
    if input1.shape[:-1] != input2.shape[:-1]:
        raise RuntimeError(f"bilinear(): input batch dimensions do not match: got {list(input1.shape)} and {list(input2.shape)}")
    found = _call["einsum"]("...i,kij,...j->...k", input1, weight, input2)
    return found if bias is None else found + bias


def soft_margin_loss(input: Any, target: Any, size_average: bool | None = None, reduce: bool | None = None,
                     reduction: str = "mean") -> Tensor:
    """``log(1 + exp(-target * input))``, for targets 1 and -1."""
    return one_node(primitives.soft_margin_loss, input, target, reduction_of(size_average, reduce, reduction))


def hinge_embedding_loss(input: Any, target: Any, margin: float = 1.0, size_average: bool | None = None, reduce: bool | None = None,
                         reduction: str = "mean") -> Tensor:
    """The distance for targets of 1, and its shortfall below `margin` for targets of -1."""
    near = _call["where"](target == 1, input, input * 0.0)
    far = _call["where"](target == -1, (margin - input).clamp(min=0.0), input * 0.0)
    return reduced(near + far, reduction, size_average, reduce)


def margin_ranking_loss(input1: Any, input2: Any, target: Any, margin: float = 0, size_average: bool | None = None,
                        reduce: bool | None = None, reduction: str = "mean") -> Tensor:
    """By how much one score fails to be above the other by `margin`; which one the target says, 1 or -1.

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
    """1 minus the cosine of two vectors for targets of 1, and its excess over `margin` for targets of -1.

    Raises
    ------
    RuntimeError
        If the inputs are no vectors, or no rows of them for targets of one dimension.
    """
    if target.ndim > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if input1.ndim != target.ndim + 1 or input2.ndim != target.ndim + 1:
        raise RuntimeError(f"{target.ndim}D target tensor expects {target.ndim + 1}D input tensors, but found inputs with sizes "
                           f"{list(input1.shape)} and {list(input2.shape)}.")
    least = 1e-12
    lengths = (((input1 * input1).sum(-1) + least) * ((input2 * input2).sum(-1) + least)).sqrt()
    cosine = (input1 * input2).sum(-1) / lengths
    alike = _call["where"](target == 1, 1.0 - cosine, cosine * 0.0)
    other = _call["where"](target == -1, (cosine - margin).clamp(min=0.0), cosine * 0.0)
    return reduced(alike + other, reduction, size_average, reduce)


def _triplet(near: Any, far: Any, margin: float, reduction: str, size_average: Any, reduce: Any) -> Tensor:
    return reduced((near - far + margin).clamp(min=0.0), reduction, size_average, reduce)


def _check_triplet(anchor: Any, positive: Any, negative: Any, margin: float) -> None:
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    if not anchor.ndim == positive.ndim == negative.ndim:
        raise RuntimeError("The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: anchor "
                           f"{anchor.ndim}D, positive {positive.ndim}D, and negative {negative.ndim}D inputs")


def triplet_margin_loss(
    anchor: Any, positive: Any, negative: Any, margin: float = 1.0, p: float = 2, eps: float = 1e-6, swap: bool = False,
    size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
) -> Tensor:
    """By how much the anchor's distance from the positive fails to be `margin` below that from the negative.

    With `swap` the negative's distance is the smaller of those from anchor and positive.

    Raises
    ------
    ValueError
        If the margin is not positive.
    RuntimeError
        If the numbers of dimensions differ.
    """
    _check_triplet(anchor, positive, negative, margin)
    near, far = pairwise_distance(anchor, positive, p, eps), pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = _call["minimum"](far, pairwise_distance(positive, negative, p, eps))
    return _triplet(near, far, margin, reduction, size_average, reduce)


def triplet_margin_with_distance_loss(
    anchor: Any, positive: Any, negative: Any, *, distance_function: Callable[[Any, Any], Any] | None = None, margin: float = 1.0,
    swap: bool = False, reduction: str = "mean",
) -> Tensor:
    """`triplet_margin_loss` with another distance."""
    _check_triplet(anchor, positive, negative, margin)
    distance = pairwise_distance if distance_function is None else distance_function
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = _call["minimum"](far, distance(positive, negative))
    return _triplet(near, far, margin, reduction, None, None)
