"""`autograd.grad` as the functional API needs it: outputs that are missing or constant give gradients that are missing."""
from __future__ import annotations

from collections.abc import Sequence

from ..backward import grad
from ..tensor import Tensor
from .arguments import Tensors

__all__ = ["gradients"]


def gradients(outputs: Sequence[Tensor | None], inputs: Tensors, vectors: Sequence[Tensor | None] | None = None, *,
              create_graph: bool = False, retain_graph: bool | None = None, batched: bool = False) -> Sequence[Tensor | None]:
    pairs = [(y, v) for y, v in zip(outputs, vectors or [None] * len(outputs)) if y is not None and y.requires_grad]
    if not pairs:
        return [None] * len(inputs)
    return grad([y for y, _ in pairs], inputs, [v for _, v in pairs], allow_unused=True, create_graph=create_graph,
                retain_graph=retain_graph, is_grads_batched=batched)
