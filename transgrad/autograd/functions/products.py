"""Products under the names that torch's nodes have."""
from __future__ import annotations

from typing import Any

import numpy as np

from ...rules.registry import alias
from ..facts import shape_of, shows, strides_of
from ..names import node_name

__all__ = ["batched", "bmm", "dot", "mm", "mv", "vm"]


def product(a: Any, b: Any) -> Any:
    """The product in the dtype of both."""
    found = np.matmul(a, b)
    return found if found.dtype == a.dtype else np.asarray(found).astype(a.dtype)


def mm(self: Any, mat2: Any) -> Any:
    """The product of two matrices."""
    return product(self, mat2)


def mv(self: Any, vec: Any) -> Any:
    """The product of a matrix and a vector."""
    return product(self, vec)


def dot(self: Any, tensor: Any) -> Any:
    """The sum of the products of the elements of two vectors."""
    return product(self, tensor)


def bmm(self: Any, mat2: Any) -> Any:
    """The products of stacks of matrices."""
    return product(self, mat2)


def batched(self: Any, other: Any) -> Any:
    """The product of stacks of matrices, or of a stack and a matrix or vector."""
    return product(self, other)


def vm(self: Any, other: Any) -> Any:
    """The product of a vector and a matrix."""
    return product(self, other)


alias(np.matmul, mm, mv, dot, bmm, batched, vm)
node_name(mm, "MmBackward0", b="mat2")
node_name(batched, "UnsafeViewBackward0")       # of torch's several nodes the last
node_name(vm, "SqueezeBackward4")
node_name(mv, "MvBackward0", b="vec")
node_name(dot, "DotBackward0", b="tensor")
node_name(bmm, "BmmBackward0", b="mat2")
shows(mm, self_sym_sizes=shape_of(0), self_sym_strides=strides_of(0), mat2_sym_sizes=shape_of(1), mat2_sym_strides=strides_of(1))
