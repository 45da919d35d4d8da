"""Backwards that cannot be differentiated themselves."""
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NoReturn

from ..grad_mode import no_grad
from ..nodes import Node, edge_of
from ..state import STATE
from ..tensor import Tensor

__all__ = ["once_differentiable"]


class Error(Node):
    """The node behind what `once_differentiable` returns for gradients that require grad."""

    __slots__ = ()
    _name = "torch::autograd::Error"
    _runs_on_none = True

    def apply_graph(self, g: Any, keep: bool) -> NoReturn:
        raise RuntimeError("trying to differentiate twice a function that was marked with @once_differentiable")


def once_differentiable(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a backward that is not to be differentiated: it runs unrecorded.

    If its arguments require grad, differentiating its results raises RuntimeError; otherwise the results are constants.
    """
    @functools.wraps(fn)
    def wrapper(ctx: Any, *args: Any) -> Any:
        with no_grad():
            found = fn(ctx, *args)
        if not STATE.grad or not any(isinstance(a, Tensor) and a.requires_grad for a in args):
            return found
        parts = found if isinstance(found, tuple) else (found,)
        refusing = _behind_an_error(parts)
        return refusing if isinstance(found, tuple) else refusing[0]

    return wrapper


def _behind_an_error(parts: tuple[Any, ...]) -> tuple[Any, ...]:
    """Make the Tensors among some values outputs of one `Error` node, whose inputs are new leaves, as in torch."""
    made = [part.detach() if isinstance(part, Tensor) else part for part in parts]
    tensors = [t for t in made if isinstance(t, Tensor)]
    node = Error(tuple(edge_of(t.detach().requires_grad_()) for t in tensors))
    for k, t in enumerate(tensors):
        t._edge = (node, k)
    return tuple(made)
