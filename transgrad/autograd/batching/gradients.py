"""`grad` for a batch of vectors at once."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..dispatch import apply
from ..tensor import Tensor
from .levels import opened
from .values import BatchedTensor, mapped_at

__all__ = ["batched_grad"]


def batched_grad(outputs: Sequence[Any], inputs: Sequence[Any], vectors: Sequence[Tensor | None], retain_graph: bool, create_graph: bool,
                 allow_unused: bool, materialize_grads: bool) -> tuple[Tensor | None, ...]:
    """The gradients along each of the vectors, which lie along the first dimension of ``vectors``; so do the results.

    Raises
    ------
    ValueError
        If there is no vector, or there are different numbers of them.
    RuntimeError
        As `grad`.
    """
    from ..backward import grad, zeros_like
    found = {v.shape[0] if v.ndim else 0 for v in vectors if v is not None}
    if any(v is not None and not v.ndim for v in vectors):
        raise IndexError("invalid index of a 0-dim tensor: with is_grads_batched=True grad_outputs have one more, first dimension")
    if len(found) != 1:
        raise ValueError("vmap: with is_grads_batched=True grad_outputs have one more, first dimension, of the same length for all; got "
                         f"shapes {[None if v is None else tuple(v.shape) for v in vectors]}")
    for k, (y, v) in enumerate(zip(outputs, vectors)):
        if isinstance(y, Tensor) and v is not None and v.shape[1:] != y.shape:
            raise RuntimeError("If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the batch dimension. "
                               "The sizes of the remaining dimensions are expected to match the shape of corresponding output, but a "
                               f"mismatch was detected: grad_output[{k}] has a shape of {v.shape} and output[{k}] has a shape of "
                               f"{y.shape}.")
    size = found.pop()
    with opened(size, "error") as level:
        given = [None if v is None else BatchedTensor(v, level) for v in vectors]
        gradients = grad(outputs, inputs, given, retain_graph, create_graph, allow_unused=allow_unused)
        made: list[Tensor | None] = []
        for g in gradients:
            if isinstance(g, BatchedTensor) and mapped_at(g, level):
                made.append(g.physical)
            else:
                made.append(None if g is None else apply(np.broadcast_to, g, (size, *g.shape)))
    if materialize_grads:       # in the shape of the input: nothing in them belongs to a vector
        made = [zeros_like(x, create_graph) if g is None else g for g, x in zip(made, inputs)]
    return tuple(made)
