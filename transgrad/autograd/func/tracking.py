"""Inputs that are tracked for one derivative, inside other derivatives and inside `vmap`."""
from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ..batching.values import Level, current_levels, over, under
from ..grad_mode import inference_mode, no_grad
from ..nodes import AccumulateGrad
from ..state import STATE
from ..tensor import Tensor

__all__ = ["Tracked", "settled", "tracking"]


class _Depth(threading.local):
    depth = 0


_DEPTH = _Depth()


@contextmanager
def tracking() -> Iterator[bool]:
    """A block in which a derivative is computed; whether there is one around it that has to see it."""
    around = _DEPTH.depth > 0
    _DEPTH.depth += 1
    try:
        with inference_mode(False):
            yield around
    finally:
        _DEPTH.depth -= 1


class Tracked:
    """Tensors that a derivative is taken with respect to.

    Inside `vmap` each example has its own, also where the user gave one for all: the derivative is that of each example.

    Attributes
    ----------
    plain : list of Tensor
        The tensors to differentiate with respect to, with all batch dimensions in front.
    shown : list of Tensor
        The same as the function sees them.
    """

    def __init__(self, leaves: Sequence[Tensor]):
        self.levels: list[Level] = list(current_levels())
        self.wanted = STATE.grad
        with inference_mode(False):
            self.plain = [_own(self.lowered(x)) for x in leaves]
            self.shown = [self.raised(x) for x in self.plain]

    def lowered(self, x: Tensor) -> Tensor:
        """``x`` with the dimensions of the batches shown."""
        for level in reversed(self.levels):
            x = under(x, level)
        return x

    def raised(self, x: Tensor) -> Tensor:
        """``x`` with the dimensions of the batches hidden."""
        for level in self.levels:
            x = over(x, level)
        return x

    def depends_on_others(self, outputs: Sequence[Tensor]) -> bool:
        """Return whether the outputs lead to a Tensor that requires grad and is none of these."""
        own = {id(x) for x in self.plain}
        seen: set[Any] = set()
        stack = [y.grad_fn for y in outputs if y.grad_fn is not None]
        while stack:
            node = stack.pop()
            if node in seen:
                continue
            seen.add(node)
            if type(node) is AccumulateGrad and id(node.variable) not in own:
                return True
            stack += [n for n, _ in node.next_functions if n is not None]
        return False


def _own(x: Tensor) -> Tensor:
    """A tensor for ``x``, with its history and its tangents."""
    made: Tensor = x.clone() if x.is_inference() and not STATE.inference else x.view_as(x)
    return made if made.requires_grad else made.requires_grad_()


def settled(x: Any, keep: bool) -> Any:
    """A result for the user: without the graph of this derivative, where nothing else needs it."""
    if keep or not isinstance(x, Tensor):
        return x
    if not STATE.level:
        return x.detach()
    with no_grad():     # with its tangents, which it would leave behind
        return x.clone()
