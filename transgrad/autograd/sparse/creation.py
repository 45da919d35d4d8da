"""Making sparse Tensors."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..dispatch import apply
from ..dtypes import get_default_dtype
from ..tensor import Tensor, wrap
from . import primitives
from .layouts import sparse_coo
from .tensor import SparseTensor, make

__all__ = ["sparse_coo_tensor", "spdiags", "to_sparse"]


def sparse_coo_tensor(
    indices: Any = None,
    values: Any = None,
    size: Any = None,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    check_invariants: bool | None = None,
    is_coalesced: bool | None = None,
) -> SparseTensor:
    """A sparse Tensor in coordinate format.

    Parameters
    ----------
    indices : array_like of int, shape (sparse_dim, nnz)
        The places; some may be the same.
    values : array_like, shape (nnz, *dense dimensions)
        The values, summed where places are the same.  Gradients go to a Tensor.
    size : sequence of int, optional
        The shape; by default the least that holds the places.
    dtype, requires_grad
        As for `tensor`.
    device, check_invariants
        Have no effect: there is one device, and places are always checked.
    is_coalesced : bool, optional
        True promises places that are sorted and different.

    Raises
    ------
    RuntimeError
        If there are as many indices as values not, a place lies outside, or the sizes do not fit.
    """
    if values is None and indices is not None and size is None:
        indices, size = None, indices
    if indices is None:
        if size is None:
            raise TypeError("sparse_coo_tensor takes indices and values, or a size")
        indices, values = np.zeros((len(size), 0), np.int64), np.zeros(0, get_default_dtype())
    where = _indices(indices)
    stored = values if isinstance(values, Tensor) else wrap(values) if isinstance(values, np.ndarray) else _tensor(values)
    if dtype is not None:
        stored = stored.to(dtype)
    if stored.ndim == 0:
        raise RuntimeError("values must have a dimension for the stored elements")
    if where.shape[1] != stored.shape[0]:
        raise RuntimeError(
            f"indices and values must have same nnz, but got nnz from indices: {where.shape[1]}, nnz from values: {stored.shape[0]}"
        )
    if size is None:
        size = (*(where.max(axis=1, initial=-1) + 1).tolist(), *stored.shape[1:])
    _check(where, stored, tuple(size))
    made = make(where, apply(primitives.from_values, stored), tuple(int(n) for n in size), bool(is_coalesced) or where.shape[1] < 2)
    if requires_grad:
        made = made.detach()
        made.requires_grad = True
    return made


def _tensor(values: Any) -> Tensor:
    from ..ops.creation import tensor
    made: Tensor = tensor(values)
    return made


def _indices(indices: Any) -> np.ndarray[Any, Any]:
    where = np.asarray(indices._array if isinstance(indices, Tensor) else indices)
    if where.size == 0:
        where = where.astype(np.int64)
    if where.dtype.kind not in "iu":
        raise RuntimeError(f"indices must be an int64 tensor, but got {where.dtype}")
    if where.ndim != 2:
        raise RuntimeError(f"indices must be sparse_dim x nnz, but got: {list(where.shape)}")
    return where.astype(np.int64)


def _check(where: np.ndarray[Any, Any], stored: Tensor, size: tuple[int, ...]) -> None:
    k, dense = len(where), stored.ndim - 1
    if len(size) != k + dense:
        raise RuntimeError(f"number of dimensions must be sparse_dim ({k}) + dense_dim ({dense}), but got {len(size)}")
    if tuple(stored.shape[1:]) != size[k:]:
        raise RuntimeError(f"values has incorrect size, expected {[stored.shape[0], *size[k:]]}, got {list(stored.shape)}")
    if where.size and where.min() < 0:
        raise RuntimeError(f"found negative index {where.min()} among indices")
    for d, (row, length) in enumerate(zip(where, size)):
        if row.size and row.max() >= length:
            raise RuntimeError(f"size is inconsistent with indices: for dim {d}, size is {length} but found index {row.max()}")


def to_sparse(dense: Any, sparse_dim: int | None = None, *, layout: Any = None) -> SparseTensor:
    """The sparse Tensor of the nonzero elements, with `sparse_dim` dimensions indexed (default: all).

    Raises
    ------
    RuntimeError
        If there are not that many dimensions, or another layout than ``torch.sparse_coo`` is asked for.
    """
    if layout is not None and layout is not sparse_coo:
        raise RuntimeError(f"to_sparse: conversion from Strided to {layout} is not supported: the one sparse layout is torch.sparse_coo")
    k = dense.ndim if sparse_dim is None else sparse_dim
    if not 0 <= k <= dense.ndim:
        raise RuntimeError(f"dense_to_sparse: sparse_dim argument must be in [0,{dense.ndim}] range, but {sparse_dim} is given")
    if k == 0 and dense.ndim:
        raise RuntimeError("dense_to_sparse: sparse_dim argument must be in >0 when self.dim()>0")
    if not dense.ndim:
        return make(np.zeros((0, int(dense._array != 0)), np.int64), dense[None][:int(dense._array != 0)], (), True)
    nonzero = dense._array != 0
    where = np.array(np.nonzero(nonzero.any(axis=tuple(range(k, dense.ndim))))).reshape(k, -1)
    stored = dense[tuple(wrap(row) for row in where)]
    return make(where, stored, tuple(dense.shape), True)


def spdiags(diagonals: Any, offsets: Any, shape: Any, layout: Any = None) -> SparseTensor:
    """A sparse matrix with the rows of `diagonals` on its diagonals; each element keeps its column.

    Parameters
    ----------
    diagonals : Tensor, shape (n, length) or (length,)
        The diagonals.
    offsets : Tensor of int, shape (n,) or ()
        Which ones: above the main one where positive.
    shape : tuple of int
        The shape of the matrix.
    layout : layout, optional
        ``torch.sparse_coo``, the one that there is.

    Raises
    ------
    RuntimeError
        If there are not as many offsets as diagonals, or two are the same.
    """
    if layout is not None and str(layout) != "torch.sparse_coo":
        raise RuntimeError(f"spdiags(): only layout torch.sparse_coo is supported, got {layout}")
    rows, which = (diagonals if diagonals.ndim == 2 else diagonals.unsqueeze(0)), np.atleast_1d(offsets.numpy())
    if len(which) != rows.shape[0]:
        raise RuntimeError(f"Number of diagonals ({rows.shape[0]}) does not match the number of offsets ({len(which)})")
    if len(set(which.tolist())) != len(which):
        raise RuntimeError("Offset tensor contains duplicate values")
    diagonal, column = np.meshgrid(np.arange(len(which)), np.arange(min(rows.shape[1], shape[1])), indexing="ij")
    row = column - which[:, None]
    inside = (row >= 0) & (row < shape[0])
    places = np.stack([row[inside], column[inside]])
    return make(places, rows[wrap(diagonal[inside]), wrap(column[inside])], tuple(shape), False)
