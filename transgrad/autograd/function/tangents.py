"""The jvp of a `Function`: the tangents of what its forward returned."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import dtypes
from ..forward_ad import Below, Level, set_tangent, tangent_of
from ..state import STATE
from ..tensor import Tensor
from .node import BackwardCFunction

__all__ = ["push"]


def push(node: BackwardCFunction, args: Sequence[Any], raw: Sequence[Any], outputs: Sequence[Any]) -> None:
    """Run jvp for each dual level at which an argument has a tangent.

    ``raw`` is the result of forward, and ``outputs`` the corresponding result for the user.
    """
    for depth in range(STATE.level):
        level = STATE.duals[depth]
        with Below(depth):
            tangents = [tangent_of(a, level) if isinstance(a, Tensor) else None for a in args]
            if any(t is not None for t in tangents):
                _push(node, args, tangents, raw, outputs, level)


def _push(node: BackwardCFunction, args: Sequence[Any], tangents: list[Any], raw: Sequence[Any], outputs: Sequence[Any],
          level: Level) -> None:
    if node.materialize_grads:
        tangents = [a.new_zeros(a.shape) if t is None and isinstance(a, Tensor) and dtypes.is_differentiable(a.dtype) else t
                    for a, t in zip(args, tangents)]
    found = node._forward_cls.jvp(node, *tangents)
    parts = found if isinstance(found, tuple) else (found,)
    if len(parts) != len(outputs):
        raise RuntimeError(f"Function's jvp returned an invalid number of forward gradients (expected {len(outputs)} but got {len(parts)})")
    for k, (t, y, given) in enumerate(zip(parts, outputs, raw)):
        if t is None:
            continue
        if not isinstance(t, Tensor):
            raise RuntimeError(f"expected Variable or None (got {type(t).__name__}) for grad output {k}.")
        if not isinstance(y, Tensor) or not dtypes.is_differentiable(y.dtype) or any(given is n for n in node.non_differentiable):
            raise RuntimeError(f"Function's jvp returned a gradient at position {k}, but the corresponding forward output is not a "
                               f"differentiable Tensor. You should return None at that position instead.")
        _check_aliases(node, args, tangents, given, y, t)
        if t.shape != y.shape:
            raise RuntimeError("Trying to set a forward gradient that has a different size than that of the original Tensor, this is not "
                               f"supported. Tensor is of size {list(y.shape)} while the given forward gradient is of size {list(t.shape)}.")
        if tangent_of(t, level) is not None:
            raise RuntimeError("Setting a forward grad that itself has a forward gradient at the same level is not supported.")
        set_tangent(y, level, t)


def _check_aliases(node: BackwardCFunction, args: Sequence[Any], tangents: Sequence[Any], given: Any, y: Tensor, t: Tensor) -> None:
    """What forward did with memory, jvp has to do with that of the tangents."""
    if any(given is d for d in node.dirty_tensors):
        if not any(given is a and t is own for a, own in zip(args, tangents)):
            raise RuntimeError("An inplace custom Function is not modifying the forward mode gradients inplace. If the forward is "
                               "modifying an input inplace, then the jvp function must modify the corresponding gradient inplace.")
    elif y._view is not None and not t._is_view():
        raise RuntimeError("A custom Function's forward is returning a view (or an input as-is) but the jvp is not returning a view.")
    elif y._view is not None and not any(own is not None and (t._base is own or t._base is own._base) for own in tangents):
        raise RuntimeError("A custom Function is returning a view but the jvp is not returning a view of the given grad input.")
