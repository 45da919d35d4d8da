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
    """Decorates a backward that is not to be differentiated: it runs unrecorded.

    Where what it is given requires grad, differentiating what it returns raises RuntimeError; otherwise that is a constant.
    """
    @functools.wraps(fn)
    def wrapper(ctx: Any, *args: Any) -> Any:
        with no_grad():
            found = fn(ctx, *args)
        given = [a for a in args if isinstance(a, Tensor) and a.requires_grad]
        if not STATE.grad or not given:
            return found
        node = Error(tuple(edge_of(a) for a in given))
        parts = found if isinstance(found, tuple) else (found,)
        refusing = tuple(_behind(node, part) if isinstance(part, Tensor) else part for part in parts)
        return refusing if isinstance(found, tuple) else refusing[0]

    return wrapper


def _behind(node: Node, t: Tensor) -> Tensor:
    made = t.detach()
    made._edge = (node, 0)
    return made       # type: ignore[no-any-return]
