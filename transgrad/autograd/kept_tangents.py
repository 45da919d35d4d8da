"""Tangents of tensors that hooks pack, as they are at that time: a write to a tensor writes to its tangents, too."""
from __future__ import annotations

from .state import STATE
from .tensor import More, Tensor, wrap

__all__ = ["as_they_are", "settle"]


def as_they_are(tensor: Tensor) -> More | None:
    """The tangents of a tensor at the levels in use, with numbers of their own; None if it has none."""
    from .forward_ad import Below, tangent_of
    found = More()
    packing, STATE.packing = STATE.packing, ()
    try:
        for k, level in enumerate(STATE.duals[:STATE.level]):
            with Below(k):
                tangent = tangent_of(tensor, level)
                if tangent is not None:
                    found.tangents[level.number] = _kept(tangent)
    finally:
        STATE.packing = packing
        STATE.refresh()
    return found if found.tangents else None


def _kept(tangent: Tensor) -> Tensor:
    if type(tangent) is not Tensor:     # a batch
        return tangent
    made = wrap(tangent._array.copy(order="K"))
    made._edge, made._more = tangent._edge, as_they_are(tangent)
    return made


def settle(out: Tensor) -> None:
    """Has the node of a tensor that it saves, and whose tangents are known by now, keep these."""
    from .saved import SavedTensor
    edge = out._edge
    kept = getattr(edge[0], "y", None) if type(edge) is tuple else None
    for saved in kept if isinstance(kept, tuple) else (kept,):
        if type(saved) is SavedTensor and saved.waits_for(out):
            saved.settle(as_they_are(out))
