"""Tangents inside `vmap`: a Tensor that is the same for all examples may have a different tangent for each."""
from __future__ import annotations

from operator import getitem
from typing import Any

import numpy as np

from ..state import STATE
from ..tensor import Tensor
from .call import map_leaves
from .values import BatchedTensor, Level

__all__ = ["batch_of", "common", "uniform", "with_tangents"]


def with_tangents(arguments: Any, level: Level) -> Any:
    """The arguments of an operation on batches, those with such tangents made batches themselves."""
    return map_leaves(lambda x: batch_of(x, level, STATE.level) if isinstance(x, Tensor) else x, arguments)


def batch_of(x: Tensor, level: Level, depth: int) -> Tensor:
    """``x``, or the batch of its examples where its tangents at one of the first ``depth`` dual levels differ."""
    from ..forward_ad import Below, set_tangent, tangent_of
    from ..record import apply
    if isinstance(x, BatchedTensor):
        return x
    found = [(k, tangent_of(x, STATE.duals[k])) for k in range(depth)]
    tangents = [(k, batch_of(t, level, k)) for k, t in found if t is not None]        # which have tangents of the levels below
    if not any(_varies(t, level) for _, t in tangents):
        return x
    with Below(0):
        made = BatchedTensor(apply(np.array, apply(np.broadcast_to, x, (level.size, *x.shape))), level)
    made.uniform = True
    for k, t in tangents:
        with Below(k):
            set_tangent(made, STATE.duals[k], t)
    return made


def uniform(tree: Any, level: Level) -> bool:
    """Return whether the examples of each batch among arguments are equal, but for their tangents."""
    found: list[bool] = []
    map_leaves(lambda x: found.append(x.uniform) if isinstance(x, BatchedTensor) and x.level is level else None, tree)
    return all(found)


def common(x: Any, level: Level) -> Any:
    """The Tensor that all examples of a uniform batch are equal to, with a batch for its tangent; anything else as it is."""
    from ..forward_ad import Below, set_tangent, tangent_of
    from ..functions.shape import clone
    from ..record import apply
    if not isinstance(x, BatchedTensor) or x.level is not level:
        return x
    with Below(0):
        made = apply(clone, apply(getitem, x.physical, 0))
    for k in range(STATE.level):
        t = tangent_of(x, STATE.duals[k])
        if t is not None:
            with Below(k):
                set_tangent(made, STATE.duals[k], t)
    return made


def _varies(t: Any, level: Level) -> bool:
    return isinstance(t, BatchedTensor) and (t.level is level or _varies(t.physical, level))
