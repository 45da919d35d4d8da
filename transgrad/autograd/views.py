"""Views: tensors that look at the memory of another, and what becomes of their history when either is written to."""
from __future__ import annotations

from typing import Any

import numpy as np

from .state import STATE
from .tensor import Tensor

__all__ = ["View", "view_of"]


class View:
    """How a tensor looks at the memory of its base.

    Attributes
    ----------
    base : Tensor
        The tensor whose memory it is; never a view itself.
    steps : tuple
        The calls that make the view of its base: ``(fn, args, kwargs, place, output)``, the tensor being ``args[place]``.
    version : int
        The version at which the view's history was written.
    creation : str
        ``default``, or why a write to it is refused: ``no_grad``, ``multi_output``, ``inference``.
    """

    __slots__ = ("base", "counter", "creation", "differentiable", "steps", "version")

    def __init__(self, base: Tensor, steps: tuple[Any, ...], creation: str):
        self.base = base
        self.steps = steps
        self.creation = creation
        self.differentiable = True
        self.counter = base.counter()
        self.version = self.counter[0]

    def refresh(self, x: Tensor) -> None:
        """Rewrites the history of the view where its base has been written to since."""


def view_of(out: Tensor, inputs: list[Tensor], fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any], output: int | None) -> None:
    """Makes ``out`` a view of the argument whose memory it shares, if there is one."""
    for place, source in enumerate(args):      # noqa: B007
        if isinstance(source, Tensor) and np.may_share_memory(out._array, source._array):
            break
    else:
        return
    step = (fn, args[:place] + (None,) + args[place + 1:], kwargs, place, output)
    inner = source._view
    creation = "multi_output" if output is not None else "no_grad" if not STATE.grad else "default"
    base, steps = (source, (step,)) if inner is None else (inner.base, (*inner.steps, step))
    out._counter = base.counter()
    out._view = View(base, steps, creation)
