"""The node of an operation whose derivative is zero, but whose result torch says requires grad: ``floor``, ``round``, ``fill_``."""
from __future__ import annotations

from typing import Any

import numpy as np

from .names import UNDEFINED, name_of
from .nodes import Node, edge_of
from .tensor import Tensor, wrap

__all__ = ["ZeroNode", "zero_node"]

_CLASSES: dict[str, type["ZeroNode"]] = {}


class ZeroNode(Node):
    """Sends zeros to the inputs."""

    __slots__ = ("_shown", "metas", "undefined")

    def __init__(self, args: tuple[Any, ...], undefined: bool):
        self.undefined = undefined
        tensors = [a for a in args if isinstance(a, (Tensor, np.ndarray))]
        inputs = [a for a in tensors if isinstance(a, Tensor) and edge_of(a) is not None]
        super().__init__(tuple(edge_of(t) for t in inputs))
        self.metas = [(t._array.shape, t._array.dtype) for t in inputs]
        found = iter(range(len(inputs)))
        self._shown = tuple(next(found) if isinstance(a, Tensor) and edge_of(a) is not None else None for a in tensors)

    def apply(self, g: Any, keep: bool) -> tuple[Any, ...]:
        return tuple(None if self.undefined else np.zeros(shape, dtype) for shape, dtype in self.metas)

    def apply_graph(self, g: Any, keep: bool) -> tuple[Any, ...]:
        return tuple(None if zeros is None else wrap(zeros) for zeros in self.apply(None, keep))

    def save_result(self, outs: Any) -> None:
        """Keep nothing."""

    def saved(self) -> list[Any]:
        """Nothing."""
        return []


def zero_node(fn: Any, args: tuple[Any, ...]) -> ZeroNode:
    """A node with the name of that of ``fn``."""
    name = name_of(fn)
    if name not in _CLASSES:
        _CLASSES[name] = type(name.rpartition("::")[2], (ZeroNode,), {"__slots__": (), "__module__": __name__, "_name": name})
    return _CLASSES[name](args, fn in UNDEFINED)
