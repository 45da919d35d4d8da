"""Sparse matrices with differentiated elements: the compile-time objects for matrices that a function creates.

A matrix consists of its elements with their rows and columns, in any order; elements at the same position are summed. The positions are
constant.
"""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from ....ir.infer_shapes import SHAPES
from ....ir.types import ANY, Arr, Num, TupleT
from ...registry import constant, rule
from ...static import ZERO, NoDerivative, lifted

#: the classes of constant matrices
SPARSE = (sp.sparray, sp.spmatrix)


def add_rows(values: Any, rows: Any, n: Any) -> Any:
    """An array of n rows, to which the rows of ``values`` are added where ``rows`` says."""
    count = len(rows)
    ones = np.ones(count, np.asarray(values).real.dtype)
    return sp.csr_array((ones, (rows, np.arange(count))), shape=(n, count)) @ values


adding = lifted(add_rows)


@rule(add_rows, kind="linear")
def _(g, y, values, rows, n):
    return g[rows], ZERO, ZERO


SHAPES[add_rows] = lambda values, rows, n: Arr(values.type.dtype, (ANY, *values.type.dims[1:])) if isinstance(values.type, Arr) else None


def parts(a: Any) -> tuple[Any, Any, Any]:
    """The elements of a constant sparse matrix, with their rows and columns."""
    held = a.tocoo()
    return held.data.astype(float) if held.data.dtype.kind in "iub" else held.data, held.row.astype(np.int64), held.col.astype(np.int64)


def extent(a: Any) -> tuple[int, int]:
    """The shape of a constant sparse matrix."""
    return int(a.shape[0]), int(a.shape[1])


def products(first: Any, second: Any) -> tuple[Any, Any]:
    """The pairs of elements, by their places, of which the first one's column is the second one's row."""
    order = np.argsort(second, kind="stable")
    held = second[order]
    start, end = np.searchsorted(held, first, "left"), np.searchsorted(held, first, "right")
    counts = end - start
    left = np.repeat(np.arange(len(first)), counts)
    within = np.arange(len(left)) - np.repeat(np.cumsum(counts) - counts, counts)
    return left, order[np.repeat(start, counts) + within]


def common(row: Any, col: Any, other_row: Any, other_col: Any, width: Any) -> tuple[Any, Any]:
    """The pairs of elements in the same place."""
    return products(row * width + col, other_row * width + other_col)


def merged(row: Any, col: Any, width: Any) -> tuple[Any, Any, Any]:
    """Each place once, with its row and column, and for each element the place that it belongs to."""
    places, at = np.unique(row * width + col, return_inverse=True)
    return places // width, places % width, at.ravel()


def chosen(condition: Any) -> Any:
    """The places where a condition holds."""
    return np.flatnonzero(condition)


constant(parts, extent, products, common, merged, chosen)
_INDICES = Arr("int64", (ANY,))
SHAPES.update({
    parts: lambda a: TupleT((Arr("float64", (ANY,)), _INDICES, _INDICES)),
    extent: lambda a: TupleT((Num("int"), Num("int"))),
    products: lambda *args: TupleT((_INDICES, _INDICES)),
    common: lambda *args: TupleT((_INDICES, _INDICES)),
    merged: lambda *args: TupleT((_INDICES, _INDICES, _INDICES)), chosen: lambda condition: _INDICES,
})


