"""What sparse Tensors do, as functions of their stored values: on SciPy's sparse arrays, with their derivatives.

A sparse Tensor of shape ``(*size[:k], *size[k:])`` with ``k`` sparse dimensions is, to SciPy, a matrix with a row for each place in the
sparse dimensions and a column for each in the dense ones; ``where`` has a row of indices for each sparse dimension.
"""
from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ...rules.registry import rule
from ...rules.static import lifted
from ..names import node_name

__all__ = ["coalesce", "dense_mm", "from_values", "mm", "rows", "sparse_mm", "to_dense", "values"]

Array = np.ndarray[Any, Any]


def rows(where: Array, size: tuple[int, ...]) -> Array:
    """The place of each stored value in the sparse dimensions, as one number."""
    return np.ravel_multi_index(tuple(where), size[: len(where)]) if where.size else np.zeros(where.shape[1], np.int64)


def matrix(values: Array, where: Array, size: tuple[int, ...]) -> Any:
    """SciPy's sparse array."""
    from scipy.sparse import coo_array
    k = len(where)
    columns = prod(size[k:])
    row = np.repeat(rows(where, size), columns)
    column = np.tile(np.arange(columns), values.shape[0])
    return coo_array((_summable(values).ravel(), (row, column)), shape=(prod(size[:k]), columns))


def _summable(values: Array) -> Array:
    """In a dtype that SciPy can sum."""
    return values if values.dtype.char in "?bBhHiIlLqQfdFDgG" else values.astype(np.float32)


def from_values(values: Any) -> Any:
    """The values of a new sparse Tensor."""
    return np.copy(values)


def values(values: Any) -> Any:
    """The values as a dense Tensor, in the same memory."""
    return values[...]


def to_dense(values: Any, where: Array, size: tuple[int, ...]) -> Any:
    """The dense array, values at one place summed."""
    return matrix(values, where, size).toarray().astype(values.dtype, copy=False).reshape(size)


def coalesce(values: Any, group: Array, count: int) -> Any:
    """Sums of the values of each group."""
    from scipy.sparse import csr_array
    sums = csr_array((np.ones(len(group), _summable(values).real.dtype), (group, np.arange(len(group)))), shape=(count, len(group)))
    summed: Array = sums @ _summable(values).reshape(len(group), prod(values.shape[1:]))
    return summed.astype(values.dtype, copy=False).reshape(count, *values.shape[1:])


def sparse_mm(values: Any, dense: Any, where: Array, size: tuple[int, ...]) -> Any:
    """`mm`, where torch shows another node: ``sparse.mm``."""
    return mm(values, dense, where, size)


def mm(values: Any, dense: Any, where: Array, size: tuple[int, ...]) -> Any:
    """The matrix product of a sparse and a dense matrix."""
    from scipy.sparse import coo_array
    sparse = coo_array((_summable(values), tuple(where)), shape=size).tocsr()
    product: Array = sparse @ _summable(dense)
    return product.astype(values.dtype, copy=False)


def dense_mm(dense: Any, values: Any, where: Array, size: tuple[int, ...]) -> Any:
    """The matrix product of a dense and a sparse matrix."""
    return np.ascontiguousarray(mm(values, dense.T, where[::-1], size[::-1]).T)


def at(g: Any, where: Array) -> Any:
    """The elements of a dense array at the stored places."""
    return g[tuple(where)]


_to_dense: Any = lifted(to_dense)
_coalesce: Any = lifted(coalesce)
_mm: Any = lifted(mm)


@rule(from_values, kind="linear")
def _(g, y, values):
    return g


@rule(values, kind="linear")
def _(g, y, values):
    return g


@rule(to_dense, kind="linear")
def _(g, y, values, where, size):
    return at(g, where)


@rule(coalesce, kind="linear")
def _(g, y, values, group, count):
    return g[group]


@rule(mm, sparse_mm, kind="multilinear", linear_in=(0, 1))
def _(g, y, values, dense, where, size):
    values_bar = np.sum(g[where[0]] * dense[where[1]], axis=1)
    dense_bar = _mm(values, g, where[::-1], size[::-1])
    return values_bar, dense_bar


@rule(dense_mm, kind="multilinear", linear_in=(0, 1))
def _(g, y, dense, values, where, size):
    dense_bar = np.transpose(_mm(values, np.transpose(g), where, size))
    values_bar = np.sum(dense[:, where[0]] * g[:, where[1]], axis=0)
    return dense_bar, values_bar


node_name(from_values, "SparseCooTensorWithDimsAndTensorsBackward0")
node_name(values, "ValuesBackward0")
node_name(to_dense, "ToDenseBackward0", values="self")
node_name(coalesce, "CoalesceBackward0", values="self")
node_name(sparse_mm, "SparseAddmmBackward0", values="mat1", dense="mat2")
node_name(mm, "MmBackward0", values="self", dense="mat2")
node_name(dense_mm, "MmBackward0", dense="self", values="mat2")
