"""Sparse matrices from their elements, from dense ones, from diagonals, from blocks."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from ....ir.infer_shapes import SHAPES
from ....ir.types import ANY, Arr, ListT, Num, Obj, TupleT
from ...installed import installed
from ...registry import constant, definition
from ...static import NoDerivative
from .matrix import Matrix, all_old, as_matrix, chosen, joined


def rows_of(indptr: Any) -> Any:
    """The row of each element, from where rows start."""
    return np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))


def largest(row: Any) -> Any:
    """The length of an axis that has these indices."""
    return int(np.max(row, initial=-1)) + 1


constant(rows_of, largest)
SHAPES[rows_of] = lambda indptr: Arr("int64", (ANY,))


def made(arg1: Any, shape: Any, by_columns: Any) -> Any:
    """A matrix from the argument of its class: elements and indices, or another matrix."""
    if not isinstance(arg1, tuple):
        return as_matrix(arg1)
    if len(arg1) == 2 and isinstance(arg1[0], int):
        none = np.arange(0)
        return Matrix(np.zeros(0), none, none, arg1)
    if len(arg1) == 2:
        values, (row, col) = arg1
        row, col = np.asarray(row), np.asarray(col)
        return Matrix(values, row, col, (largest(row), largest(col)) if shape is None else shape)
    values, minor, indptr = arg1
    major, minor = rows_of(indptr), np.asarray(minor)
    row, col = (minor, major) if by_columns else (major, minor)
    count = len(indptr) - 1
    if shape is None:
        shape = (largest(minor), count) if by_columns else (count, largest(minor))
    return Matrix(values, row, col, shape)


def register(fn: Callable[..., Any], by_columns: bool, old: bool) -> None:
    """A class of sparse matrices."""
    @definition(fn)
    def matrix(arg1: Any, shape: Any = None, dtype: Any = None, copy: Any = False, *, maxprint: Any = None) -> Any:
        """The places of the elements are constant."""
        found = made(arg1, shape, by_columns)
        return Matrix(found.values, found.row, found.col, found.shape, old)


for _name in ("csr", "csc", "coo", "lil", "dok", "bsr"):
    register(getattr(sp, f"{_name}_array"), _name == "csc", False)
    register(getattr(sp, f"{_name}_matrix"), _name == "csc", True)


def diagonal_places(offsets: Any, shape: Any) -> tuple[Any, Any]:
    """The rows and columns of the elements of diagonals, in order."""
    lengths = [min(shape[0] + min(at, 0), shape[1] - max(at, 0)) for at in offsets]
    return (np.concatenate([np.arange(n) + max(-at, 0) for n, at in zip(lengths, offsets)]),
            np.concatenate([np.arange(n) + max(at, 0) for n, at in zip(lengths, offsets)]))


constant(diagonal_places)
SHAPES[diagonal_places] = lambda offsets, shape: TupleT((Arr("int64", (ANY,)), Arr("int64", (ANY,))))


def filled(d: Any, at: Any, shape: Any) -> Any:
    """A diagonal as long as it has to be: of one number, or cut."""
    held = np.atleast_1d(d)
    n = min(shape[0] + min(at, 0), shape[1] - max(at, 0))
    return held * np.ones(n) if held.shape[0] == 1 else held[:n]


@definition(sp.diags_array)
def diags_array(diagonals: Any, *, offsets: Any = 0, shape: Any = None, format: Any = None, dtype: Any = None) -> Any:
    """With respect to the diagonals."""
    return along_diagonals(diagonals, offsets, shape, False)


@definition(sp.diags)
def diags(diagonals: Any, offsets: Any = 0, shape: Any = None, format: Any = None, dtype: Any = None) -> Any:
    """With respect to the diagonals."""
    return along_diagonals(diagonals, offsets, shape, True)


def along_diagonals(diagonals: Any, offsets: Any, shape: Any, old: Any) -> Any:
    """A matrix of diagonals."""
    if np.ndim(offsets) == 0:
        n = np.atleast_1d(diagonals).shape[0] + abs(offsets)
        size = (n, n) if shape is None else shape
        row, col = diagonal_places([offsets], size)
        return Matrix(filled(diagonals, offsets, size), row, col, size, old)
    if shape is None:
        n = np.atleast_1d(diagonals[0]).shape[0] + abs(offsets[0])
        shape = (n, n)
    row, col = diagonal_places(offsets, shape)
    return Matrix(np.concatenate([filled(diagonals[k], offsets[k], shape) for k in range(len(offsets))]), row, col, shape, old)


def from_diagonals(data: Any, offsets: Any, shape: Any, old: Any) -> Any:
    """A matrix of diagonals that are aligned by columns: the elements of a column stand below each other."""
    held = np.atleast_2d(np.asarray(data))
    width = held.shape[1]
    col = np.arange(width) + np.zeros_like(np.atleast_1d(offsets))[:, None]
    row = col - np.atleast_1d(offsets)[:, None]
    at = chosen((row >= 0) & (row < shape[0]) & (col < shape[1]))
    return Matrix(np.ravel(held)[at], np.ravel(row)[at], np.ravel(col)[at], shape, old)


@definition(sp.dia_array)
def dia_array(arg1: Any, shape: Any = None, dtype: Any = None, copy: Any = False, *, maxprint: Any = None) -> Any:
    """With respect to the diagonals, which are aligned by columns."""
    return dia(arg1, shape, False)


@definition(sp.dia_matrix)
def dia_matrix(arg1: Any, shape: Any = None, dtype: Any = None, copy: Any = False, *, maxprint: Any = None) -> Any:
    """With respect to the diagonals, which are aligned by columns."""
    return dia(arg1, shape, True)


def dia(arg1: Any, shape: Any, old: Any) -> Any:
    """A matrix of diagonals that are aligned by columns, from the argument of its class."""
    if not isinstance(arg1, tuple):
        a = as_matrix(arg1)
        return Matrix(a.values, a.row, a.col, a.shape, old)
    if shape is None:
        raise NoDerivative("a matrix of diagonals has a derivative where its shape is given")
    return from_diagonals(arg1[0], arg1[1], shape, old)


@definition(sp.spdiags)
def spdiags(data: Any, diags: Any, m: Any = None, n: Any = None, format: Any = None) -> Any:
    """With respect to the diagonals, which are aligned by columns."""
    return from_diagonals(data, diags, (m[0], m[1]) if n is None else (m, n), True)


def grid(blocks: Any) -> Any:
    """A matrix of blocks, None for zeros."""
    placed, top, left = [], 0, 0
    for line in blocks:
        left, height = 0, 0
        for k in range(len(line)):
            if line[k] is not None:
                block = as_matrix(line[k])
                width = block.shape[1]
                height = block.shape[0]
                placed.append(Matrix(block.values, block.row + top, block.col + left, block.shape, block.old))
            else:
                width = as_matrix(next(other[k] for other in blocks if other[k] is not None)).shape[1]
            left = left + width
        top = top + height
    return joined(placed, (top, left))


@definition(sp.bmat)
def bmat(blocks: Any, format: Any = None, dtype: Any = None) -> Any:
    """Blocks, stacked horizontally and vertically."""
    return grid(blocks)


@definition(sp.block_array)
def block_array(blocks: Any, *, format: Any = None, dtype: Any = None) -> Any:
    """Blocks, stacked horizontally and vertically."""
    found = grid(blocks)
    return Matrix(found.values, found.row, found.col, found.shape)


@definition(sp.hstack)
def hstack(blocks: Any, format: Any = None, dtype: Any = None) -> Any:
    """Blocks, stacked horizontally."""
    return grid([blocks])


@definition(sp.vstack)
def vstack(blocks: Any, format: Any = None, dtype: Any = None) -> Any:
    """Blocks, stacked vertically."""
    return grid([[block] for block in blocks])


@definition(sp.block_diag)
def block_diag(mats: Any, format: Any = None, dtype: Any = None) -> Any:
    """Blocks along the diagonal."""
    placed, top, left = [], 0, 0
    for block in mats:
        held = as_matrix(block)
        placed.append(Matrix(held.values, held.row + top, held.col + left, held.shape, held.old))
        top, left = top + held.shape[0], left + held.shape[1]
    return joined(placed, (top, left))


@definition(sp.kron)
def kron(A: Any, B: Any, format: Any = None) -> Any:
    """Every element times the other matrix."""
    a, b = as_matrix(A), as_matrix(B)
    n, m = b.shape[0], b.shape[1]
    return Matrix(np.ravel(a.values[:, None] * b.values), np.ravel(a.row[:, None] * n + b.row), np.ravel(a.col[:, None] * m + b.col),
                  (a.shape[0] * n, a.shape[1] * m), all_old((a, b)))


def identity(n: Any) -> Any:
    return Matrix(np.ones(n), np.arange(n), np.arange(n), (n, n), True)


@definition(sp.kronsum)
def kronsum(A: Any, B: Any, format: Any = None) -> Any:
    """The Kronecker sum."""
    a, b = as_matrix(A), as_matrix(B)
    return kron(identity(b.shape[0]), a) + kron(b, identity(a.shape[0]))


@definition(sp.tril)
def tril(A: Any, k: Any = 0, format: Any = None) -> Any:
    """The elements on a diagonal and below it."""
    a = as_matrix(A)
    at = chosen(a.col - a.row <= k)
    return Matrix(a.values[at], a.row[at], a.col[at], a.shape, a.old)


@definition(sp.triu)
def triu(A: Any, k: Any = 0, format: Any = None) -> Any:
    """The elements on a diagonal and above it."""
    a = as_matrix(A)
    at = chosen(a.col - a.row >= k)
    return Matrix(a.values[at], a.row[at], a.col[at], a.shape, a.old)


@definition(installed("scipy.sparse.swapaxes"))
def swapaxes(A: Any, axis1: Any, axis2: Any) -> Any:
    """The transpose."""
    a = as_matrix(A)
    return a if axis1 % 2 == axis2 % 2 else a.T


@definition(installed("scipy.sparse.matrix_transpose"))
def matrix_transpose(x: Any) -> Any:
    """The transpose."""
    return as_matrix(x).T


@definition(installed("scipy.sparse.permute_dims"))
def permute_dims(A: Any, axes: Any = None, copy: Any = False) -> Any:
    """The transpose, or the matrix."""
    a = as_matrix(A)
    return a if axes is not None and axes[0] % 2 == 0 else a.T


def instances(cls: Any) -> Callable[..., Obj]:
    """The type of the instances of a class."""
    made_by = Obj(cls)
    return lambda *args, **kwargs: made_by


for _name in ("csr", "csc", "coo", "lil", "dok", "bsr", "dia"):
    for _fn in (getattr(sp, f"{_name}_array"), getattr(sp, f"{_name}_matrix")):
        SHAPES[_fn] = instances(_fn)


def kind_of_blocks(*args: Any, **kwargs: Any) -> Obj | None:
    """The type of the blocks of constant matrices: an array if one of them is."""
    found: list[Any] = []
    for a in args:
        found += list(a.type.elems) if isinstance(a.type, TupleT) else [a.type.elem] if isinstance(a.type, ListT) else [a.type]
    classes = [t.cls for t in found if isinstance(t, Obj) and isinstance(t.cls, type)]
    if len(classes) < len(found) and any(not isinstance(t, (Arr, Num)) for t in found if not isinstance(t, Obj) or t.cls is None):
        return None
    return Obj(sp.sparray) if any(issubclass(c, sp.sparray) for c in classes) else Obj(sp.spmatrix)


# of which format they are is said by options: their type is that of all formats
SHAPES.update(dict.fromkeys((sp.eye, sp.identity, sp.diags, sp.spdiags, sp.random, sp.rand), instances(sp.spmatrix)))
SHAPES.update(dict.fromkeys((sp.eye_array, sp.diags_array, sp.random_array, sp.block_array), instances(sp.sparray)))
SHAPES.update(dict.fromkeys((sp.hstack, sp.vstack, sp.block_diag), lambda blocks, *args, **kwargs: kind_of_blocks(blocks)))
SHAPES.update(dict.fromkeys((sp.kron, sp.kronsum), lambda A, B, *args, **kwargs: kind_of_blocks(A, B)))
SHAPES.update(dict.fromkeys((sp.tril, sp.triu), lambda A, *args, **kwargs: kind_of_blocks(A)))