class Matrix:
    """The elements of a sparse matrix, their rows and columns, and its shape.

    ``old`` says that it is one of csr_matrix and its like, for which ``*`` is the product of matrices.
    """

    def __init__(self, values: Any, row: Any, col: Any, shape: Any, old: Any = False):
        self.values, self.row, self.col, self.shape, self.old = values, row, col, shape, old
        self.ndim = 2

    @property
    def T(self) -> Any:
        return Matrix(self.values, self.col, self.row, (self.shape[1], self.shape[0]), self.old)

    @property
    def H(self) -> Any:
        return Matrix(np.conj(self.values), self.col, self.row, (self.shape[1], self.shape[0]), self.old)

    @property
    def data(self) -> Any:
        raise NoDerivative("the stored entries, and other attributes, of a differentiated sparse matrix are not followed: use toarray(), "
                           "products, sums or items of it")

    indices = indptr = nnz = nonzero = max = min = maximum = minimum = reshape = getrow = getcol = setdiag = count_nonzero = data
    eliminate_zeros = sum_duplicates = sort_indices = argmax = argmin = data

    def transpose(self, axes: Any = None, copy: Any = False) -> Any:
        return self.T

    def conj(self, copy: Any = True) -> Any:
        return Matrix(np.conj(self.values), self.row, self.col, self.shape, self.old)

    def conjugate(self, copy: Any = True) -> Any:
        return self.conj()

    def toarray(self, order: Any = None, out: Any = None) -> Any:
        rows, columns = self.shape[0], self.shape[1]
        return np.reshape(add_rows(self.values, self.row * columns + self.col, rows * columns), (rows, columns))

    def todense(self, order: Any = None, out: Any = None) -> Any:
        if self.old:
            raise NoDerivative("todense() of a csr_matrix and its like makes an np.matrix, whose operators are its own; use toarray()")
        return self.toarray()

    def tocsr(self, copy: Any = False) -> Any:
        return self

    def tocsc(self, copy: Any = False) -> Any:
        return self

    def tocoo(self, copy: Any = False) -> Any:
        return self

    def tobsr(self, blocksize: Any = None, copy: Any = False) -> Any:
        return self

    def todia(self, copy: Any = False) -> Any:
        return self

    def tolil(self, copy: Any = False) -> Any:
        return self

    def todok(self, copy: Any = False) -> Any:
        return self

    def copy(self) -> Any:
        return self

    def asformat(self, format: Any, copy: Any = False) -> Any:
        return self

    def dot(self, other: Any) -> Any:
        return self @ other

    def __matmul__(self, other: Any) -> Any:
        if isinstance(other, Matrix):
            left, right = products(self.col, other.row)
            shape = self.shape[0], other.shape[1]
            return Matrix(self.values[left] * other.values[right], self.row[left], other.col[right], shape, self.old)
        if isinstance(other, SPARSE):
            return self @ as_matrix(other)
        held = np.asarray(other)
        weights = self.values if np.ndim(held) == 1 else self.values[:, None]
        return add_rows(weights * held[self.col], self.row, self.shape[0])

    def __rmatmul__(self, other: Any) -> Any:
        if isinstance(other, SPARSE):
            return as_matrix(other) @ self
        return np.transpose(self.T @ np.transpose(other))

    def __add__(self, other: Any) -> Any:
        if isinstance(other, Matrix):
            return joined((self, other), self.shape)
        if isinstance(other, SPARSE):
            return joined((self, as_matrix(other)), self.shape)
        if self.old:
            raise NoDerivative("a csr_matrix (or its like) plus an array is an np.matrix, whose operators are its own; use toarray()")
        return self.toarray() + other

    def __radd__(self, other: Any) -> Any:
        return self + other

    def __sub__(self, other: Any) -> Any:
        return self + (-1.0) * (as_matrix(other) if isinstance(other, SPARSE) else other)

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __neg__(self) -> Any:
        return Matrix(-self.values, self.row, self.col, self.shape, self.old)

    def __mul__(self, other: Any) -> Any:
        if self.old and (isinstance(other, (Matrix, *SPARSE)) or np.ndim(other) != 0):
            return self @ other
        return self.multiply(other)

    def __rmul__(self, other: Any) -> Any:
        if isinstance(other, SPARSE):
            return as_matrix(other) * self
        return other @ self if self.old and np.ndim(other) != 0 else self.multiply(other)

    def __truediv__(self, other: Any) -> Any:
        if np.ndim(other) == 0:
            return Matrix(self.values / other, self.row, self.col, self.shape, self.old)
        return self.multiply(1.0 / other)

    def multiply(self, other: Any) -> Any:
        """The product of the elements."""
        if isinstance(other, Matrix):
            first, second = merge(self), merge(other)
            left, right = common(first.row, first.col, second.row, second.col, self.shape[1])
            return Matrix(first.values[left] * second.values[right], first.row[left], first.col[left], self.shape, self.old)
        if isinstance(other, SPARSE):
            return self.multiply(as_matrix(other))
        if np.ndim(other) == 0:
            return Matrix(self.values * other, self.row, self.col, self.shape, self.old)
        return Matrix(self.values * np.broadcast_to(other, self.shape)[self.row, self.col], self.row, self.col, self.shape, self.old)

    def power(self, n: Any, dtype: Any = None) -> Any:
        """The powers of the elements, of which n is positive."""
        held = merge(self)
        return Matrix(held.values ** n, held.row, held.col, self.shape, self.old)

    def __pow__(self, n: Any) -> Any:
        if not self.old:
            return self.power(n)
        if not isinstance(n, int) or n < 1:
            raise NoDerivative("a power of a sparse matrix has a derivative where the exponent is a positive integer known when compiling")
        out = self
        for _ in range(n - 1):
            out = merge(out @ self)
        return out

    def __abs__(self) -> Any:
        held = merge(self)
        return Matrix(np.abs(held.values), held.row, held.col, self.shape, self.old)

    def diagonal(self, k: Any = 0) -> Any:
        at = chosen(self.col - self.row == k)
        first = max(0, -k)
        count = min(self.shape[0] - first, self.shape[1] - max(0, k))
        return add_rows(self.values[at], self.row[at] - first, count)

    def trace(self, offset: Any = 0) -> Any:
        return np.sum(self.diagonal(offset))

    def sum(self, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
        if axis is None:
            return np.sum(self.values)
        if self.old:
            raise NoDerivative("sums of a csr_matrix and its like along an axis are of the class np.matrix, whose operators are its own; "
                               "use csr_array, or multiply by ones")
        columns = axis in (0, -2)
        return add_rows(self.values, self.col if columns else self.row, self.shape[1 if columns else 0])

    def mean(self, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
        if axis is None:
            return np.sum(self.values) / (self.shape[0] * self.shape[1])
        return self.sum(axis) / self.shape[0 if axis in (0, -2) else 1]

    def __getitem__(self, key: Any) -> Any:
        held = self.toarray()[key]
        if np.ndim(held) == 1 and self.old:     # a row stays a matrix of one row
            held = held[:, None] if isinstance(key, tuple) and np.ndim(key[1]) == 0 and not isinstance(key[1], slice) else held[None, :]
        if np.ndim(held) < 2:
            return held
        found = as_matrix(held)
        return Matrix(found.values, found.row, found.col, found.shape, self.old)

    def __setitem__(self, key: Any, value: Any) -> Any:
        raise NoDerivative("a write into a sparse matrix has no derivative: build the matrix from its elements, (values, (rows, columns))")


def merge(a: Any) -> Any:
    """The same matrix with each place once."""
    row, col, at = merged(a.row, a.col, a.shape[1])
    return Matrix(add_rows(a.values, at, row.shape[0]), row, col, a.shape, a.old)


def joined(matrices: Any, shape: Any) -> Any:
    """The sum of matrices of the same shape."""
    return Matrix(np.concatenate([m.values for m in matrices]), np.concatenate([m.row for m in matrices]),
                  np.concatenate([m.col for m in matrices]), shape, all_old(matrices))


def all_old(matrices: Any) -> Any:
    """Whether SciPy makes a csr_matrix or its like of these: one array among them, and it makes an array."""
    old = True
    for m in matrices:
        old = old and m.old
    return old


def as_matrix(a: Any) -> Any:
    """A matrix of either kind, or a dense one (which decides nothing of the kind of others), as its elements."""
    if isinstance(a, Matrix):
        return a
    if isinstance(a, SPARSE):
        values, row, col = parts(a)
        return Matrix(values, row, col, extent(a), isinstance(a, sp.spmatrix))
    held = np.atleast_2d(a)
    n, m = held.shape[0], held.shape[1]
    places = np.arange(n * m)       # the zeros too: their derivatives are none
    return Matrix(np.ravel(held), places // m, places % m, (n, m), True)
