"""Linear and bilinear maps, normalized vectors, and rows of matrices."""
from __future__ import annotations

from typing import Any

import numpy as np

from ...autograd.grad_mode import no_grad
from ...autograd.ops import FUNCTIONS
from ...autograd.sparse import rows
from ...autograd.tensor import Tensor, wrap

__all__ = ["bilinear", "embedding", "linear", "normalize", "one_hot", "pairwise_distance"]

_call: Any = FUNCTIONS


def linear(input: Tensor, weight: Any, bias: Any = None) -> Tensor:
    """``input @ weight.T + bias``, for `weight` of shape (out, in)."""
    if bias is None:
        return _call["matmul"](input, weight.t())
    if input.ndim == 2:
        return _call["addmm"](bias, input, weight.t())
    return _call["add"](_call["matmul"](input, weight.t()), bias)


def bilinear(input1: Any, input2: Any, weight: Any, bias: Any = None) -> Tensor:
    """``input1 @ weight[k] @ input2 + bias[k]`` for each k, of the vectors along the last dimensions.

    Raises
    ------
    RuntimeError
        If the sizes do not fit.
    """
    for k, x in enumerate((input1, input2), 1):
        if x.shape[-1] != weight.shape[k]:
            raise RuntimeError(f"bilinear(): input{k} size does not match weight size: got {x.shape[-1]} but expected {weight.shape[k]}")
    if input1.shape[:-1] != input2.shape[:-1]:
        raise RuntimeError(f"bilinear(): input batch dimensions do not match: got {list(input1.shape)} and {list(input2.shape)}")
    found = _call["einsum"]("...i,kij,...j->...k", input1, weight, input2)
    return found if bias is None else found + bias


def normalize(input: Any, p: float = 2.0, dim: int = 1, eps: float = 1e-12, out: Tensor | None = None) -> Tensor:
    """Divide a tensor by the maximum of its ``p``-norm along a dimension and `eps`."""
    return _call["div"](input, input.norm(p, dim, keepdim=True).clamp(min=eps).expand(input.shape), out=out)


def pairwise_distance(x1: Any, x2: Any, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> Tensor:
    """The ``p``-norms of ``x1 - x2 + eps`` along the last dimension."""
    return (x1 - x2 + eps).norm(p, -1, keepdim=keepdim)


def renormalize(weight: Any, indices: Any, max_norm: float, norm_type: float) -> Any:
    """Shorten the rows at the indices that are longer than ``max_norm``, in place and without recording."""
    with no_grad():
        data, which = weight.detach(), indices.flatten().unique()
        lengths = data[which].norm(norm_type, 1, keepdim=True)
        data[which] = _call["where"](lengths > max_norm, data[which] * (max_norm / (lengths + 1e-7)), data[which])
    return weight


def embedding(
    input: Tensor, weight: Tensor, padding_idx: int | None = None, max_norm: float | None = None, norm_type: float = 2.0,
    scale_grad_by_freq: bool = False, sparse: bool = False,
) -> Tensor:
    """The rows of `weight` at the indices `input`.

    Parameters
    ----------
    input : Tensor of int, any shape
        The indices.
    weight : Tensor, shape (V, D)
        The matrix.
    padding_idx : int, optional
        A row that receives no gradient; negative ones count from the end.
    max_norm : float, optional
        The maximal norm of a row: longer rows are shortened in `weight` itself.
    norm_type : float
        The order of the norm.
    scale_grad_by_freq : bool
        Whether the gradient of a row is divided by the number of its occurrences.
    sparse : bool
        Whether the gradient is a sparse Tensor.

    Returns
    -------
    Tensor, shape (*input.shape, D)

    Raises
    ------
    IndexError
        If an index is out of range.
    AssertionError
        If `padding_idx` is out of range.
    """
    count = weight.shape[0]
    if padding_idx is not None and not -count <= padding_idx < count:
        raise AssertionError("Padding_idx must be within num_embeddings")
    if max_norm is not None:
        renormalize(weight, input, max_norm, norm_type)
    return rows.embedding(weight, input, -1 if padding_idx is None else padding_idx % count, scale_grad_by_freq, sparse)


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """Append a dimension of zeros with a one at each index.

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
