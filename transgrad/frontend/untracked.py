"""Refuse functions whose results depend on an active value that entered a type without derivatives: text, sets, arrays of objects."""
from __future__ import annotations

from ..errors import TransgradError
from ..ir.ops import Function
from .refusals import refuse

__all__ = ["check_untracked"]


def check_untracked(function: Function) -> None:
    """Refuse a function that returns an untracked number, at the operation that loses its derivative."""
    from ..passes.analysis.untracked import find_loss
    loss = find_loss(function)
    if loss is None:
        return
    try:
        refuse("untracked", loss.op.loc, loss.kind)
    except TransgradError as refusal:
        refusal.for_tape = not loss.of_text
        raise
