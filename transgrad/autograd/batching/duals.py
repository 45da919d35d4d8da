"""Tangents inside `vmap`: a Tensor that is the same for all examples may have a different tangent for each."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..state import STATE
from ..tensor import Tensor
from .call import map_leaves
from .values import BatchedTensor, Level

__all__ = ["with_tangents"]


def with_tangents(arguments: Any, level: Level) -> Any:
    """The arguments of an operation on batches, those with such tangents made batches themselves."""
    return map_leaves(lambda x: _batch(x, level) if isinstance(x, Tensor) and not isinstance(x, BatchedTensor) else x, arguments)


def _batch(x: Tensor, level: Level) -> Tensor:
    from ..forward_ad import Below, set_tangent, tangent_of
    from ..record import apply
    tangents = [(dual, tangent_of(x, dual)) for dual in STATE.duals[:STATE.level]]
    if not any(_varies(t, level) for _, t in tangents):
        return x
    with Below(0):
        made = BatchedTensor(apply(np.array, apply(np.broadcast_to, x, (level.size, *x.shape))), level)
    for dual, t in tangents:
        if t is not None:
            set_tangent(made, dual, t)
    return made


def _varies(t: Any, level: Level) -> bool:
    return isinstance(t, BatchedTensor) and (t.level is level or _varies(t.physical, level))
