"""Products under the names that torch's nodes have."""
from __future__ import annotations

from typing import Any

import numpy as np

from ...rules.registry import alias, rule
from ..facts import shape_of, shows, strides_of
from ..names import node_name

__all__ = ["batched", "bmm", "dot", "folded", "mm", "mv", "product_in_layout", "vm"]


def product(a: Any, b: Any) -> Any:
    """The product in the dtype of both."""
    found = np.matmul(a, b)
    return found if found.dtype == a.dtype else np.asarray(found).astype(a.dtype)


def product_in_layout(a: Any, b: Any, strides: Any) -> Any:
    """A product, of two matrices stored by columns if a matrix of these strides is: the gradient of a leaf is then not copied."""
    if type(a) is np.ndarray and a.ndim == b.ndim == len(strides) == 2 and strides[0] < strides[1]:
        return (b.T @ a.T).T
    return a @ b


def mm(self: Any, mat2: Any) -> Any:
    """The product of two matrices."""
    return product(self, mat2)


@rule(mm, kind="multilinear", linear_in=(0, 1), symmetric=True)
def _(g, y, a, b):
    return g @ b.T, product_in_layout(a.T, g, b.strides)


def folded(self: Any, mat2: Any) -> Any:
    """The product of a stack of matrices and a matrix, as one product of two matrices."""
    return product(np.reshape(self, (-1, self.shape[-1])), mat2).reshape((*self.shape[:-1], mat2.shape[-1]))


@rule(folded, kind="multilinear", linear_in=(0, 1))
def _(g, y, a, b):
    rows = np.reshape(g, (-1, b.shape[1]))
    return np.reshape(rows @ b.T, a.shape), product_in_layout(np.reshape(a, (-1, b.shape[0])).T, rows, b.strides)


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


alias(np.matmul, mv, dot, bmm, batched, vm)
node_name(mm, "MmBackward0", a="self", b="mat2")
node_name(batched, "UnsafeViewBackward0")       # of torch's several nodes the last
node_name(folded, "UnsafeViewBackward0")
node_name(vm, "SqueezeBackward4")
node_name(mv, "MvBackward0", b="vec")
node_name(dot, "DotBackward0", b="tensor")
node_name(bmm, "BmmBackward0", b="mat2")
shows(mm, self_sym_sizes=shape_of(0), self_sym_strides=strides_of(0), mat2_sym_sizes=shape_of(1), mat2_sym_strides=strides_of(1))
