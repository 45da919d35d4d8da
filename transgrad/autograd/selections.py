"""Mask the gradients of entries that were not selected if the tape replaces the compiler: they are zero for any factor.

Tensors follow torch: ``where`` passes a gradient of 0 to the branch that was not taken, and 0 times an infinite derivative is NaN.  The
fallback of a derivative gives the compiler's result.  Along with each gradient goes a mask of the elements that may be anything
but zero: operations that select or move elements are applied to the mask as they are to the gradient, and the gradients of
element-wise operations are masked again. Behind any other operation nothing is known of a gradient, and it is not masked.
"""
from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..rules import lookup
from .nodes import Node
from .state import STATE

__all__ = ["Selections", "following_the_compiler"]

#: nodes that select elements
_SELECT = frozenset((
    "WhereBackward0", "MaximumBackward0", "MinimumBackward0", "FmaxBackward0", "FminBackward0", "ClampBackward0", "ClampBackward1",
    "ClipBackward0", "IndexPutBackward0", "SelectBackward0", "IndexBackward0", "SliceBackward0", "CompressBackward0", "ExtractBackward0",
    "TakeBackward0", "TakeAlongAxisBackward0", "GatherBackward0", "NansumBackward0", "NanmeanBackward0", "NanToNumBackward0",
    "SumBackward0", "SumBackward1", "MeanBackward0", "MeanBackward1", "MaskedFillBackward0", "MaskedSelectBackward0", "CopySlices",
))
#: those that move, repeat or add up elements
_MOVE = frozenset((
    "CloneBackward0", "CopyBackwards", "StackBackward0", "CatBackward0", "ExpandBackward0", "ViewBackward0", "ReshapeAliasBackward0",
    "UnsafeViewBackward0", "TBackward0", "TransposeBackward0", "PermuteBackward0", "UnsqueezeBackward0", "SqueezeBackward0",
    "SqueezeBackward1", "FlipBackward0", "RollBackward0", "RepeatBackward0", "AddBackward0", "SubBackward0", "NegBackward0",
    "ToCopyBackward0", "AliasBackward0", "ReshapeBackward0", "MoveaxisBackward0", "RavelBackward0", "SwapaxesBackward0",
))


class Selections:
    """The masks of one sweep."""

    def __init__(self) -> None:
        self._masks: dict[Node, Any] = {}
        self._arrived: set[Node] = set()

    def run(self, node: Node, g: Any, visit: Callable[[], Any]) -> Any:
        """The gradients that a node returns, masked; their masks wait for the nodes that they go to."""
        mask = self._masks.pop(node, None)
        found: Any = None
        name = type(node).__name__
        plain = node.apply is not None and node._outputs == 1 and isinstance(g, (np.ndarray, np.generic)) and g.dtype.kind in "fc"
        if plain and (name in _SELECT or mask is not None and name in _MOVE):
            with np.errstate(all="ignore"):
                # the real and the imaginary part of a complex gradient may go to different places
                one = np.ones(g.shape, g.dtype) if g.dtype.kind == "f" else np.full(g.shape, 1.0 + 0.7j, g.dtype)
                found = node.apply(one if mask is None else mask * one, True)   # type: ignore[misc]
        elementwise = plain and mask is not None and _is_elementwise(node)
        entries = list(visit())
        for k, (edge, e) in enumerate(zip(node._edges, entries)):
            own = None
            if isinstance(e, (np.ndarray, np.generic)):
                if found is not None and isinstance(found[k], (np.ndarray, np.generic)) and found[k].shape == e.shape:
                    own = found[k] != 0
                elif found is None and elementwise and (own := _unbroadcast(mask, e.shape)) is not None:
                    entries[k] = np.where(own, e, e.dtype.type(0))
                if own is not None and own.all():
                    own = None
            if edge is not None:
                self._add(edge[0], own, e)
        return tuple(entries)

    def _add(self, target: Node, mask: Any, e: Any) -> None:
        if e is None:
            return
        if target not in self._arrived:
            self._arrived.add(target)
            if mask is not None:
                self._masks[target] = mask
        elif target in self._masks:
            have = self._masks.pop(target)
            if mask is not None and have.shape == mask.shape:
                self._masks[target] = have | mask


def _is_elementwise(node: Node) -> bool:
    """Return whether a node differentiates an element-wise function."""
    rule = getattr(node, "rule", None) or lookup(getattr(node, "_fn", None))
    return rule is not None and rule.kind == "elementwise"


def _unbroadcast(mask: Any, shape: tuple[int, ...]) -> Any:
    """A mask where something was added up over what broadcasting repeated; None if the shapes are no such pair."""
    extra = mask.ndim - len(shape)
    if extra < 0:
        return None
    found = mask.any(axis=tuple(range(extra))) if extra else mask
    axes = tuple(k for k, (n, m) in enumerate(zip(found.shape, shape)) if m == 1 != n)
    found = found.any(axis=axes, keepdims=True) if axes else found
    return found if found.shape == shape else None


@contextmanager
def following_the_compiler() -> Iterator[None]:
    """Has backward sweeps mask gradients as compiled derivatives do."""
    before = STATE.masking
    STATE.masking = True
    try:
        yield
    finally:
        STATE.masking = before
