"""Products under the names that torch's nodes have."""
from __future__ import annotations

from typing import Any

import numpy as np

from ...rules.registry import alias
from ..names import node_name

__all__ = ["batched", "bmm", "dot", "mv", "vm"]


def mv(self: Any, vec: Any) -> Any:
    """The product of a matrix and a vector."""
    return np.matmul(self, vec)


def dot(self: Any, tensor: Any) -> Any:
    """The sum of the products of the elements of two vectors."""
    return np.matmul(self, tensor)


def bmm(self: Any, mat2: Any) -> Any:
    """The products of stacks of matrices."""
    return np.matmul(self, mat2)


def batched(self: Any, other: Any) -> Any:
    """The product of stacks of matrices, or of a stack and a matrix or vector."""
    return np.matmul(self, other)


def vm(self: Any, other: Any) -> Any:
    """The product of a vector and a matrix."""
    return np.matmul(self, other)


alias(np.matmul, mv, dot, bmm, batched, vm)
node_name(batched, "UnsafeViewBackward0")       # of torch's several nodes the last
node_name(vm, "SqueezeBackward4")
node_name(mv, "MvBackward0", b="vec")
node_name(dot, "DotBackward0", b="tensor")
node_name(bmm, "BmmBackward0", b="mat2")
