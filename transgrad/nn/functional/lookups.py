"""Rows of a matrix, and indices as rows of ones and zeros."""
from __future__ import annotations

import numpy as np

from ...autograd.sparse import rows
from ...autograd.tensor import Tensor, wrap

__all__ = ["embedding", "one_hot"]


def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    *,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """The rows of `weight` at the indices `input`.

    Parameters
    ----------
    input : Tensor of int, any shape
        Rows to look up.
    weight : Tensor, shape (V, D)
        The matrix.
    padding_idx : int, optional
        A row that gets no gradient; negative ones count from the end.
    scale_grad_by_freq : bool
        Whether the gradient of a row is divided by how often it was looked up.
    sparse : bool
        Whether the gradient is a sparse Tensor.

    Returns
    -------
    Tensor, shape (*input.shape, D)

    Raises
    ------
    IndexError
        If an index is not that of a row.
    AssertionError
        If `padding_idx` is none.
    """
    if padding_idx is None:
        padding_idx = -1
    else:
        count = weight.shape[0]
        if not -count <= padding_idx < count:
            raise AssertionError("Padding_idx must be within num_embeddings")
        padding_idx %= count
    return rows.embedding(weight, input, padding_idx, scale_grad_by_freq, sparse)


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """A new last dimension of zeros with a one at each index.

    Raises
    ------
    RuntimeError
        If an index is negative, or not smaller than `num_classes`.
    """
    index = tensor._array
    if index.size and index.min() < 0:
        raise RuntimeError("Class values must be non-negative.")
    count = num_classes if num_classes != -1 else int(index.max()) + 1
    if index.size and index.max() >= count:
        raise RuntimeError("Class values must be smaller than num_classes.")
    return wrap((index[..., None] == np.arange(count)).astype(np.int64))
