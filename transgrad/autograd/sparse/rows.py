"""Look-ups whose gradient is sparse: it has values only where elements were read."""
from __future__ import annotations

from typing import Any

import numpy as np

from ...rules.registry import rule
from ..dispatch import apply
from ..facts import shape_of, shows, true
from ..functions import places
from ..names import keeps, node_name
from ..tensor import Tensor, wrap
from .tensor import SparseTensor, make

__all__ = ["embedding", "gather_sparse"]

Array = np.ndarray[Any, Any]


def look_up(weight: Any, indices: Array, padding_idx: int, by_frequency: bool, sparse: bool) -> Any:
    """The rows of a matrix at `indices`."""
    return weight[indices]


def picked(self: Any, dim: int, index: Array) -> Any:
    """The elements at `index` along a dimension; the gradient is sparse."""
    return places.gather(self, dim, index)


def stored_at(g: Any, where: tuple[Array, ...], size: tuple[int, ...]) -> SparseTensor:
    """The sparse Tensor with the elements of `g`, an array or a Tensor, at these places."""
    values: Any = np.reshape(g, (-1, *size[len(where):]))
    stored = wrap(values) if isinstance(g, np.ndarray) else values
    return make(np.stack([row.reshape(-1) for row in where]).astype(np.int64), stored, size, False)


def rows_gradient(g: Any, indices: Array, shape: tuple[int, ...], padding_idx: int, by_frequency: bool, sparse: bool) -> Any:
    """The gradient of the matrix that rows were looked up in: nothing for the padding's row."""
    kept = np.flatnonzero(indices.reshape(-1) != padding_idx)
    found, g = indices.reshape(-1)[kept], np.reshape(g, (-1, shape[1]))[kept]
    if by_frequency:
        g = g / np.bincount(found, minlength=1)[found].astype(g.dtype)[:, None]
    gradient = stored_at(g, (found,), shape)
    return gradient if sparse else gradient.to_dense()._array if isinstance(g, np.ndarray) else gradient.to_dense()


@rule(look_up, kind="linear")
def _(g, y, weight, indices, padding_idx, by_frequency, sparse):
    return rows_gradient(g, indices, weight.shape, padding_idx, by_frequency, sparse)


@rule(picked, kind="linear")
def _(g, y, self, dim, index):
    return stored_at(g, tuple(np.broadcast_arrays(*places.places(self, dim, index))), self.shape)


node_name(look_up, "EmbeddingBackward0", by_frequency="scale_grad_by_freq")
node_name(picked, "GatherBackward0")
shows(look_up, weight_sym_argsize_0=lambda node: shape_of(0)(node)[0])
shows(picked, sparse_grad=true)
keeps("self", picked)


def gather_sparse(self: Tensor, dim: int, index: Array) -> Tensor:
    """`gather`, with a sparse gradient."""
    return apply(picked, self, dim, index)  # type: ignore[no-any-return]


def embedding(
    weight: Tensor, indices: Tensor, padding_idx: int = -1, scale_grad_by_freq: bool = False, sparse: bool = False
) -> Tensor:
    """The rows of a matrix at `indices`.

    Parameters
    ----------
    weight : Tensor, shape (V, D)
        The matrix.
    indices : Tensor of int, any shape
        Rows; the result has their shape and one more dimension of length D.
    padding_idx : int
        A row that gets no gradient; -1 for none.
    scale_grad_by_freq : bool
        Whether the gradient of a row is divided by how often it was looked up.
    sparse : bool
        Whether the gradient is a sparse Tensor.

    Raises
    ------
    IndexError
        If an index is not that of a row.
    RuntimeError
        If `weight` is no matrix, `indices` are no integers, or `sparse` and `scale_grad_by_freq` are both set.
    """
    if weight.ndim != 2:
        raise RuntimeError("'weight' must be 2-D")
    found = indices._array
    if found.dtype.kind not in "iu":
        raise RuntimeError(f"Expected tensor for argument #1 'indices' to have one of the scalar types Long, Int; but got {found.dtype}")
    if found.size and (found.min() < 0 or found.max() >= weight.shape[0]):
        raise IndexError("index out of range in self")
    if sparse and scale_grad_by_freq:
        raise RuntimeError("embedding_backward: scale_grad_by_freq not supported with sparse gradients")
    return apply(look_up, weight, indices, padding_idx, scale_grad_by_freq, sparse)  # type: ignore[no-any-return]
