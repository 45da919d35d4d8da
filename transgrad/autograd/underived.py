"""The node of an operation without a derivative whose result torch says requires grad all the same: backward through it is an error."""
from __future__ import annotations

from typing import Any

from . import dtypes
from .hooks import move_retained
from .nodes import Node, edge_of
from .state import STATE
from .tensor import Tensor

__all__ = ["underived"]


class Underived(Node):
    """Refuses to run."""

    __slots__ = ("_outputs", "called", "error")

    def __init__(self, called: str, error: Exception, inputs: list[Tensor], outputs: int):
        super().__init__(tuple(edge_of(t) for t in inputs))
        self.called, self.error, self._outputs = called, error, outputs

    def name(self) -> str:
        """The name of the node, as torch's."""
        return self.called

    def apply_graph(self, g: Any, keep: bool) -> tuple[Any, ...]:
        raise self.error.with_traceback(None)


def underived(operation: str, outs: tuple[Tensor, ...], *operands: Any, node: str = "") -> None:
    """Put the node behind the floating ones of ``outs`` where an operand requires grad; ``node`` is its name where torch gives it one.

    Raises
    ------
    NotImplementedError
        If an operand has a tangent.
    """
    tensors = [t for t in operands if isinstance(t, Tensor)]
    if STATE.level and not STATE.inference:
        from .forward_ad import tangent_of
        if any(tangent_of(t, level) is not None for t in tensors for level in STATE.duals[:STATE.level]):
            raise NotImplementedError(f"Trying to use forward AD with {operation} that does not support it because it has not been "
                                      "implemented yet: it has no derivative")
    targets = [t for t in outs if dtypes.is_differentiable(t.dtype)]
    if not STATE.grad or STATE.inference or not targets or all(edge_of(t) is None for t in tensors):
        return
    error = NotImplementedError(f"the derivative for '{operation}' is not implemented.") if node else \
        RuntimeError(f"derivative for aten::{operation} is not implemented")
    made = Underived(node or "torch::autograd::NotImplemented", error, tensors, len(targets))
    for k, out in enumerate(targets):
        move_retained(out, made, k)
        out._edge = (made, k)
