"""Rows of a matrix, sums of them, and indices as rows of ones and zeros."""
from __future__ import annotations

from typing import Any

import numpy as np

from ...autograd.grad_mode import no_grad
from ...autograd.ops import FUNCTIONS
from ...autograd.sparse import rows
from ...autograd.tensor import Tensor, wrap

__all__ = ["embedding", "embedding_bag", "one_hot"]

_call: Any = FUNCTIONS


def renormalize(weight: Any, indices: Any, max_norm: float, norm_type: float) -> Any:
    """Shorten the rows at the indices that are longer than ``max_norm``, in place and off the record."""
    with no_grad():
        data, which = weight.detach(), indices.flatten().unique()
        lengths = data[which].norm(norm_type, 1, keepdim=True)
        data[which] = _call["where"](lengths > max_norm, data[which] * (max_norm / (lengths + 1e-7)), data[which])
    return weight


def _row(padding_idx: int | None, count: int) -> int:
    """The row that gets no gradient, -1 for none."""
    if padding_idx is None:
        return -1
    if not -count <= padding_idx < count:
        raise AssertionError("Padding_idx must be within num_embeddings")
    return padding_idx % count


def embedding(
    input: Tensor, weight: Tensor, padding_idx: int | None = None, max_norm: float | None = None, norm_type: float = 2.0,
    scale_grad_by_freq: bool = False, sparse: bool = False,
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
    max_norm : float, optional
        How long a row may be: longer ones are shortened in `weight` itself.
    norm_type : float
        Which norm is meant.
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
    padding = _row(padding_idx, weight.shape[0])
    if max_norm is not None:
        renormalize(weight, input, max_norm, norm_type)
    return rows.embedding(weight, input, padding, scale_grad_by_freq, sparse)


def _bags(input: Any, offsets: Any, include_last: bool) -> tuple[Any, Any, Any]:
    """The indices in a row, in which bag each is, and how many bags there are."""
    if input.ndim == 2:
        if offsets is not None:
            raise ValueError("if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed length "
                             "sequences. However, "
                             f"found offsets of type {type(offsets)}")
        n, length = input.shape
        return input.reshape(-1), np.repeat(np.arange(n), length), n
    if input.ndim != 1:
        raise ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {input.ndim}")
    if not isinstance(offsets, Tensor) or offsets.ndim != 1:
        raise ValueError(f"offsets has to be a 1D Tensor but got {offsets if offsets is None else type(offsets)}")
    first = offsets.numpy()
    count = len(first) - include_last
    if len(first) and first[0] != 0:
        raise RuntimeError("offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0. However, got "
                           f"{first[0]}")
    if len(first) and first[-1] > input.numel():
        raise RuntimeError(f"offsets[-1] can not be greater than input's length({input.numel()}) but got offsets[-1] of {first[-1]}")
    return input, np.searchsorted(first[:count], np.arange(input.numel()), side="right") - 1, count


def embedding_bag(
    input: Any, weight: Any, offsets: Any = None, max_norm: float | None = None, norm_type: float = 2, scale_grad_by_freq: bool = False,
    mode: str = "mean", sparse: bool = False, per_sample_weights: Any = None, include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:
    """The sum, mean or largest elements of the rows of `weight` at each bag of indices.

    Parameters
    ----------
    input : Tensor of int, shape (N, L) or (I,)
        The indices: a bag a row, or all of them.
    weight : Tensor, shape (V, D)
        The matrix.
    offsets : Tensor of int, shape (N,), optional
        Where the bags begin, for indices of one dimension; with `include_last_offset` the end of the last one too.
    max_norm, norm_type, scale_grad_by_freq, sparse
        See `embedding`.
    mode : str
        ``sum``, ``mean`` or ``max``.
    per_sample_weights : Tensor like input, optional
        The factor of each row in a sum.
    padding_idx : int, optional
        A row that does not take part.

    Returns
    -------
    Tensor, shape (N, D)

    Raises
    ------
    ValueError
        If indices, offsets or mode do not fit.
    NotImplementedError
        For factors of rows in a mean or a largest element.
    """
    if mode not in ("sum", "mean", "max"):
        raise ValueError("mode has to be one of sum, mean or max")
    if mode == "max" and (sparse or scale_grad_by_freq):
        raise ValueError(f"max mode does not support {'sparse weights' if sparse else 'scaling the gradient by the frequency'}")
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError("embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for mode='sum' "
                                  "(got "
                                  f"mode='{mode}').")
    if per_sample_weights is not None and per_sample_weights.shape != input.shape:
        raise ValueError(f"embedding_bag: If per_sample_weights ({per_sample_weights.shape}) is not None, then it must have the same "
                         "shape as the "
                         f"input ({input.shape})")
    factors = None if per_sample_weights is None else per_sample_weights.reshape(-1)
    index, bag, count = _bags(input, offsets, include_last_offset)
    padding = _row(padding_idx, weight.shape[0])
    kept = index.numpy() != padding
    if not kept.all():
        index, bag, factors = index[wrap(kept)], bag[kept], None if factors is None else factors[wrap(kept)]
    found: Any = embedding(index, weight, None, max_norm, norm_type, scale_grad_by_freq, sparse)
    if mode == "max":
        return _largest(found, bag, count)
    found = found if factors is None else found * factors.unsqueeze(1)
    total = found.new_zeros((count, found.shape[1])).index_add(0, wrap(bag), found)
    if mode == "mean":
        total = total / wrap(np.maximum(np.bincount(bag, minlength=count), 1)[:, None].astype(total.dtype))
    return total


def _largest(found: Any, bag: Any, count: int) -> Tensor:
    """The largest elements of the rows of each bag; of an empty one, zeros."""
    sizes = np.bincount(bag, minlength=count)
    first = np.cumsum(sizes) - sizes
    table = np.minimum(first[:, None] + np.minimum(np.arange(max(sizes.max(initial=0), 1)), sizes[:, None] - 1), len(bag) - 1)
    if not len(bag):
        return found.new_zeros((count, found.shape[1]))
    values: Any = found[wrap(np.maximum(table, 0))].max(1)[0]
    return values * wrap((sizes > 0)[:, None].astype(values.dtype))


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
